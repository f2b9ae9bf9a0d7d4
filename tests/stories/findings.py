#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings over many ticks: when they come, stay and go, what has one and what must not."""
import harness
from harness import check, check_cells, check_true, only, test
from story import USED, Story, counters, io_text, plus, rates

# Rows of a second, as iostat would print them.
SERIAL = {"w": 163, "wkb": 1304, "queue": 1.00, "await_ms": 6.13, "util": 99.7}
DEEP = {"r": 2, "w": 522, "rkb": 8, "wkb": 156856, "queue": 143.07, "await_ms": 277.58, "util": 100.1}
SLOW = {"r": 20, "rkb": 80, "queue": 0.5, "await_ms": 25, "util": 50}
FINE = {"r": 162, "rkb": 10380, "queue": 1.13, "await_ms": 7.04, "util": 32.5}
IDLE = {}
STUCK = {"stuck": 4}


def grow(rows, base=None):
    """Readings of a disk: the first, and one after each row. {"stuck": n} holds n requests and ends none."""
    readings = [list(base or USED)]
    for row in rows:
        row = dict(row)
        stuck = row.pop("stuck", 0)
        last = list(readings[-1])
        last[8] = 0
        readings.append(plus(rates(last, **row), in_flight=stuck))
    return readings


def story_of(*, seconds=1.0, **disks):
    """One disk for each name, with a row for each interval."""
    rows = len(next(iter(disks.values())))
    story = Story(rows + 1, seconds)
    for n, (name, of) in enumerate(disks.items()):
        story.disk(name, *grow(of), dev=(8, 16 * n))
    return story


def findings(story):
    return story.rows("--panel", "findings")


def by_tick(story):
    """For each interval the set of (subject, rule)."""
    ticks = [set() for _ in story.files[1:]]
    for row in findings(story):
        ticks[round(float(row["epoch"]) - story.clock[1][1])].add((row["subject"], row["rule"]))
    return ticks


def shown(rows, rule, subject="sda"):
    """When a rule is shown for a disk with these rows: "..###"."""
    return "".join("#" if (subject, rule) in tick else "." for tick in by_tick(story_of(sda=rows)))


def rules(row, ticks=4, **attributes):
    """{rule: severity} for one disk that has the same row at every tick."""
    story = Story(ticks + 1)
    story.disk("sda", *grow([row] * ticks), **attributes)
    last = f"{story.clock[ticks][1]:.3f}"
    return {found["rule"]: found["severity"] for found in findings(story) if found["epoch"] == last}


# ---- persistence ----

@test("a finding comes once it held in three of four ticks, and goes when fewer than two are left")
def _():
    for held, expected in (("###.....", "..###..."), ("##.#....", "...##..."), ("#.#.#.#.", "........"),
                           ("........", "........"), ("####.###", "..######"), ("##......", "........")):
        rows = [SERIAL if c == "#" else IDLE for c in held]
        check(shown(rows, "serial-io"), expected, held)
        rows = [DEEP if c == "#" else FINE for c in held]
        check(shown(rows, "queueing"), expected, held)


@test("a run of one or two intervals shows what held in all of them")
def _():
    check(shown([SERIAL], "serial-io"), "#", "one of one")
    check(shown([SERIAL, SERIAL], "serial-io"), ".#", "two of two")
    check(shown([IDLE, SERIAL], "serial-io"), "..", "one of two")


@test("a finding says since when and how long; it is one row a tick until it is gone")
def _():
    story = story_of(sda=[IDLE] + [SERIAL] * 6)
    rows = findings(story)
    check([row["rule"] for row in rows], ["serial-io"] * 4, "rules")
    check([float(row["lasted"]) for row in rows], [3, 4, 5, 6], "lasted")
    check({float(row["since"]) for row in rows}, {story.clock[1][1]}, "since: where its first interval began")


@test("a finding that is over has no rows, also while the screen would still show it as ended")
def _():
    story = story_of(sda=[SERIAL] * 4 + [IDLE] * 6)
    check([float(row["lasted"]) for row in findings(story)], [3, 4, 5, 6], "lasted")


@test("one that comes back within eight ticks of its going goes on; later it is another one")
def _():
    for idle, began, lasted in ((8, 0, 15), (9, 13, 3)):
        story = story_of(sda=[SERIAL] * 4 + [IDLE] * idle + [SERIAL] * 3)
        last = findings(story)[-1]
        check(float(last["since"]), story.clock[began][1], f"since, after {idle} idle ticks")
        check(float(last["lasted"]), lasted, f"lasted, after {idle} idle ticks")


@test("a finding's last column is its formula, with the figures and the thresholds")
def _():
    found = findings(story_of(sda=[SERIAL] * 4))[-1]
    check(list(found)[-1], "formula", "the last column")
    check_true("6.13 x 163 / 1000 = 1.00, within 0.7 to 1.3" in found["formula"], found["formula"])


@test("the verdict of a device is its strongest finding, else ok or idle")
def _():
    rows = story_of(sda=[DEEP] * 4, sdb=[SERIAL] * 4, sdc=[FINE] * 4, sdd=[IDLE] * 4, sde=[STUCK] * 4).rows()
    last = {row["device"]: row["verdict"] for row in rows[-5:]}
    check(last, {"sda": "queueing", "sdb": "serial-io", "sdc": "ok", "sdd": "idle", "sde": "stalled"}, "verdicts")


@test("the strongest finding comes first")
def _():
    last = findings(story_of(sda=[SERIAL] * 4, sdb=[DEEP] * 4, sdc=[STUCK] * 4))[-3:]
    check([(row["severity"], row["subject"]) for row in last],
          [("crit", "sdc"), ("crit", "sdb"), ("warn", "sda")], "order")


# ---- stalled ----

@test("requests that do not come out for three ticks are critical, whatever %util says")
def _():
    # without a busy counter that moves, requests seen at one end of an interval only may have just come
    for busy, expected in ((0, ".....#"), (100, "....##")):
        check(shown([FINE, FINE] + [{**STUCK, "util": busy}] * 4, "stalled"), expected, f"%util {busy}")
    found = findings(story_of(sda=[FINE] + [STUCK] * 4))
    first = found[0]
    check(first["severity"], "crit", "severity")
    check_true("4 requests" in first["text"] and "no completion for 3 s" in first["text"], first["text"])
    check_true({"inflight=4", "completions=0"} <= set(first["evidence"].split()), first["evidence"])


@test("a stall is cleared by completions, within five ticks")
def _():
    working = {"r": 1000, "rkb": 4000, "queue": 0.9, "await_ms": 0.9, "util": 50, "stuck": 4}
    marks = shown([STUCK] * 6 + [working] * 6, "stalled")
    check_true(marks[:6].endswith("###") and marks.endswith("."), f"shown {marks}")
    check_true(marks.rindex("#") < 6 + 5, f"still shown after five ticks of work: {marks}")


@test("as many in flight at every tick, with completions, is work and no stall")
def _():
    check(rules({"r": 1000, "rkb": 4000, "queue": 4, "await_ms": 4, "util": 90, "stuck": 4}), {}, "rules")


@test("a queue counter that stands still while %util is 100 and nothing completes is a stall")
def _():
    check(rules({"stuck": 217, "queue": 217, "util": 100}), {"stalled": "crit"}, "rules")


# ---- latency ----

@test("one request at a time is serial-io, with the task that drives it")
def _():
    story = Story(5)
    story.disk("sda", *grow([SERIAL] * 4))
    story.task(4711, "ora_dbw0_A", [io_text(write_bytes=i * 1304 * 1024) for i in range(5)])
    story.task(9120, "other", [io_text(write_bytes=i * 1024) for i in range(5)])
    found = findings(story)[-1]
    check((found["rule"], found["severity"]), ("serial-io", "warn"), "rule")
    check_true("ora_dbw0_A" in found["text"] and "4711" in found["text"], found["text"])
    check_true("pid=4711" in found["evidence"].split(), found["evidence"])


@test("a hostile task name is harmless in a finding's text")
def _():
    story = Story(5)
    story.disk("sda", *grow([SERIAL] * 4))
    story.task(4711, b"a,\"\x1b[2J\n\xff", [io_text(write_bytes=i * 1304 * 1024) for i in range(5)])
    text = findings(story)[-1]["text"]
    check_true("4711" in text and "\n" not in text and "\udcff" not in text, repr(text))


@test("100 % busy at 0.14 ms on a device without a spindle is no saturation")
def _():
    row = {"r": 7100, "rkb": 28400, "queue": 1.0, "await_ms": 0.14, "util": 100}
    check(set(rules(row, queue_rotational="0").values()) - {"info"}, set(), "severities above info")


@test("an NVMe with many in flight and a small await is no saturation")
def _():
    row = {"r": 56791, "rkb": 221848, "queue": 23.3, "await_ms": 0.41, "util": 100}
    check(rules(row, queue_rotational="0"), {"busy-not-saturated": "info"}, "rules")


@test("a rotating disk, 99 % busy, with a queue of 12 and 80 ms a request is saturated")
def _():
    row = {"r": 150, "rkb": 600, "queue": 12, "await_ms": 80, "util": 99}
    check(rules(row, queue_rotational="1"), {"queueing": "warn"}, "rules")


@test("25 ms a request while hardly anything waits is a slow device")
def _():
    check(rules(SLOW, queue_rotational="1"), {"slow-device": "warn"}, "rules")


@test("a handful of slow requests prove nothing")
def _():
    check(rules({"r": 1, "rkb": 4, "queue": 0.02, "await_ms": 25, "util": 2}, queue_rotational="1"), {}, "rules")


@test("idle and ordinary disks have no finding, nor a burst of one tick")
def _():
    check(findings(story_of(sda=[IDLE] * 8, sdb=[FINE] * 8)), [], "findings")
    check(findings(story_of(sda=[FINE, FINE, DEEP, FINE, FINE, FINE])), [], "after one burst")


# ---- new, replaced, stacked ----

@test("a disk that is new, or began again, has no finding in its first ticks")
def _():
    story = Story(4)
    story.disk("sda", *grow([FINE] * 3))
    story.disk("sdb", None, *grow([DEEP] * 2, counters(rd_ios=1)), dev=(8, 16))
    check(findings(story), [], "findings of a run in which sdb is two ticks old")


@test("another disk under an old name does not inherit its finding")
def _():
    story = story_of(sda=[SERIAL] * 8)
    story.each("sys/class/block/sda/diskseq", ["7\n"] * 5 + ["9\n"] * 4)
    marks = "".join("#" if tick else "." for tick in by_tick(story))
    check(marks, "..##...#", "shown; replaced in the fifth interval")


@test("a slow disk under md under dm is one finding, on the disk, and names the layers it carries")
def _():
    story = story_of(sda=[SLOW] * 4)
    story.sysfs("sda", queue_rotational="1")
    for name, below, dev in (("md0", "sda", (9, 0)), ("dm-0", "md0", (253, 0))):
        story.disk(name, *grow([SLOW] * 4), dev=dev)
        story.stands_on(name, below)
    last = [row for row in findings(story) if float(row["lasted"]) == 4]
    found = only(last)
    check((found["subject"], found["rule"]), ("sda", "slow-device"), "finding")
    check_true("md0" in found["text"] and "dm-0" in found["text"], found["text"])
    rows = story.rows()[-3:]
    check({row["device"]: row["verdict"] for row in rows}, {"sda": "slow-device", "md0": "", "dm-0": ""}, "verdicts")


@test("a partition has no finding when its disk is there")
def _():
    story = story_of(sda=[SERIAL] * 4)
    story.partition("sda5", "sda", *grow([SERIAL] * 4), dev=(8, 5))
    check({row["subject"] for row in findings(story)}, {"sda"}, "subjects")


@test("zram at 100 % is no disk in trouble; a loop device over a slow disk is explained by the disk")
def _():
    story = story_of(zram0=[SERIAL] * 4, ram0=[DEEP] * 4)
    check(findings(story), [], "findings of memory devices")
    story = story_of(sda=[SLOW] * 4, loop0=[SLOW] * 4)
    story.always("proc/self/mountinfo", "36 1 8:0 / / rw - ext4 /dev/sda rw\n")
    story.sysfs("loop0", loop_backing_file="/var/disk.img")
    check({row["subject"] for row in findings(story)}, {"sda"}, "subjects")


@test("the hidden paths of a namespace have no findings of their own")
def _():
    story = Story(5)
    story.disk("nvme0n1", *[counters()] * 5, dev=(259, 1))
    for n in range(2):
        each = {"r": 12, "rkb": 48, "queue": 0.3, "await_ms": 25, "util": 30}
        story.disk(f"nvme0c{n}n1", *grow([each] * 4), dev=(0, 0))
    check({row["subject"] for row in findings(story)}, {"nvme0n1"}, "subjects")


# ---- figures that cannot be ----

@test("%util a little above 100 is no fault; far above it is, and hides no queue")
def _():
    check(rules({"r": 100, "rkb": 400, "queue": 0.5, "await_ms": 4, "util": 101.6}), {}, "101.6")
    found = rules({"r": 150, "rkb": 600, "queue": 12, "await_ms": 80, "util": 147})
    check(found, {"counter-fault": "warn", "queueing": "warn"}, "147")


@test("megabytes that move without one request are a fault, and nothing else is concluded")
def _():
    check(rules({"wkb": 340288, "queue": 760, "util": 102}), {"counter-fault": "warn"}, "rules")


@test("a discard of two tebibytes in a second is what thin devices do, and no fault")
def _():
    story = Story(5)
    story.disk("sda", *[plus(USED, dc_ios=512 * i, dc_sectors=(1 << 32) * i, dc_ms=512 * i, io_ms=500 * i)
                        for i in range(5)])
    check(findings(story), [], "findings")
    check_cells(story.rows()[-1], {"d/s": "512.0", "dkB/s": f"{1 << 31}.0"})


# ---- AIO ----

@test("aio-nr near its maximum warns, at it is critical, naming both numbers and the sysctl; 60 % is nothing")
def _():
    for nr, limit, severity in ((65000, 65536, "warn"), (65536, 65536, "crit"), (81920, 65536, "crit"),
                                (39321, 65536, None), (62259, 65536, None), (0, 0, None), (5, 0, None)):
        story = Story(5)
        story.aio(nr, limit)
        found = findings(story)
        check([row["severity"] for row in found[-1:]], [severity] if severity else [], f"{nr} of {limit}")
        if severity:
            check((found[-1]["rule"], found[-1]["subject"]), ("aio-exhausted", "system"), "rule")
            for word in (str(nr), str(limit), "fs.aio-max-nr"):
                check_true(word in found[-1]["text"] + found[-1]["advice"], f"{word} in {found[-1]['text']}")


@test("objects that stay active in the slabs after AIO has ended prove nothing")
def _():
    story = story_of(sda=[SERIAL] * 4, sdb=[FINE] * 4)
    story.slabs(kioctx=(28, 28), aio_kiocb=(125, 125))
    story.aio(0, 65536)
    check({row["rule"] for row in findings(story)}, {"serial-io"}, "rules")


@test("AIO in use is not called unused, nor is it where the slabs are merged or shared and slots reserved")
def _():
    for prepare in (lambda story: story.slabs(kioctx=(35, 84), kiocb=(165, 165)),
                    lambda story: story.always("sys/kernel/slab/aio_kiocb", "x")):
        story = story_of(sda=[SERIAL] * 4)
        story.aio(512, 65536)
        prepare(story)
        check({row["rule"] for row in findings(story)}, {"serial-io"}, "rules")


if __name__ == "__main__":
    harness.main()
