#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices that belong together: layers that wait over idle disks, members that pace a set."""
import harness
from course import BEFORE, DURING, EASY, Machine, check_comes_and_goes, check_never, flash, spindle, warned
from harness import check, check_true, test
from story import readings, second


# ---- stack-gap ----

def raid5(member, whole=None, level="raid5"):
    """A volume on an md array of three disks."""
    story = Machine()
    whole = whole or second(w=200, wkb=3200, w_await=120, util=100)
    for name in ("sda", "sdb", "sdc"):
        story.add(name, EASY, member, **spindle())
    story.add("md0", EASY, whole, ["sda", "sdb", "sdc"], (9, 0), queue_rotational=1, md_level=level)
    story.add("dm-0", EASY, whole, ["md0"], (253, 0), queue_rotational=1, dm_name="vg-data")
    return story


@test("stack-gap: an md that waits over idle disks, named once, not of the volume on it as well")
def _():
    story = raid5(second(w=70, wkb=1100, w_await=0.5, util=4))
    check_comes_and_goes(story, "md0", "stack-gap", "warn",
                         ["below=3", "below_await=0.50", "await=120.00", "avgqu-sz=24.00", "carries=dm-0"],
                         ["sda, sdb, sdc below it are nearly idle", "/proc/mdstat", "md/stripe_cache_size"])


@test("stack-gap: dm-crypt that a CPU holds up, over a partition of a disk that is quick")
def _():
    story = Machine()
    quick = second(w=3000, wkb=48000, w_await=0.1, util=22)
    story.add("nvme0n1", EASY, quick, dev=(259, 0), **flash())
    story.partition("nvme0n1p3", "nvme0n1", *readings(story.course(EASY, quick)), dev=(259, 3))
    story.add("dm-0", EASY, second(w=3000, wkb=48000, w_await=28, util=100), ["nvme0n1p3"], (253, 0),
              queue_rotational=0, dm_name="luks-data")
    check_comes_and_goes(story, "dm-0", "stack-gap", "warn", ["below=1", "below_await=0.10", "await=28.00"],
                         ["nvme0n1 below it is nearly idle", "dmsetup table luks-data", "kcryptd"])


@test("no stack-gap: the disks below are busy, or have their share of the wait, or the layer is quick")
def _():
    check_never(raid5(second(w=70, wkb=1100, w_await=9, util=58)), "stack-gap")
    check_never(raid5(second(w=70, wkb=1100, w_await=25, util=30)), "stack-gap")
    check_never(raid5(second(w=70, wkb=1100, w_await=0.5, util=4), second(w=200, wkb=3200, w_await=19, util=90)),
                "stack-gap")
    slow = second(w=70, wkb=1100, w_await=300, util=100)
    check_never(raid5(slow), "stack-gap", [(disk, "queueing") for disk in ("sda", "sdb", "sdc")])


@test("no stack-gap: what the layer waits for are flushes of the disk below")
def _():
    story = Machine()
    story.add("sda", EASY, second(w=40, wkb=640, w_await=0.4, f=40, f_await=16, queue=0.66, util=3), **flash())
    story.add("dm-0", EASY, second(w=80, wkb=640, w_await=16, queue=1.3, util=66), ["sda"], (253, 0),
              queue_rotational=0, dm_name="vg-wal")
    check_never(story, "stack-gap", [("sda", "flush-bound")])


@test("stack-gap is information where the kernel does not count flushes")
def _():
    story = Machine()
    quick, waits = second(w=40, wkb=640, w_await=0.4, util=3), second(w=80, wkb=640, w_await=16, util=66)
    for name, troubled, below in (("sda", quick, []), ("dm-0", waits, ["sda"])):
        counters = [reading[:11] for reading in readings(story.course(EASY, troubled))]
        story.disk(name, *counters, dev=(8 if name == "sda" else 253, 0), queue_rotational=0)
        story.stands_on(name, *below)
    ticks = story.ticks()
    check([warned(tick) for tick in ticks], [[]] * len(ticks), "warnings")
    found = ticks[BEFORE + DURING - 1]["dm-0", "stack-gap"]
    check_true("Cache flushes below" in found["text"], found["text"])


# ---- uneven-legs ----

MEMBER = second(r=100, w=100, rkb=3200, wkb=3200, r_await=3, w_await=3, util=40)
LAGS = second(r=98, w=97, rkb=3100, wkb=3150, r_await=62, w_await=62, util=98)


def array(*members, level="raid6", make=spindle, md=None):
    """An array with these members under load, the last of which is in question."""
    story = Machine()
    names = [f"sd{letter}" for letter in "abcdefgh"[:len(members)]]
    for name, troubled in zip(names, members):
        story.add(name, EASY, troubled, **(make[name] if isinstance(make, dict) else make()))
    whole = md or second(r=300, w=100, rkb=9600, wkb=3200, r_await=20, w_await=22, util=99)
    story.add("md0", EASY, whole, names, (9, 0), queue_rotational=1, md_level=level)
    story.always("proc/mdstat", f"Personalities : [{level}]\nmd0 : active {level}\n")
    return story


@test("uneven-legs: one slow member of an array of five paces it")
def _():
    check_comes_and_goes(array(*[MEMBER] * 4, LAGS), "sde", "uneven-legs", "warn",
                         ["peers=4", "peers_await=3.00", "peers_avgqu-sz=0.60", "await=62.00", "carries=md0"],
                         ["sde holds up its set (md0)", "smartctl -a"])


@test("uneven-legs: one slow path of a multipath device")
def _():
    story = Machine()
    good = second(r=200, w=200, rkb=6400, wkb=6400, r_await=1.5, w_await=1.5, util=35)
    bad = second(r=196, w=200, rkb=6300, wkb=6400, r_await=31, w_await=31, util=99)
    for name, troubled in (("sdb", good), ("sdc", good), ("sdd", good), ("sde", bad)):
        story.add(name, EASY, troubled, queue_rotational=0, queue_nr_requests=128, device_queue_depth=32)
    story.add("dm-0", EASY, second(r=796, w=800, rkb=25500, wkb=25600, r_await=9, w_await=9, util=100),
              ["sdb", "sdc", "sdd", "sde"], (253, 0), queue_rotational=0, dm_name="mpatha")
    check_comes_and_goes(story, "sde", "uneven-legs", "warn", ["peers=3", "peers_await=1.50", "carries=dm-0"],
                         ["its set (dm-0)", "multipath -ll"])


@test("uneven-legs: in a report devices with equal rates are a set, as those of a ZFS pool")
def _():
    columns = "r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util"
    quick = "100.00 100.00 3200.00 3200.00 0.00 0.00 0.00 0.00 3.00 3.10 0.61 32.00 32.00 2.00 40.00"
    lags = "98.00 99.00 3150.00 3180.00 0.00 0.00 0.00 0.00 61.00 63.00 12.20 32.00 32.00 4.90 98.00"
    for last, expected in ((lags, ["uneven-legs"]), (quick, [])):
        report = "\n".join(f"Device {columns}\nsda {quick}\nsdb {quick}\nsdc {quick}\nsdd {last}\n" for _ in range(3))
        with harness.scratch() as folder:
            with open(f"{folder}/report", "w", encoding="ascii") as file:
                file.write(report)
            # without a time there is none of the columns time and epoch
            out = harness.run("explain", "--format", "json", f"{folder}/report")
        check((out.status, out.err), (0, b""), "status and stderr")
        check([rule for rule in ("uneven-legs", "queueing") if f'"{rule}"'.encode() in out.out], expected, "rules")
        check(b"sdd holds up the devices that do the same work" in out.out, bool(expected), "words")


@test("no uneven-legs: 2.9 times as slow, slow all of them, or twice the work of another kind")
def _():
    check_never(array(*[second(r=100, w=100, rkb=3200, wkb=3200, r_await=8, w_await=8, util=60)] * 3,
                      second(r=100, w=100, rkb=3200, wkb=3200, r_await=23, w_await=23, util=90)), "uneven-legs")
    story = array(*[LAGS] * 4)
    check_never(story, "uneven-legs", [(f"sd{letter}", "queueing") for letter in "abcd"])
    busy = second(r=300, w=300, rkb=9600, wkb=9600, r_await=40, w_await=40, util=99)
    check_never(array(MEMBER, MEMBER, busy), "uneven-legs", [("sdc", "queueing")])


@test("no uneven-legs: a rebuild reads from some members and writes to one")
def _():
    reads = second(r=700, rkb=89600, r_await=0.8, util=70)
    written = second(w=690, wkb=88300, w_await=14, util=98)
    check_never(array(reads, written, level="raid1"), "uneven-legs")
    check_never(array(reads, reads, reads, written, level="raid5"), "uneven-legs")


@test("no uneven-legs: a mirror of flash and a disk that is write-mostly, a disk under a cache of flash")
def _():
    kinds = {"sda": flash(), "sdb": spindle()}
    disk = second(w=100, wkb=1600, w_await=22, util=95)
    check_never(array(second(r=80, w=100, rkb=1280, wkb=1600, r_await=0.3, w_await=0.3, util=6), disk,
                      level="raid1", make=kinds), "uneven-legs")
    story = Machine()
    story.add("sda", EASY, second(r=90, w=60, rkb=1440, wkb=960, r_await=21, w_await=22, util=97), **spindle())
    cache = second(r=110, w=90, rkb=1760, wkb=1440, r_await=0.1, w_await=0.1, util=3)
    story.add("nvme0n1", EASY, cache, dev=(259, 0), **flash())
    story.add("bcache0", EASY, second(r=200, w=150, rkb=3200, wkb=2400, r_await=9, w_await=9, util=97),
              ["sda", "nvme0n1"], (252, 0), queue_rotational=1)
    check_never(story, "uneven-legs")


if __name__ == "__main__":
    harness.main()
