#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measured queue and service times, against the kernel's own block events and fio's report."""

import contextlib
import json
import re
import subprocess
import time
from pathlib import Path

import common

SECONDS = 4
RUNS = [("mq-deadline", 1), ("mq-deadline", 16), ("mq-deadline", 64), ("mq-deadline", 1024),
        ("none", 1), ("none", 16), ("none", 64)]
SLOTS, SERVICE_US = 8, 2000  # 4,000 requests a second at most: the judge loses none
HARDWARE_TAGS = 128  # of a loop device
NAMES = [f"{what} of the kernel's events: {scheduler}, {depth} outstanding"
         for scheduler, depth in RUNS
         for what in ("avwait is that", "avserv is that")
         ] + [f"fio's completion latency is avwait + avserv: {scheduler}, {depth} outstanding"
              for scheduler, depth in RUNS if depth < HARDWARE_TAGS
              ] + ["8 slots of 2 ms, 8 outstanding: avserv is 2 ms",
                   "... and svctm an eighth of it",
                   "1 slot, 32 outstanding: avserv carries the time",
                   "... and avwait does not",
                   "... so that await does not dominate it: no mark, by avserv",
                   "... and the finding says where the time is",
                   "flushes are not in avserv",
                   "--no-trace leaves the columns empty and says nothing"]


class Judge:
    """The kernel's block events of one device, in a buffer of our own."""

    EVENTS = ("block_rq_insert", "block_rq_issue", "block_rq_complete", "block_io_start")
    LINE = re.compile(r" (\d+\.\d+): (block_\w+): (\d+),(\d+) (\w+) .*?(\d+) \+ (\d+)")

    def __init__(self, stack, disk):
        self.root = self.mount(stack)
        self.folder = self.root / "instances" / f"iotriage-test-{disk}"
        numbers = Path(f"/sys/block/{disk}/dev").read_text().strip().split(":")
        self.number = tuple(numbers)
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        try:
            self.folder.mkdir()
        except OSError as error:
            raise common.Skip(f"no buffer of our own in tracefs: {error}") from error
        stack.callback(self.remove)
        self.put("trace_clock", "mono")
        self.put("buffer_size_kb", "32768")
        for event in self.EVENTS:
            if not (self.folder / "events/block" / event).exists():
                raise common.Skip(f"the kernel has no {event}")
            # other disks must not fill the buffer
            self.put(f"events/block/{event}/filter", f"dev == {int(numbers[0]) << 20 | int(numbers[1])}")

    @staticmethod
    def mount(stack):
        for line in Path("/proc/mounts").read_text().splitlines():
            if line.split()[2] == "tracefs":
                return Path(line.split()[1])
        where = common.temporary(stack)
        if subprocess.run(["mount", "-t", "tracefs", "none", where], capture_output=True).returncode:
            raise common.Skip("tracefs cannot be mounted")
        stack.callback(subprocess.run, ["umount", where], capture_output=True)
        return where

    def put(self, name, text):
        (self.folder / name).write_text(text)

    def remove(self):
        with contextlib.suppress(OSError):
            self.put("tracing_on", "0")
            self.folder.rmdir()

    def start(self):
        self.put("trace", "")
        for event in self.EVENTS:
            self.put(f"events/block/{event}/enable", "1")

    def stop(self, scheduled):
        """
        (mean wait, mean service, requests) in ms; the request of an event is its first sector.
        scheduled: each is inserted somewhere, so that one whose insertion was not seen is older.
        """
        for event in self.EVENTS:
            self.put(f"events/block/{event}/enable", "0")
        for stats in (self.folder / "per_cpu").glob("cpu*/stats"):
            lost = re.search(r"overrun: (\d+)", stats.read_text())
            if lost and int(lost.group(1)):
                raise RuntimeError(f"the judge lost {lost.group(1)} events")
        inserted, issued, waits, serves = {}, {}, [], []
        for match in self.LINE.finditer((self.folder / "trace").read_text()):
            seconds, event, major, minor, flags, sector, length = match.groups()
            if (major, minor) != self.number or "F" in flags[:1] or length == "0":
                continue
            now = float(seconds) * 1000
            # without a scheduler nothing is inserted: a request waits from its start on
            if event == ("block_rq_insert" if scheduled else "block_io_start"):
                inserted.setdefault(sector, []).append(now)
            elif event in ("block_rq_insert", "block_io_start"):
                continue
            elif event == "block_rq_issue":
                start = inserted[sector].pop(0) if inserted.get(sector) else None
                if start or not scheduled:
                    issued.setdefault(sector, []).append((start or now, now))
            elif issued.get(sector):
                start, issue = issued[sector].pop(0)
                waits.append(issue - start)
                serves.append(now - issue)
        if not serves:
            raise RuntimeError("the judge saw no request")
        return sum(waits) / len(waits), sum(serves) / len(serves), len(serves)


def settle(disk, scheduler, depth):
    queue = Path(f"/sys/block/{disk}/queue")
    try:
        (queue / "scheduler").write_text(scheduler)
        if depth > HARDWARE_TAGS:
            (queue / "nr_requests").write_text(str(2 * depth))
    except OSError as error:
        raise common.Skip(f"scheduler {scheduler} for {depth} requests: {error}") from error


def iotriage(disk, seconds, *more):
    done = subprocess.run([common.IOTRIAGE, "-b", "--device", disk, "-d", str(seconds), "-n", "1",
                           *more], capture_output=True, text=True)
    if done.returncode == 5:
        raise common.Skip(done.stderr.strip())
    if done.returncode or done.stderr:
        raise RuntimeError(f"iotriage: {done.returncode} {done.stderr}")
    return next(common.csv.DictReader(done.stdout.splitlines()))


def load(stack, disk, depth, *more, runtime=SECONDS + 2):
    job = common.fio(stack, "judged", f"--filename=/dev/{disk}", "--rw=randread", "--bs=4k",
                     f"--iodepth={depth}", f"--runtime={runtime}", *more, stdout=subprocess.PIPE)
    time.sleep(0.8)
    return job


def near(got, wanted, share=0.05, least_ms=0.005):
    return got is not None and abs(got - wanted) <= max(share * wanted, least_ms)


def judged(disk, judge, scheduler, depth):
    """{figure: ms} of iotriage, the judge, and fio over its whole run."""
    with contextlib.ExitStack() as stack:
        settle(disk, scheduler, depth)
        job = load(stack, disk, depth)
        judge.start()
        row = iotriage(disk, SECONDS, "--trace")
        wait, serve, count = judge.stop(scheduler != "none")
        report = json.loads(job.communicate()[0])["jobs"][0]["read"]
    return {"avwait": common.number(row, "avwait"), "avserv": common.number(row, "avserv"),
            "wait": wait, "serve": serve, "n": count, "clat": report["clat_ns"]["mean"] / 1e6}


def undisturbed(disk, judge, scheduler, depth):
    """Once or twice more where the machine was busy with something else."""
    for _ in range(3):
        run = judged(disk, judge, scheduler, depth)
        both = run["avwait"] + run["avserv"]
        if (near(run["avwait"], run["wait"]) and near(run["avserv"], run["serve"]) and
                (depth > HARDWARE_TAGS or abs(both - run["clat"]) <= 0.1 * run["clat"])):
            break
    return run


def compare_all(tap, stack, disk):
    judge = Judge(stack, disk)
    runs = [undisturbed(disk, judge, *each) for each in RUNS]
    for run, (scheduler, depth) in zip(runs, RUNS):
        text = f"{run['n']} requests, {scheduler} {depth}: " \
               f"wait {run['avwait']:.3f} / {run['wait']:.3f} ms, " \
               f"service {run['avserv']:.3f} / {run['serve']:.3f} ms"
        tap.check(near(run["avwait"], run["wait"]), text)
        tap.check(near(run["avserv"], run["serve"]))
    for run, (_, depth) in zip(runs, RUNS):
        if depth < HARDWARE_TAGS:
            both = run["avwait"] + run["avserv"]
            tap.check(abs(both - run["clat"]) <= 0.1 * run["clat"],
                      f"fio {run['clat']:.3f}, avwait + avserv {both:.3f} ms")


def known_truth(tap, disk, rig):
    for _ in range(3):
        with contextlib.ExitStack() as stack:
            settle(disk, "none", 8)
            load(stack, disk, SLOTS)
            row = iotriage(disk, 3, "--trace")
        serve, svctm = common.number(row, "avserv"), common.number(row, "svctm")
        if near(serve, SERVICE_US / 1000, 0.2):
            break
    text = f"avserv {serve}, svctm {svctm}"
    tap.check(near(serve, SERVICE_US / 1000, 0.2), text)
    tap.check(near(svctm, SERVICE_US / 1000 / SLOTS, 0.4), text)
    rig.set("slots", 1)
    with contextlib.ExitStack() as stack:
        load(stack, disk, 32, runtime=10)
        row = iotriage(disk, 3, "--trace")
        done = subprocess.run([common.IOTRIAGE, "-b", "--trace", "--panel", "findings", "-d", "0.5",
                               "-n", "6"], capture_output=True, text=True)
    serve, wait = common.number(row, "avserv"), common.number(row, "avwait")
    tap.check(near(serve, 32 * SERVICE_US / 1000, 0.2), f"avserv {serve}, avwait {wait}")
    tap.check(wait is not None and wait < 0.1 * serve)
    tap.check(row["mark"] == "" and row["mark_by"] == "avserv", f"{row['mark']!r} {row['mark_by']!r}")
    said = [row for row in common.csv.DictReader(done.stdout.splitlines()) if row["subject"] == disk]
    tap.check(any("below the block layer" in row["text"] for row in said), said[-1:])


def flushes(tap, disk, rig):
    rig.set("flush_us", 20000)
    rig.set("service_us", 1000)
    with contextlib.ExitStack() as stack:
        load(stack, disk, 1, "--rw=randwrite", "--fsync=1", runtime=8)
        row = iotriage(disk, 3, "--trace")
    serve, flush = common.number(row, "avserv"), common.number(row, "f_await")
    tap.check(serve < 5 and flush > 15, f"avserv {serve}, f_await {flush}")


def untraced(tap, disk):
    row = iotriage(disk, 0.5, "--no-trace")
    tap.check(row["avserv"] == "" and row["avwait"] == "" and row["sqfull"] == "")


def body(tap, stack):
    common.need("root", "fio")
    folder = common.temporary(stack)
    rig = common.Disk(stack, folder, SERVICE_US, SLOTS, 256)
    compare_all(tap, stack, rig.name)
    known_truth(tap, rig.name, rig)
    flushes(tap, rig.name, rig)
    untraced(tap, rig.name)


common.main(NAMES, body)
