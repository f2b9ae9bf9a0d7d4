#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""An ordinary load on the real disk for a while, healthy by its rates: nothing may warn.

usage: healthy.py [SECONDS]
"""

import csv
import shutil
import subprocess
import sys
import time
from pathlib import Path

import common
from common import figures, number

SECONDS = 45
TREE = common.HERE.parent.parent
NAMES = [
    "the load reaches the disk all the time",
    "the monitor keeps its ticks and ends by itself",
    "no finding warns",
]

# Data no faster than so many KiB/s, to a file of at most 64 MiB that is written over and over.
PACED = """import os, sys, time
source, path, kib = sys.argv[1], sys.argv[2], int(sys.argv[3])
file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
data, due, at = b"x", time.monotonic(), 0
while data:
    data = sys.stdin.buffer.read(65536) if source == "-" else os.urandom(65536)
    at = at + os.pwrite(file, data, at) if at < 64 << 20 else 0
    due = max(due + 64 / kib, time.monotonic() - 1)
    time.sleep(max(0, due - time.monotonic()))
"""

# A tree is packed again and again, from the disk and not from the page cache.
PACKING = """import os, subprocess, sys, time
tree, paced, out = sys.argv[1:]
while True:
    for folder, _, names in os.walk(tree):
        for name in names:
            file = os.open(os.path.join(folder, name), os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)
    tar = subprocess.Popen(["tar", "-cf", "-", "-C", tree, "."], stdout=subprocess.PIPE)
    subprocess.run([sys.executable, "-c", paced, "-", out, "4096"], stdin=tar.stdout, check=True)
    tar.wait()
    time.sleep(1)
"""


def sources():
    """Files of this program that compile without its configuration."""
    return [file for room in ("columns", "diagnose", "frame", "import")
            for file in sorted((TREE / "src" / room).glob("*.c"))]


COMPILING = """cd "$1" || exit
shift
while :; do
	for file; do
		cc -std=c11 -D_GNU_SOURCE -O2 -Iinclude -Isrc -c "$file" -o "$OUT" || exit
	done
done"""


def load(stack, folder):
    """All of it together; a mebibyte or two a second each. The processes, to see that they live."""
    tree = folder / "tree"
    shutil.copytree(TREE / "src", tree / "src")
    shutil.copytree(TREE / "tests", tree / "tests", ignore=shutil.ignore_patterns("reports"))
    python = [sys.executable, "-c"]
    yield common.fio(stack, "healthy", f"--filename={folder / 'fio'}", "--size=64m", "--bs=4k",
                     "--rw=randrw", "--iodepth=4", "--rate_iops=150,150", "--runtime=86400")
    yield common.start(stack, [*python, PACED, "random", folder / "written", 4096])
    yield common.start(stack, [*python, PACKING, tree, PACED, folder / "packed"])
    yield common.start(stack, ["sh", "-c", COMPILING, "sh", TREE, *sources()],
                       env={**common.os.environ, "OUT": str(folder / "object.o")})


def table(path):
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        return list(csv.DictReader(file))


def start_monitor(stack, panel, folder, seconds):
    path = folder / f"{panel}.csv"
    with open(path, "wb") as out:
        process = common.start(stack, [common.IOTRIAGE, "-b", "--panel", panel, "1", seconds],
                               stdout=out)
    return path, process


def disks_beside(disk):
    """Block devices that have nothing to do with this one: others' rigs, other disks."""
    for link in Path("/sys/class/block").iterdir():
        real = link.resolve()
        kin = {real.name, real.parent.name, *(each.name for each in (real / "slaves").glob("*"))}
        if disk not in kin:
            yield link.name


def worst(rows, column):
    return max(rows, key=lambda row: number(row, column) or 0)


def describe(tap, rows):
    """What the disk did, so that saturation can be told from a mistake."""
    for column in ("await", "avgqu-sz", "%util"):
        tap.note(f"at its highest {column}: " + figures(
            [worst(rows, column)], "time", "r/s", "w/s", "rkB/s", "wkB/s", "f/s", "avgqu-sz",
            "r_await", "w_await", "%util", "verdict"))


def spells(findings):
    """Each finding once, of the rows that follow from tick to tick."""
    found = {}
    for row in findings:
        key = (row["severity"], row["rule"], row["subject"], row["since"])
        found[key] = (found.get(key, (0, None))[0] + 1, row)
    return [(ticks, row) for ticks, row in found.values()]


def body(tap, stack):
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    common.need("fio", "tar", "cc")
    folder = common.real_folder(stack)
    disk = common.disk_of(folder)
    beside = set(disks_beside(disk))
    processes = list(load(stack, folder))
    time.sleep(3)  # fio lays out its file first
    monitors = [start_monitor(stack, panel, folder, seconds) for panel in ("devices", "findings")]
    codes = [process.wait(seconds + 60) for _, process in monitors]
    devices, findings = (table(path) for path, _ in monitors)
    rows = [row for row in devices if row["device"] == disk]
    worked = [row for row in rows if (number(row, "r/s") or 0) > 50 and (number(row, "w/s") or 0) > 50]
    ended = [process.args[0] for process in processes if process.poll() is not None]
    tap.check(rows and len(worked) >= 0.9 * len(rows) and not ended,
              f"{disk}: {len(worked)} of {len(rows)} ticks; ended: {ended}")
    tap.check(codes == [0, 0] and len(rows) >= seconds - 1, f"status {codes}, {len(rows)} rows")
    describe(tap, rows)
    warned = []
    for ticks, row in spells(findings):
        text = f"{row['severity']} {row['rule']} {row['subject']}, {ticks} ticks until {row['time']}"
        if row["subject"] in beside:
            tap.note(f"not this load's: {text}")
        elif row["severity"] == "info":
            tap.note(f"{text}: {row['text']}")
        else:
            warned += [f"{text}: {row['text']}", row["evidence"]]
    tap.check(not warned, *warned)


if __name__ == "__main__":
    common.main(NAMES, body)
