#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""I/O priorities that iotriage sets, as the kernel reports them."""

import ctypes
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import common

GET = {"x86_64": 252, "aarch64": 31, "riscv64": 31, "ppc64le": 274, "s390x": 283}
NONE, REALTIME, BEST_EFFORT, IDLE = range(4)
THREADS = """
import threading, time
for _ in range(20):
    threading.Thread(target=time.sleep, args=(120,), daemon=True).start()
print("ready", flush=True)
time.sleep(120)
"""

NAMES = ["every thread of a process has the class and level",
         "one thread has it, the others keep theirs",
         "idle and none have no level",
         "another process under the PID is left alone",
         "no such process, no such thread",
         "what is out of range is refused",
         "one's own without privilege, realtime is refused",
         "a process stuck in exec is given up in time"]


def get(tid):
    """(class, level) as the kernel says."""
    value = ctypes.CDLL(None, use_errno=True).syscall(GET[platform.machine()], 1, tid)
    return value >> 13, value & 7


def threads(pid):
    return sorted(int(name) for name in os.listdir(f"/proc/{pid}/task"))


def start_of(path):
    return int(Path(path).read_text().rpartition(")")[2].split()[19])


def change(tool, pid, start, tid, *rest, **how):
    done = subprocess.run([tool, "ioprio", *map(str, (pid, start, tid, *rest))], capture_output=True, text=True,
                          timeout=20, **how)
    return done.stdout.strip()


def sleeper(stack):
    process = common.start(stack, [sys.executable, "-c", THREADS], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process.pid


def check_threads(tap, stack, tool):
    pid = sleeper(stack)
    start = start_of(f"/proc/{pid}/stat")
    tids = threads(pid)
    said = change(tool, pid, start, 0, BEST_EFFORT, 6)
    got = {get(tid) for tid in tids}
    tap.check(said == "done" and len(tids) == 21 and got == {(BEST_EFFORT, 6)}, said, got)
    one = tids[7]
    said = change(tool, pid, start_of(f"/proc/{pid}/task/{one}/stat"), one, REALTIME, 3)
    got = [get(tid) for tid in tids]
    wanted = [(REALTIME, 3) if tid == one else (BEST_EFFORT, 6) for tid in tids]
    tap.check(said == "done" and got == wanted, said, got)
    said = [change(tool, pid, start, 0, IDLE, 4), {get(tid)[0] for tid in tids}]
    said += [change(tool, pid, start, 0, NONE, 4), change(tool, pid, start, 0, BEST_EFFORT, 0)]
    tap.check(said == ["done", {IDLE}, "done", "done"], said)
    said = [change(tool, pid, start + 1, 0, REALTIME, 0), change(tool, pid, start + 1, one, REALTIME, 0)]
    got = {get(tid) for tid in tids}
    tap.check(said == ["No such process"] * 2 and got == {(BEST_EFFORT, 0)}, said, got)
    gone = subprocess.Popen(["true"])
    gone.wait()
    said = [change(tool, gone.pid, 1, 0, IDLE, 0), change(tool, pid, start, gone.pid, IDLE, 0)]
    tap.check(said == ["No such process"] * 2, said)
    bad = ((BEST_EFFORT, 8), (BEST_EFFORT, -1), (REALTIME, 1 << 20), (4, 0), (-1, 0))
    said = [change(tool, pid, start, 0, *each) for each in bad] + [change(tool, 0, 0, 0, IDLE, 0)]
    tap.check(said == ["Invalid argument"] * 6 and get(pid) == (BEST_EFFORT, 0), said)


def check_unprivileged(tap, stack, tool):
    folder = common.temporary(stack)
    folder.chmod(0o755)
    copy = folder / "actions"
    copy.write_bytes(tool.read_bytes())
    copy.chmod(0o755)
    nobody = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": "/"}
    pid = common.start(stack, ["sleep", "120"], **nobody).pid
    start = start_of(f"/proc/{pid}/stat")
    said = [change(copy, pid, start, 0, BEST_EFFORT, 7, **nobody), get(pid),
            change(copy, pid, start, 0, REALTIME, 0, **nobody), get(pid)]
    tap.check(said == ["done", (BEST_EFFORT, 7), "Operation not permitted", (BEST_EFFORT, 7)], said)


def body(tap, stack):
    common.need("root")
    tool = common.BUILD / "tests" / "live" / "actions"
    if not tool.exists():
        raise common.Skip(f"no {tool}: make tests")
    if platform.machine() not in GET:
        raise common.Skip(f"no number of ioprio_get for {platform.machine()}")
    check_threads(tap, stack, tool)
    check_unprivileged(tap, stack, tool)
    victim = common.Stuck(stack, common.temporary(stack), "flush")
    began = time.monotonic()
    said = change(tool, victim.pid, 1, 0, IDLE, 0)
    took = time.monotonic() - began
    victim.down()
    tap.check(said == "Connection timed out" and took < 5, said, f"{took:.2f} s")


if __name__ == "__main__":
    common.main(NAMES, body)
