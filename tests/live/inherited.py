#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""A shell that runs one short dd after the other, seen through /proc: whose bytes are they?"""

import os
import subprocess
import time

import agree
import common

COUNT, MIB = 40, 8
NAMES = [
    "the shell's own rate stays near 0",
    "its children's bytes are once in its inherited ones or in their own rows",
    "all rows together wrote what the device did",
    "in thread view: the shell's own rate stays near 0",
    "in thread view: its children's bytes are there once",
    "in thread view: all rows together wrote what the device did",
]

LOOP = """
echo ready; read go
i=0
while [ $i -lt {count} ]; do
	dd if=/dev/zero of={folder}/file bs=1M count={mib} oflag=direct conv=notrunc status=none
	sleep 0.1
	i=$((i + 1))
done
echo done; read go
"""


def amount(row, *columns):
    """KiB of these rates over a second or what is said."""
    return sum(common.number(row, column) or 0 for column in columns) * row["seconds"]


def with_seconds(monitor, table):
    """Rows of a table with the length of their interval."""
    lengths = {row["epoch"]: float(row["interval"]) for row in monitor.rows("system")}
    return [{**row, "seconds": lengths[row["epoch"]]} for row in monitor.rows(table)
            if row["epoch"] in lengths]


class Figures:
    """KiB written while it ran, by whom."""

    def __init__(self, monitor, shell, disk):
        tasks = with_seconds(monitor, "tasks")
        devices = [row for row in with_seconds(monitor, "devices") if row["device"] == disk]
        shells = [row for row in tasks if row["pid"] == str(shell)]
        self.own = sum(amount(row, "wkB/s") for row in shells)
        self.inherited = sum(amount(row, "inh_wkB/s") for row in shells)
        self.dd = sum(amount(row, "wkB/s", "inh_wkB/s") for row in tasks if row["comm"] == "dd")
        self.nobody = sum(amount(row, "wkB/s") for row in tasks if row["comm"] == "(unattributed)")
        self.all = sum(amount(row, "wkB/s", "inh_wkB/s") for row in tasks)
        self.device = sum(amount(row, "wkB/s") for row in devices)
        self.worst_own = max((common.number(row, "wkB/s") or 0 for row in shells), default=0)
        self.shell_rows = len(shells)

    def quiet(self):
        return self.shell_rows > 0 and self.worst_own <= 64

    def once(self):
        wrote = COUNT * MIB * 1024
        return self.inherited > 0 and abs(self.own + self.inherited + self.dd - wrote) <= 0.1 * wrote

    def whole(self):
        """Within 10 % of the device's, but what others wrote may reach it later, or never."""
        surely = self.own + self.inherited + self.dd + self.nobody
        return self.all >= 0.9 * self.device and surely <= 1.1 * self.device

    def __str__(self):
        return (f"KiB: shell {self.own:.0f} own, {self.inherited:.0f} inherited; dd {self.dd:.0f}; "
                f"unattributed {self.nobody:.0f}; all rows {self.all:.0f}; device {self.device:.0f}; "
                f"the loop {COUNT * MIB * 1024}")


def run_once(stack, folder, where, threads):
    """The shell and its children beside the monitor: the figures, and what iotop-c said."""
    shell = common.start(stack, ["bash", "-c", LOOP.format(count=COUNT, mib=MIB, folder=where)],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    shell.stdout.readline()
    folder.mkdir()
    os.sync()  # here and at the end, so that what tasks wrote in between is what was written back
    monitor = common.Monitor(stack, folder, 1, more=["--sampler", "proc", *(["--threads"] if threads else [])])
    monitor.wait_ticks(2)
    iotop = common.start(stack, ["stdbuf", "-oL", "iotop-c", "-b", "-P", "-k", "-qqq", "-d", "1",
                                 "-p", shell.pid], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    time.sleep(1)
    shell.stdin.write("go\n")
    shell.stdout.readline()
    os.sync()
    monitor.wait_ticks(2, time.time())  # the shell lives on until its last child is shown
    time.sleep(0.3)
    figures = Figures(monitor, shell.pid, agree.disk_of(where))
    for process in iotop, monitor.process, shell:
        common.end(process)
    return figures, [line for line in iotop.stdout.read().splitlines() if " bash" in line]


def measure(tap, stack, where, threads):
    """Once more where something else wrote meanwhile."""
    for attempt in 1, 2:
        figures, peer = run_once(stack, common.temporary(stack) / "run", where, threads)
        if attempt == 2 or (figures.quiet() and figures.once() and figures.whole()):
            break
        tap.note(f"disturbed, or wrong: once more. {figures}")
    tap.check(figures.quiet(), f"at most {figures.worst_own:.1f} KiB/s", figures)
    tap.check(figures.once(), figures)
    tap.check(figures.whole(), figures)
    return peer


def body(tap, stack):
    common.need("root", "dd", "bash", "iotop-c", "stdbuf")
    if not agree.disk_of(common.BUILD):
        raise common.Skip("the build folder is on no real disk")
    where = common.temporary(stack, common.BUILD)
    (where / "file").write_bytes(bytes(MIB << 20))
    os.sync()
    time.sleep(1)
    peer = measure(tap, stack, where, False)
    measure(tap, stack, where, True)
    tap.note("\n".join(["iotop-c of the same shell:"] + peer))


if __name__ == "__main__":
    common.main(NAMES, body)
