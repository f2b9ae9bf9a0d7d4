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
from story import USED, Link, Story, counters, io_text, rates  # noqa: E402

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


def open_file(story, pid, fd, target, flags=0o100002, positions=(0,) * STEPS, mount=21, more=""):
    """A descriptor: its link, and what fdinfo says at each step."""
    story.always(f"proc/{pid}/fd/{fd}", Link(target))
    story.each(f"proc/{pid}/fdinfo/{fd}",
               [f"pos:\t{at}\nflags:\t0{flags:o}\nmnt_id:\t{mount}\nino:\t{1000 + fd}\n{more}" for at in positions])


def files_story():
    """The saturated disk's writer has files, a ring, contexts, and more sockets than files."""
    story = busy_story()
    pid, direct, datasync = 9120, 0o40000, 0o10000
    story.always(f"proc/{pid}/mountinfo",
                 "20 1 8:5 / / rw - ext4 /dev/sda5 rw\n21 20 8:32 / /u02 rw - xfs /dev/sdc rw\n"
                 "22 20 0:5 / /dev rw - devtmpfs udev rw\n")
    moved = [i * 156010 * 1024 for i in range(STEPS)]
    open_file(story, pid, 3, "/u02/oradata/PROD/system01.dbf", 0o100002 | direct, moved)
    open_file(story, pid, 4, "/u02/oradata/PROD/undotbs01.dbf", 0o100002 | direct)
    open_file(story, pid, 5, "/u02/oradata/PROD/a folder whose name is so long that it will be cut/数据.dbf",
              0o100002 | direct | datasync)
    open_file(story, pid, 6, "/u02/trace/dbw0.trc (deleted)", 0o102001, [4096] * STEPS)
    open_file(story, pid, 7, "/dev/sdc", 0o100000, mount=22)
    open_file(story, pid, 8, "/dev/null", 0o100002, mount=22)
    open_file(story, pid, 9, "anon_inode:[eventpoll]", 0o2, mount=15)
    open_file(story, pid, 10, "anon_inode:[io_uring]", 0o2, mount=15, more="SqTail:\t7\nCqTail:\t7\n")
    for fd in range(11, 42):
        open_file(story, pid, fd, f"socket:[{fd}]", 0o2, mount=9)
    aio = "7f0000000000-7f0000021000 rw-s 00000000 00:0c 77 /[aio] (deleted)\n"
    story.always(f"proc/{pid}/maps", "400000-401000 r-xp 00000000 08:05 12 /u01/bin/oracle\n" + 2 * aio)
    story.always(f"proc/{pid}/cgroup", "0::/system.slice/oracle.service\n")
    story.always(f"proc/{pid}/exe", Link("/u01/bin/oracle"))
    story.always(f"proc/{pid}/cwd", Link("/u01/dbs"))
    return story


def totals_story():
    """One task ended after it had written, and somebody wrote whom nobody saw."""
    story = busy_story()
    ended = [io_text(write_bytes=i * 5000 * 1024) for i in range(3)] + [False] * (STEPS - 3)
    story.task(6000, "cp", ended, uid=26)
    story.disk("sdd", *grow({"w": 100, "wkb": 51200, "await_ms": 1, "queue": 0.1, "util": 10}), dev=(8, 48))
    return story


def mirror_story():
    """A logical volume on an md mirror of two disks, one of them with partitions."""
    story = Story(STEPS)
    slow = {"w": 80, "wkb": 640, "await_ms": 12.5, "queue": 1.0, "util": 99}
    load = {"w": 80, "wkb": 640, "await_ms": 3, "queue": 0.24, "util": 24}
    story.disk("sda", *grow(load), queue_nr_requests=64, device_queue_depth=31, queue_scheduler="[none] mq-deadline",
               queue_read__ahead__kb=128)
    story.partition("sda1", "sda", *grow(load))
    story.partition("sda2", "sda", *[USED] * STEPS, dev=(8, 2))
    story.disk("sdb", *grow(slow), dev=(8, 16))
    story.disk("md0", *grow(slow), dev=(9, 0), md_level="raid1")
    story.stands_on("md0", "sda1", "sdb")
    story.disk("dm-0", *grow(slow), dev=(253, 0), dm_name="vg-data")
    story.disk("dm-1", *[USED] * STEPS, dev=(253, 1), dm_name="vg-swap")
    story.stands_on("dm-0", "md0")
    story.stands_on("dm-1", "md0")
    story.task(4711, "writer", task_io(0, 640))
    machine(story)
    return story


def threads_story():
    """A database with threads of which one writes, and a thread of the kernel."""
    story = Story(STEPS)
    story.disk("sda", *grow({"w": 100, "wkb": 800, "await_ms": 2, "queue": 0.2, "util": 20}))
    story.task(2, "kthreadd", task_io(0, 0), kernel=True)
    story.task(4711, "mariadbd", task_io(0, 800), threads=3)
    for tid, wkb in ((4711, 0), (4712, 800), (4720, 0)):
        story.thread(4711, tid, "mariadbd" if tid == 4711 else f"ib_io_wr-{tid % 10}", task_io(0, wkb))
    story.task(300, "quiet", task_io(0, 0))
    machine(story)
    return story


def off_story():
    """Delay accounting is off."""
    story = threads_story()
    story.always("proc/sys/kernel/task_delayacct", "0\n")
    return story


def loops_story():
    """Nine loop devices that did something once, and more tasks than lines."""
    story = busy_story()
    for i in range(1, 10):
        story.disk(f"loop{i}", *[USED] * STEPS, dev=(7, i))
    return story


def inherited_story():
    """A shell whose children came and went within the intervals, among tasks that do nothing."""
    story = off_story()
    story.task(5000, "sh", task_io(0, 7000), reaped=[900 * i for i in range(STEPS)])
    story.thread(5000, 5000, "sh", task_io(0, 0))
    return story


def play(story, size, script, *arguments, **changes):
    """Runs a script of keys and expectations against the program on a story."""
    with harness.scratch() as folder:
        story.write(os.path.join(folder, "story"))
        config = os.path.join(folder, "iotriage", "config")
        os.makedirs(os.path.dirname(config))
        with open(config, "w", encoding="utf-8") as file:
            file.write(changes.pop("settings", ""))
        env = harness.environment(GOLDEN=GOLDEN, XDG_CONFIG_HOME=folder, **changes)
        if changes.get("LC_ALL"):
            env["PTY_LC_ALL"] = changes["LC_ALL"]
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", size, "-w", "20", "-", "--",
             harness.program(), "--procfs", "story", *arguments],
            input=script.encode(), cwd=folder, env=env, timeout=harness.PATIENCE_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        check(done.returncode, 0, "ptyscreen: " + done.stdout.decode("utf-8", "replace"))
        with open(config, encoding="utf-8") as file:
            return file.read()


def golden(name, size, keys="", *arguments, story=busy_story, **how):
    """One screen after these keys, and a clean end."""
    @test(f"screen {name} at {size}")
    def _():
        steps = ["see stall", *(f"key {key}" for key in keys.split())] if keys or arguments else []
        script = "\n".join([*steps, f"expect {GOLDEN}/{name}-{size}", "key <Esc>", "key <Esc>", "key Q", "exit 0", "restored"])
        play(story(), size, script + "\n", *arguments, **how)


for each_size in ("40x10", "80x24", "200x50"):
    golden("overview", each_size)
golden("overview-loops", "80x24", "1", story=loops_story)
golden("overview-loops", "80x60", "1", story=loops_story)
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
for each_size in ("80x24", "40x10", "200x50"):
    golden("device", each_size, "2 <Down> <Enter>")
    golden("task", each_size, "3 <Down> <Enter>", story=files_story)
    golden("files", each_size, "", "--panel", "files", "-p", "9120", story=files_story)
for each_size in ("80x24", "40x10"):
    golden("aio-tasks", each_size, "4 <Down>", story=files_story)
golden("device-stack", "80x24", "2 / m d 0 <Enter> <Down> <Enter> <PgDn>", story=mirror_story)
golden("partition", "80x24", "2 / s d a <Enter> <Down> <Down> <Enter>", story=mirror_story)
golden("device-finding", "80x24", "6 <Down> <Down> <Enter> <End>")
golden("task-end", "80x24", "3 <Down> <Enter> <End>", story=files_story)
golden("task-of-aio", "80x24", "4 <Down> <Enter>", story=files_story)
golden("files-all", "80x24", "o <End>", "--panel", "files", "-p", "9120", story=files_story)
golden("files-unselected", "80x24", "<Tab> <Tab> <Tab> <Tab>")
golden("files-filter", "80x24", "/ u n d o <Enter>", "--panel", "files", "-p", "9120", story=files_story)
golden("totals-tasks", "80x24", "3 <Down>", "-a", story=totals_story)
golden("totals-programs", "80x24", "3 a", "-a", story=totals_story)
golden("totals-users", "80x24", "3 a a", "-a", story=totals_story)
golden("totals-filter", "80x24", "3 / o r a <Enter>", "-a", story=totals_story)
golden("totals-back", "80x24", "a a a", "-a", story=totals_story)
golden("totals-over", "80x24", "", "-a", story=totals_story)
golden("findings", "80x24", "6")
golden("help", "80x24", "?")
golden("zoom", "80x24", "<Right> z")
golden("idle", "80x24", story=idle_story)
golden("no-tasks", "80x24", "3", story=idle_story)
golden("tiny", "20x5")
golden("stack", "80x24", "2", story=stack_story)
golden("stack", "200x50", "2", story=stack_story)
golden("stack-flat", "80x24", "2 T", story=stack_story)
golden("stack-ascii", "80x24", "2", story=stack_story, LC_ALL="C")
golden("threads", "80x24", "3", "--threads", story=threads_story)
golden("threads", "200x50", "3", "--threads", story=threads_story)
golden("chooser", "80x24", "2 C")
golden("chooser-no-room", "80x24", "2 C <Down> <Down> <Space> <Down> <Enter> d <Space> <Down> <Space>")
golden("chooser-threads", "80x24", "3 C", "--threads", story=threads_story)
golden("columns-chosen", "80x24", "2", settings="columns.devices = device, r_await, w_await, %util\n")
golden("columns-chosen", "200x50", "2", settings="columns.devices = device,r_await,w_await,%util\n")
golden("ioprio", "80x24", "3 <Down> i")
golden("ioprio-level", "80x24", "3 <Down> i b")
golden("ioprio-confirm", "80x24", "3 <Down> i r 0", story=threads_story)
golden("ioprio-thread", "80x24", "3 <Down> i i", "--threads", story=threads_story)
golden("ioprio", "40x10", "3 <Down> i")
golden("delayacct-confirm", "80x24", "D", story=off_story)
for each_size in ("80x24", "120x24"):
    golden("inherited", each_size, "3", story=inherited_story)
golden("delayacct-told", "80x24", "", story=off_story)
golden("too-small", "12x3")


def steps(*lines):
    """A script that begins when the figures are there, and ends clean."""
    return "\n".join(["see stall", *lines, "key Q", "exit 0", "restored", ""])


# ---- columns ----

@test("chosen columns are written to the settings, d brings the table's own back")
def _():
    toggle = [r"key 2", "key C", "see Columns of devices: 11 chosen", "key <Down>", "key <Down>", "key <Space>",
              "see Columns of devices: 12 chosen, 11 fit here", r"see ^\[-\] rrqm/s"]
    kept = play(busy_story(), "80x24", steps(*toggle, "key C", "see VERDICT"))
    check(kept, "columns.devices = mark,device,rrqm/s,r/s,w/s,rkB/s,wkB/s,avgqu-sz,await,svctm,%util,verdict\n", "settings")
    kept = play(busy_story(), "80x24", steps("key 2", "key C", "see Columns of devices: 1 chosen", "key d", "see 11 chosen",
                                             "key <Esc>", "see VERDICT"), settings="columns.devices = device\n")
    check(kept.strip(), "columns.devices =", "settings after d")


@test("looking at the columns changes no settings")
def _():
    check(play(busy_story(), "80x24", steps("key 2", "key C", "see Columns of", "key <Esc>", "see VERDICT")), "", "settings")


@test("some column that names the rows stays")
def _():
    script = steps("key 2", "key C", "see 2 chosen", "key <Down>", "key <Enter>", "see this one stays", r"see ^\[x\] device",
                   "key <Esc>", "see DEVICE")
    play(busy_story(), "80x24", script, settings="columns.devices = device,%util\n")
    play(busy_story(), "80x24", steps("key 2", "see DEVICE +r/s"), settings="columns.devices = r/s\n")


@test("a column sorted by is shown although others were chosen; the table's own order tells only the title")
def _():
    own = "columns.tasks = pid,wkB/s,command\n"
    play(busy_story(), "80x24", steps("key 3", "see PID +wkB/s COMMAND", "see by kB/s"), settings=own)
    play(busy_story(), "80x24", steps("see PID +rkB/s +wkB/s COMMAND"), "--panel", "tasks", "--sort", "rkB/s", settings=own)


@test("findings have no columns")
def _():
    play(busy_story(), "80x24", steps("key 6", "key C", "see findings are sentences"))


# ---- the mouse: its reports are ESC [ < button ; column ; line M ----

@test("a click on a header sorts by it, a second one reverses, on a narrow and a wide screen")
def _():
    play(busy_story(), "80x24", steps(r"key \e[<0;17;4M\e[<0;17;4m", "see Devices.*by r/s ↓", r"key \e[<0;18;4M\e[<0;18;4m",
                                      "see Devices.*by r/s ↑", r"key \e[<0;70;4M", "see Devices.*by verdict ↑"))
    play(busy_story(), "200x50", steps("key 3", r"key \e[<0;3;4M", "see Tasks.*by pid ↑"))


@test("a click selects the row under it and gives its section the keys")
def _():
    script = steps(r"key \e[<0;30;13M\e[<0;30;13m", "see ^pid 77 ", "key z", "see ^─Tasks", "gone Devices")
    play(busy_story(), "80x24", script)
    play(busy_story(), "80x24", steps("key 2", r"key \e[M >)", "see ^nvme0n1 .*scheduler none"))  # three bytes


@test("a click on a finding selects it, whichever of its lines")
def _():
    play(busy_story(), "80x24", steps("key 6", r"key \e[<0;30;6M", "attr ^C.sdc reverse"))


@test("a second click on an entry of a menu chooses it")
def _():
    click = r"\e[<0;9;9M\e[<0;9;9m"
    play(busy_story(), "80x24", steps("key 2", "key <F6>", "see Sort devices", "key " + click + click, "see by r/s"))
    play(busy_story(), "80x24", steps("key 2", "key C", "see Columns of", "key " + click + click, r"see ^\[ \] w/s"))


@test("a second click on a row is Enter, and the wheel scrolls what is told of it")
def _():
    click = r"key \e[<0;30;14M\e[<0;30;14m\e[<0;30;14M\e[<0;30;14m"
    play(busy_story(), "80x24", steps(click, "see ora_dbw0_A", "gone ^─Devices", "key i", "see I/O priority of 4711 ora_dbw0_A",
                                      "key <Esc>", "see not confirmed", "key <Esc>", "see ^─Devices"))
    play(busy_story(), "80x24", steps("key 2", r"key \e[<0;30;9M", "see ^nvme0n1 ", "sleep 600", r"key \e[<0;30;9M", "sleep 300",
                                      "see ^─Devices"))


@test("the wheel scrolls by three and leaves the selection where it is")
def _():
    script = steps("key 3", "key <Down>", "see ^pid 9120", r"key \e[<65;30;9M", "see by kB/s ↓ held", "gone ^   9120",
                   "see ^   4711|829.0", "see ^pid 9120", r"key \e[<64;30;9M", "see ^   9120", r"key \e[<65;30;9M\e[<65;30;9M",
                   "gone ^ +77 ", "key <Down>", "see ^ +77 ")
    play(busy_story(), "80x24", script)
    play(busy_story(), "80x24", steps("key ?", "see lines 1 to", r"key \e[<65;30;9M", "see lines 4 to"))


@test("a click in the bottom line is the key that stands there")
def _():
    play(busy_story(), "80x24", steps(r"key \e[<0;15;24M", "see ^─Tasks", r"key \e[<0;75;1M", "see ^─Tasks", r"key \e[<0;9;24M",
                                      "see ^─Devices.*6 of 7", r"key \e[<0;58;24M", "see filter devices:", r"key \e[<0;9;24M", "key <Esc>"))


@test("reports of the mouse are never keys: cut, spread, odd or huge ones")
def _():
    odd = [r"key \e[<0;", "sleep 60", "key 17;4", "sleep 60", "key M", "see by r/s", r"key \e[<0;3", "key 1", "key 2;9;6;6M",
           r"key \e[<99999999999999999999;2;3M", r"key \e[<;;M", r"key \e[<2;6;6M", r"key \e[<35;6;6M", r"key \e[<0;9999;9999M",
           r"key \e[<0;0;0M", r"key \e[M23", "key 4", r"key \e[M\xff\xff\xff", "see ^─Tasks", "see ^─Devices.*by r/s"]
    play(busy_story(), "80x24", steps(*odd))


@test("the mouse is asked for, lent back while stopped, and given back in a crash too")
def _():
    stop = ["mouse on", "signal SIGTSTP", "stopped", "mouse off", "signal SIGCONT", "see queueing", "mouse on"]
    play(busy_story(), "80x24", steps(*stop))
    play(busy_story(), "80x24", "see queueing\nmouse on\nsignal SIGSEGV\nexit signal SIGSEGV\nrestored\n")
    play(busy_story(), "80x24", steps("see queueing", "mouse off"), settings="mouse = no\n")


@test("where the mouse is not wanted its reports do nothing")
def _():
    play(busy_story(), "80x24", steps(r"key \e[<0;17;4M", r"key \e[<0;15;24M", "key r", "see Devices.*by %util ↑"),
         settings="mouse = no\n")


@test("inherited I/O breaks ties of the tasks' own order only, and IO% keeps a place that was chosen")
def _():
    play(inherited_story(), "80x24", steps("key 3", "see inhkB/s COMMAND", "see mariadbd", "see ^   5000 .* 7000.0 sh", "key /sh|quiet",
                                           "key <Enter>", "key <Home>", "see ^pid 5000"))
    play(inherited_story(), "80x24", steps("see inhkB/s +IO%", "key <End>", "see ^pid 5000"), "--panel", "tasks", "--sort", "IO%")
    play(inherited_story(), "80x24", steps("key 3", "see wkB/s +IO% COMMAND", "gone inhkB/s"),
         settings="columns.tasks = pid,wkB/s,IO%,command\n")


# ---- what keys do where nothing is selected ----

@test("Enter, 5 and i take the first row where none is selected")
def _():
    play(busy_story(), "80x24", steps("key <Enter>", "see ^─Device sdc"))
    play(busy_story(), "80x24", steps("key 3", "key <Enter>", "see ^─Task 9120", "key <Esc>", "attr 9120.*ora_dbw0_B reverse"))
    play(busy_story(), "80x24", steps("key 6", "key <Enter>", "see ^─Device sdc"))
    play(files_story(), "80x24", steps("key 5", "see system01.dbf"))
    play(busy_story(), "80x24", steps("key i", "see I/O priority of 9120 ora_dbw0_B", "key <Esc>", "see not confirmed"))
    play(totals_story(), "80x24", steps("key 3", "key <Enter>", "see ^─Task 9120"), "-a")


@test("what no task accounts for is no first row, and is told in full")
def _():
    script = steps("key 3", "key <Enter>", "see ^─Task 1 ", "key <Esc>", "key <Home>", "see ^.unattributed. write-back: what",
                   "key <Enter>", "gone Enter more", "see no task accounts for")
    story = Story(STEPS)
    story.disk("sda", *grow({"w": 100, "wkb": 51200, "await_ms": 1, "queue": 0.1, "util": 10}))
    story.task(1, "init", task_io(0, 0))
    machine(story)
    play(story, "80x24", script)
    play(story, "40x14", steps("key 3", "key <Home>", "key <Enter>", "see and no task accounts for"))


@test("a notice goes by itself after some ticks")
def _():
    with harness.scratch() as folder:
        script = "see VERDICT\nkey D\nsee --read-only: nothing is changed\nsee Enter more\nkey Q\nexit 0\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "20", "-", "--", harness.program(),
             "--read-only", "-d", "0.2"], input=script.encode(), cwd=folder, env=harness.environment(XDG_CONFIG_HOME=folder),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


# ---- what changes the system ----

@test("only y confirms; in a recorded tree nothing is changed even then")
def _():
    for key in ("n", "<Enter>", "<Esc>", "Q", "<Space>", "<Up>"):
        play(off_story(), "80x24", steps("key D", "see Switch kernel", f"key {key}", "see not confirmed: nothing was changed",
                                         "key 3", "see ^─Tasks", "see / filter"))
    play(off_story(), "80x24", steps("key D", "see Switch kernel", "key y", "see a recorded tree: nothing"))
    play(busy_story(), "80x24", steps("key 3", "key <Down>", "key i", "key b", "key 9", "see not confirmed"))
    play(busy_story(), "80x24", steps("key 3", "key <Down>", "key i", "key x", "see not confirmed", "key i", "key n",
                                      "see Set 9120 ora_dbw0_B to none. y/n", "key y", "see a recorded tree"))


@test("what has no I/O priority, or none of ours to change, is told")
def _():
    play(threads_story(), "80x24", steps("key 3", "key i", "see I/O priority of.* 4711 mariadbd", "key <Esc>", "key <Down>",
                                         "key i", "see 2 kthreadd is a thread of the kernel", "key <End>", "see what devices did",
                                         "key i", "see no task: it has no priority"))
    play(threads_story(), "80x24", steps("key <Down>", "key 2", "key <Enter>", "key i", "see no task is selected"))
    play(idle_story(), "80x24", steps("key 3", "key i", "see no task is selected"))


@test("--read-only changes nothing, and does not offer to")
def _():
    play(off_story(), "80x24", steps("see IO% needs kernel.task_delayacct=1$", "key D", "see --read-only: nothing is changed",
                                     "key 3", "key <Down>", "key i", "see --read-only: nothing is changed"), "--read-only")


@test("delay accounting that is on, or has no switch, is not asked about")
def _():
    play(busy_story(), "80x24", steps("key D", "see is on already"))
    without = threads_story()
    for files in without.files:
        del files["proc/sys/kernel/task_delayacct"]
    play(without, "80x24", steps("key D", "see this kernel has no kernel.task_delayacct"))


@test("a recorded tree has the threads it began with")
def _():
    play(threads_story(), "80x24", steps("key 3", "key t", "see --threads begins with threads", "key a", "see ^─Totals",
                                         "key t", "see totals are of processes", "key <Down>", "key i", "see totals have no priority"))


@test("peaks begin anew with R")
def _():
    play(busy_story(), "80x24", steps("key 2", "key R", "see peaks begin anew"))


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
             harness.program(), "--read-only"], input=b"see VERDICT\nrandom 500 42 qQ<F10>\n",
            cwd=folder, env=harness.environment(XDG_CONFIG_HOME=folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("500 random keys and resizes on a story end clean")
def _():
    script = "see queueing\nrandom 500 7 qQ<F10>\n"
    play(busy_story(), "80x24", script)


if __name__ == "__main__":
    harness.main()
