#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports that were cut, quoted, doubled or lost lines: nothing may be invented.

Every input.txt beside this script is mangled in several ways. The program must
not crash or hang, and each figure it reads, as (device, column, value), must be
one that it reads from the whole report. Excused are the last word before a cut
with what is derived from it, and averages since boot that one snapshot of
/proc/diskstats gives where the whole report has two.
"""
import csv
import io
import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "stories"))

import harness  # noqa: E402
from harness import check_true, run, test  # noqa: E402

# text, places, and what depends on the neighbours of a row and not on its own words
IGNORED = ("time", "epoch", "device", "mark", "mark_by", "verdict", "interval", "since_boot")
REPORTS = os.path.join(HERE, "reports")
CASES = sorted(name for name in os.listdir(REPORTS)
               if os.path.exists(os.path.join(REPORTS, name, "expect")))


def content(name):
    with open(os.path.join(REPORTS, name, "input.txt"), "rb") as file:
        return file.read()


def rows_of(data, folder):
    """The rows the program reads from these bytes."""
    path = os.path.join(folder, "mangled.txt")
    with open(path, "wb") as file:
        file.write(data)
    result = run("explain", "--format", "csv", "--panel", "devices", path)
    if result.status == 1:
        check_true(result.out == b"" and result.err.count(b"\n") == 1, f"stderr {result.err[:300]!r}")
        return []
    check_true(result.status == 0 and not result.err, f"status {result.status}, {result.err[:300]!r}")
    return list(csv.DictReader(io.StringIO(result.out.decode(), newline=""), strict=True))


def triples(rows):
    return {(row["device"], column, value) for row in rows for column, value in row.items()
            if value != "" and column not in IGNORED}


def is_snapshot(data):
    """A report of /proc/diskstats."""
    return any(len(line.split()) >= 14 and line.split()[0].isdigit() and line.split()[1].isdigit()
               for line in data.splitlines())


def invented(data, whole, folder, cut=False):
    """Triples that the whole report does not give."""
    rows = rows_of(data, folder)
    if cut and rows:
        last, rows = rows[-1], rows[:-1]
        if triples([last]) <= whole:
            rows.append(last)
        else:  # the word that was cut, and what follows from it
            own = [item for item in triples([last]) if item not in whole]
            check_true(len(own) <= 6, f"more than the last word differs: {sorted(own)}")
    return sorted(triples(rows) - whole)


def without_every_7th(data, first):
    lines = data.splitlines(keepends=True)
    return b"".join(line for number, line in enumerate(lines) if number % 7 != first)


def mangled(data):
    """Name and bytes of each way but cutting."""
    yield "twice", data + (b"" if data.endswith(b"\n") else b"\n") + data
    yield "CRLF", data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "quoted", b"".join(b"> " + line for line in data.splitlines(keepends=True))
    for first in range(7):
        yield f"every 7th line from {first} gone", without_every_7th(data, first)


def register(name):
    @test(name)
    def _():
        data = content(name)
        with tempfile.TemporaryDirectory(prefix="iotriage-test-") as folder:
            whole = triples(rows_of(data, folder))
            for how, bytes_ in mangled(data):
                if is_snapshot(data) and "gone" in how:
                    continue
                bad = invented(bytes_, whole, folder)
                check_true(not bad, f"{how}: {bad[:5]}")
            for at in range(50, len(data), 50):
                if is_snapshot(data):
                    rows_of(data[:at], folder)
                    continue
                bad = invented(data[:at], whole, folder, cut=True)
                check_true(not bad, f"cut at {at}: {bad[:5]}")


for case in CASES:
    register(case)


@test("random bytes, and reports with random bytes in them, do no harm")
def _():
    dice = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="iotriage-test-") as folder:
        for _ in range(40):
            data = bytearray(content(dice.choice(CASES)))
            for _ in range(dice.randrange(1, 60)):
                data[dice.randrange(len(data))] = dice.randrange(1, 256)
            rows_of(bytes(data), folder)
            rows_of(dice.randbytes(dice.randrange(4000)), folder)


if __name__ == "__main__":
    harness.main()
