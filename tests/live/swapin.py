#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""IO% and SWAPIN% of a process that pages add up to the delays that taskstats has of it."""

import contextlib
import os
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

import common
import paging

SWITCH = Path("/proc/sys/kernel/task_delayacct")
NAMES = ["SWAPIN% adds up to the swap-in delay of taskstats",
         "so does IO% to its block I/O delay",
         "read in /proc there is no SWAPIN%, and IO% adds up too",
         "a process older than the switch has none"]
NEAR = 0.03
PAGING_S = 6
# how far apart bounds may be: a tick's length, which is one second
APART = 1.2
MEASURES = 3


class Taskstats:
    """The kernel's answers over generic netlink."""

    CTRL, GET_FAMILY, FAMILY_ID, FAMILY_NAME = 16, 3, 1, 2
    GET, OF_PID, AGGREGATE, STATS = 1, 1, 4, 3

    def __init__(self, stack):
        self.socket = stack.enter_context(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16))
        self.socket.bind((0, 0))
        answer = self.ask(self.CTRL, self.GET_FAMILY, self.FAMILY_NAME, b"TASKSTATS\0")
        self.family = struct.unpack("H", answer[self.FAMILY_ID])[0]

    def ask(self, family, command, kind, data):
        attribute = struct.pack("HH", 4 + len(data), kind) + data
        attribute += bytes(-len(attribute) % 4)
        body = struct.pack("BBH", command, 1, 0) + attribute
        self.socket.send(struct.pack("IHHII", 16 + len(body), family, 1, 1, 0) + body)
        answer = self.socket.recv(65536)
        if struct.unpack_from("H", answer, 4)[0] == 2:
            raise common.Skip("no taskstats here")
        return self.attributes(answer[20:])

    @staticmethod
    def attributes(data):
        found = {}
        while len(data) >= 4:
            size, kind = struct.unpack_from("HH", data)
            found[kind] = data[4:size]
            data = data[(size + 3) & ~3:]
        return found

    def delays(self, pid):
        """Seconds of block I/O delay and of swap-in delay so far."""
        answer = self.ask(self.family, self.GET, self.OF_PID, struct.pack("I", pid))
        stats = self.attributes(answer[self.AGGREGATE])[self.STATS]
        return [struct.unpack_from("Q", stats, at)[0] / 1e9 for at in (40, 56)]


def added_up(monitor, pid, name):
    """Seconds, at least and at most: where the machine is busy a row may have none."""
    lengths = {row["epoch"]: float(row["interval"]) for row in monitor.rows("system")}
    rows = [(row[name], lengths[row["epoch"]]) for row in monitor.rows("tasks")
            if row["pid"] == str(pid) and row["epoch"] in lengths]
    least = sum(float(share) / 100 * length for share, length in rows if share)
    return least, least + sum(length for share, length in rows if not share)


def near(bounds, wanted):
    """The shares have two places behind the point."""
    room = NEAR * wanted + 0.001
    return 0 < wanted and bounds[0] - room <= wanted <= bounds[1] + room


def wide(bounds):
    return bounds[1] - bounds[0] > APART


def measure(monitors, taskstats, swap, command):
    """Of a process that pages for a while: bounds of SWAPIN% and twice IO%, and what is wanted."""
    with contextlib.ExitStack() as stack:
        swap.disk.set("service_us", 0)
        process = common.start(stack, command, stdout=subprocess.PIPE)
        if process.stdout.readline() != b"touching\n":
            raise RuntimeError("the process that pages did not come to it")
        swap.disk.set("service_us", 2000)
        time.sleep(PAGING_S)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.5)
        blkio, swapin = taskstats.delays(process.pid)
        for monitor in monitors:
            monitor.wait_ticks(2, time.time())
        traced, proc = monitors
        return [(added_up(traced, process.pid, "SWAPIN%"), swapin),
                (added_up(traced, process.pid, "IO%"), blkio),
                (added_up(proc, process.pid, "IO%"), blkio)]


def judge(tap, bounds, wanted, also=True, *notes):
    if wide(bounds) and also:
        tap.skip(f"rows were late: no more is known than {bounds} s, of {wanted}")
    else:
        tap.check(near(bounds, wanted) and also, f"{bounds} s, of {wanted}", *notes)


def body(tap, stack):
    common.need("root", "mkswap", "swapon", "swapoff")
    common.need_tracing("--sampler", "bpf")
    if not SWITCH.exists():
        raise common.Skip("no kernel.task_delayacct here")
    taskstats = Taskstats(stack)
    stack.callback(SWITCH.write_text, SWITCH.read_text())
    SWITCH.write_text("0")
    older = common.start(stack, ["sleep", "60"])
    SWITCH.write_text("1")
    pager = common.compile_c(stack, common.HERE / "pager.c", "-D_GNU_SOURCE")
    folder = common.temporary(stack)
    group = paging.memory_group(stack)
    swap = paging.Swap(stack, folder)
    monitors = []
    for sampler in "bpf", "proc":
        (folder / sampler).mkdir()
        monitors.append(common.Monitor(stack, folder / sampler, 1, more=["--sampler", sampler]))
    for monitor in monitors:
        monitor.wait_ticks(2)
    for _ in range(MEASURES):
        figures = measure(monitors, taskstats, swap, [pager, group, paging.TOUCHED_MIB])
        if not any(wide(bounds) for bounds, _ in figures):
            break
        tap.note(f"rows were late: {figures}")
    traced, proc = monitors
    judge(tap, *figures[0])
    judge(tap, *figures[1])
    cells = {row["SWAPIN%"] for row in proc.rows("tasks")}
    judge(tap, *figures[2], cells == {""}, str(cells))
    cells = {row["SWAPIN%"] for row in traced.rows("tasks") if row["pid"] == str(older.pid)}
    tap.check(cells == {""}, str(cells))


if __name__ == "__main__":
    common.main(NAMES, body)
