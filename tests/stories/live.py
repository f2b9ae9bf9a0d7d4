#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Batch on the live machine: signals, readers that go or sleep, nobody's rights, hostile processes."""
import os
import random
import signal
import subprocess
import sys
import threading
import time

import harness
from harness import check, check_cells, check_complaint, check_true, only, run, start, test
from story import USED, Story, plus

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PANELS = ("devices", "tasks", "aio", "system", "findings")
TICK = ("-b", "-d", "0.1")


def ends(process):
    """What is left of its output, its stderr, and its status, once it has ended by itself."""
    out, err = process.communicate(timeout=harness.PATIENCE_S)
    return out, err, process.returncode


def nap(seed):
    time.sleep(random.Random(seed).uniform(0, 0.5))


def big():
    """A story with more output than a pipe holds: 3,000 devices."""
    story = Story(3)
    for i in range(3):
        text = " ".join(map(str, plus(USED, rd_ios=i)))
        story.put(i, "proc/diskstats", "".join(f"8 {n} disk{n} {text}\n" for n in range(3000)))
    return story


# ---- ordinary runs ----

@test("a live run of each panel ends by itself with 0 and whole lines")
def _():
    for panel in PANELS:
        rows = run(*TICK, "-n", "3", "--panel", panel).rows(escapes=True)
        if panel in ("aio", "system"):  # processes that use AIO have rows of their own
            check(len([row for row in rows if not row.get("pid")]), 3, f"rows of {panel}")
    ticks = [float(row["interval"]) for row in run(*TICK, "-n", "4", "--panel", "system").rows()]
    check(len(ticks), 4, "rows")
    check_true(all(tick > 0.02 for tick in ticks), f"intervals of 0.1 s: {ticks}")


@test("each tick is at the reader before the next one is due")
def _():
    process = start("-b", "-d", "2", "-n", "2", "--panel", "system")
    lines = [process.stdout.readline() for _ in range(2)]
    at_first = time.monotonic()
    out, err, status = ends(process)
    check((status, err, len(out.splitlines())), (0, b"", 1), "status, stderr, lines that came later")
    check_true(lines[1].endswith(b"\n") and time.monotonic() - at_first > 0.5, "the first tick came with the last")


# ---- signals ----

def after_signal(number, seed, *arguments):
    """A run that gets this signal some time after its first line; all it has written."""
    process = start(*TICK, *arguments)
    head = process.stdout.readline()
    nap(seed)
    process.send_signal(number)
    out, err, status = ends(process)
    check((status, err), (0, b""), f"status and stderr after {signal.Signals(number).name}, moment {seed}")
    return harness.parse_csv(head + out, escapes=True)


@test("SIGINT, SIGTERM and SIGHUP at any moment leave whole lines and status 0")
def _():
    for seed in range(18):
        panel = PANELS[seed % 3]
        rows = after_signal(SIGNALS[seed % 3], seed, "--panel", panel)
        check_true(panel == "devices" or rows, f"rows of {panel}")


@test("a signal before the first line leaves nothing or whole lines")
def _():
    for seed in range(12):
        number = SIGNALS[seed % 3]
        process = start(*TICK, "--panel", "tasks")
        time.sleep(random.Random(seed).uniform(0, 0.1))
        process.send_signal(number)
        out, err, status = ends(process)
        check_true(status in (0, -number) and err == b"", f"status {status}, stderr {err!r}")
        harness.parse_csv(out, escapes=True)


@test("with --panel all a signal leaves whole lines in all five files")
def _():
    with harness.scratch() as folder:
        process = start(*TICK, "--panel", "all", "-O", folder)
        while not os.path.exists(f"{folder}/findings.csv") or not os.path.getsize(f"{folder}/findings.csv"):
            check(process.poll(), None, "status while it runs")
            time.sleep(0.02)
        nap(1)
        process.send_signal(signal.SIGTERM)
        check(ends(process), (b"", b"", 0), "output and status")
        for panel in PANELS:
            with open(f"{folder}/{panel}.csv", "rb") as file:
                text = file.read()
            harness.parse_csv(text, escapes=True)
            check_true(text.startswith(b"time,epoch,"), f"{panel}.csv has a header")


@test("stopped and continued, the next interval has its true length")
def _():
    process = start(*TICK, "--panel", "system")
    head = process.stdout.readline() + process.stdout.readline()
    process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    process.send_signal(signal.SIGCONT)
    more = b"".join(process.stdout.readline() for _ in range(3))
    process.send_signal(signal.SIGINT)
    out, err, status = ends(process)
    check((status, err), (0, b""), "status and stderr")
    rows = harness.parse_csv(head + more + out)
    check_true(max(float(row["interval"]) for row in rows) >= 0.9, "no interval of a second")


# ---- readers ----

@test("a reader that goes ends the run quietly, with 0")
def _():
    for panel in ("devices", "tasks", "findings"):
        process = start("-b", "-d", "0.1", "--panel", panel)
        process.stdout.readline()
        process.stdout.close()
        check(process.wait(timeout=harness.PATIENCE_S), 0, "status")
        check(process.stderr.read(), b"", "stderr")
        process.stderr.close()


@test("it notices at once, not at the next tick")
def _():
    process = start("-b", "-d", "3600", "--since-boot")
    process.stdout.readline()
    process.stdout.close()
    check((process.wait(timeout=harness.PATIENCE_S), process.stderr.read()), (0, b""), "status and stderr")
    process.stderr.close()


@test("a reader that goes in the middle of a large output ends the run quietly, with 0")
def _():
    with harness.scratch() as folder:
        big().write(folder)
        process = start("-b", "--procfs", folder)
        process.stdout.read(10)
        process.stdout.close()
        check((process.wait(timeout=harness.PATIENCE_S), process.stderr.read()), (0, b""), "status and stderr")
        process.stderr.close()


@test("a slow reader gets everything")
def _():
    with harness.scratch() as folder:
        big().write(folder)
        process = start("-b", "--procfs", folder)
        text = b""
        while chunk := os.read(process.stdout.fileno(), 50000):
            text += chunk
            time.sleep(0.01)
        _, err, status = ends(process)
    check((status, err), (0, b""), "status and stderr")
    check(len(harness.parse_csv(text)), 6000, "rows")


@test("a reader that sleeps does not keep a signal from ending the run; a cut line is no success")
def _():
    with harness.scratch() as folder:
        big().write(folder)
        for number in SIGNALS:
            process = start("-b", "--procfs", folder)
            time.sleep(0.5)  # the pipe is full by now; if not yet, it will be
            process.send_signal(number)
            status = process.wait(timeout=harness.PATIENCE_S)
            out, err = process.communicate()
            if status == 0:
                check_true(out.endswith(b"\n") and err == b"", f"called complete: {out[-40:]!r}")
            else:
                check_complaint(harness.Result(status, out, err), 1, "stdout")


# ---- rights ----

@test("nobody sees all devices and its own tasks; the others' figures are empty and counted")
def _():
    with harness.unprivileged() as (prefix, path):
        own = subprocess.Popen([*prefix, "sleep", "600"], stdin=subprocess.DEVNULL)
        try:
            how = {"prefix": prefix, "path": path}
            rows = run("-b", "-d", "3", "-n", "2", "--panel", "tasks", **how).rows(escapes=True)
            last = [row for row in rows if row["epoch"] == rows[-1]["epoch"]]
            check_cells(only(last, pid=str(own.pid)), {"rkB/s": "0.0", "wkB/s": "0.0", "comm": "sleep"})
            machine = run(*TICK, "-n", "1", "--panel", "system", **how).rows()[0]
            devices = {row["device"] for row in run(*TICK, "-n", "1", **how).rows()}
        finally:
            own.kill()
            own.wait()
        check(devices, {row["device"] for row in run(*TICK, "-n", "1").rows()}, "devices")
        if os.geteuid() == 0:
            check_cells(only(last, pid="1"), {"rkB/s": "", "wkB/s": "", "rchar/s": ""})
            check_true(float(machine["unreadable"]) > 0, "no task is unreadable")


@test("a low limit on open files is no trouble")
def _():
    limit = ("prlimit", "--nofile=32:32")
    try:
        subprocess.run([*limit, "true"], check=True)
    except (OSError, subprocess.CalledProcessError):
        raise harness.Skip("there is no prlimit") from None
    rows = run("-b", "-d", "2", "-n", "1", "--panel", "tasks", prefix=limit).rows(escapes=True)
    check_true(str(os.getpid()) in {row["pid"] for row in rows}, "our own process is not there")


# ---- the process that asks for names ----

def children(pid):
    """PIDs of a process's children."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == pid:
                    found.append(int(name))
        except OSError:
            pass
    return found


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@test("a helper that is killed while idle is replaced, without a spin")
def _():
    child = harness.start("-b", "-d", "0.2", "--panel", "tasks")
    reader = threading.Thread(target=child.stdout.read)  # keeps the pipe empty
    reader.start()
    try:
        time.sleep(1)  # past the child that reads the settings
        helpers = wait_for(lambda: children(child.pid))
        os.kill(helpers[0], signal.SIGKILL)
        before, begin = cpu_s(child.pid), time.monotonic()
        newcomer = subprocess.Popen(["sleep", "600"])
        try:
            wait_for(lambda: set(children(child.pid)) - set(helpers))
            time.sleep(1)
        finally:
            newcomer.kill()
            newcomer.wait()
        spent, elapsed = cpu_s(child.pid) - before, time.monotonic() - begin
        check_true(spent < 0.7 * elapsed, f"{spent:.2f} s of CPU in {elapsed:.2f} s")
    finally:
        child.terminate()
        child.wait(timeout=20)
        reader.join()


def wait_for(condition, seconds=30):
    """What the condition gives once it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return list(found)
        time.sleep(0.05)
    raise AssertionError("it did not come about")


# ---- processes with hostile names ----

NAME_SELF = b"""import ctypes, time; ctypes.CDLL(None).prctl(15, ctypes.c_char_p(%r), 0, 0, 0); print(flush=True); \
time.sleep(600)"""


def hostile(name, *words):
    """The row of a process of this name and these arguments, and its true command line."""
    argv = [words[0], b"-c", NAME_SELF % name, *words[1:]]
    child = subprocess.Popen(argv, executable=sys.executable, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        child.stdout.readline()
        rows = run("-b", "-d", "2", "-n", "1", "--panel", "tasks", "-p", child.pid).rows(escapes=True)
    finally:
        child.kill()
        child.communicate()
    row = {column: cell.encode("utf-8", "surrogateescape") for column, cell in only(rows).items()}
    return row, b" ".join(argv)


@test("a live process with a hostile name and hostile arguments is exact in CSV")
def _():
    name = b'a,"\x1b[2J)\n(\xff'
    row, command = hostile(name, b'evil,"q"\x1b[31m\xff\xc3', b"two words", b"", b"=1+1", "日本".encode())
    check(row["comm"], name, "comm")
    check(row["command"], command, "command")


@test("so are arguments with newlines")
def _():
    row, command = hostile(b"x", b"a\nb", b"\n", b"c\r\nd")
    check(row["command"], command, "command")


@test("processes that come and go all the time cause no error and no cut row")
def _():
    busy = subprocess.Popen(["sh", "-c", "while :; do (exit 0); /bin/true; done"], stdin=subprocess.DEVNULL)
    try:
        rows = run(*TICK, "-n", "15", "--panel", "tasks").rows(escapes=True)
    finally:
        busy.kill()
        busy.wait()
    check_true(rows and all(float(row["rkB/s"] or 0) >= 0 for row in rows), "no row, or a negative rate")


@test("the run leaves no process behind")
def _():
    process = start(*TICK, "--panel", "tasks")
    process.stdout.readline()
    time.sleep(0.3)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(children, encoding="ascii") as file:
        helpers = file.read().split()
    process.send_signal(signal.SIGTERM)
    ends(process)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(os.path.exists(f"/proc/{pid}/exe") for pid in helpers):
        time.sleep(0.05)
    for pid in helpers:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                state = file.read().rpartition(b")")[2].split()[0]
        except FileNotFoundError:
            continue
        check_true(state in (b"Z", b"X"), f"helper {pid} is still there, state {state!r}")


if __name__ == "__main__":
    harness.main()
