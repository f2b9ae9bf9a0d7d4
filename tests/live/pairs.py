#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose block requests were, against what fio says of its own; and what stays in the kernel."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import common

TICK = 0.5
KEPT_TICKS = 10  # for which the kernel's map keeps a pair that is quiet
JOBS = {  # name: (disk, options)
    "libaio": (0, ["--ioengine=libaio", "--iodepth=8", "--rw=randrw", "--rate_iops=250,250"]),
    "psync": (0, ["--ioengine=psync", "--rw=randread", "--bs=16k", "--rate_iops=200"]),
    "io_uring": (1, ["--ioengine=io_uring", "--iodepth=8", "--rw=randwrite", "--rate_iops=400"]),
    "io_uring that polls": (1, ["--ioengine=io_uring", "--sqthread_poll=1", "--iodepth=4",
                                "--rw=randread", "--rate_iops=300"]),
    "one that flushes": (1, ["--ioengine=psync", "--rw=randwrite", "--fsync=4", "--rate_iops=100"]),
}
NAMES = [f"{name}: its requests are fio's to 2 %, and its device" for name in JOBS] + [
    "each device's foremost task is the one that issued most",
    "its share is its part of all",
    "rows and shares go with the tasks",
    "the kernel's map forgets them",
    "no request stays in the map of those in flight",
    "most requests of dirty data that the kernel writes are write-back's",
    "... and hardly any its writer's, a worker's or swapper's",
    "--no-trace leaves the columns empty"]


class Job:
    """fio with one job; its process is a child of the one that was started."""

    def __init__(self, stack, name, disks, seconds=5):
        where, options = JOBS[name]
        self.disk = disks[where].name
        command = ["fio", "--name=job", f"--filename=/dev/{self.disk}", "--direct=1", "--bs=4k",
                   "--randrepeat=0", "--time_based", f"--runtime={seconds}",
                   "--output-format=json", *options]
        self.process = common.start(stack, command, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL)
        self.pid = None

    def find(self):
        limit = time.monotonic() + 3
        while not self.pid and time.monotonic() < limit:
            task = Path(f"/proc/{self.process.pid}/task/{self.process.pid}")
            self.pid = ((task / "children").read_text().split() or [None])[0]
            time.sleep(0.05)

    def count(self):
        report = json.loads(self.process.communicate(timeout=30)[0])
        job = report["jobs"][0]
        return job["read"]["total_ios"] + job["write"]["total_ios"]


def lengths(monitor):
    return {row["epoch"]: float(row["interval"]) for row in monitor.rows("system")}


def requests(monitor, pid):
    """(requests of a process over the run, devices most of them went to)."""
    spans = lengths(monitor)
    rows = [row for row in monitor.rows("tasks")
            if row["pid"] == pid and row["epoch"] in spans and float(row["req/s"] or 0) > 0]
    return (sum(float(row["req/s"]) * spans[row["epoch"]] for row in rows),
            {row["req_dev"] for row in rows})


def compare(tap, stack, disks, monitor):
    jobs = {name: Job(stack, name, disks) for name in JOBS}
    for job in jobs.values():
        job.find()
    monitor.wait_ticks(4, time.time())
    known = issuers(monitor) if shutil.which("bpftool") else set()
    counts = {name: job.count() for name, job in jobs.items()}
    ended = time.time()
    monitor.wait_ticks(3, ended)
    sums = {}
    for name, job in jobs.items():
        sums[name], devices = requests(monitor, job.pid)
        tap.check(counts[name] > 100 and abs(sums[name] - counts[name]) <= 0.02 * counts[name] and
                  devices == {job.disk}, f"{sums[name]:.1f} of {counts[name]}, {devices}")
    return jobs, sums, known, ended


def foremost(tap, disks, monitor, jobs, sums, ended):
    good, fair, notes = True, True, []
    for disk in disks:
        here = {name: sums[name] for name, job in jobs.items() if job.disk == disk.name}
        most = max(here, key=here.get)
        rows = [row for row in monitor.rows("devices") if row["device"] == disk.name and
                float(row["traced/s"] or 0) > 100 and float(row["epoch"]) < ended - 1]
        tops = [row["top_task"].split() for row in rows]
        wanted = [jobs[most].pid, "fio"]
        share = 100 * here[most] / sum(here.values())
        shares = sorted(float(row["top%"]) for row in rows)
        middle = shares[len(shares) // 2] if shares else 0
        good &= len(tops) > 3 and sum(top == wanted for top in tops) > 0.7 * len(tops)
        fair &= abs(middle - share) < 5
        notes.append(f"{disk.name}: {tops} for {wanted}, share {middle} for {share:.1f}")
    tap.check(good, *notes)
    tap.check(fair, *notes)


def kernel_map(monitor, name):
    """A map of that monitor's, as bpftool tells it."""
    mine = set()
    for link in Path(f"/proc/{monitor.process.pid}/fdinfo").iterdir():
        found = re.search(r"^map_id:\s*(\d+)", link.read_text(), re.M)
        mine.update([int(found[1])] if found else [])
    told = subprocess.run(["bpftool", "-j", "map", "show"], capture_output=True, text=True).stdout
    number = next(each["id"] for each in json.loads(told)
                  if each["id"] in mine and each.get("name") == name)
    told = subprocess.run(["bpftool", "-j", "map", "dump", "id", str(number)], capture_output=True,
                          text=True).stdout
    return [each["formatted"] for each in json.loads(told)]


def issuers(monitor):
    return {str(pair["key"]["issuer"]) for pair in kernel_map(monitor, "pairs")}


def leftovers(tap, disks, monitor, jobs, known, ended):
    pids = {job.pid for job in jobs.values()}
    names = {disk.name for disk in disks}
    last = monitor.ticks(ended)[2]
    late = [row for row in monitor.rows("tasks", last - TICK / 2) if row["pid"] in pids]
    tops = [row["top_task"] for row in monitor.rows("devices", last - TICK / 2)
            if row["device"] in names and row["top_task"]]
    tap.check(not late and not tops, f"{len(late)} rows, {tops}")
    if not shutil.which("bpftool"):
        tap.skip("no bpftool")
        tap.skip("no bpftool")
        return
    with open(disks[0].path, "rb") as disk:
        for _ in range(5):
            os.fsync(disk)  # nothing is dirty: a flush without data, which is never issued
    monitor.wait_ticks(2 * KEPT_TICKS, ended)
    kept = pids & issuers(monitor)
    tap.check(pids <= known and not kept, f"not there: {pids - known}, still there: {kept}")
    ways = [way for each in kernel_map(monitor, "inflight") for way in each["value"]["way"]]
    old = [way for way in ways if way["request"] and
           time.monotonic_ns() - max(way["start_ns"], way["issue_ns"]) > 5 * 10**9]
    tap.check(not old, f"{len(old)} older than 5 s", old[:3])


def write_back(tap, stack, folder, disk, monitor):
    """A file written through the page cache, which the kernel writes when sync(2) is called."""
    where = folder / "mount"
    where.mkdir()
    subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0",
                    disk.path], check=True)
    subprocess.run(["mount", disk.path, where], check=True)
    stack.callback(subprocess.run, ["umount", where], capture_output=True)
    os.sync()
    monitor.wait_ticks(2, time.time())
    since = time.time()
    writer = common.start(stack, ["dd", "if=/dev/zero", f"of={where}/file", "bs=1M", "count=24"],
                          stderr=subprocess.DEVNULL)
    writer.wait(30)
    os.sync()
    monitor.wait_ticks(2, time.time())
    rows = [row for row in monitor.rows("devices", since)
            if row["device"] == disk.name and float(row["traced/s"] or 0) > 0]
    most = max(rows, key=lambda row: float(row["wkB/s"]), default={})
    tap.check(most.get("top_task") == "(write-back)" and float(most["top%"]) > 50,
              *(f"{row['wkB/s']} KiB/s {row['top_task']} {row['top%']}" for row in rows))
    wrong = [row for row in monitor.rows("tasks", since) if row["req_dev"] == disk.name and
             (row["comm"].startswith(("kworker", "swapper")) or row["pid"] == str(writer.pid))]
    of_all = sum(float(row["traced/s"]) for row in rows)
    tap.check(sum(float(row["req/s"]) for row in wrong) < 0.1 * of_all,  # metadata is the writer's
              *(f"{row['comm']} {row['req/s']} of {of_all}" for row in wrong))


def untraced(tap, stack, folder):
    folder.mkdir()
    monitor = common.Monitor(stack, folder, TICK, count=2, more=["--no-trace"])
    monitor.finish(20)
    cells = [row[name] for row in monitor.rows("tasks")
             for name in ("req/s", "req_await", "req_dev")]
    cells += [row[name] for row in monitor.rows("devices") for name in ("top_task", "top%")]
    tap.check(cells and not any(cells))


def body(tap, stack):
    common.need("root", "fio", "mkfs.ext4")
    common.need_tracing("--trace")
    folder = common.temporary(stack)
    disks = []
    for name in ("a", "b"):
        (folder / name).mkdir()
        disks.append(common.Disk(stack, folder / name, 500, 8, 64))
    monitor = common.Monitor(stack, folder, TICK, more=["--trace", "--sampler", "bpf"])
    try:
        monitor.wait_ticks(2)
    except RuntimeError:
        if monitor.process.poll() == 5:
            raise common.Skip("the kernel cannot be traced") from None
        raise
    jobs, sums, known, ended = compare(tap, stack, disks, monitor)
    foremost(tap, disks, monitor, jobs, sums, ended)
    leftovers(tap, disks, monitor, jobs, known, ended)
    write_back(tap, stack, folder, disks[0], monitor)
    untraced(tap, stack, folder / "untraced")


common.main(NAMES, body)
