#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Causes as the shipped program sees them in /proc and /sys: each with its rule, and without."""
import harness
from harness import check, check_true, test
from story import USED, Story, plus, readings, second


def machine(ticks, **disks):
    """A story with a disk for each name: one second for every tick, or a list of them."""
    story = Story(ticks + 1)
    for n, (name, seconds) in enumerate(disks.items()):
        seconds = seconds if isinstance(seconds, list) else [seconds] * ticks
        story.disk(name, *readings(seconds), dev=(8, 16 * n), queue_rotational="0")
    return story


def last(story):
    """{(subject, rule): severity} of the last tick."""
    end = f"{story.clock[-1][1]:.3f}"
    return {(row["subject"], row["rule"]): row["severity"]
            for row in story.rows("--panel", "findings") if row["epoch"] == end}


def shown(story, rule, subject="sda"):
    """When the rule is shown: "..###"."""
    rows = story.rows("--panel", "findings")
    ticks = {row["epoch"] for row in rows if (row["subject"], row["rule"]) == (subject, rule)}
    return "".join("#" if f"{clock[1]:.3f}" in ticks else "." for clock in story.clock[1:])


def warned(found):
    return {key: severity for key, severity in found.items() if severity != "info"}


IDLE = second()
READS = second(r=400, rkb=3200, r_await=2, util=70)


# ---- flushes ----

@test("a write and a flush in turn, 6 ms each, is flush-bound and not serial-io")
def _():
    turns = second(w=80, wkb=640, w_await=6, f=80, f_await=6, util=97)
    check(last(machine(4, sda=turns)), {("sda", "flush-bound"): "warn"}, "findings")


@test("an empty flush that is counted as a write too does not make a queue of two")
def _():
    twice = second(w=199, wkb=400, w_await=5, f=100, f_await=8, queue=1.8, util=99)
    check(last(machine(4, sda=twice)), {("sda", "flush-bound"): "warn"}, "findings")


@test("flushes that are cheap are no warning, and few of them are nothing")
def _():
    cheap = second(w=3000, wkb=12000, w_await=0.1, f=2500, f_await=0.2, util=60)
    check(warned(last(machine(4, sda=cheap))), {}, "cheap")
    few = second(w=80, wkb=640, w_await=6, f=2, f_await=50, util=50)
    check_true(("sda", "flush-bound") not in last(machine(4, sda=few)), "few")


# ---- bursts ----

FLOOD = second(r=90, w=9000, rkb=720, wkb=99000, r_await=60, w_await=15, util=100)


@test("a flood of writes that readers wait behind is read-starved, until it is over")
def _():
    marks = shown(machine(12, sda=[READS] * 4 + [FLOOD] * 4 + [READS] * 4), "read-starved")
    check_true(marks.startswith("......##"), marks)
    check_true(marks.endswith("."), f"gone within five ticks: {marks}")
    story = machine(8, sda=[READS] * 4 + [FLOOD] * 4)
    check(last(story), {("sda", "read-starved"): "warn"}, "nothing beside it")


@test("floods of a second each are told from the second one on, and forgotten when two are missing")
def _():
    seconds = [READS, READS, READS] + ([FLOOD] + [READS] * 5) * 2 + [READS] * 12
    marks = shown(machine(len(seconds), sda=seconds), "read-starved")
    check(marks, "." * 9 + "#" * 16 + "..", "shown")


@test("a burst of write-back is information, and one of them is nothing")
def _():
    burst = second(w=47, wkb=15180, w_await=323, queue=7.7, util=40)
    check(shown(machine(7, sda=[IDLE, burst, IDLE, IDLE, IDLE, burst, IDLE]), "write-burst"), ".....##", "two")
    story = machine(7, sda=[IDLE, burst, IDLE, IDLE, IDLE, IDLE, IDLE])
    check(story.rows("--panel", "findings"), [], "one")
    check(warned(last(machine(6, sda=[IDLE, burst, IDLE, IDLE, burst, IDLE]))), {}, "no warning")


# ---- limits ----

@test("IOPS that stand still while the queue moves are a cap; a queue that stands still is none")
def _():
    low, high = (second(w=3000, wkb=48000, w_await=n / 3, queue=n, util=100) for n in (20, 80))
    check(last(machine(9, xvdb=[low] * 4 + [high] * 5)), {("xvdb", "rate-cap"): "warn"}, "findings")
    check(last(machine(9, xvdb=[high] * 9)), {("xvdb", "queueing"): "warn"}, "findings of a steady load")


@test("a driver that takes one request at a time before a fast device is a shallow queue")
def _():
    line = second(w=400, wkb=3200, w_await=30, util=100)
    for depth, rule in (("1", "shallow-queue"), ("32", "queueing")):
        story = machine(4, sda=line)
        story.sysfs("sda", device_queue_depth=depth)
        check(last(story), {("sda", rule): "warn"}, f"queue_depth {depth}")


# ---- sets and layers ----

QUICK = second(r=100, w=100, rkb=3200, wkb=3200, r_await=3, w_await=3, util=40)
LAGS = second(r=98, w=97, rkb=3100, wkb=3150, r_await=62, w_await=62, util=98)


@test("one slow member of an md is uneven-legs, on the member, and names the array")
def _():
    whole = second(r=298, w=297, rkb=9500, wkb=9550, r_await=22, w_await=22, util=99)
    story = machine(4, sda=QUICK, sdb=QUICK, sdc=LAGS, md0=whole)
    story.stands_on("md0", "sda", "sdb", "sdc")
    check(last(story), {("sdc", "uneven-legs"): "warn"}, "findings")
    text = story.rows("--panel", "findings")[-1]["text"]
    check_true("its set (md0)" in text and "carries md0" in text, text)
    alone = machine(4, sda=QUICK, sdb=QUICK, sdc=LAGS)
    check(last(alone), {("sdc", "queueing"): "crit"}, "without a set")


@test("a dm device that waits over an idle disk is a gap; over a busy one the disk has the finding")
def _():
    waits = second(w=200, wkb=3200, w_await=120, util=100)
    for below, expected in ((second(w=200, wkb=3200, w_await=0.5, util=10), {("dm-0", "stack-gap"): "warn"}),
                            (waits, {("sda", "queueing"): "crit"})):
        story = machine(4, sda=below)
        story.disk("dm-0", *readings([waits] * 4), dev=(253, 0))
        story.stands_on("dm-0", "sda")
        check(last(story), expected, "findings")


@test("an md that keeps no times is unaccounted, and no warning")
def _():
    story = machine(4, sda=READS)
    base = [0] * 17
    steps = [plus(base, wr_ios=1500 * i, wr_sectors=14000 * i) for i in range(1, 6)]
    story.disk("md3", *steps, dev=(9, 3))
    story.stands_on("md3", "sda")
    check(last(story).get(("md3", "unaccounted")), "info", "md3")
    check(warned(last(story)), {}, "warnings")


@test("225 random reads of 8 KiB a second at 99 % is a spindle bound by seeks")
def _():
    seeks = second(r=225, rkb=1800, r_await=25, queue=5.6, util=99)
    story = machine(4, sda=seeks)
    story.sysfs("sda", queue_rotational="1")
    check(last(story), {("sda", "small-random"): "warn"}, "findings")


# ---- the machine ----

def stat(ticks, iowait, blocked):
    """/proc/stat at each step: % of one CPU's time, and tasks in D."""
    return [f"cpu  100 0 100 {(100 - iowait) * i} {iowait * i} 0 0 0 0 0\nprocs_blocked {blocked}\nprocesses 1\n"
            for i in range(ticks + 1)]


@test("iowait while every disk is idle is elsewhere; beside a disk that works it is nothing")
def _():
    for disk, expected in ((IDLE, "info"), (READS, None)):
        story = machine(4, sda=disk)
        story.each("proc/stat", stat(4, 60, 1))
        check(last(story).get(("system", "iowait-elsewhere")), expected, "without a task in D")
    story = machine(4, sda=IDLE)
    story.each("proc/stat", stat(4, 60, 1))
    story.task(4321, "backup", [None] * 5, state="D")
    check(last(story), {("system", "iowait-elsewhere"): "warn"}, "with a task in D")
    check_true("backup (pid 4321)" in story.rows("--panel", "findings")[-1]["text"], "its name")


@test("an idle machine has no finding")
def _():
    story = machine(6, sda=IDLE, sdb=second(w=2, wkb=12, w_await=1, util=0.3))
    story.each("proc/stat", stat(6, 0, 0))
    check(story.rows("--panel", "findings"), [], "findings")


@test("paging is swapping, not a disk that is slow; swapping out alone is nothing")
def _():
    for pages_in, pages_out, expected in ((900, 700, "warn"), (60, 60, "info"), (0, 900, None)):
        story = machine(4, sda=IDLE)
        story.each("proc/vmstat", [f"pgpgin 1\npgpgout 1\npswpin {pages_in * i}\npswpout {pages_out * i}\n"
                                   for i in range(5)])
        check(last(story).get(("system", "swapping")), expected, f"{pages_in} in, {pages_out} out")


def paging(swaps):
    """A disk that is saturated by paging, and its findings, and what is said of the paging."""
    story = machine(4, sda=second(r=1000, rkb=4000, w=1000, wkb=4000, r_await=12, w_await=12, util=100))
    story.partition("sda2", "sda", *readings([second()] * 4), dev=(8, 2))
    story.always("proc/swaps", f"Filename Type Size Used Priority\n{swaps} 8388604 0 -2\n")
    story.always("proc/self/mountinfo", "27 1 8:2 / / rw - ext4 /dev/sda2 rw\n")
    story.each("proc/vmstat", [f"pswpin {1000 * i}\npswpout {1000 * i}\n" for i in range(5)])
    return last(story), story.rows("--panel", "findings")[0]["text"]


@test("the disk that is swapped to is named, be it a partition of it or a file on that, and is not judged again")
def _():
    for swaps in "/dev/sda2 partition", "/swapfile file":
        found, text = paging(swaps)
        check(found, {("system", "swapping"): "warn"}, swaps)
        check_true("the swap device sda has 24 requests in it" in text, text)
    found, text = paging("/dev/sdz partition")
    check(found, {("system", "swapping"): "warn", ("sda", "queueing"): "warn"}, "swap elsewhere")
    check_true("swap device" not in text, text)


def swapping(swaps, mounts="30 1 8:0 / / rw - ext4 /dev/sda rw\n"):
    """What is found where 900 pages a second are swapped in, from sda2 or files on it; and on which device."""
    busy = second(r=900, rkb=3600, w=20, wkb=160, r_await=8, w_await=8, util=99)
    story = machine(4, sda=busy, sdb=IDLE)
    story.partition("sda2", "sda", *readings([busy] * 4), dev=(8, 2))
    story.each("proc/vmstat", [f"pswpin {900 * i}\npswpout {20 * i}\n" for i in range(5)])
    story.always("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n" + swaps)
    story.always("proc/self/mountinfo", mounts)
    rows = story.rows("--panel", "findings")
    words = rows[-1]["evidence"].split()
    return last(story), [word for word in words if word.startswith("device=")]


@test("where the swap is, its disk is named with the paging and has no finding of its own")
def _():
    mounts = ("30 1 8:0 / / rw - ext4 /dev/sda rw\n31 30 8:16 / /data rw - ext4 /dev/sdb rw\n"
              "32 30 8:16 / /a\\040b rw - ext4 /dev/sdb rw\n")
    for swaps in "/dev/sda2 partition 8388604 0 -2\n", "/swapfile file 8388604 0 -2\n", "/database file 1 0 -2\n":
        found, device = swapping(swaps, mounts)
        check((found, device), ({("system", "swapping"): "warn"}, ["device=sda"]), swaps)
    for swaps in "/dev/sdb partition 8388604 0 -2\n", "/data/swap file 1 0 -2\n", "/a\\040b/swap file 1 0 -2\n":
        found, device = swapping(swaps, mounts)
        check(("sda", "queueing") in found, True, f"{swaps} of {found}")


@test("swaps that cannot be placed name no device")
def _():
    for swaps in "", "/swapfile\n", "/dev/nothing partition 1 0 -2\n", "/tmp/a file 1 0 -2\n", "/swapfile zfs 1 0 -2\n":
        found, device = swapping(swaps, "30 1 0:40 / / rw - tmpfs none rw\n")
        check((found.get(("system", "swapping")), device), ("warn", []), swaps)


if __name__ == "__main__":
    harness.main()
