#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual and the README know what the program's own tables hold."""
import os
import re

import harness
from harness import check, check_true, run, test

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def manual(page="iotriage.1"):
    """The manual's words, without its escapes."""
    return read(f"man/{page}").replace("\\-", "-").replace("\\&", "")


def described(part=""):
    """The rules in the page of rules, in its order; part: only those of the section about that."""
    sections = re.split(r"^\.Sh RULES ABOUT ", manual("iotriage-rules.7"), flags=re.M)[1:]
    return [name for text in sections if text.startswith(part)
            for name in re.findall(r"^\.It Cm ([\w-]+)", text, re.M)]


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


@test("every option of profile is in its manual")
def _():
    options = re.findall(r"^  (?:-\w, |    )--([\w-]+)", run("profile", "--help").out.decode(), re.M)
    check_true(len(options) > 7, f"options: {options}")
    gone = [option for option in options if f"-{option}" not in manual("iotriage-profile.1")]
    check_true(not gone, f"not in the manual: {gone}")


@test("every key is in the manual's list of keys")
def _():
    keys = section("Keys on the screen")
    check_true(len(keys) > 30, f"keys: {keys}")
    listed = [word for line in re.findall(r"^\.(?:It )?Ic (.*)", manual(), re.M) for word in line.split()]
    check([key for key in keys if key not in listed], [], "not in the manual")


@test("the page of rules describes each rule of the table, and no other")
def _():
    names = described()
    check(sorted(names), sorted(section("Findings")), "rules")
    for part in ("DEVICES", "TASKS", "THE MACHINE"):
        check_true(described(part), f"no rules about {part}")


@test("the page of rules lists those about devices in the order in which they are asked")
def _():
    table = section("Findings")
    names = [name for name in described("DEVICES") if name != "stalled"]
    check(names, [name for name in table if name in names], "order")


@test("the README lists the verdicts: the rules about devices")
def _():
    rows = re.findall(r"^\| `([\w-]+)`", read("README.md").split("| verdict |")[1].split("\n\n")[0], re.M)
    check(rows, described("DEVICES") + ["ok"], "verdicts")


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
