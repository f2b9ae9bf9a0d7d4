#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual and the README know what the program's own tables hold.

UPDATE_MAN=1 writes the page's list of thresholds anew.
"""
import difflib
import os
import re
import textwrap

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
    sections = re.split(r"^\.Sh ", manual("iotriage-rules.7"), flags=re.M)
    return [name for text in sections if text.startswith(f"RULES ABOUT {part}")
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


def thresholds():
    """The list of thresholds as the page of rules has it."""
    entry = r"((?:^# .*\n)+)^([a-z_]+) = .*\n"
    lines = []
    for comment, name in re.findall(entry, run("--dump-config").out.decode(), re.M):
        text = " ".join(line[2:] for line in comment.splitlines())
        meaning, default = re.fullmatch(r"(.*) \(default:? ([^()]*)\)", text).groups()
        if name != "mouse":
            lines.append(f".It Cm {name} Pq {default}\n{textwrap.fill(meaning, 95)}\n".replace("-", "\\-"))
    check_true(len(lines) > 80, f"{len(lines)} thresholds")
    return "".join(lines)


@test("the page of rules lists the thresholds of the table, with their defaults and meanings")
def _():
    page = read("man/iotriage-rules.7")
    before, begin, rest = page.partition(".Bl -tag -width indent\n")
    check_true(begin, "the page has no list of thresholds")
    listed, end, after = rest.partition(".El\n")
    if os.environ.get("UPDATE_MAN"):
        with open(os.path.join(TOP, "man/iotriage-rules.7"), "w", encoding="utf-8") as file:
            file.write(before + begin + thresholds() + end + after)
        return
    for entry in difflib.ndiff(listed.splitlines(), thresholds().splitlines()):
        check_true(entry.startswith("  "), f"{entry}; UPDATE_MAN=1 writes the list anew")


@test("the manual names the tables whose columns can be chosen")
def _():
    names = re.findall(r"^(columns\.\w+) =", run("--dump-config").out.decode(), re.M)
    listed = re.search(r"^\.It Cm (columns\..*)", manual(), re.M)
    check(listed.group(1).split(" , "), names, "names")


@test("every option of explain is in its manual")
def _():
    options = re.findall(r"^  (?:-\w, |    )--([\w-]+)", run("explain", "--help").out.decode(), re.M)
    check_true(len(options) > 4, f"options: {options}")
    check([option for option in options if f"-{option}" not in manual("iotriage-explain.1")], [], "not in the manual")


@test("the two commands are in the README")
def _():
    gone = [word for word in ("./dev run", "./dev check") if word not in read("README.md")]
    check_true(not gone, f"not in the README: {gone}")


if __name__ == "__main__":
    harness.main()
