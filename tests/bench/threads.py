#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a tick costs with up to 20,000 idle threads, each a process or 1,000 to a process.

CPU time of the threads of the program over some ticks, by the scheduler's count; what else
runs on the machine makes it more. Per 1,000 it should not grow with their number.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "live"))
import common  # noqa: E402

COUNTS = (1000, 5000, 20000)
EACH = 1000  # threads of a process of many
TICKS, TICK = 10, 0.2


def thread_ns(pid):
    """CPU time of the main thread, which shows, and of the other, which samples."""
    folder = Path(f"/proc/{pid}/task")
    times = {int(name): int((folder / name / "schedstat").read_text("ascii").split()[0])
             for name in os.listdir(folder)}
    return times.pop(pid), sum(times.values())


def per_tick(words):
    """Milliseconds of CPU of one tick: to sample, and to show."""
    with contextlib.ExitStack() as stack:
        command = [common.IOTRIAGE, "-b", "--panel", "tasks", "-d", str(TICK), *words]
        monitor = common.start(stack, command, stdout=subprocess.DEVNULL)
        time.sleep(1)
        begin, was = time.monotonic(), thread_ns(monitor.pid)
        time.sleep(TICKS * TICK)
        ticks, now = (time.monotonic() - begin) / TICK, thread_ns(monitor.pid)
        return [(whole - less) / 1e6 / ticks for whole, less in zip(now, was)][::-1]


def tasks():
    """How many there are."""
    return int(Path("/proc/loadavg").read_text("ascii").split()[3].split("/")[1])


def room_for(count):
    """Is there room for so many more tasks?"""
    return tasks() + count + 1000 < int(Path("/proc/sys/kernel/pid_max").read_text("ascii"))


def until_gone(most):
    """Thousands take their time to end."""
    for _ in range(100):
        if tasks() <= most:
            return
        time.sleep(0.1)


def measure(program, count, threads):
    with contextlib.ExitStack() as stack:
        sleepers = common.start(stack, [program, count // threads, threads], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)
        if not sleepers.stdout.readline():
            raise RuntimeError(f"{count} threads cannot be started")
        shape = f"{count // threads} of {threads}" if threads > 1 else f"{count} of one"
        for view, words in ("processes", []), ("threads", ["--threads"]):
            sample, show = per_tick(words)
            print(f"{shape:14} {view:10} {sample:10.3f} {1000 * sample / count:10.3f} {show:10.3f}"
                  f" {1000 * show / count:10.3f}", flush=True)


def bench(stack):
    program = common.compile_c(stack, Path(__file__).resolve().parent / "sleepers.c", "-pthread")
    print(f"load {' '.join(map(str, os.getloadavg()))} (anything else that runs disturbs)")
    print(f"{'threads':14} {'view':10} {'sample':>10} {'per 1,000':>10} {'show':>10}"
          f" {'per 1,000':>10}  ms of CPU a tick", flush=True)
    for threads in 1, EACH:
        for count in COUNTS:
            if room_for(count):
                before = tasks()
                measure(program, count, threads)
                until_gone(before + 100)
            else:
                print(f"{count} threads: kernel.pid_max is too low")


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: sys.exit(128 + got))
    try:
        common.need()
        with contextlib.ExitStack() as stack:
            bench(stack)
    except (common.Skip, RuntimeError, OSError) as reason:
        print(f"bench: {reason}")


if __name__ == "__main__":
    main()
