#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual and the README know what the program's own tables hold."""
import os
import re

import harness
from harness import check_true, run, test

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def manual():
    """The manual's words, without its escapes."""
    return read("man/iotriage.1").replace("\\-", "-").replace("\\&", "")


def section(title):
    """The first words of the lines below a title of --help."""
    text = run("--help").out.decode()
    found = re.search(rf"^{title}.*?:\n((?:  .*\n)+)", text, re.M)
    check_true(found, f"--help has no section {title!r}")
    return [line.split()[0] for line in found.group(1).splitlines()]


def missing(words, text):
    return [word for word in words if not re.search(rf"(?<![\w/%-]){re.escape(word)}(?![\w/%])", text)]


@test("every option is in the manual")
def _():
    options = re.findall(r"^  (?:-\w, |    )--([\w-]+)", run("--help").out.decode(), re.M)
    check_true(len(options) > 10, f"options: {options}")
    gone = [option for option in options if f"-{option}" not in manual()]
    check_true(not gone, f"not in the manual: {gone}")


@test("every rule is in the manual and in the README")
def _():
    for name in ("man/iotriage.1", "README.md"):
        text = manual() if name.startswith("man") else read(name)
        gone = missing(section("Findings"), text)
        check_true(not gone, f"not in {name}: {gone}")


@test("every rate and time of a device is in the manual")
def _():
    wanted = [name for name in section("Columns of devices")
              if "/s" in name or "await" in name or "sz" in name or "%" in name
              or name in ("svctm", "qwait", "depth", "inflight")]
    check_true(len(wanted) > 20, f"columns: {wanted}")
    gone = missing(wanted, manual())
    check_true(not gone, f"not in the manual: {gone}")


@test("the two commands are in the README")
def _():
    gone = [word for word in ("./dev run", "./dev check") if word not in read("README.md")]
    check_true(not gone, f"not in the README: {gone}")


if __name__ == "__main__":
    harness.main()
