#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: wrong options, where output goes, what the environment must not change."""
import os
import subprocess
import time

import harness
from harness import check, check_complaint, check_true, check_usage, only, run, test
from story import USED, Story, io_text, plus

PANELS = ("devices", "tasks", "aio", "system", "findings")


def small():
    """A story of one disk and one task over two intervals."""
    story = Story(3)
    story.disk("sda", *(plus(USED, rd_ios=1500 * i, rd_sectors=12345 * i, rd_ms=777 * i) for i in range(3)))
    story.task(42, "émile, \"x\"", [io_text(read_bytes=1536 * i, syscr=i, rchar=1000 * i) for i in range(3)])
    story.aio(165, 65536)
    return story


def refused(*arguments, words=()):
    """Wrong usage, seen before anything is read, with these words in the one line on stderr."""
    check_usage(run("-b", "--procfs", "/nonexistent", *arguments), *words)


# ---- wrong options ----

@test("an unknown option is named")
def _():
    for option in ("--nosuch", "-x", "--batch=1", "--devices"):
        refused(option, words=(option.partition("=")[0], "--help"))
    refused("-bZ", words=("-Z",))
    for option in ("-d", "-n", "--device", "--panel", "-O", "--sort"):
        refused(option, words=(option, "argument"))


@test("an unknown panel is named, with those there are")
def _():
    for name in ("nosuch", "", "Devices", "device"):
        refused("--panel", name, words=("--panel", name, *PANELS, "all"))


@test("an unknown column is named, with those of the panel")
def _():
    refused("--sort", "nosuch", words=("--sort nosuch", "r/s", "await", "%util", "verdict"))
    refused("--sort", "", words=("--sort", "await"))
    refused("--panel", "tasks", "--sort", "await", words=("--sort await", "rkB/s", "command"))
    refused("--panel", "findings", "--sort", "pid", words=("--sort pid", "severity", "rule"))


@test("an interval that is no number of seconds from 0.1 to a day is named, with what is allowed")
def _():
    for word in ("0", "nan", "1x", "inf", "-1", "", "x", "0x1", "1e3", "0.05", "86401", "1,5", "1.2.3", " 1", "+1",
                 "9" * 400):
        refused("-d", word, words=("-d " + word[:100], "seconds", "0.1", "86400"))
    for word in ("0", "nan", "1x", "x"):
        refused(word, words=(word, "seconds"))


@test("a count that is no whole number from 1 is named, with what is allowed")
def _():
    for word in ("0", "3x", "-1", "", "x", "1.5", "99999999999999999999", "4294967297", " 3", "+3"):
        refused("-n", word, words=("-n " + word, "whole number", "from 1"))
        refused("--top", word, words=("--top " + word, "whole number", "from 1"))
    refused("1", "0", words=("count 0", "whole number"))


@test("interval and count are given once: as options or as operands, and there is no third")
def _():
    refused("-d", "1", "2", words=("2", "interval", "twice"))
    refused("-n", "3", "1", "2", words=("2", "count", "twice"))
    refused("1", "2", "3", words=("3", "interval", "count"))


@test("an option for the interval or the count is given once, too")
def _():
    refused("-d", "1", "-d", "2", words=("-d", "twice"))
    refused("-n", "1", "-n", "2", words=("-n", "twice"))


@test("a list of PIDs that is none is named")
def _():
    for word in ("x", "", "1,", ",1", "1,,2", "0", "-5", "1 2", "99999999999", "1x", "2147483648"):
        refused("-p", word, words=("-p " + word, "commas"))


@test("a format that is not there is named")
def _():
    refused("--format", "xml", words=("--format xml", "csv"))


@test("no device of that name, no such PID, no such user: each is named")
def _():
    with harness.scratch() as folder:
        small().write(folder)
        for arguments, words in ((("--device", "nosuch"), ("--device nosuch", "sda")),
                                 (("--device", ""), ("--device", "sda")),
                                 (("--device", "sda", "--device", "sdz*"), ("--device sdz*", "sda")),
                                 (("--panel", "tasks", "-p", "42,43"), ("-p 43",))):
            check_usage(run("-b", "--procfs", folder, *arguments), *words)
    check_usage(run("-b", "-n", "1", "-u", "no such user here"), "-u no such user here")
    check_usage(run("-b", "-n", "1", "--device", "nosuch"), "--device nosuch")


@test("an argument of escape bytes, newlines and bad UTF-8 is harmless in the one line about it")
def _():
    evil = b"\x1b[2J\nx\r\xff\xc2\x9b" + "日".encode() + b"y" * 3000
    for option in ("--panel", "--sort", "--device", "-d", "-n", "-p", "--top", "--format", "-u", "--procfs"):
        result = run("-b", option, evil, "-n", "1") if option != "-n" else run("-b", option, evil)
        check_true(result.status in (2, 3), f"{option}: status {result.status}")
        check_complaint(result, result.status)
        check_true(all(0x20 <= byte < 0x7F for byte in result.err[:-1]), f"{option}: {result.err[:60]!r}")
    check_usage(run(b"--\x1b[31m\n"))
    check_usage(run("-b", b"-\x1b"))
    check_usage(run("-b", b"-\xff"))


# ---- no /proc ----

@test("without a usable /proc it says so and ends with 3")
def _():
    with harness.scratch() as folder:
        os.mkdir(f"{folder}/empty")
        os.mkdir(f"{folder}/story")
        for name in ("file", "story/step"):
            with open(f"{folder}/{name}", "wb"):
                pass
        for path in ("/nonexistent", "/nonexistent/deeper", f"{folder}/empty", f"{folder}/file", f"{folder}/story",
                     ""):
            result = run("-b", "--procfs", path)
            check_complaint(result, 3, path, "/proc")
            check(result.out, b"", "stdout")


@test("a tree with only our own process in it works")
def _():
    with harness.scratch() as folder:
        os.makedirs(f"{folder}/77")
        for name, text in (("stat", "77 (x) S " + "0 " * 40), ("io", io_text())):
            with open(f"{folder}/77/{name}", "w", encoding="ascii") as file:
                file.write(text)
        os.symlink("77", f"{folder}/self")
        rows = run("-b", "--procfs", folder, "--panel", "tasks", "0.1", "1").rows()
        check([row["pid"] for row in rows], ["77"], "pids")


@test("a step whose clock cannot be read ends the run with one line and nothing cut")
def _():
    for text in ("", "x\n", "2 nan 1\n", "2 1e300 1\n", "2\n"):
        with harness.scratch() as folder:
            small().write(folder)
            with open(f"{folder}/3/step", "w", encoding="ascii") as file:
                file.write(text)
            result = run("-b", "--procfs", folder)
            check_complaint(result, 1, "sampling")
            check(len(harness.parse_csv(result.out)), 1, "rows before it")


# ---- help ----

@test("--help lists every option and every column, --version the version; both end with 0")
def _():
    result = run("--help")
    check((result.status, result.err), (0, b""), "status and stderr")
    text = result.out.decode()
    check_true(text.startswith("usage: iotriage"), text[:60])
    for panel in PANELS:
        for column in list(small().rows("--panel", panel, "-n", "1")[0] if panel != "findings" else []):
            check_true(column in ("time", "epoch") or f" {column} " in text, f"{column} of {panel} is not in --help")
    check_true(run("--version").out.startswith(b"iotriage "), "--version")
    check(run("--version", "--nosuch").status, 0, "status of --version before a wrong option")


# ---- where output goes ----

@test("without -b batch is what happens where stdout is no terminal")
def _():
    with harness.scratch() as folder:
        small().write(folder)
        check(len(run("--procfs", folder).rows()), 2, "rows")


@test("-O writes the same bytes to a file, anew each time, and nothing to stdout")
def _():
    expected = small().run().out
    with harness.scratch() as folder:
        path = f"{folder}/out.csv"
        for _ in range(2):
            result = small().run("-O", path)
            check((result.status, result.out, result.err), (0, b"", b""), "status, stdout, stderr")
            with open(path, "rb") as file:
                check(file.read(), expected, "the file")
        os.remove(path)
        check(small().run("--output", path, "--panel", "aio").status, 0, "status")
        check_true(os.path.getsize(path) > 0, "the file has something in it")


@test("--panel all -O DIR writes one file for each panel, as the panel alone would")
def _():
    with harness.scratch() as folder:
        for path in (folder, f"{folder}/new"):
            result = small().run("--panel", "all", "-O", path)
            check((result.status, result.out, result.err), (0, b"", b""), "status, stdout, stderr")
            names = sorted(name for name in os.listdir(path) if name.endswith(".csv"))
            check(names, sorted(f"{panel}.csv" for panel in PANELS), "files")
            for panel in PANELS:
                with open(f"{path}/{panel}.csv", "rb") as file:
                    text = file.read()
                if panel in ("devices", "aio", "findings"):
                    check(text, small().run("--panel", panel).out, f"{panel}.csv")
                check_true(text.startswith(b"time,epoch,"), f"{panel}.csv has a header")


@test("--sort with --panel all is for the panels that have such a column")
def _():
    with harness.scratch() as folder:
        check(small().run("--panel", "all", "-O", folder, "--sort", "rkB/s").status, 0, "status")
    with harness.scratch() as folder:
        check_usage(small().run("--panel", "all", "-O", folder, "--sort", "nosuch"), "--sort nosuch")


@test("--panel all needs a folder")
def _():
    refused("--panel", "all", words=("--panel all", "-O"))
    with harness.scratch() as folder:
        path = f"{folder}/file"
        with open(path, "wb"):
            pass
        check_complaint(small().run("--panel", "all", "-O", path), 1, path)


@test("open files are of one process")
def _():
    for arguments in ((), ("-p", "1,2")):
        refused("--panel", "files", *arguments, words=("--panel files", "-p"))


@test("a summary is of all tasks: it goes with no panel")
def _():
    for panel in ("tasks", "all"):
        with harness.scratch() as folder:
            refused("--summary", "--panel", panel, "-O", f"{folder}/x", words=("--summary", "--panel"))


@test("a file that cannot be opened is named, with the reason, and the status is 1")
def _():
    for arguments in (("-O", "/nonexistent/x"), ("-O", "/"), ("--panel", "all", "-O", "/nonexistent/x/y")):
        check_complaint(small().run(*arguments), 1, arguments[-1])


@test("a full disk is one line with the reason, and status 1")
def _():
    with open("/dev/full", "wb") as full:
        for arguments in ((), ("--panel", "tasks"), ("--panel", "system")):
            check_complaint(small().run(*arguments, stdout=full), 1, "stdout", "No space left on device")
        for option in ("--help", "--version"):
            check_complaint(run(option, stdout=full), 1, "stdout")
    check_complaint(small().run("-O", "/dev/full"), 1, "/dev/full", "No space left on device")


# ---- what must not matter ----

@test("the output is the same, byte for byte, in every locale")
def _():
    for panel in PANELS:
        expected = small().run("--panel", panel, env=harness.environment(LC_ALL="C")).out
        for locale in ("POSIX", "C.UTF-8", "de_DE.UTF-8", "fr_FR", "fa_IR", "tr_TR.UTF-8", "nosuch"):
            env = harness.environment(LC_ALL=locale, LANG=locale, LC_NUMERIC=locale)
            check(small().run("--panel", panel, env=env).out, expected, f"{panel} in {locale}")
    for word in ("1,5", "2,0"):
        check_usage(run("-b", "-d", word, env=harness.environment(LC_ALL="de_DE.UTF-8")), word)


@test("so it is in locales with decimal commas that are truly there")
def _():
    with harness.scratch() as folder:
        for name in ("de_DE", "tr_TR", "fa_IR"):
            try:
                made = subprocess.run(["localedef", "-i", name, "-f", "UTF-8", f"{folder}/{name}.UTF-8"],
                                      capture_output=True, check=False)
            except FileNotFoundError:
                raise harness.Skip("there is no localedef") from None
            if not os.path.isdir(f"{folder}/{name}.UTF-8"):
                raise harness.Skip(f"localedef makes no {name}: {made.stderr.decode(errors='replace').strip()}")
            env = harness.environment(LC_ALL=f"{name}.UTF-8", LOCPATH=folder)
            for panel in PANELS:
                check(small().run("--panel", panel, env=env).out, small().run("--panel", panel).out, name)
            check(len(small().rows("-d", "1.5", env=env)), 2, "rows of -d 1.5")


@test("batch needs no terminal, no TERM and no terminfo")
def _():
    expected = small().run().out
    for changes in ({"TERM": "nosuch", "TERMINFO": "/nonexistent"}, {"TERM": None}, {"TERM": "dumb"}, {"TERM": ""},
                    {"TERM": "x" * 5000}, {"HOME": None, "PATH": None, "TERM": None}, {"NO_COLOR": "1"},
                    {"LINES": "0", "COLUMNS": "-1"}):
        check(small().run(env=harness.environment(**changes)).out, expected, str(changes))


@test("the same story gives the same bytes each time")
def _():
    for panel in PANELS:
        outputs = {small().run("--panel", panel).out for _ in range(3)}
        check(len(outputs), 1, f"different outputs of {panel}")


# ---- the output and its reader ----

@test("wrong usage leaves the output file as it was")
def _():
    story = Story(2)
    story.disk("sda", USED, USED)
    with harness.scratch() as folder:
        path = os.path.join(folder, "kept.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write("precious\n")
        check_usage(story.run("-O", path, "--device", "nosuch"), "nosuch")
        with open(path, encoding="ascii") as file:
            check(file.read(), "precious\n", "the file")


@test("a FIFO that nobody reads does not keep the program from ending")
def _():
    with harness.scratch() as folder:
        path = os.path.join(folder, "fifo")
        os.mkfifo(path)
        child = harness.start("-b", "-d", "0.1", "-O", path)
        time.sleep(0.5)
        check(child.poll(), None, "it waits for a reader")
        child.terminate()
        check(child.wait(timeout=20), 1, "exit status")
        check_true(b"nobody read it" in child.communicate()[1], "it says so")


@test("a process that is not there is wrong usage in every panel")
def _():
    for panel in ("devices", "aio", "tasks"):
        check_usage(run("-b", "--panel", panel, "-p", "4194303", "-n", "1", "-d", "0.1"), "4194303")


@test("a folder for --sysfs that is not there is named")
def _():
    check_usage(run("-b", "--sysfs", "/nonexistent", "1", "1"), "--sysfs", "/nonexistent")


if __name__ == "__main__":
    harness.main()
