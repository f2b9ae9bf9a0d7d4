#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whose I/O it is: threads, children that were waited for, and what no task accounts for."""
import os

import harness
from harness import check, check_cells, check_true, only, test
from story import USED, Story, io_text, plus, ticks_at

MIB = 1 << 20


def rows(story, *arguments):
    return story.rows("--panel", "tasks", *arguments)


def written(*mib):
    """io texts of a task that has written so many MiB by each step; False: not there."""
    return [n if n is False else io_text(wchar=int(n * MIB), syscw=int(n), write_bytes=int(n * MIB)) for n in mib]


def at(got, tick, **key):
    """The row of a tick, 1 the first."""
    epochs = sorted({row["epoch"] for row in got})
    return only([row for row in got if row["epoch"] == epochs[tick - 1]], **key)


# ---- own and inherited ----

@test("what children did that a shell waited for is inherited, not its own")
def _():
    story = Story(3)
    story.task(100, "sh", written(0, 40, 41), reaped=[7, 900, 900])
    story.thread(100, 100, "sh", written(0, 0, 1))
    got = rows(story)
    check_cells(at(got, 1, pid="100"), {"wkB/s": "0.0", "wchar/s": "0.0", "inh_wkB/s": "40960.0",
                                        "inhkB/s": "40960.0", "inh_rkB/s": "0.0"})
    check_cells(at(got, 2, pid="100"), {"wkB/s": "1024.0", "inh_wkB/s": "0.0"})


@test("what the shell itself did in such an interval stays its own")
def _():
    story = Story(3)
    story.task(100, "sh", written(50, 58, 66), reaped=[7, 900, 1000])
    story.thread(100, 100, "sh", written(20, 23, 24))
    got = rows(story)
    check_cells(at(got, 1, pid="100"), {"wkB/s": "3072.0", "inh_wkB/s": "5120.0"})
    check_cells(at(got, 2, pid="100"), {"wkB/s": "1024.0", "inh_wkB/s": "7168.0"})


@test("without a child waited for all of it is its own, threads that ended included")
def _():
    story = Story(3)
    story.task(100, "db", written(0, 10, 30), threads=[3, 2, 1], reaped=5)
    for tid, done in ((100, (0, 1, 2)), (101, (0, 9, False)), (102, (0, False, False))):
        story.thread(100, tid, "db", written(*done))
    got = rows(story)
    check_cells(at(got, 1, pid="100"), {"wkB/s": "10240.0", "inh_wkB/s": "0.0"})
    check_cells(at(got, 2, pid="100"), {"wkB/s": "20480.0", "inh_wkB/s": "0.0"})


@test("what a child showed as its own before it ended is not shown again as inherited")
def _():
    story = Story(3)
    story.task(100, "sh", written(0, 10, 22), reaped=[0, 5, 9])
    story.thread(100, 100, "sh", written(0, 0, 0))
    story.task(101, "dd", written(False, 4, False), ppid=100, start=ticks_at(0.5))
    got = rows(story)
    check_cells(at(got, 1, pid="100"), {"wkB/s": "0.0", "inh_wkB/s": "10240.0"})
    check_cells(at(got, 1, pid="101"), {"wkB/s": "4096.0"})
    check_cells(at(got, 2, pid="100"), {"wkB/s": "0.0", "inh_wkB/s": "8192.0"})
    done = [float(row[name]) for row in got for name in ("wkB/s", "inh_wkB/s")]
    check(sum(done), 22 * 1024.0, "of all rows together")


@test("nor is that of a grandchild whose parent ended too; where the parent lives it is that one's to inherit")
def _():
    for make, expected in ((False, "3072.0"), (2, "7168.0")):
        story = Story(2)
        story.task(100, "sh", written(0, 7), reaped=[0, 9])
        story.thread(100, 100, "sh", written(0, 0))
        story.task(101, "make", written(2, make), ppid=100)
        story.task(102, "cc", written(2, False), ppid=101)
        check_cells(only(rows(story), pid="100"), {"wkB/s": "0.0", "inh_wkB/s": expected}, f"make {make}:")


@test("a shell that was started since inherits from its first row on")
def _():
    story = Story(2)
    story.task(9, "init", written(0, 0))
    story.task(100, "sh", written(False, 30), reaped=[0, 9], start=ticks_at(0.2))
    story.thread(100, 100, "sh", written(False, 1))
    check_cells(only(rows(story), pid="100"), {"wkB/s": "1024.0", "inh_wkB/s": "29696.0"})


@test("own is never negative and never more than all of it, whatever the threads' counters say")
def _():
    for own in ((5, 2), (0, 90)):
        story = Story(2)
        story.task(100, "sh", written(0, 10), reaped=[1, 2])
        story.thread(100, 100, "sh", written(*own))
        row = only(rows(story))
        check_true(0 <= float(row["wkB/s"]) <= 10240, row["wkB/s"])
        check(float(row["wkB/s"]) + float(row["inh_wkB/s"]), 10240.0, f"together, threads {own}")


# ---- processes and threads that are new ----

@test("a process that was started since the last reading counts from 0; one that was not seen is new")
def _():
    for start, expected in ((ticks_at(0.5), "2048.0"), (ticks_at(-0.5), ""), (100, "")):
        story = Story(2)
        story.task(9, "init", written(0, 0))
        story.task(50, "x", written(False, 2), start=start)
        check_cells(only(rows(story), pid="50"), {"wkB/s": expected}, f"started at {start}:")


@test("a PID that is used again since the last reading counts from 0, not from the other's counters")
def _():
    story = Story(2)
    story.task(50, ["old", "new"], written(900, 2), start=[100, ticks_at(0.5)])
    check_cells(only(rows(story)), {"wkB/s": "2048.0", "inh_wkB/s": "0.0", "comm": "new"})


def threaded(delays=((0, 0), (0, 0)), **stat):
    """A process of two threads, the second of which writes and waits."""
    story = Story(2)
    story.task(70, "db", written(0, 8), threads=2, blkio=list(delays[0]), **stat)
    story.thread(70, 70, "db", written(0, 0), blkio=list(delays[0]))
    story.thread(70, 71, "writer", written(0, 8), blkio=list(delays[1]))
    return story


@test("in thread view each thread has a row with its own name and figures")
def _():
    got = rows(threaded(), "--threads")
    check([(row["pid"], row["tid"]) for row in got], [("70", "70"), ("70", "71")], "rows")
    check_cells(only(got, tid="70"), {"wkB/s": "0.0", "comm": "db", "command": "db", "threads": ""})
    check_cells(only(got, tid="71"), {"wkB/s": "8192.0", "comm": "writer", "command": "writer"})


@test("a process with one thread has one row in thread view, its TID is the PID")
def _():
    story = threaded()
    story.task(30, "cat", written(0, 1))
    got = rows(story, "--threads")
    check([(row["pid"], row["tid"]) for row in got], [("30", "30"), ("70", "70"), ("70", "71")], "rows")
    check_cells(only(got, tid="30"), {"wkB/s": "1024.0", "command": "cat"})


@test("a thread that was started since counts from 0; what ended ones did is the main thread's own")
def _():
    story = Story(3)
    story.task(70, "db", written(0, 8, 20), threads=[2, 2, 2])
    story.thread(70, 70, "db", written(0, 1, 2))
    story.thread(70, 71, "old", written(0, 7, False))
    story.thread(70, 72, "new", written(False, False, 4), start=ticks_at(1.5))
    got = rows(story, "--threads")
    check_cells(at(got, 1, tid="70"), {"wkB/s": "1024.0", "inh_wkB/s": "0.0"})
    check_cells(at(got, 2, tid="70"), {"wkB/s": "8192.0", "wchar/s": "8192.0", "inh_wkB/s": "0.0"})
    check_cells(at(got, 2, tid="72"), {"wkB/s": "4096.0"})
    done = [float(row[name]) for row in got for name in ("wkB/s", "inh_wkB/s")]
    check(sum(done), 20 * 1024.0, "of all rows together")


@test("what threads did that no walk saw is the main thread's own; the little that lies between two readings is not")
def _():
    for seen, expected in ((4, "4096.0"), (7.95, "0.0")):
        story = Story(2)
        story.task(70, "db", written(0, 8), threads=2)
        story.thread(70, 70, "db", written(0, 0))
        story.thread(70, 71, "writer", written(0, seen))
        check_cells(only(rows(story, "--threads"), tid="70"), {"wkB/s": expected, "inh_wkB/s": "0.0"}, f"{seen}:")


@test("in thread view what children did stays inherited where a thread ended too")
def _():
    story = Story(2)
    story.task(70, "db", written(0, 20), threads=[3, 2], reaped=[0, 9])
    story.thread(70, 70, "db", written(0, 1))
    story.thread(70, 71, "ends", written(0, False))
    story.thread(70, 72, "works", written(0, 4))
    whole, main = only(rows(story)), only(rows(story, "--threads"), tid="70")
    check_cells(main, {"wkB/s": "1024.0", "inh_wkB/s": whole["inh_wkB/s"]})
    check(float(whole["wkB/s"]) + float(whole["inh_wkB/s"]), 20 * 1024.0, "of the process")


@test("a process that gets its first other thread keeps its figures in thread view")
def _():
    story = Story(2)
    story.task(70, "db", written(5, 12), threads=[1, 2])
    story.thread(70, 70, "db", written(5, 8))
    story.thread(70, 71, "new", written(False, 4), start=ticks_at(0.5))
    got = rows(story, "--threads")
    check_cells(only(got, tid="70"), {"wkB/s": "3072.0"})
    check_cells(only(got, tid="71"), {"wkB/s": "4096.0"})


# ---- waiting ----

@test("IO% of a process is its worst thread's, not its main thread's and not the sum")
def _():
    check_cells(only(rows(threaded(((0, 20), (100, 170))))), {"IO%": "70.0", "wkB/s": "8192.0"})
    check_cells(only(rows(threaded(((0, 60), (100, 130))))), {"IO%": "60.0"})


@test("a process is in D where any of its threads is; how many are, and where they wait, is told")
def _():
    story = Story(2)
    story.task(70, "db", written(0, 8), threads=3)
    story.thread(70, 70, "db", written(0, 8))
    story.thread(70, 71, "a", written(0, 0), state=["S", "D"], wchan=["0", "io_schedule"])
    story.thread(70, 72, "b", written(0, 0), state=["S", "D"], wchan=["0", "xfs_ilock"])
    story.task(80, "one", written(0, 0), state="D")
    story.always("proc/80/wchan", "rq_qos_wait")
    story.task(90, "idle", written(0, 0))
    story.always("proc/90/wchan", "do_select")
    got = rows(story)
    check_cells(only(got, pid="70"), {"state": "D", "blocked": "2", "wchan": "io_schedule", "threads": "3"})
    check_cells(only(got, pid="80"), {"state": "D", "blocked": "1", "wchan": "rq_qos_wait"})
    check_cells(only(got, pid="90"), {"state": "S", "blocked": "0", "wchan": ""})
    threads = rows(story, "--threads")
    check_cells(only(threads, tid="72"), {"state": "D", "wchan": "xfs_ilock"})
    check_cells(only(threads, tid="70"), {"state": "S", "wchan": ""})


@test("a thread that hung before the start is seen, though its process does nothing")
def _():
    story = Story(14)
    story.task(70, "db", written(*[0] * 14), threads=2)
    story.thread(70, 70, "db", written(*[0] * 14))
    story.thread(70, 71, "stuck", written(*[0] * 14), state="D", wchan="fuse_get_req")
    for row in rows(story):
        check_cells(row, {"state": "D", "blocked": "1", "wchan": "fuse_get_req"})


@test("threads of a process that does nothing are not read: neither IO% nor those in D are known")
def _():
    story = Story(14)
    done = [0] + [1] * 13
    story.task(70, "db", written(*done), threads=2)
    story.thread(70, 70, "db", written(*done))
    story.thread(70, 71, "x", written(*[0] * 14))
    got = rows(story)
    check_cells(got[0], {"IO%": "0.0", "blocked": "0"})
    check_cells(got[8], {"IO%": "0.0", "blocked": "0", "wkB/s": "0.0"})
    check_cells(got[12], {"IO%": "", "blocked": "", "wkB/s": "0.0"})
    check(len(rows(story, "--threads")), 26, "rows of threads, which are all read there")


@test("a process with a thread whose files hang is set aside as blocked while all others are there")
def _():
    story = Story(3)
    story.task(60, "before", written(0, 1, 2))
    story.task(70, "db", written(0, 8, 9), threads=3)
    for tid in (70, 71, 72):
        story.thread(70, tid, "db", written(0, 1, 2))
    story.task(80, "after", written(0, 1, 2))
    for arguments in ((), ("--threads",)):
        with harness.scratch() as folder:
            story.write(folder)
            for step in (2, 3):
                os.unlink(f"{folder}/{step}/proc/70/task/71/io")
                os.mkfifo(f"{folder}/{step}/proc/70/task/71/io")
            got = harness.run("-b", "--procfs", folder, "--panel", "tasks", *arguments).rows()
        check([(row["pid"], row["state"], row["wkB/s"]) for row in got],
              [("60", "S", "1024.00"), ("70", "blocked", ""), ("80", "S", "1024.00")] * 2, "rows")


# ---- delay accounting ----

@test("a task that is older than the switch and shows no delay is not measured; a newer one, or one with delay, is")
def _():
    for cmdline, old in (("quiet", ""), ("quiet delayacct", "0.0"), ("quiet nodelayacct", "")):
        story = Story(3)
        story.always("proc/sys/kernel/task_delayacct", "1\n")
        story.always("proc/cmdline", cmdline + "\n")
        story.task(10, "old", written(0, 1, 2))
        story.task(20, "waits", written(0, 1, 2), blkio=[5, 35, 65])
        story.task(30, "new", written(False, 1, 2), start=ticks_at(0.5))
        got = rows(story)
        check_cells(at(got, 2, pid="10"), {"IO%": old}, f"{cmdline}:")
        check_cells(at(got, 2, pid="20"), {"IO%": "30.0"})
        check_cells(at(got, 2, pid="30"), {"IO%": "0.0"})


@test("a switch that goes on while it is watched divides the tasks there")
def _():
    story = Story(3)
    story.each("proc/sys/kernel/task_delayacct", ["0\n", "1\n", "1\n"])
    story.always("proc/cmdline", "delayacct\n")
    story.task(10, "old", written(0, 1, 2))
    story.task(20, "new", written(False, False, 2), start=ticks_at(1.5))
    got = rows(story)
    check_cells(at(got, 1, pid="10"), {"IO%": ""})
    check_cells(at(got, 2, pid="10"), {"IO%": ""})
    check_cells(at(got, 2, pid="20"), {"IO%": "0.0"})


# ---- what no task accounts for ----

def device_story(read=0, wrote=0, steps=2, name="sda", **attributes):
    """A disk that read and wrote so many MiB, and a task that wrote 2 MiB."""
    story = Story(steps)
    grown = plus(USED, rd_ios=9, rd_sectors=read * 2048, wr_ios=9, wr_sectors=wrote * 2048, io_ms=900)
    story.disk(name, *[USED] + [grown] * (steps - 1), **attributes)
    story.task(10, "writer", written(*[0] + [2] * (steps - 1)))
    return story


def unattributed(story, *arguments):
    return only(rows(story, *arguments), comm="(unattributed)")


@test("what devices did and no task accounts for is the first row, by the same measure as the tasks")
def _():
    story = device_story(read=3, wrote=12)
    got = rows(story)
    check(got[0]["comm"], "(unattributed)", "the first row")
    check_cells(got[0], {"pid": "", "tid": "", "state": "", "rkB/s": "3072.0", "wkB/s": "10240.0", "IO%": "",
                         "syscr/s": "", "command": "(unattributed) write-back"})
    check_cells(only(story.rows("--panel", "system")),
                {"unattributed_rkB/s": "3072.0", "unattributed_wkB/s": "10240.0", "done_wkB/s": "12288.0",
                 "asked_wkB/s": "2048.0"})


@test("what is inherited is accounted for")
def _():
    story = device_story(wrote=12)
    story.task(100, "sh", written(0, 10), reaped=[0, 5])
    story.thread(100, 100, "sh", written(0, 0))
    check_cells(unattributed(story), {"wkB/s": "0.0", "command": "(unattributed)"})
    check_cells(only(story.rows("--panel", "system")), {"asked_wkB/s": "12288.0", "unattributed_wkB/s": "0.0"})


@test("tasks that did more than the devices leave nothing, not a negative rate")
def _():
    check_cells(unattributed(device_story(wrote=1)), {"rkB/s": "0.0", "wkB/s": "0.0", "command": "(unattributed)"})


@test("where a total is unknown so is the difference")
def _():
    story = device_story(wrote=9, queue_iostats=0)
    check_cells(unattributed(story), {"rkB/s": "", "wkB/s": "", "command": "(unattributed)"})
    story = Story(2)
    story.task(10, "writer", written(0, 2))
    check([row["comm"] for row in rows(story)], ["writer"], "without devices no such row")
    check_cells(only(story.rows("--panel", "system")), {"unattributed_wkB/s": ""})


def forks(story, *counts):
    story.each("proc/stat", [f"cpu 1 2 3 4 5 6 7 8\nprocesses {n}\n" for n in counts])
    return story


def reasons(story):
    """As the panel of all tables reads them, which has what the reasons take."""
    with harness.scratch() as folder:
        check(story.run("--panel", "all", "-O", f"{folder}/csv").status, 0, "status")
        with open(f"{folder}/csv/tasks.csv", "rb") as file:
            return only(harness.parse_csv(file.read()), comm="(unattributed)")["command"]


@test("the likely reasons: write-back, ended tasks, tasks that may not be read, md; two at most, the likeliest first")
def _():
    check(reasons(device_story(wrote=9)), "(unattributed) write-back", "writes")
    clean = device_story(wrote=9)
    clean.always("proc/meminfo", "Dirty: 0 kB\nWriteback: 0 kB\n")
    check(reasons(clean), "(unattributed)", "writes while nothing is dirty")
    check(reasons(forks(device_story(read=9), 100, 140)), "(unattributed) ended tasks", "reads and forks")
    check(reasons(forks(device_story(wrote=9), 100, 140)), "(unattributed) write-back, ended tasks", "both")
    check(reasons(device_story(read=9)), "(unattributed)", "reads of nobody")
    story = device_story(wrote=9)
    story.disk("md0", USED, plus(USED, wr_ios=9, wr_sectors=4096), dev=(9, 0), md_level="raid1")
    check(reasons(story), "(unattributed) md or ZFS work, write-back", "a mirror")


@test("forks that are seen as tasks and threads have not ended")
def _():
    story = forks(device_story(read=9), 100, 103)
    story.task(20, "new", written(False, 0), threads=2, start=ticks_at(0.5))
    story.thread(20, 20, "new", written(False, 0))
    story.thread(20, 21, "new", written(False, 0))
    story.task(30, "grows", written(0, 0), threads=[1, 2])
    check(reasons(story), "(unattributed)", "three came, three are there")
    check_cells(only(story.rows("--panel", "system")), {"forks/s": "3.0"})


@test("the row is left out where processes or a user are chosen, and where only active rows are and it is 0")
def _():
    story = device_story(wrote=9)
    check([row["comm"] for row in rows(story, "-p", "10")], ["writer"], "-p")
    check([row["comm"] for row in rows(story, "-u", "1000")], ["writer"], "-u")
    check([row["comm"] for row in rows(story, "-o")], ["(unattributed)", "writer"], "-o")
    check([row["comm"] for row in rows(device_story(wrote=2), "-o")], ["writer"], "-o, nothing left")
    check([row["comm"] for row in rows(story, "--sort", "wkB/s", "--top", "1")], ["(unattributed)"], "--top 1")


if __name__ == "__main__":
    harness.main()
