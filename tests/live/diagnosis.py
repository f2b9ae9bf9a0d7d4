#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""The findings on a disk whose service time and concurrency are set. One run for all of it."""

import re
import time
from pathlib import Path

import common
from common import figures

INTERVAL = 0.5
NAMES = [
    "an idle disk: no finding",
    "6 ms, iodepth 1: the finding is serial-io",
    "6 ms, iodepth 1: unmarked",
    "6 ms, iodepth 1: await and svctm within 10 % of each other",
    "eight at a time, with pauses, a queue of one on average: nothing warns",
    "6 ms, iodepth 32: the finding is queueing, no longer serial-io",
    "6 ms, iodepth 32: mark W",
    "6 ms, iodepth 32: wait% at least 90",
    "fio libaio: aio-nr in the CSV is what the kernel says, and more than before",
    "fio libaio has ended: aio-nr is back",
    "a flush after each write: the finding is flush-bound, and no other",
    "a reader, then 64 writes deep: read-starved within 5 ticks, and nothing else",
    "the writes have ended: read-starved is gone within 5 ticks",
    "25 ms, 20 requests a second: the finding is slow-device",
    "stall 1: stalled within 5 ticks",
    "stall 0: it clears within 5 ticks",
    "idle again: no finding is left",
]


def aio_nr():
    return int(Path("/proc/sys/fs/aio-nr").read_text(encoding="ascii"))


class Bench:
    """The disk, the monitor on it, and what the monitor said since a moment."""

    def __init__(self, stack):
        folder = common.temporary(stack)
        self.disk = common.Disk(stack, folder)
        self.monitor = common.Monitor(stack, folder, INTERVAL, more=["--no-trace"])
        self.monitor.wait_ticks(1)

    def devices(self, since):
        return [row for row in self.monitor.rows("devices", since)
                if row["device"] == self.disk.name]

    def aio_nr(self, since):
        """What the machine's row says, not those of processes."""
        return [row["aio-nr"] for row in self.monitor.rows("aio", since) if not row["pid"]][-1]

    def findings(self, since):
        """(epoch, rule) of this disk, and of the machine's AIO."""
        return [(float(row["epoch"]), row["rule"]) for row in self.monitor.rows("findings", since)
                if row["subject"] == self.disk.name]

    def watch(self, ticks):
        """That many ticks from now: the devices' rows and the rules that held in the last one."""
        since = time.time()
        epochs = self.monitor.wait_ticks(ticks, since)
        rules = {rule for epoch, rule in self.findings(since) if epoch == epochs[-1]}
        return self.devices(since)[:ticks], rules

    def until(self, rule, present, most):
        return self.monitor.until(self.disk.name, rule, present, most)

    def fio(self, stack, *options):
        load = common.fio(stack, "diagnosis", f"--filename={self.disk.path}", "--size=64m",
                          "--bs=4k", "--rw=randwrite", *options)
        time.sleep(1)  # fio is slow to begin
        return load


def near(rows, one, other, share):
    pairs = [(common.number(row, one), common.number(row, other)) for row in rows]
    return bool(pairs) and all(a and b and abs(a - b) <= share * max(a, b) for a, b in pairs)


def serial(tap, bench):
    with common.contextlib.ExitStack() as stack:
        bench.fio(stack, "--iodepth=1")
        rows, rules = bench.watch(6)
    tap.check("serial-io" in rules, f"rules: {sorted(rules)}")
    tap.check(all(row["mark"] == "" for row in rows), figures(rows, "mark"))
    tap.check(near(rows, "await", "svctm", 0.1), figures(rows, "w/s", "await", "svctm", "%util"))


def bursts(tap, bench):
    bench.disk.set("service_us", 4000)
    bench.disk.set("slots", 8)
    with common.contextlib.ExitStack() as stack:
        bench.fio(stack, "--iodepth=8", "--iodepth_batch=8", "--iodepth_batch_complete_min=8",
                  "--thinktime=30000", "--thinktime_blocks=8")
        since = time.time()
        rows, _ = bench.watch(12)
        warned = bench.monitor.warnings({bench.disk.name}, since)
    bench.disk.set("slots", 1)
    bench.disk.set("service_us", 6000)
    tap.check(not warned, str(warned), figures(rows, "w/s", "avgqu-sz", "await", "%util", "inflight"))


def queueing(tap, bench):
    before = aio_nr()
    with common.contextlib.ExitStack() as stack:
        bench.fio(stack, "--iodepth=32")
        bench.monitor.wait_ticks(2, time.time())  # the queue fills
        rows, rules = bench.watch(6)
        during = aio_nr()
        csv = bench.aio_nr(0)
    tap.check("queueing" in rules and "serial-io" not in rules, f"rules: {sorted(rules)}")
    tap.check(all(row["mark"] == "W" for row in rows), figures(rows, "mark"))
    tap.check(all((common.number(row, "wait%") or 0) >= 90 for row in rows),
              figures(rows, "w/s", "avgqu-sz", "await", "svctm", "wait%"))
    since = time.time()
    bench.monitor.wait_ticks(2, since)
    after = bench.aio_nr(since)
    figure = f"aio-nr {before} before, {during} during (CSV {csv}), {aio_nr()} after (CSV {after})"
    # others may use AIO as well: no more than ours has to be seen
    tap.check(during > before and int(csv) == during, figure)
    tap.check(int(after) == aio_nr() < during, figure)


def flush(tap, bench):
    bench.disk.set("flush_us", 6000)
    with common.contextlib.ExitStack() as stack:
        bench.fio(stack, "--iodepth=1", "--fsync=1")
        rows, rules = bench.watch(6)
    bench.disk.set("flush_us", 0)
    tap.check(rules == {"flush-bound"}, f"rules: {sorted(rules)}",
              figures(rows, "w/s", "w_await", "f/s", "f_await", "avgqu-sz"))


def starved(tap, bench):
    bench.disk.set("service_us", 2000)
    bench.disk.set("slots", 2)
    with common.contextlib.ExitStack() as reader:
        bench.fio(reader, "--rw=randread", "--iodepth=1")
        bench.monitor.wait_ticks(6, time.time())
        begun = time.time()
        with common.contextlib.ExitStack() as writer:
            bench.fio(writer, "--iodepth=64")
            shown = bench.until("read-starved", True, 10)
            rows, rules = bench.watch(4)
        cleared = bench.until("read-starved", False, 10)
    bench.disk.set("slots", 1)
    bench.disk.set("service_us", 6000)
    tap.check(shown is not None and shown <= 5 and rules == {"read-starved"},
              f"after {shown} ticks: {sorted(rules)}",
              figures(bench.devices(begun), "r/s", "r_await", "w/s", "w_await", "avgqu-sz"))
    tap.check(cleared is not None and cleared <= 5, f"after {cleared} ticks")


def slow(tap, bench):
    bench.disk.set("service_us", 25000)
    with common.contextlib.ExitStack() as stack:
        bench.fio(stack, "--iodepth=1", "--rate_iops=20")
        rows, rules = bench.watch(8)
    tap.check("slow-device" in rules, f"rules: {sorted(rules)}",
              figures(rows, "w/s", "avgqu-sz", "await", "%util", "verdict"))
    bench.disk.set("service_us", 6000)


def stall(tap, bench):
    with common.contextlib.ExitStack() as stack:
        stack.callback(bench.disk.set, "stall", 0)
        bench.fio(stack, "--iodepth=4")
        bench.monitor.wait_ticks(2, time.time())
        begun = time.time()
        bench.disk.set("stall", 1)
        shown = bench.until("stalled", True, 10)
        bench.disk.set("stall", 0)
        cleared = bench.until("stalled", False, 10)
        rows = bench.devices(begun)
    tap.check(shown is not None and shown <= 5, f"after {shown} ticks",
              figures(rows, "w/s", "avgqu-sz", "inflight", "%util", "verdict"))
    tap.check(cleared is not None and cleared <= 5, f"after {cleared} ticks")


def body(tap, stack):
    common.need("root", "fio")
    bench = Bench(stack)
    rows, rules = bench.watch(4)
    tap.check(not rules and not bench.findings(0), f"rules: {sorted(rules)}",
              figures(rows, "verdict"))
    serial(tap, bench)
    bench.monitor.wait_ticks(3, time.time())  # what was shown before goes
    bursts(tap, bench)
    queueing(tap, bench)
    flush(tap, bench)
    starved(tap, bench)
    slow(tap, bench)
    stall(tap, bench)
    bench.monitor.wait_ticks(5, time.time())
    rows, rules = bench.watch(2)
    tap.check(not rules, f"rules: {sorted(rules)}", figures(rows, "verdict"))
    said = {}
    for row in bench.monitor.rows("findings"):
        if row["subject"] == bench.disk.name:
            text = re.sub(r"\s+", " ", row["text"])
            said.setdefault(row["rule"], {})[row["severity"]] = f"{row['lasted']} s: {text}"
    for rule, by_severity in said.items():
        for severity, text in by_severity.items():
            tap.note(f"{rule} {severity} {text}")


if __name__ == "__main__":
    common.main(NAMES, body)
