#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The classical rows of iostat -x: from counters to figures, mark, verdict and findings."""
import harness
from harness import check, check_cells, check_true, only, test
from story import USED, Story, rates

# As printed; then mark, verdict, the rules that may speak, the severities each may have.
ROWS = {
    "sda": ("48 5315 155 104 18520 20668 302.61 3.13 12.03 3.67 95.0", "w", "ok", {}),
    "sdb": ("0 163 0 163 0 1304 16.00 1.00 6.13 6.12 99.7", "", "serial-io", {"serial-io": {"warn"}}),
    "sdc": ("0 38869 2 522 8 156856 598.72 143.07 277.58 1.91 100.1", "W", "queueing",
            {"queueing": {"warn", "crit"}}),
    "sdd": ("39 0 162 0 10380 0 128.15 1.13 7.04 2.01 32.5", "w", "ok", {}),
    "sde": ("0 422 2 186 8 2372 25.32 1.13 5.96 5.30 99.6", "", "serial-io", {"serial-io": {"warn"}}),
}
COLUMNS = ("rrqm/s", "wrqm/s", "r/s", "w/s", "rkB/s", "wkB/s", "avgrq-sz", "avgqu-sz", "await", "svctm",
           "%util")


def printed(name):
    return dict(zip(COLUMNS, ROWS[name][0].split()))


def after(name):
    """The counters one second after USED."""
    row = {column: float(figure) for column, figure in printed(name).items()}
    return rates(USED, rrqm=row["rrqm/s"], wrqm=row["wrqm/s"], r=row["r/s"], w=row["w/s"],
                 rkb=row["rkB/s"], wkb=row["wkB/s"], await_ms=row["await"], queue=row["avgqu-sz"],
                 util=row["%util"])


def story_of(*names):
    story = Story(2)
    for minor, name in enumerate(names):
        story.disk(name, USED, after(name), dev=(8, 16 * minor))
    return story


def check_row(row, name):
    _, mark, verdict, _ = ROWS[name]
    check_cells(row, printed(name), name)
    check((row["mark"], row["verdict"]), (mark, verdict), f"mark and verdict of {name}")
    check((row["interval"], row["since_boot"]), ("1.000", "0"), "interval and since_boot")
    waiting = max(0, float(row["await"]) - float(row["svctm"]))
    check_true(abs(float(row["qwait"]) - waiting) < 0.011, f"qwait {row['qwait']} is not await - svctm")
    share = 100 * waiting / float(row["await"])
    check_true(abs(float(row["wait%"]) - share) < 0.3, f"wait% {row['wait%']} is not {share:.2f}")


def check_findings(findings, name):
    """Nothing above info but what is expected, and that is there."""
    mine = [row for row in findings if row["subject"] == name]
    for row in mine:
        check_true(row["rule"] in ROWS[name][3], f"{name} has {row['rule']}: {row['text']}")
    for rule, severities in ROWS[name][3].items():
        found = only(mine, rule=rule)
        check_true(found["severity"] in severities, f"{rule} of {name} is {found['severity']}")
        check_true(name in found["text"] and found["advice"] != "", f"{rule} says {found['text']!r}")


@test("row 1, a busy disk with a short queue: figures, mark w, no finding above info")
def _():
    check_row(only(story_of("sda").rows()), "sda")
    check_findings(story_of("sda").rows("--panel", "findings"), "sda")


@test("row 2, one write at a time: figures, no mark, serial-io")
def _():
    check_row(only(story_of("sdb").rows()), "sdb")
    check_findings(story_of("sdb").rows("--panel", "findings"), "sdb")


@test("row 3, a queue of 143: figures, mark W, queueing and neither serial-io nor counter-fault")
def _():
    check_row(only(story_of("sdc").rows()), "sdc")
    check_findings(story_of("sdc").rows("--panel", "findings"), "sdc")


@test("row 4, reads with room to spare: figures, mark w, no finding")
def _():
    check_row(only(story_of("sdd").rows()), "sdd")
    check(story_of("sdd").rows("--panel", "findings"), [], "findings")


@test("row 5, one small write at a time beside a few reads: figures, no mark, serial-io")
def _():
    check_row(only(story_of("sde").rows()), "sde")
    check_findings(story_of("sde").rows("--panel", "findings"), "sde")


@test("all five devices at once have the same figures, marks, verdicts and findings")
def _():
    rows = story_of(*ROWS).rows()
    check([row["device"] for row in rows], list(ROWS), "order")
    findings = story_of(*ROWS).rows("--panel", "findings")
    for name in ROWS:
        check_row(only(rows, device=name), name)
        check_findings(findings, name)
    severities = [row["severity"] for row in findings]
    check(severities, sorted(severities, key=["crit", "warn", "info"].index), "strongest first")


@test("the serial finding's evidence names the figures it rests on")
def _():
    found = only(story_of("sdb").rows("--panel", "findings"), rule="serial-io")
    for pair in ("avgqu-sz=1.00", "await=6.13", "svctm=6.12", "%util=99.70", "w/s=163.00", "wkB/s=1304.00"):
        check_true(pair in found["evidence"].split(), f"{pair} is not in {found['evidence']!r}")
    check_true("163" in found["text"] and "6.13" in found["text"], found["text"])


@test("one write at a time with kiocb 0/0 and kioctx 35/84 is also aio-unused")
def _():
    story = story_of("sdb")
    story.slabs(kioctx=(35, 84), kiocb=(0, 0))
    story.aio(4096, 65536)
    found = story.rows("--panel", "findings")
    check({row["rule"] for row in found}, {"serial-io", "aio-unused"}, "rules")
    unused = only(found, rule="aio-unused")
    check(unused["subject"], "system", "subject")
    for pair in ("kiocb=0/0", "kioctx=35/84", "serial=sdb"):
        check_true(pair in unused["evidence"].split(), f"{pair} is not in {unused['evidence']!r}")
    row = only(story.rows("--panel", "aio"))
    check_cells(row, {"pid": "", "kioctx": "35", "kioctx_total": "84", "kiocb": "0", "kiocb_total": "0",
                      "kioctx_source": "slabinfo", "kiocb_source": "slabinfo"})


@test("the same without aio-nr, as older kernels have it, is aio-unused too")
def _():
    story = story_of("sdb")
    story.slabs(kioctx=(35, 84), kiocb=(0, 0))
    only(story.rows("--panel", "findings"), rule="aio-unused")


@test("a queue of 143 with kiocb 0/0 is not aio-unused")
def _():
    story = story_of("sdc")
    story.slabs(kioctx=(35, 84), kiocb=(0, 0))
    check([row for row in story.rows("--panel", "findings") if row["rule"] == "aio-unused"], [], "findings")


@test("the same rows over ten seconds, in ten readings, give the same figures each time")
def _():
    story = Story(11)
    for minor, name in enumerate(ROWS):
        readings = [USED]
        for _ in range(10):
            step = [b - a for a, b in zip(USED, after(name))]
            readings.append([a + b for a, b in zip(readings[-1], step)])
        story.disk(name, *readings, dev=(8, 16 * minor))
    rows = story.rows()
    check(len(rows), 50, "rows")
    for row in rows:
        check_cells(row, printed(row["device"]), row["device"])
    check([row["mark"] for row in rows[-5:]], [ROWS[name][1] for name in ROWS], "marks")
    check([row["verdict"] for row in rows[-5:]], [ROWS[name][2] for name in ROWS], "verdicts")


if __name__ == "__main__":
    harness.main()
