#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The settings file: thresholds, what is wrong in it, --dump-config."""
import contextlib
import os
import re
import subprocess
import tempfile

import harness
from harness import check, check_complaint, check_true, check_usage, run, test
from story import USED, Story, rates

# One request at a time: serial-io. Many that wait: queueing. As iostat would print them.
SERIAL = {"w": 163, "wkb": 1304, "queue": 1.00, "await_ms": 6.13, "util": 99.7}
DEEP = {"r": 2, "w": 522, "rkb": 8, "wkb": 156856, "queue": 143.07, "await_ms": 277.58, "util": 100.1}
FINE = {"r": 162, "rkb": 10380, "queue": 1.13, "await_ms": 7.04, "util": 32.5}

REPORT = ("Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n"
          "sda               0.00     4.00    1.00  200.00     4.00  1600.00    15.96     1.01    5.00   4.95  99.50\n")


def story_of(row):
    story = Story(4)
    readings = [list(USED)]
    for _ in range(3):
        readings.append(rates(readings[-1], **row))
    story.disk("sda", *readings)
    return story


def rules(row, *arguments, **how):
    """What is found in three intervals of a disk with this row."""
    return sorted({found["rule"] for found in story_of(row).rows("--panel", "findings", *arguments, **how)})


@contextlib.contextmanager
def config(text):
    """A file with this text (str or bytes); its path."""
    with tempfile.NamedTemporaryFile(prefix="iotriage-test-") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
        file.flush()
        yield file.name


@contextlib.contextmanager
def home(text=None):
    """An environment whose usual settings file holds this text, and that file's path."""
    with harness.scratch() as folder:
        path = f"{folder}/iotriage/config"
        os.mkdir(f"{folder}/iotriage")
        if text is not None:
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        yield harness.environment(XDG_CONFIG_HOME=folder), path


def settings_in(text):
    """{name: value} of the lines that are no comments."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(re.fullmatch(r"([^ =]+) =(?: (.*))?", line).groups() for line in lines)


def dump(*arguments, **how):
    result = run("--dump-config", *arguments, **how)
    check((result.status, result.err), (0, b""), "status and stderr of --dump-config")
    return result.out.decode()


# ---- thresholds ----

@test("a threshold that is set makes a finding come or go, in batch as in explain")
def _():
    check(rules(DEEP), ["queueing"], "by itself")
    check(rules(SERIAL), ["serial-io"], "by itself")
    with config("queueing_wait = 600\n") as path:
        check(rules(DEEP, "--config", path), [], "await is not 600 times svctm")
        check(rules(SERIAL, "--config", path), ["serial-io"], "another rule")
    check(rules(FINE), [], "by itself")
    with config("queueing_depth = 1\nqueueing_wait = 3\nlimit_unknown_ms = 7\nlimit_other_ms = 7\n") as path:
        check(rules(FINE, "--config", path), ["queueing"], "a stricter eye")
    with config(REPORT) as report, config("serial_low = 1.2\nserial_strict_low = 1.2\n") as path:
        found = run("explain", "--format", "csv", report)
        check_true(b"serial-io" in found.out, found.out)
        found = run("explain", "--format", "csv", "--config", path, report)
        check((found.status, found.err), (0, b""), "status and stderr")
        check_true(b"serial-io" not in found.out, found.out)


@test("marks follow their thresholds")
def _():
    marks = {row["mark"] for row in story_of(DEEP).rows()}
    check(marks, {"W"}, "by itself")
    with config("mark_strong_ratio = 1000") as path:
        check({row["mark"] for row in story_of(DEEP).rows("--config", path)}, {"w"}, "no longer by far")


@test("the usual file holds for the tables, the findings, the summary and explain alike, --config in its place")
def _():
    with home("queueing_wait = 600\nserial_low = 1.2\nserial_strict_low = 1.2\nmouse = no\n") as (env, _), \
            config("# nothing\n") as none, config(REPORT) as report:
        check(rules(DEEP, env=env), [], "findings")
        check(story_of(DEEP).rows(env=env)[-1]["verdict"], "ok", "verdict")
        check_true(b"serial-io" not in run("explain", "--format", "csv", report, env=env).out, "explain")
        check(story_of(DEEP).run("--summary", env=env).err, b"", "stderr of a summary")
        check(rules(DEEP, "--config", none, env=env), ["queueing"], "with --config")
        check_true(b"serial-io" in run("explain", "--format", "csv", "--config", none, report, env=env).out, "--config")


@test("no home is no matter")
def _():
    for changes in ({"HOME": None, "XDG_CONFIG_HOME": None}, {"HOME": "", "XDG_CONFIG_HOME": ""},
                    {"HOME": "relative", "XDG_CONFIG_HOME": "relative"}, {"HOME": "/dev/null", "XDG_CONFIG_HOME": None},
                    {"HOME": "/nonexistent", "XDG_CONFIG_HOME": None}):
        check(rules(SERIAL, env=harness.environment(**changes)), ["serial-io"], str(changes))


# ---- --dump-config ----

@test("--dump-config is a settings file with every threshold and its default, which reads back as itself")
def _():
    text = dump()
    found = settings_in(text)
    check(found["mouse"], "yes", "mouse")
    check([found[f"columns.{name}"] for name in ("devices", "tasks", "aio", "files", "totals")], [None] * 5, "columns")
    check_true("columns.findings" not in found and "columns.system" not in found, "tables without a list")
    check_true(len(found) > 80, f"{len(found)} settings")
    check((found["queueing_wait"], found["cap_flat"], found["fault_huge"]), ("5", "0.015", "1000000000"), "defaults")
    check(len(re.findall(r"^[^#\n]", text, re.M)), len(found), "each once")
    for name in found:
        check_true(re.search(rf"^# [^\n]*\n{re.escape(name)} =", text, re.M), f"{name} has no comment")
    check_true(all(len(line) <= 80 for line in text.splitlines() if line.startswith("#")), "comments are of 80 columns")
    check_true("await is this many times svctm: requests mostly wait in line (default 5)\nqueueing_wait = 5\n" in text, text)
    with config(text) as path:
        check(dump("--config", path), text, "read back")
        check(rules(DEEP, "--config", path), ["queueing"], "the same verdict")


@test("--dump-config tells the values in force: of --config, or of the usual file")
def _():
    given = "queueing_wait = 0.1\nmouse = no\ncolumns.tasks = pid,%s\nmark_ms = 0.30000000000000004\nmark_ratio = 1e3\n" % "user"
    with home(given) as (env, _), config("busy_util = 96\n") as path, config(given) as same:
        text = dump(env=env)
        found, usual = settings_in(text), settings_in(dump())
        changed = {name: value for name, value in found.items() if usual[name] != value}
        check(changed, {"queueing_wait": "0.1", "mouse": "no", "columns.tasks": "pid,user", "mark_ratio": "1000",
                        "mark_ms": "0.30000000000000004"}, "changed")
        check(dump("--config", same), text, "the same by --config")
        check_true("requests mostly wait in line (default 5)\n" in text, "the default is still told")
        found = settings_in(dump("--config", path, env=env))
        check({name: value for name, value in found.items() if usual[name] != value}, {"busy_util": "96"}, "changed")
    with config(text) as path:
        check(dump("--config", path), text, "read back")


@test("each setting that --dump-config prints is taken, and does not depend on the others")
def _():
    for name, value in settings_in(dump()).items():
        with config(f"{name} = {value or ''}\n") as path:
            check(settings_in(dump("--config", path))[name], value, name)


@test("--dump-config on a full disk is a failure")
def _():
    with open("/dev/full", "wb") as full:
        check_complaint(run("--dump-config", stdout=full), 1, "stdout")


# ---- what is wrong ----

WRONG = (
    ("# fine\n\nmouse = no\nnonsense\n", ":4:", "name = value"),
    ("mouse = maybe\n", ":1:", "mouse = maybe", "yes or no"),
    ("\nnosuch = 1\n", ":2:", "nosuch", "no such setting"),
    ("\r\n\r\nqueueing_wai = 1\r\n", ":3:", "queueing_wai"),
    ("columns.nosuch = pid\n", ":1:", "columns.nosuch"),
    ("columns.tasks = pid,nosuch\n", ":1:", "columns.tasks", "nosuch"),
    ("queueing_wait = 5\nqueueing_wait = nan", ":2:", "queueing_wait = nan", "a number from 0 on"),
    *((f"mark_ms = {value}\n", ":1:", f"mark_ms = {value}", "a number from 0 on")
      for value in ("", "inf", "-1", "1e400", "0x10", "5ms", "1,5")),
    (b"\x7fELF\x02\x01\0\0\n\xff\xfe\0=\0", ":1:", "name = value"),
    ("\x1b[2J\x1b]0;x\x07 = 1\n", ":1:", "no such setting"),
    ("x" * 5000 + " = 1\n", ":1:", "x" * 60, "no such setting"),
    ("queueing_wait = " + "9" * 5000 + "\n", ":1:", "queueing_wait = 999", "a number from 0 on"),
)


@test("what is wrong in a file that --config names is one line with its number and name, and status 2")
def _():
    for text, *words in WRONG:
        with config(text) as path, config(REPORT) as report:
            for result in (story_of(SERIAL).run("--config", path), run("explain", "--config", path, report),
                           run("--dump-config", "--config", path)):
                check_usage(result, f"{path}{words[0]}", *words[1:])
                check_true(all(0x20 <= byte < 0x7F for byte in result.err[:-1]), result.err[:80])


@test("what is wrong in the usual file is said in one line and passed over: the rest of it holds")
def _():
    for text, *words in WRONG:
        text = text if isinstance(text, bytes) else text.encode()
        with home(text + b"\nqueueing_wait = 600\n") as (env, path), config(REPORT) as report:
            result = story_of(DEEP).run("--panel", "findings", env=env)
            check_complaint(result, 0, f"{path}{words[0]}", *words[1:], "passed over")
            check(len(harness.parse_csv(result.out)), 0, "findings: the threshold holds")
            check_complaint(run("explain", report, env=env), 0, f"{path}{words[0]}")
            result = run("--dump-config", env=env)
            check_complaint(result, 0, f"{path}{words[0]}")
            check(settings_in(result.out.decode())["queueing_wait"], "600", "what holds")
    with home("a = 1\nb = 2\n\nc = 3\n") as (env, path):
        check_complaint(story_of(SERIAL).run(env=env), 0, f"{path}:1:", "as are 2 more lines")


@test("CRLF, no newline at the end, blanks and the last of two settings are right")
def _():
    for text in ("queueing_wait = 600\r\n", "queueing_wait=600", "\t queueing_wait\t=  600 \t\n# x", "queueing_wait = 6e2\n",
                 "queueing_wait = 5\nqueueing_wait = 600\n", "\n\n#queueing_wait = 5\nqueueing_wait = 600\n\n"):
        with config(text) as path:
            check(rules(DEEP, "--config", path), [], repr(text))
    with config("") as path:
        check(rules(DEEP, "--config", path), ["queueing"], "an empty file")


def unreadable(folder):
    """(path, word of the reason) of each kind of file that cannot be read."""
    with open(f"{folder}/large", "wb") as file:
        file.write(b"# comment\n" * (1 << 20))
    os.mkdir(f"{folder}/folder")
    os.symlink("loop", f"{folder}/loop")
    return ((f"{folder}/large", "File too large"), (f"{folder}/folder", "Is a directory"),
            (f"{folder}/loop", "Too many levels"), ("/dev/zero", "File too large"))


@test("a file that --config names and that cannot be read is one line with the reason, and status 1")
def _():
    with harness.scratch() as folder, config(REPORT) as report:
        os.mkfifo(f"{folder}/fifo")
        for path, why in (*unreadable(folder), ("/nonexistent/config", "No such file"), ("", "No such file"),
                          ("/dev/null/config", "Not a directory"), ("x" * 5000, "File name too long"),
                          (f"{folder}/fifo", "in time")):
            result = run("explain", "--config", path, report)
            check_complaint(result, 1, path[:400], why)
            check(result.out, b"", "stdout")
        check_complaint(story_of(SERIAL).run("--config", folder), 1, folder, "Is a directory")
        check_complaint(run("--dump-config", "--config", folder), 1, folder, "Is a directory")


@test("the usual file that cannot be read is said in one line, and the run goes on")
def _():
    with harness.scratch() as folder:
        os.mkfifo(f"{folder}/fifo")  # as a home that hangs
        for target, why in (*unreadable(folder), (f"{folder}/fifo", "in time")):
            with home() as (env, path):
                os.symlink(target, path)
                result = story_of(SERIAL).run("--panel", "findings", env=env)
                check_complaint(result, 0, path, why, "the usual settings hold")
                check_true(b"serial-io" in result.out, "it goes on")


@test("a file nobody lets us read is told of")
def _():
    with harness.unprivileged() as (prefix, program), home("mouse = no\n") as (env, path), config(REPORT) as report:
        for name in (report, os.path.dirname(os.path.dirname(path)), os.path.dirname(path)):
            os.chmod(name, 0o755)
        os.chmod(path, 0)
        check_complaint(run("explain", report, env=env, prefix=prefix, path=program), 0, path, "Permission denied")
        check_complaint(run("explain", "--config", path, report, prefix=prefix, path=program), 1, path, "Permission denied")


@test("--config takes what a pipe holds")
def _():
    got = subprocess.run([harness.program(), "--dump-config", "--config", "/dev/stdin"], input=b"queueing_wait = 7\n",
                         capture_output=True, env=harness.environment(), check=False)
    check((got.returncode, got.stderr), (0, b""), "status and stderr")
    check(settings_in(got.stdout.decode())["queueing_wait"], "7", "of stdin")
    inner, outer = os.pipe()
    os.write(outer, b"queueing_wait = 8\n")
    os.close(outer)
    got = subprocess.run([harness.program(), "--dump-config", "--config", f"/dev/fd/{inner}"], pass_fds=[inner],
                         capture_output=True, env=harness.environment(), check=False)
    os.close(inner)
    check((got.returncode, got.stderr), (0, b""), "status and stderr")
    check(settings_in(got.stdout.decode())["queueing_wait"], "8", "of a descriptor")


if __name__ == "__main__":
    harness.main()
