#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Golden screens: the shipped program on a story, behind a terminal emulator.

Cells are compared with golden/NAME. UPDATE_GOLDEN=1 writes them anew: look at
every change before it is committed.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "stories"))

import harness  # noqa: E402
from harness import check, test  # noqa: E402
from story import USED, Story, counters, io_text, rates  # noqa: E402

GOLDEN = os.environ.get("GOLDEN", os.path.join(HERE, "golden"))
STEPS = 6


def grow(row, steps=STEPS):
    """A device's counters at each step of a steady load."""
    readings = [USED]
    for _ in range(steps - 1):
        readings.append(rates(readings[-1], **row))
    return readings


def task_io(rkb, wkb):
    return [io_text(rchar=i * rkb * 1024, wchar=i * wkb * 1024, syscr=i * (rkb // 8), syscw=i * (wkb // 8),
                    read_bytes=i * rkb * 1024, write_bytes=i * wkb * 1024) for i in range(STEPS)]


def machine(story):
    story.always("proc/stat", "cpu 0 0 0 0 0 0 0 0 0 0\nprocs_blocked 3\n")
    story.each("proc/stat", [f"cpu {70 * i} 0 0 {108 * i} {22 * i} 0 0 0 0 0\nprocs_blocked 3\n"
                             for i in range(STEPS)])
    story.each("proc/pressure/io",
               [f"some avg10=41.20 avg60=9.00 avg300=2.00 total={410000 * i}\n"
                f"full avg10=38.00 avg60=8.00 avg300=1.00 total={380000 * i}\n" for i in range(STEPS)])
    story.always("proc/meminfo", "MemTotal: 16000000 kB\nDirty: 319488 kB\nWriteback: 18432 kB\n")
    story.always("proc/sys/kernel/task_delayacct", "1\n")
    story.aio(165, 65536)
    story.slabs(kioctx=(35, 84), kiocb=(165, 165))


def busy_story():
    """A serial writer on sda5, a saturated sdc, an idle disk, an NVMe that is fine."""
    story = Story(STEPS)
    serial = {"w": 163, "wrqm": 163, "wkb": 1304, "await_ms": 6.13, "queue": 1.0, "util": 99.7}
    deep = {"r": 2, "w": 522, "wrqm": 38869, "rkb": 8, "wkb": 156856, "await_ms": 277.58, "queue": 143.07,
            "util": 100.1}
    fine = {"r": 9000, "w": 1000, "rkb": 36000, "wkb": 64000, "await_ms": 0.1, "queue": 1.0, "util": 61}
    story.disk("sda", *grow(serial), queue_rotational=1, queue_nr_requests=128, device_queue_depth=32)
    story.partition("sda1", "sda", *[USED] * STEPS)
    story.partition("sda5", "sda", *grow(serial), dev=(8, 5))
    story.disk("sdb", *[USED] * STEPS, dev=(8, 16))
    story.disk("sdc", *grow(deep), dev=(8, 32), queue_rotational=1, queue_nr_requests=128)
    story.disk("nvme0n1", *grow(fine), dev=(259, 0), queue_rotational=0, queue_scheduler="[none] mq-deadline")
    story.disk("loop0", *[counters()] * STEPS, dev=(7, 0))
    story.task(9120, "ora_dbw0_B", task_io(8, 156010), state="D", blkio=[2 * i for i in range(STEPS)])
    story.task(4711, "ora_dbw0_A", task_io(0, 1304), state="D", blkio=[98 * i for i in range(STEPS)])
    story.task(77, "postgres", task_io(36000, 64000), uid=26)
    story.task(300, "quiet", task_io(0, 0))
    story.task(301, b"\x1b[31mred\x07\xc2\x9b2J", task_io(0, 12))
    story.task(302, "数据库写手", task_io(4, 4))
    story.task(303, b"a\xc3b\nnew", task_io(0, 0))
    story.task(4194304, "(:-) 1 2 3)", task_io(1, 1), threads=4)
    for pid in range(1000, 1040):
        story.task(pid, f"worker-{pid - 1000}", [None] * STEPS if pid % 10 == 0 else task_io(0, 0))
    machine(story)
    return story


def idle_story():
    """Nothing happens, and nobody but the program's user is there."""
    story = Story(STEPS)
    story.disk("sda", *[USED] * STEPS)
    machine(story)
    return story


def stack_story():
    """LVM on a partition, md over partitions of two disks with LVM on it, a loop file."""
    story = Story(STEPS)
    busy = {"w": 200, "wkb": 3200, "await_ms": 4, "queue": 0.8, "util": 60}
    light = {"r": 20, "rkb": 320, "await_ms": 2, "queue": 0.04, "util": 3}
    half = {"r": 10, "w": 100, "rkb": 160, "wkb": 1600, "await_ms": 3, "queue": 0.3, "util": 25}
    for i, (disk, load) in enumerate((("sda", busy), ("sdb", half), ("nvme0n1", light))):
        story.disk(disk, *grow(load), dev=(8, 16 * i), queue_rotational=0)
    story.partition("sda1", "sda", *grow(light), dev=(8, 1))
    story.partition("sda2", "sda", *grow(busy), dev=(8, 2))
    story.partition("sdb1", "sdb", *grow(half), dev=(8, 17))
    story.partition("nvme0n1p1", "nvme0n1", *grow(light), dev=(259, 1))
    story.partition("nvme0n1p2", "nvme0n1", *grow(light), dev=(259, 2))
    story.disk("md127", *grow(half), dev=(9, 127), md_level="raid1")
    story.stands_on("md127", "sdb1", "nvme0n1p2")
    for name, lower, title, load in (("dm-0", "sda2", "vg-root", light), ("dm-1", "sda2", "vg-srv", busy),
                                     ("dm-2", "md127", "ubuntu--vg-db", half)):
        story.disk(name, *grow(load), dev=(253, int(name[3:])), dm_name=title)
        story.stands_on(name, lower)
    story.disk("loop0", *grow(light), dev=(7, 0), loop_backing_file="/srv/images/disk.img")
    for pid in ("1", "self"):
        story.always(f"proc/{pid}/mountinfo",
                     "25 1 253:0 / / rw - ext4 /dev/mapper/vg-root rw\n"
                     "26 25 8:1 / /boot rw - ext4 /dev/sda1 rw\n"
                     "27 25 253:1 / /srv rw - xfs /dev/mapper/vg-srv rw\n"
                     "28 25 253:2 / /var/lib/mysql rw - xfs /dev/mapper/ubuntu--vg-db rw\n")
    machine(story)
    return story


def play(story, size, script, *arguments, **changes):
    """Runs a script of keys and expectations against the program on a story."""
    with harness.scratch() as folder:
        story.write(os.path.join(folder, "story"))
        env = harness.environment(GOLDEN=GOLDEN, **changes)
        if changes.get("LC_ALL"):
            env["PTY_LC_ALL"] = changes["LC_ALL"]
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", size, "-w", "20", "-", "--",
             harness.program(), "--procfs", "story", *arguments],
            input=script.encode(), cwd=folder, env=env, timeout=harness.PATIENCE_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        check(done.returncode, 0, "ptyscreen: " + done.stdout.decode("utf-8", "replace"))


def golden(name, size, keys="", story=busy_story, **how):
    """One screen after these keys, and a clean end."""
    @test(f"screen {name} at {size}")
    def _():
        steps = [f"key {key}" for key in keys.split()]
        script = "\n".join([*steps, f"expect {GOLDEN}/{name}-{size}", "key <Esc>", "key <Esc>", "key Q", "exit 0", "restored"])
        play(story(), size, script + "\n", **how)


for each_size in ("40x10", "80x24", "200x50"):
    golden("overview", each_size)
golden("devices", "80x24", "2")
golden("devices-flat", "80x24", "2 T")
golden("tasks", "80x24", "3")
golden("tasks-names", "80x24", "3 c")
golden("tasks-reverse", "80x24", "3 r")
golden("tasks-sorted", "80x24", "3 < <")
golden("tasks-active", "80x24", "3 o")
golden("tasks-end", "80x24", "3 <End>")
golden("filter", "80x24", "3 / w o r k e r - 1 <Enter>")
golden("filter-empty", "80x24", "3 / n o s u c h <Enter>")
golden("filter-wrong", "80x24", "3 / (")
golden("user", "80x24", "3 u 2 6 <Enter>")
golden("sort-menu", "80x24", "2 <F6>")
golden("aio", "80x24", "4")
golden("findings", "80x24", "6")
golden("help", "80x24", "?")
golden("zoom", "80x24", "<Right> z")
golden("idle", "80x24", story=idle_story)
golden("no-tasks", "80x24", "3", story=idle_story)
golden("tiny", "20x5")
golden("too-small", "12x3")


@test("the marks stand out by letter and by colour, in red only what is judged")
def _():
    script = "see sdc.*queueing\nattr ^W.sdc red\nattr nvme0n1.*ok plain\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("without colours (NO_COLOR) the marks are still there")
def _():
    play(busy_story(), "80x24", "see ^W sdc.*queueing\nsee serial-io\nkey Q\nexit 0\nrestored\n", NO_COLOR="1")


@test("in the C locale nothing but ASCII is drawn")
def _():
    play(busy_story(), "80x24", f"expect {GOLDEN}/ascii-80x24\nkey Q\nexit 0\nrestored\n", LC_ALL="C")


@test("a window that shrinks to nothing and grows again shows the same screen")
def _():
    script = f"see queueing\nsize 1x1\nsize 300x100\nsee VERDICT\nsize 5x2\nsize 80x24\nexpect {GOLDEN}/overview-80x24\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("a view can be asked for, with its order")
def _():
    play(busy_story(), "80x24", "see by r/s\nkey Q\nexit 0\n", "--panel", "devices", "--sort", "r/s")


for signal_name in ("SIGINT", "SIGTERM", "SIGHUP"):
    @test(f"{signal_name} gives the terminal back")
    def _(name=signal_name):
        play(busy_story(), "80x24", f"see queueing\nsignal {name}\nexit 0\nrestored\n")


for signal_name in ("SIGSEGV", "SIGABRT"):
    @test(f"a crash ({signal_name}) gives the terminal back and shows in the status")
    def _(name=signal_name):
        play(busy_story(), "80x24", f"see queueing\nsignal {name}\nexit signal {name}\nrestored\n")


@test("stopping gives the terminal back, going on takes it again")
def _():
    script = "see queueing\nsignal SIGTSTP\nstopped\nsignal SIGCONT\nsee queueing\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("after a stop from outside the screen is drawn anew and keys work")
def _():
    script = "see queueing\nsignal SIGSTOP\nstopped\nsignal SIGCONT\nkey 2\nsee Devices.*6 of 7\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("TERM unset on a terminal is refused in one line")
def _():
    with harness.scratch() as folder:
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "120x24", "-w", "20", "-", "--",
             "env", "-u", "TERM", harness.program()],
            input=b"see iotriage: TERM is not set.*-b\nexit 4\nnoescape\nrestored\n", cwd=folder,
            env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("pausing and going on, again and again, shows live figures")
def _():
    with harness.scratch() as folder:
        script = "see VERDICT\n" + "key <Space>\nkey <Space>\n" * 20 + "see %util\nkey Q\nexit 0\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "20", "-", "--", harness.program()],
            input=script.encode(), cwd=folder, env=harness.environment(), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("a back reference in a filter is refused, not tried for hours")
def _():
    play(busy_story(), "80x24", "see queueing\nkey 3\nkey /(a*)*\\\\1z\nsee back references are not\n"
         "key <Esc>\nkey Q\nexit 0\nrestored\n")


@test("a terminal that vanishes ends the program, without a spin")
def _():
    play(busy_story(), "80x24", "see queueing\nclose\nexit nonzero\n")


@test("so it does where SIGHUP is ignored")
def _():
    play(busy_story(), "80x24", "ignorehup\nsee queueing\nclose\nexit nonzero\n")


for kind in ("", "dumb", "nosuch"):
    @test(f"TERM={kind!r} on a terminal is refused in one line")
    def _(kind=kind):
        play_term(kind)


def play_term(kind):
    with harness.scratch() as folder:
        busy_story().write(os.path.join(folder, "story"))
        script = "see iotriage: .*TERM.*-b\nexit 4\nnoescape\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "120x24", "-t", kind, "-w", "20", "-", "--",
             harness.program(), "--procfs", "story"], input=script.encode(), cwd=folder,
            env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("nobody is told how many tasks are unreadable and what would bring them")
def _():
    with harness.unprivileged() as (prefix, path):
        script = "see [0-9]+ of [0-9]+ tasks unreadable: run as root .or with CAP_SYS_PTRACE.\nkey Q\nexit 0\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "20", "-", "--", *prefix, path],
            input=script.encode(), cwd="/", env=harness.environment(), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("500 random keys and resizes on a live machine end clean")
def _():
    with harness.scratch() as folder:
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "60", "-", "--",
             harness.program()], input=b"see VERDICT\nrandom 500 42 qQ<F10>\n",
            cwd=folder, env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("500 random keys and resizes on a story end clean")
def _():
    script = "see queueing\nrandom 500 7 qQ<F10>\n"
    play(busy_story(), "80x24", script)


if __name__ == "__main__":
    harness.main()
