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
from screen import Terminal

GET = {"x86_64": 252, "aarch64": 31, "riscv64": 31, "ppc64le": 274, "s390x": 283}
NONE, REALTIME, BEST_EFFORT, IDLE = range(4)
THREADS = """
import threading, time
for _ in range(20):
    threading.Thread(target=time.sleep, args=(120,), daemon=True).start()
print("ready", flush=True)
time.sleep(120)
"""
LATER = """
import threading, time
def later():
    me = threading.get_native_id()
    with open(f"/proc/self/task/{me}/comm", "w") as comm:
        comm.write(f"late{me}")
    print("ready", flush=True)
    time.sleep(120)
time.sleep(2)
threading.Thread(target=later, daemon=True).start()
time.sleep(120)
"""

NAMES = ["every thread of a process has the class and level",
         "one thread has it, the others keep theirs",
         "idle and none have no level",
         "a thread younger than its process gets it through the screen",
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


def sleeper(stack, program=THREADS):
    process = common.start(stack, [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process.pid


def check_screen(tap, stack):
    """The keys that change one thread's priority, and what the screen says then."""
    pid = sleeper(stack, LATER)
    tid = threads(pid)[-1]
    name = f"late{tid}"
    terminal = Terminal(stack, [common.IOTRIAGE, "--threads", "--panel", "tasks"])
    told = f"I/O priority of {tid} is now best-effort/4"
    for keys, seen in (("", "Threads"), (f"/{name}\r", " 1 of "), ("j", f"tid {tid}"),
                       ("i", f"of thread {tid}"), ("b", "Level of"), ("4", "y/n"), ("y", told)):
        terminal.type(keys)
        if terminal.until(lambda text, seen=seen: seen in text, 10) is None:
            break
    text = terminal.grid.text()
    tap.check(get(tid) == (BEST_EFFORT, 4) and get(pid) != (BEST_EFFORT, 4) and told in text, get(tid), text)
    terminal.quit()


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
    check_screen(tap, stack)
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
