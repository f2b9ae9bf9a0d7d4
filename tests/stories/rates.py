#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates from two readings of a disk: wraps, resets, new disks, clocks, what is divided by what."""
import harness
from harness import check, check_cells, check_true, only, test
from story import BASIC, COUNTERS, EPOCH, MONO, USED, Story, counters, plus

FIGURES = ("rrqm/s", "wrqm/s", "r/s", "w/s", "rkB/s", "wkB/s", "avgrq-sz", "avgqu-sz", "await", "r_await",
           "w_await", "svctm", "%util", "qwait", "wait%", "depth", "areq-sz", "f/s", "f_await", "d/s", "dkB/s",
           "drqm/s", "d_await")
NOTHING = {name: "" for name in FIGURES}
TIMES = ("rd_ms", "wr_ms", "io_ms", "weighted_ms", "dc_ms", "fl_ms")
EVENTS = [name for name in COUNTERS if name not in TIMES and name != "in_flight"]


def rows_of(*readings, seconds=1.0, **attributes):
    """The rows of one disk read this often."""
    story = Story(len(readings), seconds)
    story.disk("sda", *readings, **attributes)
    return story.rows()


def one(before, after, seconds=1.0):
    return only(rows_of(before, after, seconds=seconds))


# ---- resets ----

@test("a count or sector field that fell empties the whole row for this interval only")
def _():
    base = plus(USED, **{name: 500 for name in COUNTERS if name != "in_flight"})
    for name in EVENTS:
        fallen = plus(base, **{name: -1}, io_ms=10)
        if name != "rd_ios":
            fallen = plus(fallen, rd_ios=100)
        first, second = rows_of(base, fallen, plus(fallen, rd_ios=10, rd_ms=50))
        check_cells(first, {**NOTHING, "verdict": "", "mark": ""}, f"{name} fell:")
        check_cells(second, {"r/s": "10.0", "r_await": "5.00", "verdict": "ok"}, f"after {name} fell:")


@test("counters that start again near zero are a new beginning, not 1.8e19 requests")
def _():
    first, second = rows_of(USED, counters(rd_ios=1), counters(rd_ios=11, rd_ms=100, io_ms=100))
    check_cells(first, NOTHING)
    check_cells(second, {"r/s": "10.0", "await": "10.00", "%util": "10.0"})


@test("a reset lowers no total and adds nothing to one")
def _():
    story = Story(2)
    story.disk("sda", USED, counters(rd_sectors=5))
    story.disk("sdb", USED, plus(USED, rd_ios=1, rd_sectors=200), dev=(8, 16))
    check_cells(only(story.rows("--panel", "system")), {"done_rkB/s": "100.0", "done_wkB/s": "0.0"})


@test("a disk that goes takes its row along and leaves the total at what the others did")
def _():
    story = Story(3)
    for n, name in enumerate(("sda", "sdb")):
        readings = [plus(USED, rd_ios=i, rd_sectors=200 * i) for i in range(3)]
        story.disk(name, *(readings[:2] + [None] if name == "sdb" else readings), dev=(8, 16 * n))
    check([row["device"] for row in story.rows()], ["sda", "sdb", "sda"], "rows")
    totals = [row["done_rkB/s"] for row in story.rows("--panel", "system")]
    check(totals, ["200.00", "100.00"], "totals")


@test("a disk seen for the first time has no rates until it is seen again")
def _():
    first, second = rows_of(None, USED, plus(USED, rd_ios=10))
    check_cells(first, {**NOTHING, "verdict": "", "inflight": "0"})
    check_cells(second, {"r/s": "10.0"})


@test("a layout that grows fields in mid-run is a new beginning")
def _():
    first, second = rows_of(USED[:BASIC], plus(USED, rd_ios=10, dc_ios=9000, fl_ios=9000),
                            plus(USED, rd_ios=30, dc_ios=9001, fl_ios=9002))
    check_cells(first, NOTHING)
    check_cells(second, {"r/s": "20.0", "d/s": "1.0", "f/s": "2.0"})


# ---- wraps ----

@test("millisecond counters wrap at 32 bits, each on its own")
def _():
    row = one([1000, 0, 8000, 4294967200, 0, 0, 0, 0, 0, 5000, 4294967290],
              [1010, 0, 8080, 104, 0, 0, 0, 0, 0, 5200, 210])
    check_cells(row, {"r/s": "10.00", "rkB/s": "40.00", "r_await": "20.00", "await": "20.00", "%util": "20.00",
                      "avgqu-sz": "0.22", "svctm": "20.00"})


@test("a deep queue's weighted milliseconds wrap from the middle of their range")
def _():
    row = one(plus(counters(), weighted_ms=4294000000), plus(counters(), weighted_ms=1432704, rd_ios=1000),
              seconds=10.0)
    check_cells(row, {"avgqu-sz": "240.00", "r/s": "100.0"})


@test("a millisecond counter that fell without a wrap empties the figures made from it and no other")
def _():
    made_from = {"rd_ms": ("r_await", "await", "qwait", "wait%"), "wr_ms": ("w_await", "await", "qwait", "wait%"),
                 "io_ms": ("%util", "svctm", "qwait", "wait%", "depth"), "weighted_ms": ("avgqu-sz", "depth")}
    after = plus(USED, rd_ios=10, rd_ms=50, wr_ios=10, wr_ms=70, io_ms=100, weighted_ms=120, rd_sectors=80)
    whole = one(USED, after)
    for name, lost in made_from.items():
        row = one(plus(USED, **{name: 1000}), after)
        for figure in FIGURES:
            check(row[figure], "" if figure in lost else whole[figure], f"{name} fell: {figure}")


@test("on a 32-bit machine events and sectors near the top wrap at 32 bits as well")
def _():
    top = (1 << 32) - 10
    row = one(plus(counters(BASIC), rd_ios=top, rd_sectors=top, wr_ios=7),
              plus(counters(BASIC), rd_ios=10, rd_sectors=150, wr_ios=8))
    check_cells(row, {"r/s": "20.0", "rkB/s": "80.0", "w/s": "1.0"})


@test("64-bit counters beyond 32 and 53 bits keep every unit of their difference")
def _():
    for bits in (33, 53, 62):
        base = (1 << bits) + 1
        row = one(counters(rd_ios=base, rd_sectors=base), counters(rd_ios=base + 3, rd_sectors=base + 8))
        check_cells(row, {"r/s": "3.0", "rkB/s": "4.0"}, f"2^{bits}")


@test("a number too long for 64 bits, or negative, makes no absurd figure")
def _():
    for text in ("99999999999999999999999", "-1", "18446744073709551615"):
        story = Story(2)
        story.line(0, f"8 0 sda {text} 0 800 0 0 0 0 0 0 0 0")
        story.line(1, "8 0 sda 5 0 900 0 0 0 0 0 0 0 0")
        check_cells(only(story.rows()), {"r/s": "", "rkB/s": ""}, text)


@test("figures that no hardware can reach are absent, are in no total and are reported as a fault")
def _():
    for grown in ({"rd_ios": 2 * 10**9}, {"wr_ios": 2 * 10**9}, {"rd_sectors": 2200 << 20},
                  {"wr_sectors": 2200 << 20}, {"rd_ios": 1 << 60}, {"fl_ios": 2 * 10**9}):
        story = Story(2)
        story.disk("sda", USED, plus(USED, **grown))
        story.disk("sdb", USED, plus(USED, rd_ios=1, rd_sectors=2), dev=(8, 16))
        check_cells(only(story.rows(), device="sda"), NOTHING, str(grown))
        check_cells(only(story.rows("--panel", "system")), {"done_rkB/s": "1.0", "done_wkB/s": "0.0"})
        check(only(story.rows("--panel", "findings"))["rule"], "counter-fault", f"finding for {grown}")


@test("an absurd discard does not pass for a figure either")
def _():
    for grown in ({"dc_ios": 1 << 60}, {"dc_sectors": 1 << 62, "dc_ios": 1}, {"rd_merges": 1 << 62}):
        row = one(USED, plus(USED, **grown))
        for name in ("d/s", "dkB/s", "rrqm/s", "avgrq-sz"):
            check_true(row[name] == "" or float(row[name]) < 1e15, f"{grown}: {name} is {row[name]}")


@test("a leaked count of requests in flight, negative in the kernel, is absent")
def _():
    for leaked in (-1, (1 << 32) - 1, (1 << 64) - 1):
        check(one(USED, plus(USED, rd_ios=1, in_flight=leaked))["inflight"], "", str(leaked))
    check(one(USED, plus(USED, in_flight=7))["inflight"], "7", "7")


# ---- what is divided by what ----

@test("an average is over requests, whatever the interval")
def _():
    for seconds in (0.01, 1.0, 10.0, 3600.0):
        row = one(USED, plus(USED, rd_ios=10, rd_ms=200), seconds=seconds)
        check_cells(row, {"r_await": "20.00", "await": "20.00", "w_await": ""}, f"{seconds} s")


@test("no request in the interval: rates are zero, averages are empty")
def _():
    check_cells(one(USED, USED), {"r/s": "0.0", "w/s": "0.0", "rkB/s": "0.0", "%util": "0.0", "avgqu-sz": "0.00",
                                  "await": "", "r_await": "", "w_await": "", "d_await": "", "f_await": "",
                                  "svctm": "", "avgrq-sz": "", "areq-sz": "", "qwait": "", "wait%": "",
                                  "depth": "", "verdict": "idle"})


@test("reads, writes, discards and flushes have each their own await; a flush is in no other")
def _():
    row = one(USED, plus(USED, rd_ios=1000, rd_ms=100, fl_ios=1, fl_ms=500))
    check_cells(row, {"await": "0.10", "r_await": "0.10", "f_await": "500.00", "w_await": "", "d_await": ""})
    row = one(USED, plus(USED, rd_ios=10, rd_ms=10, wr_ios=20, wr_ms=40, dc_ios=10, dc_ms=90))
    check_cells(row, {"r_await": "1.00", "w_await": "2.00", "d_await": "9.00", "await": "3.50"})


@test("discards count among the requests and in their mean size")
def _():
    row = one(USED, plus(USED, rd_ios=10, rd_sectors=80, dc_ios=10, dc_sectors=1920, io_ms=100, dc_merges=4))
    check_cells(row, {"avgrq-sz": "100.00", "areq-sz": "50.0", "svctm": "5.00", "d/s": "10.0", "dkB/s": "960.0",
                      "drqm/s": "4.0"})


@test("a request may take longer than the interval")
def _():
    check_cells(one(USED, plus(USED, wr_ios=1, wr_ms=138), seconds=0.01), {"w_await": "138.00", "w/s": "100.0"})


@test("%util over 100 is shown as it is")
def _():
    check_cells(one(USED, plus(USED, rd_ios=10, io_ms=1016)), {"%util": "101.60"})
    check_cells(one(USED, plus(USED, rd_ios=10, io_ms=1470)), {"%util": "147.00"})


@test("qwait, wait% and depth follow from await, svctm and the queue; qwait is never negative")
def _():
    row = one(USED, plus(USED, rd_ios=100, rd_ms=1000, io_ms=500, weighted_ms=1000))
    check_cells(row, {"await": "10.00", "svctm": "5.00", "qwait": "5.00", "wait%": "50.0", "depth": "2.0"})
    row = one(USED, plus(USED, rd_ios=100, rd_ms=300, io_ms=500, weighted_ms=300))
    check_cells(row, {"await": "3.00", "svctm": "5.00", "qwait": "0.00", "wait%": "0.0", "depth": "0.6"})


@test("a sector is 512 bytes, also on disks with blocks of 4096")
def _():
    story = Story(2)
    story.disk("sda", USED, plus(USED, rd_ios=1, rd_sectors=8), queue_logical_block_size="4096",
               queue_hw_sector_size="4096")
    check_cells(only(story.rows()), {"rkB/s": "4.0", "avgrq-sz": "8.00", "areq-sz": "4.0"})


@test("bytes that moved without a completed request are a rate without averages")
def _():
    check_cells(one(USED, plus(USED, wr_sectors=2000, io_ms=1000)),
                {"wkB/s": "1000.0", "w/s": "0.0", "await": "", "avgrq-sz": "", "svctm": "", "verdict": "ok"})


@test("requests without times, as old md devices have them, have an await of 0 and no mark")
def _():
    check_cells(one(USED, plus(USED, rd_ios=100, rd_sectors=800)), {"r/s": "100.0", "await": "0.00", "mark": ""})


# ---- clocks ----

@test("a wall clock that steps back an hour changes no rate")
def _():
    story = Story(2, 2.0)
    story.clock[1] = [MONO + 2, EPOCH - 3600]
    story.disk("sda", USED, plus(USED, rd_ios=20))
    row = only(story.rows())
    check_cells(row, {"r/s": "10.00", "interval": "2.000", "epoch": f"{EPOCH - 3600:.3f}"})


@test("an hour of suspend is no part of the interval")
def _():
    story = Story(2, 2.0)
    story.clock[0] += [MONO]
    story.clock[1] += [MONO + 3602]
    story.disk("sda", USED, plus(USED, rd_ios=20))
    check_cells(only(story.rows()), {"r/s": "10.00", "interval": "2.000"})


@test("two readings at the same time make no row, and the one after them is measured from the first")
def _():
    story = Story(3)
    story.clock[1][0] = MONO
    story.disk("sda", USED, plus(USED, rd_ios=5), plus(USED, rd_ios=20))
    check_cells(only(story.rows()), {"r/s": "10.00", "interval": "2.000"})


@test("a tick that came late is divided by its true length")
def _():
    check_cells(one(USED, plus(USED, rd_ios=250), seconds=2.5), {"r/s": "100.00", "interval": "2.500"})


@test("a report is one interval, as many as are asked for, none of them since boot")
def _():
    story = Story(4)
    story.disk("sda", *(plus(USED, rd_ios=10 * i) for i in range(4)))
    for arguments, n in (((), 3), (("-n", "1"), 1), (("1", "2"), 2), (("-n", "99"), 3)):
        rows = story.rows(*arguments)
        check([row["r/s"] for row in rows], ["10.00"] * n, str(arguments))
        check({row["since_boot"] for row in rows}, {"0"}, "since_boot")


@test("--since-boot begins with the average since boot, marked so and with its length, and without a verdict")
def _():
    story = Story(2)
    story.disk("sda", counters(rd_ios=50000, rd_ms=100000, io_ms=2500000),
               counters(rd_ios=50010, rd_ms=100020, io_ms=2500100))
    story.always("proc/uptime", "5000.00 1.00\n")
    first, second = story.rows("--since-boot")
    check_cells(first, {"since_boot": "1", "interval": "5000.000", "r/s": "10.0", "r_await": "2.00",
                        "%util": "50.0", "verdict": ""})
    check_cells(second, {"since_boot": "0", "interval": "1.000", "r/s": "10.0"})
    check(len(story.rows("--since-boot", "-n", "1")), 2, "rows of -n 1: it counts intervals")


@test("before two readings there is nothing to report")
def _():
    check(rows_of(USED), [], "rows of a story of one step")


@test("time is ISO 8601 with milliseconds and offset, in the zone of TZ; epoch is the same moment")
def _():
    story = Story(2)
    story.clock[1] = [MONO + 1, 1700000000.25]
    story.disk("sda", USED, USED)
    for zone, time in (("UTC", "2023-11-14T22:13:20.250+00:00"), ("IST-5:30", "2023-11-15T03:43:20.250+05:30"),
                       ("EST5EDT", "2023-11-14T17:13:20.250-05:00"), ("NST3:30", "2023-11-14T18:43:20.250-03:30")):
        row = only(story.rows(env=harness.environment(TZ=zone)))
        check((row["time"], row["epoch"]), (time, "1700000000.250"), zone)


if __name__ == "__main__":
    harness.main()
