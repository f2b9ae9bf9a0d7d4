#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Limits above the medium: a driver's queue that is too short, a rate that stands still."""
from course import BEFORE, DURING, EASY, WITHIN, Machine, check_comes_and_goes, check_never, flash, spindle, warned
import harness
from harness import check, check_true, test
from story import second


# ---- shallow-queue ----

def lun(troubled, **attributes):
    """A disk of a SAN with a queue for four requests."""
    story = Machine()
    story.add("sdb", EASY, troubled, **{"queue_rotational": 0, "queue_nr_requests": 128, "device_queue_depth": 4,
                                        **attributes})
    return story


LINE = second(r=600, w=200, rkb=4800, wkb=1600, r_await=25, w_await=25, util=100)


@test("shallow-queue: a driver that takes four at a time before a store that is quick")
def _():
    check_comes_and_goes(lun(LINE), "sdb", "shallow-queue", "warn",
                         ["queue_depth=4", "avgqu-sz=20.00", "wait_ms=20.00", "serve_ms=5.00"],
                         ["takes 4 at a time", "/sys/class/block/sdb/device/queue_depth"])


@test("no shallow-queue: a deep one, a spindle, hardly more than fit, one at a time")
def _():
    check_never(lun(LINE, device_queue_depth=32), "shallow-queue", [("sdb", "queueing")])
    seeks = second(r=110, w=40, rkb=880, wkb=320, r_await=130, w_await=130, util=100)
    check_never(lun(seeks, device_queue_depth=1, queue_rotational=1), "shallow-queue", [("sdb", "queueing")])
    check_never(lun(second(r=600, w=200, rkb=4800, wkb=1600, r_await=10, w_await=10, util=100)), "shallow-queue",
                [("sdb", "queueing")])
    serial = second(w=160, wkb=1280, w_await=6.2, util=99)
    check_never(lun(serial, device_queue_depth=1), "shallow-queue", [("sdb", "serial-io")])


@test("no shallow-queue: a USB disk, one at a time by nature, waits for its bandwidth; nor write-back to it")
def _():
    copies = second(w=250, wkb=30000, w_await=120, util=100)
    check_never(lun(copies, device_queue_depth=1), "shallow-queue", [("sdb", "queueing")])
    stick = second(w=25, wkb=100, w_await=1200, util=100)
    check_never(lun(stick, device_queue_depth=1), "shallow-queue", [("sdb", "queueing")])
    burst = second(w=400, wkb=3200, w_await=30, util=50)
    check_never(lun(burst, device_queue_depth=1), "shallow-queue", [])


# ---- rate-cap ----

def volume(troubled, name="nvme1n1", **attributes):
    """A cloud volume."""
    story = Machine()
    story.add(name, second(r=900, w=400, rkb=14400, wkb=6400, r_await=0.7, w_await=0.9, util=60), troubled,
              dev=(259, 4), **flash(), **attributes)
    return story


def capped(rate, kib, *queues):
    return [second(w=round(rate), wkb=round(rate * kib), w_await=1000 * n / rate, util=100) for n in queues]


@test("rate-cap: 3000 requests a second whatever the queue; until that is known it is a queue")
def _():
    story = volume(capped(3000, 16, 24, 80, 30, 75, 110))
    check_comes_and_goes(story, "nvme1n1", "rate-cap", "warn",
                         ["requests/s_held=3000.00", "queue_lowest=24.00", "queue_highest=110.00"],
                         ["nvme1n1 is held at 3000 requests/s"], ["queueing"])


@test("rate-cap: 125 MB/s of requests of any size is a cap of bytes")
def _():
    sizes = [(1000, 24), (950, 60), (1060, 31), (930, 72), (1010, 55)]
    turns = [second(w=rate, wkb=122070, w_await=1000 * n / rate, util=100) for rate, n in sizes]
    check_comes_and_goes(volume(turns), "nvme1n1", "rate-cap", "warn", ["kB/s_held=122070.00"],
                         ["is held at 122070 KiB/s"], ["queueing"])


@test("rate-cap: four disks that share a link: their shares move, the total stands still")
def _():
    shares = [(60, 60, 60, 60), (80, 40, 70, 50), (50, 75, 45, 70), (70, 55, 60, 55), (45, 65, 75, 55)]
    story = Machine()
    for n, name in enumerate(("sda", "sdb", "sdc", "sdd")):
        turns = [second(r=2 * mb[n], rkb=1000 * mb[n], r_await=90, queue=10, util=100) for mb in shares]
        story.add(name, EASY, turns, **spindle())
    ticks = story.ticks()
    at = ticks[BEFORE + WITHIN]
    check(warned(at), [(name, "rate-cap") for name in ("sda", "sdb", "sdc", "sdd")], "findings")
    check_true("link_kB/s=240000" in at["sda", "rate-cap"]["evidence"], at["sda", "rate-cap"]["evidence"])
    check(warned(ticks[BEFORE + DURING + WITHIN - 1]), [], "after it")


@test("no rate-cap: a load that asks for 3000 a second and gets them")
def _():
    for queues in ((0.5, 2, 0.6, 1.8, 0.5), (3, 5.5, 4, 5, 3), (7, 14, 8, 12, 9)):
        check_never(volume(capped(3000, 16, *queues)), "rate-cap", [])
    bursts = capped(3000, 16, 8, 40, 9, 45, 10)  # quick in between
    check_never(volume(bursts), "rate-cap")


@test("no rate-cap: a rate that moves by 3 %, a queue that stands still, a disk at what it can do")
def _():
    moves = [turn for rate, n in ((3000, 24), (3100, 80), (2950, 30), (3080, 75)) for turn in capped(rate, 16, n)]
    check_never(volume(moves), "rate-cap", [("nvme1n1", "queueing")])
    check_never(volume(capped(3000, 16, 60, 66, 63, 61)), "rate-cap", [("nvme1n1", "queueing")])
    streams = [second(w=320, wkb=163840, w_await=1000 * n / 320, util=100) for n in (20, 60, 25, 70)]
    story = Machine()
    story.add("sda", EASY, streams, **spindle())
    check_never(story, "rate-cap", [("sda", "queueing")])


if __name__ == "__main__":
    harness.main()
