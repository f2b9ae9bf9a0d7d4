#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of a process that has very many: all are there, ticks stay on the clock, the helper stays small."""

import csv
import os
import subprocess
import sys
import time
from pathlib import Path

import common

COUNT = 18000
TICKS = 12
HOLDER = """import os, resource, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))
first = os.open("file", os.O_RDWR | os.O_CREAT)
for _ in range(int(sys.argv[1])): os.dup(first)
print(flush=True)
while True:
    os.write(first, b"x" * 4096)
    time.sleep(0.1)
"""
NAMES = [
    "ticks stay on the clock",
    f"every tick from the fourth on has a row for each of {COUNT} descriptors",
    "positions move in all of them: they are one file",
    "the helper takes a quarter of a CPU at most",
    "the helper's memory stays below 32 MiB",
    "the monitor itself takes less than a third of a CPU",
    "the number of files is in the process's row",
]


def helper_of(pid, name):
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if Path(f"/proc/{child}/comm").read_text().strip() == name:
            return int(child)
    return None


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def table(path):
    text = path.read_text(errors="replace")
    lines = text[: text.rfind("\n") + 1].splitlines(keepends=True)
    return list(csv.DictReader(lines))


def by_tick(rows):
    ticks = {}
    for row in rows:
        ticks.setdefault(float(row["epoch"]), []).append(row)
    return ticks


def hold(stack, folder):
    process = common.start(stack, [sys.executable, "-c", HOLDER, COUNT], cwd=folder, stdout=subprocess.PIPE)
    process.stdout.readline()
    return process


def measure(monitor, seconds):
    """CPU of the helper and of the monitor over a while, and the most memory the helper had."""
    helper = helper_of(monitor.pid, "iotriage-uses")
    if helper is None:
        raise RuntimeError("there is no helper")
    before, most = (cpu_s(helper), cpu_s(monitor.pid)), 0
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        most = max(most, rss_kib(helper))
        time.sleep(0.2)
    took = time.monotonic() - begin
    return (cpu_s(helper) - before[0]) / took, (cpu_s(monitor.pid) - before[1]) / took, most


def body(tap, stack):
    common.need("root")
    folder = common.temporary(stack, "/var/tmp")
    holder = hold(stack, folder)
    monitor = common.start(stack, [common.IOTRIAGE, "-b", "-d", "1", "-n", TICKS, "--panel", "files", "-p", holder.pid,
                                   "-O", folder / "files.csv"])
    time.sleep(4)
    helper_cpu, own_cpu, memory = measure(monitor, 6)
    status = monitor.wait(30)
    ticks = by_tick(table(folder / "files.csv"))
    epochs = sorted(ticks)
    steps = [after - before for before, after in zip(epochs, epochs[1:])]
    tap.check(status == 0 and len(epochs) >= TICKS - 2 and all(abs(step - 1) <= 0.3 for step in steps),
              f"status {status}, steps " + " ".join(f"{step:.3f}" for step in steps))
    wanted = COUNT + 4  # with its own three and the file
    counts = [len(ticks[epoch]) for epoch in epochs]
    tap.check(all(count >= wanted and count <= wanted + 4 for count in counts[3:]), f"rows {counts}")
    moving = [row for row in ticks[epochs[-1]] if row["path"].endswith("/file") and common.number(row, "pos_kB/s")]
    tap.check(len(moving) == COUNT + 1, f"{len(moving)} move, the first at "
              f"{moving[0]['pos_kB/s'] if moving else None} KiB/s")
    tap.check(helper_cpu <= 0.25, f"{100 * helper_cpu:.1f} % of a CPU")
    tap.check(memory < 32 * 1024, f"{memory} KiB")
    tap.check(own_cpu < 0.33, f"{100 * own_cpu:.1f} % of a CPU")
    common.start(stack, [common.IOTRIAGE, "-b", "-d", "1", "-n", "4", "--panel", "tasks", "-p", holder.pid,
                         "-O", folder / "tasks.csv"]).wait(30)
    row = table(folder / "tasks.csv")[-1]
    tap.check(wanted <= int(row["files"] or 0) <= wanted + 4 and row["mode"] == "B",
              f"files {row['files']}, mode {row['mode']}, device {row['dev']}")


if __name__ == "__main__":
    common.main(NAMES, body)
