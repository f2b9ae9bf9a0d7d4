#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Waiting that no disk explains: an idle waiter in io_uring, a read from a FUSE file that hangs."""

import contextlib
import re
import subprocess
import time
from pathlib import Path

import common
from common import figures

ONSET = 5
RULE = "iowait-elsewhere"
IDLE_QUEUE, IDLE_UTIL = 0.1, 20  # of all devices together, and of each
ATTEMPTS, PATIENCE = 3, 60
NAMES = [
    "an idle waiter in io_uring: information within 5 ticks where the kernel counts it, else nothing",
    "it names no task, and nothing warns of the machine",
    "it has ended: the finding is gone within 5 ticks",
    "a read of a file that hangs: a warning within 5 ticks",
    "it names the process that waits and what in, and nothing else warns of the machine",
    "it has ended: the finding is gone within 5 ticks",
]


class Busy(Exception):
    """Somebody else's requests: nothing can be said of devices that are idle."""


def busy_devices(monitor, since):
    """Those that have something to do, in ticks in which all of them together have."""
    busy = set()
    for epoch in monitor.ticks(since):
        rows = {row["device"]: row for row in monitor.rows("devices", epoch - 0.001)
                if float(row["epoch"]) == epoch}
        queue = {name: common.number(row, "avgqu-sz") or 0 for name, row in rows.items()}
        busy |= {name for name, row in rows.items() if (common.number(row, "%util") or 0) >= IDLE_UTIL}
        if sum(queue.values()) >= IDLE_QUEUE:
            busy.add(max(queue, key=queue.get))
    return busy


def wait_idle(monitor):
    """Until no device has done anything to speak of in three ticks."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        since = time.time()
        monitor.wait_ticks(3, since)
        if not busy_devices(monitor, since) and not monitor.findings(since):
            return
    raise common.Skip(f"others keep the disks busy: {', '.join(sorted(busy_devices(monitor, since)))}")


def counters():
    """iowait and all CPU time in ticks, tasks that count as blocked."""
    text = Path("/proc/stat").read_text(encoding="ascii")
    cpu = [int(word) for word in text.split("\n", 1)[0].split()[1:9]]
    return cpu[4], sum(cpu), int(text.split("procs_blocked", 1)[1].split()[0])


def counted(seconds):
    """What the kernel makes of a waiter: % of iowait, and whether one task at least is blocked."""
    iowait, total, fewest = *counters()[:2], 1000
    for _ in range(seconds * 10):
        time.sleep(0.1)
        fewest = min(fewest, counters()[2])
    after = counters()
    return 100 * (after[0] - iowait) / max(1, after[1] - total), fewest


class Ring:
    """An idle waiter in io_uring."""

    def __init__(self, stack, program):
        self.process = common.start(stack, [program], stderr=subprocess.PIPE)
        time.sleep(0.2)
        if self.process.poll() is not None:
            why = self.process.stderr.read().decode(errors="replace").strip()
            if self.process.returncode == 77:
                raise common.Skip(why)
            raise RuntimeError(why)

    def down(self):
        common.end(self.process)


def episode(monitor, start):
    """Until the finding is shown, or for a while; until it is gone. What was seen on the way."""
    wait_idle(monitor)
    since = time.time()
    with contextlib.ExitStack() as stack:
        waiter = start(stack)
        shown = monitor.until("system", RULE, True, 2 * ONSET)
        iowait, blocked = counted(2)
        said = monitor.said("system", RULE, since)
        waiter.down()
    gone = monitor.until("system", RULE, False, 2 * ONSET)
    busy = busy_devices(monitor, since)
    if busy:
        raise Busy(f"others kept {', '.join(sorted(busy))} busy")
    notes = [f"shown after {shown} ticks, gone after {gone}; the kernel counts {iowait:.0f} % iowait, "
             f"{blocked} blocked", figures(monitor.rows("system", since), "iowait", "blocked")]
    if said:
        notes.append(f"{said['severity']} {said['text']} {said['evidence']}")
    warned = {key[:2] for key in monitor.warnings({"system"}, since)}
    return {"shown": shown, "gone": gone, "said": said or {}, "warned": warned, "notes": notes,
            "counts": iowait >= 20 or blocked > 0, "waiter": waiter}


def undisturbed(tap, monitor, start):
    """An episode that nobody else's requests spoilt."""
    for _ in range(ATTEMPTS):
        try:
            return episode(monitor, start)
        except Busy as reason:
            tap.note(reason)
    raise common.Skip("others kept disks busy each time")


def ring(tap, monitor, program):
    seen = undisturbed(tap, monitor, lambda stack: Ring(stack, program))
    said = seen["said"]
    if seen["counts"]:
        tap.check(seen["shown"] is not None and seen["shown"] <= ONSET and
                  said.get("severity") == "info", *seen["notes"])
    else:
        tap.check(seen["shown"] is None, "this kernel does not count it", *seen["notes"])
    tap.check("pid=" not in said.get("evidence", "") and not seen["warned"], seen["warned"])
    tap.check(seen["gone"] is not None and seen["gone"] <= ONSET, f"after {seen['gone']} ticks")


def stuck(tap, monitor, folder):
    seen = undisturbed(tap, monitor, lambda stack: common.Stuck(stack, folder, "read"))
    said, pid = seen["said"], seen["waiter"].pid
    tap.check(seen["shown"] is not None and seen["shown"] <= ONSET and
              said.get("severity") == "warn", *seen["notes"])
    tap.check(f"pid={pid}" in said.get("evidence", "").split() and
              re.search(rf"stuckexec \(pid {pid}\).* waits in \w", said.get("text", "")) and
              seen["warned"] == {("system", RULE)}, seen["warned"])
    tap.check(seen["gone"] is not None and seen["gone"] <= ONSET, f"after {seen['gone']} ticks")


def body(tap, stack):
    common.need("root")
    program = common.compile_c(stack, common.HERE / "ringwait.c", "-D_GNU_SOURCE")
    folder = common.temporary(stack)
    # what is recorded must not keep a disk busy
    memory = common.temporary(stack, "/dev/shm") if Path("/dev/shm").is_dir() else folder
    monitor = common.Monitor(stack, memory, 1)
    monitor.wait_ticks(1)
    try:
        ring(tap, monitor, program)
    except common.Skip as reason:  # of io_uring, or of disks: those may be idle by now
        while tap.next < 3:
            tap.skip(reason)
    stuck(tap, monitor, folder)


if __name__ == "__main__":
    common.main(NAMES, body)
