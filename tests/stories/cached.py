#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the page cache does: bursts of write-back, writers held back, databases cached twice."""
import os

import harness
from course import (AFTER, BEFORE, DURING, EASY, IDLE, Machine, check_comes_and_goes, check_never, flash, marks,
                    spindle, warned)
from harness import check, check_true, test
from story import Link, io_text, second

KIB = 1024


# ---- write-burst ----

BURST = second(w=47, wkb=15180, w_await=323, queue=7.7, util=40)


def bursts(turns, trouble=13, **attributes):
    story = Machine(trouble)
    story.add("sda", IDLE, turns, **spindle(**attributes))
    return story


@test("write-burst: write-back every four seconds is information from the second time on")
def _():
    story = bursts([BURST, IDLE, IDLE, IDLE])
    ticks = story.ticks()
    when = marks(ticks, "sda", "write-burst")
    check(when.find("#"), BEFORE + 4, f"shown {when}")
    check_true(when[BEFORE + 4:BEFORE + 13] == "#" * 9, f"stays between the bursts, {when}")
    check([warned(tick) for tick in ticks], [[]] * len(ticks), "warnings")
    row = ticks[BEFORE + 12]["sda", "write-burst"]
    check(row["severity"], "info", "severity")
    for pair in ("avgqu-sz=7.70", "await=323.00", "%util=40.00"):
        check_true(pair in row["evidence"].split(" "), f"{pair} is not in {row['evidence']!r}")
    steady = bursts(BURST, DURING)
    check_comes_and_goes(steady, "sda", "write-burst", "info", ["w/s=47.00"])


@test("no write-burst: once, with the disk busy all the time, or with readers that wait")
def _():
    check_never(bursts([BURST] + [IDLE] * 12), "write-burst", [])
    full = second(w=110, wkb=35000, w_await=323, queue=36, util=99)
    check_never(bursts(full, DURING), "write-burst", [("sda", "queueing")])
    story = Machine()
    calm = second(r=120, rkb=960, r_await=5, util=45)
    story.add("sda", calm, second(r=20, w=400, rkb=160, wkb=60000, r_await=210, w_await=240, util=78), **spindle())
    check_never(story, "write-burst", [("sda", "read-starved")])


# ---- writeback-throttled ----

def dirty(kib, disk, wchan="balance_dirty_pages", limit_kib=400000, **attributes):
    """A program that writes through the page cache and waits."""
    story = Machine()
    story.add("sda", EASY, disk, **spindle(**attributes))
    page = os.sysconf("SC_PAGE_SIZE") // KIB
    story.always("proc/vmstat", f"nr_dirty_threshold {limit_kib // page}\nnr_dirty_background_threshold "
                                f"{limit_kib // page // 2}\npgpgin 1\npgpgout 1\npswpin 0\npswpout 0\n")
    story.each("proc/meminfo", story.during("MemTotal: 4000000 kB\nDirty: 4000 kB\nWriteback: 0 kB\n",
                                            f"MemTotal: 4000000 kB\nDirty: {kib} kB\nWriteback: 20000 kB\n"))
    story.each("proc/stat", [f"cpu 100 0 100 {90 * i} {10 * i} 0 0 0 0 0\nprocs_blocked 1\nprocesses 1\n"
                             for i in range(len(story.files))])
    ios = [io_text(wchar=i * 4000 * KIB, syscw=1000 * i, write_bytes=i * 4000 * KIB) for i in range(len(story.files))]
    story.task(55, "backup", ios, state=story.during("S", "D"))
    story.each("proc/55/wchan", story.during("0", wchan))
    return story


TRICKLE = second(w=40, wkb=4000, w_await=7, util=12)


@test("writeback-throttled: writers are held back near the dirty limit and no disk is at its own")
def _():
    check_comes_and_goes(dirty(350000, TRICKLE), "system", "writeback-throttled", "warn",
                         ["dirty_kib=350000.00", "writeback_kib=20000.00", "dirty_limit_kib=400000.00", "tasks=1",
                          "pid=55"], ["backup (pid 55)", "92 %", "vm.dirty_background_bytes"])


@test("no writeback-throttled: dirty below 70 %, a task that waits for something else, a disk that is the limit")
def _():
    check_never(dirty(259000, TRICKLE), "writeback-throttled", [])
    check_never(dirty(350000, TRICKLE, "folio_wait_bit_common"), "writeback-throttled", [])
    streams = second(w=300, wkb=150000, w_await=18, util=99)
    check_never(dirty(350000, streams), "writeback-throttled", [])
    full = second(w=300, wkb=150000, w_await=300, util=99)
    check_never(dirty(350000, full), "writeback-throttled", [("sda", "queueing")])
    check_never(dirty(350000, TRICKLE, queue_iostats=0), "writeback-throttled", [])


# ---- double-caching ----

MOUNTS = "30 1 8:16 / /var/lib/mysql rw - xfs /dev/sda rw\n"


def database(comm, path, flags, kib_s):
    """A program with one data file, of which it reads so much."""
    story = Machine()
    story.add("sda", IDLE, second(r=kib_s // 16, rkb=kib_s, r_await=0.2, util=5), dev=(8, 16), **flash())
    read, ios = 0, []
    for each in [0] + [0] * BEFORE + [kib_s] * DURING + [0] * AFTER:
        read += each
        ios.append(io_text(rchar=read * KIB, syscr=read // 16, read_bytes=read * KIB))
    story.task(42, comm, ios, uid=999)
    story.always("proc/42/mountinfo", MOUNTS)
    story.always("proc/42/maps", "")
    story.always("proc/42/fd/9", Link(path))
    story.always("proc/42/fdinfo/9", f"pos:\t0\nflags:\t0{flags:o}\nmnt_id:\t30\nino:\t77\n")
    return story


IBD = "/var/lib/mysql/shop/orders.ibd"


@test("double-caching: a database that reads its data files through the page cache")
def _():
    story = database("mysqld", IBD, os.O_RDWR, 20000)
    check_comes_and_goes(story, "pid 42", "double-caching", "info",
                         ["comm=mysqld", "device=sda", "mode=B", "rkB/s=20000.00", f"file={IBD}"],
                         ["innodb_flush_method=O_DIRECT"])


@test("no double-caching: direct I/O, hardly a read, a log, or a program without such a cache")
def _():
    for comm, path, flags, kib_s in (("mysqld", IBD, os.O_RDWR | os.O_DIRECT, 20000),
                                     ("mysqld", IBD, os.O_RDWR, 1000),
                                     ("mysqld", "/var/lib/mysql/slow.log", os.O_RDWR, 20000),
                                     ("cp", IBD, os.O_RDONLY, 20000),
                                     ("postgres", "/var/lib/mysql/base/1/2", os.O_RDWR, 20000)):
        check_never(database(comm, path, flags, kib_s), "double-caching", [])


if __name__ == "__main__":
    harness.main()
