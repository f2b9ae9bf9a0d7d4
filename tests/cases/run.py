#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Real reports, each with the answer that is right for it.

A folder of reports/ holds input.txt, a report as somebody posted it, and
expect, one assertion a line ("#" begins a comment):

  must SUBJECT RULE[,RULE...]   there is a finding of one of these rules
  warn SUBJECT RULE[,RULE...]   the same, as warn or crit
  not SUBJECT RULE[,RULE...]    there is none of these, not even as info
  calm SUBJECT RULE[,RULE...]   none of these above info
  quiet SUBJECT                 nothing above info
  value SUBJECT N COLUMN NUMBER the N-th row of the device has this figure, to 0.6 %
  absent SUBJECT N COLUMN       and this one not
  rows N                        so many rows were read
  fails                         nothing is recognised: status 1, one line on stderr
  says TEXT                     the text output has it (case ignored)

"*" is any subject or any rule. Prints TAP, a test for each folder.
"""
import csv
import io
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPORTS = os.path.join(HERE, "reports")
sys.path.insert(0, os.path.join(HERE, "..", "stories"))

import harness  # noqa: E402
from harness import check_true, run, test  # noqa: E402


def rows_of(result):
    """CSV rows, or none where nothing was recognised."""
    if result.status != 0:
        lines = result.err.decode("utf-8", "replace").splitlines()
        check_true(result.status == 1 and not result.out and len(lines) == 1,
                   f"status {result.status}, stderr {result.err[:300]!r}")
        check_true(lines[0].startswith("iotriage: "), f"stderr is {lines[0]!r}")
        return []
    check_true(not result.err, f"stderr: {result.err[:300]!r}")
    return list(csv.DictReader(io.StringIO(result.out.decode(), newline=""), strict=True))


class Answer:
    """What the program says of a report."""

    def __init__(self, path):
        self.path = path
        self.first = run("explain", "--format", "csv", path)
        self.findings = rows_of(self.first)
        self.rows = rows_of(run("explain", "--format", "csv", "--panel", "devices", path))

    def found(self, subject, rules="*", least="info"):
        """Findings of the subject and the rules, of at least this severity."""
        order = ["info", "warn", "crit"]
        return [f"{f['severity']}:{f['rule']}:{f['subject']}" for f in self.findings
                if subject in ("*", f["subject"])
                and (rules == "*" or f["rule"] in rules.split(","))
                and order.index(f["severity"]) >= order.index(least)]

    def cell(self, subject, number, column):
        rows = [row for row in self.rows if row["device"] == subject]
        check_true(len(rows) >= int(number), f"{len(rows)} rows of {subject}")
        return rows[int(number) - 1][column]


def holds(answer, verb, words):
    """Raises AssertionError unless the assertion holds."""
    if verb in ("must", "warn"):
        least = "info" if verb == "must" else "warn"
        check_true(answer.found(*words, least), f"findings: {answer.found('*')}")
    elif verb in ("not", "calm"):
        bad = answer.found(*words, "info" if verb == "not" else "warn")
        check_true(not bad, f"found {bad}")
    elif verb == "quiet":
        check_true(not answer.found(words[0], "*", "warn"), f"found {answer.found(words[0])}")
    elif verb == "value":
        cell, wanted = answer.cell(*words[:3]), float(words[3])
        check_true(cell != "" and abs(float(cell) - wanted) <= max(0.006, 0.006 * abs(wanted)) + 1e-9,
                   f"the cell is {cell!r}")
    elif verb == "absent":
        check_true(answer.cell(*words) == "", f"the cell is {answer.cell(*words)!r}")
    elif verb == "rows":
        check_true(len(answer.rows) == int(words[0]), f"{len(answer.rows)} rows")
    elif verb == "fails":
        check_true(answer.first.status == 1 and answer.first.err, f"status {answer.first.status}")
    elif verb == "says":
        result = run("explain", answer.path)
        text = " ".join((result.out + result.err).decode().split()).casefold()
        check_true(" ".join(words).casefold() in text, f"the text is {text[:400]}")
    else:
        raise AssertionError(f"no such assertion: {verb}")


def assertions(folder):
    with open(os.path.join(folder, "expect"), encoding="utf-8") as file:
        for line in file:
            words = line.split() if line.startswith("says ") else line.split("#")[0].split()
            if words:
                yield words


def register(name):
    @test(name)
    def _():
        folder = os.path.join(REPORTS, name)
        answer = Answer(os.path.join(folder, "input.txt"))
        failed = []
        for words in assertions(folder):
            try:
                holds(answer, words[0], words[1:])
            except AssertionError as why:
                failed.append(f"{' '.join(words)}: {why}")
        check_true(not failed, "; ".join(failed))


for case in sorted(os.listdir(REPORTS)):
    if os.path.exists(os.path.join(REPORTS, case, "expect")):
        register(case)

if __name__ == "__main__":
    harness.main()
