# SPDX-License-Identifier: GPL-2.0-or-later
"""Stories that the screen is tested on, and how a script of keys is played on them."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "stories"))

import harness  # noqa: E402
from harness import check  # noqa: E402
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
    story.each("proc/stat", [f"cpu  {i * 20} 0 {i * 30} {i * 450} 0 0 0 0 0 0\nprocs_blocked 0\n"
                             for i in range(STEPS)])
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


def ended_story():
    """The same task, gone at the last step."""
    story = files_story()
    for path in [path for path in story.files[-1] if path.startswith("proc/9120/")]:
        del story.files[-1][path]
    return story


def ramp_story():
    """A disk whose requests take longer and longer, with a pause between."""
    story = Story(12)
    readings = [USED]
    for i in range(11):
        load = {} if i == 5 else {"w": 100, "wkb": 800, "await_ms": 2 * i + 1, "queue": 0.1 * i, "util": 9 * i}
        readings.append(rates(readings[-1], **load))
    story.disk("sda", *readings)
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


def past_story():
    """A saturated disk, few AIO slots, a writer that a journal waits for; findings of two disks are over."""
    still, slow = {}, {"r": 20, "rkb": 80, "await_ms": 25, "queue": 0.5, "util": 50}
    serial = {"w": 163, "wkb": 1304, "await_ms": 6.13, "queue": 1.0, "util": 99.7}
    deep = {"r": 90, "w": 522, "rkb": 4000, "wkb": 156856, "await_ms": 277.58, "queue": 143.07, "util": 100.1}
    rows = {"sda": [serial] * 5 + [still] * 10, "sdb": [slow] * 4 + [still] * 4 + [slow] * 3 + [still] * 4,
            "sdc": [still] * 4 + [deep] * 11}
    n = 16
    story = Story(n)
    for i, (name, of) in enumerate(rows.items()):
        readings = [USED]
        for row in of:
            readings.append(rates(readings[-1], **row))
        story.disk(name, *readings, dev=(8, 16 * i), queue_rotational=1)
    story.task(500, "etcd", [io_text(write_bytes=i * 9000 * 1024) for i in range(n)])
    story.task(320, "jbd2/sdc-8", [io_text(write_bytes=i * 40 * 1024) for i in range(n)], kernel=True,
               blkio=[40 * i for i in range(n)])
    story.always("proc/sys/kernel/task_delayacct", "1\n")
    story.aio(65000, 65536)
    return story


def over_story():
    """A disk was serial for some ticks, and does nothing now."""
    story = Story(10)
    readings = [USED]
    for i in range(9):
        row = {"w": 163, "wkb": 1304, "await_ms": 6.13, "queue": 1.0, "util": 99.7} if i < 4 else {}
        readings.append(rates(readings[-1], **row))
    story.disk("sda", *readings)
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


def steps(*lines):
    """A script that begins when the figures are there, and ends clean."""
    return "\n".join(["see stall", *lines, "key Q", "exit 0", "restored", ""])
