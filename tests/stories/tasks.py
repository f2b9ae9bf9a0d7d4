#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tasks: rates, identity, names as they are, tasks that refuse or vanish, what is chosen."""
import os

import harness
from harness import check, check_cells, check_true, check_usage, only, test
from story import Story, io_text

MIB = 1 << 20
RATES = ("rkB/s", "wkB/s", "ckB/s", "rchar/s", "wchar/s", "syscr/s", "syscw/s", "B/call", "cache%")
NOTHING = {name: "" for name in RATES}

HOSTILE = [b":-) 1 2 3", b'a,b"c\nd', b"(((", b")))", b") R 1 (", b"((a) (b))", b"", b" ", b"\x1b[31mred\x07",
           b"\xff\xfe", b"a\xc3b", "日本語".encode(), "é".encode()[:1], b"a\rb", b"a\r\nb", b"\t", b"=1+1", b'"',
           b",", b"\x9b2J", "\u202e\u009b".encode(), b"\x7f\x01", b"a\\nb", b"kworker/u8:1-events_unbound"]


def rows(story, *arguments, **how):
    return story.rows("--panel", "tasks", *arguments, **how)


def pids(story, *arguments):
    return [int(row["pid"]) for row in rows(story, *arguments)]


def crowd():
    """Five tasks: a reader, a writer, an idle one, one waiting for I/O, one newly come."""
    story = Story(2)
    story.task(10, "reader", [io_text(), io_text(rchar=3 * MIB, syscr=30, read_bytes=2 * MIB)], uid=1000)
    story.task(20, "writer", [io_text(), io_text(wchar=9 * MIB, syscw=90, write_bytes=8 * MIB)], uid=1001)
    story.task(30, "idle", [io_text(rchar=7), io_text(rchar=7)], uid=1000)
    story.task(40, "waiting", [io_text(), io_text()], uid=0, state="D")
    story.task(50, "new", [False, io_text(read_bytes=500 * MIB, syscr=1)], uid=1001)
    return story


# ---- figures ----

@test("rates of a task are over the story's interval: bytes of storage, bytes asked for, calls")
def _():
    story = Story(2, 2.0)
    story.task(42, "cat", [io_text(1000, 2000, 3, 4, 5000, 6000, 7000),
                           io_text(1000 + 8 * MIB, 2000 + 4 * MIB, 3 + 80, 4 + 20, 5000 + 2 * MIB, 6000 + 4 * MIB,
                                   7000 + MIB)])
    check_cells(only(rows(story)), {"rchar/s": "4096.0", "wchar/s": "2048.0", "syscr/s": "40.0",
                                    "syscw/s": "10.0", "rkB/s": "1024.0", "wkB/s": "2048.0", "ckB/s": "512.0",
                                    "B/call": f"{12 * MIB // 100}", "cache%": "75.0", "state": "S", "comm": "cat",
                                    "command": "cat"})


@test("reads served from the cache are asked for, not read: cache% is 100")
def _():
    story = Story(2)
    story.task(42, "cat", [io_text(), io_text(rchar=100 * MIB, syscr=100)])
    check_cells(only(rows(story)), {"rkB/s": "0.0", "rchar/s": "102400.0", "cache%": "100.0"})


@test("storage reads that no call asked for, as of AIO, leave cache% unknown, never negative")
def _():
    story = Story(2)
    story.task(42, "fio", [io_text(), io_text(rchar=10, syscr=1, read_bytes=700 * MIB)])
    check_cells(only(rows(story)), {"rkB/s": "716800.0", "cache%": "", "B/call": "10"})
    story = Story(2)
    story.task(42, "fio", [io_text(), io_text(read_bytes=700 * MIB)])
    check_cells(only(rows(story)), {"rkB/s": "716800.0", "cache%": "", "B/call": ""})


@test("cancelled writes have a column of their own and make no write rate negative")
def _():
    story = Story(2)
    story.task(42, "rm", [io_text(write_bytes=MIB), io_text(write_bytes=MIB, cancelled_write_bytes=100 * MIB)])
    check_cells(only(rows(story)), {"wkB/s": "0.0", "ckB/s": "102400.0"})


@test("a counter that fell empties the row for this interval only")
def _():
    for key in ("rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"):
        story = Story(3)
        story.task(42, "x", [io_text(**{key: 5000}), io_text(**{key: 4999}), io_text(**{key: 4999 + 1024})])
        first, second = rows(story)
        check_cells(first, NOTHING, f"{key} fell:")
        check_true(all(second[name] != "" for name in RATES[:7]), f"after {key} fell: {second}")


@test("a torn 64-bit read makes no absurd rate, and the reading after it recovers")
def _():
    story = Story(4)
    story.task(42, "x", [io_text(read_bytes=n) for n in ((1 << 32) - 1, 1 << 33, (1 << 32) + 10, (1 << 32) + 1034)])
    middle = rows(story)[1]
    check_cells(middle, {"rkB/s": ""})
    check_cells(rows(story)[2], {"rkB/s": "1.0"})


@test("IO% is the delay of the main thread, and empty where it cannot be known")
def _():
    for stat, switch, expected in (({"blkio": [500, 590]}, None, "90.0"), ({"blkio": [500, 590]}, "1", "90.0"),
                                   ({"blkio": [500, 590]}, "0", ""), ({"blkio": [500, 750]}, "1", ""),
                                   ({"blkio": [500, 101]}, "1", ""), ({"blkio": [0, 90], "threads": 2}, "1", ""),
                                   ({"blkio": [500, 601]}, "1", "100.0")):
        story = Story(2)
        story.task(42, "x", [io_text(), io_text()], **stat)
        if switch:
            story.always("proc/sys/kernel/task_delayacct", switch + "\n")
        check_cells(only(rows(story)), {"IO%": expected}, f"{stat}, switch {switch}:")


# ---- identity ----

@test("a PID that is used by another, older process is new: no rates, and the new name")
def _():
    story = Story(3)
    story.task(42, ["old", "new", "new"], [io_text(read_bytes=5 << 30), io_text(read_bytes=4096),
                                           io_text(read_bytes=4096 + MIB)], start=[100, 900, 900])
    first, second = rows(story)
    check_cells(first, {**NOTHING, "comm": "new"})
    check_cells(second, {"rkB/s": "1024.0"})


@test("a PID used by another whose counters happen to be larger is new too")
def _():
    story = Story(2)
    story.task(42, "x", [io_text(read_bytes=4096), io_text(read_bytes=5 << 30)], start=[100, 900])
    check_cells(only(rows(story)), NOTHING)


@test("a name that changes, as exec does, keeps the process: rates go on")
def _():
    story = Story(2)
    story.task(42, ["sh", "dd"], [io_text(), io_text(read_bytes=MIB)])
    check_cells(only(rows(story)), {"rkB/s": "1024.0", "comm": "dd"})


@test("a task first seen that is older has no rates, one that went has no row")
def _():
    story = Story(3)
    story.task(10, "stays", [io_text()] * 3)
    story.task(20, "comes", [False, io_text(read_bytes=9 << 30), io_text(read_bytes=9 << 30)])
    story.task(30, "goes", [io_text(), io_text(), False])
    got = rows(story)
    check([(row["epoch"][-7:-4], row["pid"]) for row in got],
          [("001", "10"), ("001", "20"), ("001", "30"), ("002", "10"), ("002", "20")], "ticks and pids")
    check_cells(got[1], NOTHING)
    check_cells(got[4], {"rkB/s": "0.0"})


# ---- names ----

@test("names with parentheses, blanks, newlines, quotes, escapes and bad UTF-8 are exact and shift no field")
def _():
    story = Story(2)
    for n, name in enumerate(HOSTILE):
        story.task(100 + n, name, [io_text(), io_text(read_bytes=1024 * n)], state="DRSZTI"[n % 6], start=55)
    got = rows(story, escapes=True)
    check(len(got), len(HOSTILE), "rows")
    for n, name in enumerate(HOSTILE):
        row = only(got, pid=str(100 + n))
        for column in ("comm", "command"):
            check(row[column].encode("utf-8", "surrogateescape"), name, f"{column} of {100 + n}")
        check_cells(row, {"rkB/s": f"{n}.0", "state": "DRSZTI"[n % 6]}, repr(name))


@test("PIDs of every length sort as numbers")
def _():
    story = Story(2)
    for pid in (4194304, 9, 100000, 99999, 10, 1):
        story.task(pid, "x", [io_text(), io_text()])
    check(pids(story), [1, 9, 10, 99999, 100000, 4194304], "pids")


@test("folders that only begin like a number are no task")
def _():
    story = Story(2)
    story.task(7, "x", [io_text(), io_text()])
    for name in ("7x", "0", "00", "-1", "99999999999999999999", "1e3", "irq"):
        story.always(f"proc/{name}/stat", "1 (no) S 1\n")
    check(pids(story), [7], "pids")


# ---- tasks that refuse, vanish or hang ----

@test("a task whose io is refused has empty rates, sorts last, is in no sum and is counted")
def _():
    story = crowd()
    with harness.scratch() as folder, harness.unprivileged() as (prefix, path):
        os.chmod(folder, 0o755)
        story.write(folder)
        for step in (1, 2):
            os.chmod(f"{folder}/{step}/proc/10/io", 0)
        how = {"prefix": prefix, "path": path}
        base = ("-b", "--procfs", folder, "--panel")
        got = harness.run(*base, "tasks", "--sort", "rkB/s", **how).rows()
        check_cells(only(got, pid="10"), {**NOTHING, "state": "S", "comm": "reader"})
        check([row["pid"] for row in got][-2:], ["10", "50"], "the absent are last")
        machine = only(harness.run(*base, "system", **how).rows())
        check_cells(machine, {"tasks": "5", "unreadable": "1", "asked_rkB/s": "0.0", "asked_wkB/s": "8192.0"})


@test("a task without an io file, as old kernels have it, has empty rates and nothing is said")
def _():
    story = Story(2)
    story.task(42, "x", [None, None])
    check_cells(only(rows(story)), NOTHING)


@test("files that are missing, empty, cut or folders leave out that task and no other")
def _():
    story = Story(2)
    for pid in (10, 90):
        story.task(pid, "stays", [io_text(), io_text(read_bytes=1024)])
    broken = {20: ("stat", ""), 21: ("stat", "21 (x"), 22: ("stat", "21 x S"), 23: ("stat", "23 (x) S 1 2"),
              24: ("io", ""), 25: ("stat", "\n" * 3000), 26: ("stat", b"\xff" * 70000)}
    for pid, (leaf, text) in broken.items():
        story.task(pid, "x", [io_text(), io_text()])
        story.put(1, f"proc/{pid}/{leaf}", text)
    story.task(30, "x", [io_text(), io_text()])
    del story.files[1]["proc/30/stat"]
    story.always("proc/31/fd/0", "")
    story.always("proc/32/stat/x", "")
    story.always("proc/32/io/x", "")
    story.always("proc/33", "no folder")
    got = rows(story)
    check([row["pid"] for row in got], ["10", "90"], "pids")
    check({row["rkB/s"] for row in got}, {"1.00"}, "rkB/s")


@test("a task whose files hang is set aside as blocked while all others are there")
def _():
    story = crowd()
    with harness.scratch() as folder:
        story.write(folder)
        for pid in (20, 40):
            os.unlink(f"{folder}/2/proc/{pid}/io")
            os.mkfifo(f"{folder}/2/proc/{pid}/io")  # opening it waits for a writer that never comes
        got = harness.run("-b", "--procfs", folder, "--panel", "tasks").rows()
    check([row["pid"] for row in got], ["10", "20", "30", "40", "50"], "pids")
    check_cells(only(got, pid="20"), {**NOTHING, "state": "blocked", "comm": "writer"})
    check_cells(only(got, pid="40"), {"state": "blocked"})
    check_cells(only(got, pid="10"), {"rkB/s": "2048.0"})


@test("1,000 tasks, half of them replaced at each tick, are all there")
def _():
    story = Story(3)
    for pid in range(1, 1001):
        story.task(pid, f"t{pid}", [io_text(read_bytes=1024 * i) for i in range(3)],
                   start=[7, 7 + pid % 2, 7 + 2 * (pid % 2)])
    got = rows(story)
    check(len(got), 2000, "rows")
    for row in got:
        check(row["rkB/s"], "" if int(row["pid"]) % 2 else "1.00", f"rkB/s of {row['pid']}")


# ---- what is chosen ----

@test("without a choice all tasks are there by PID; the sums are over all of them")
def _():
    check(pids(crowd()), [10, 20, 30, 40, 50], "pids")
    check_cells(only(crowd().rows("--panel", "system")), {"asked_rkB/s": "2048.0", "asked_wkB/s": "8192.0",
                                                          "tasks": "5", "unreadable": "0"})


@test("-p takes a list in any order; a PID that is not there at the start is wrong usage")
def _():
    check(pids(crowd(), "-p", "30,10"), [10, 30], "-p 30,10")
    check(pids(crowd(), "--pid", "10", "-p", "40"), [10, 40], "--pid 10 -p 40")
    check_usage(crowd().run("--panel", "tasks", "-p", "10,77"), "77")


@test("a chosen PID that goes later just has no rows")
def _():
    story = Story(3)
    story.task(42, "x", [io_text(), io_text(), False])
    check(pids(story, "-p", "42"), [42], "rows")


@test("-u takes a number, and only that user's tasks are there")
def _():
    check(pids(crowd(), "-u", "1001"), [20, 50], "-u 1001")
    check(pids(crowd(), "-u", "0"), [40], "-u 0")
    check(pids(crowd(), "--user", "65533"), [], "nobody's")


@test("-u with a name, on a tree whose users nobody can look up, asks for a number")
def _():
    check_usage(crowd().run("--panel", "tasks", "-u", "root"), "root", "number")


@test("user is a number where no directory can be asked")
def _():
    check(only(rows(crowd(), "-p", "10"))["user"], "1000", "user")


@test("--active keeps what moved bytes or waits for them")
def _():
    check(pids(crowd(), "--active"), [10, 20, 40], "--active")
    check(pids(crowd(), "-o", "-u", "1000"), [10], "-o -u 1000")


@test("only IO% above zero is active too; only cached reads are not")
def _():
    story = Story(2)
    story.task(10, "x", [io_text(), io_text()], blkio=[0, 30])
    story.task(20, "x", [io_text(), io_text(rchar=MIB, syscr=1)])
    story.task(30, "x", [io_text(), io_text(cancelled_write_bytes=MIB)])
    check(pids(story, "-o"), [10, 30], "active")


@test("--sort puts numbers largest first and names in their order, the absent last; --top cuts after it")
def _():
    check(pids(crowd(), "--sort", "wkB/s"), [20, 10, 30, 40, 50], "by wkB/s: equals keep their order")
    check(pids(crowd(), "--sort", "rkB/s", "--top", "1"), [10], "by rkB/s, the first")
    check(pids(crowd(), "--sort", "command"), [30, 50, 10, 40, 20], "by command")
    check(pids(crowd(), "--sort", "pid", "--top", "2"), [10, 20], "by pid, the first two")
    check(pids(crowd(), "--top", "99"), [10, 20, 30, 40, 50], "--top beyond the end")


if __name__ == "__main__":
    harness.main()
