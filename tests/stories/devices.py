#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices: the layouts of diskstats, names, identity, what is a partition, what adds up."""
import random

import harness
from harness import check, check_cells, check_true, only, test
from story import BASIC, DISCARDS, FLUSHES, USED, Link, Story, counters, plus

READS = plus(USED, rd_ios=100, rd_sectors=800, rd_ms=500, io_ms=400, weighted_ms=500)  # 100 r/s, 400 kB/s
SAME = {"r/s": "100.0", "w/s": "0.0", "rkB/s": "400.0", "wkB/s": "0.0", "await": "5.00", "r_await": "5.00",
        "w_await": "", "svctm": "4.00", "%util": "40.0", "avgqu-sz": "0.50"}


def one(before, after, *arguments, seconds=1.0, **attributes):
    """The row of one disk over one interval."""
    story = Story(2, seconds)
    story.disk("sda", before, after, **attributes)
    return only(story.rows(*arguments))


def total(story):
    """kB/s read from the lowest physical devices."""
    return float(only(story.rows("--panel", "system"))["done_rkB/s"])


# ---- layouts ----

@test("11, 15, 17 and more fields of the same disk give the same figures")
def _():
    for fields in (11, 15, 17, 19, 40):
        before, after = (list(USED) + [7] * 30)[:fields], (list(READS) + [7] * 30)[:fields]
        row = one(before, after)
        check_cells(row, SAME, f"{fields} fields")
        check_cells(row, {"d/s": "" if fields < DISCARDS else "0.0", "dkB/s": "" if fields < DISCARDS else "0.0",
                          "f/s": "" if fields < FLUSHES else "0.0"}, f"{fields} fields")


@test("a group of fields that is cut short is left out, the groups before it count")
def _():
    for fields in (12, 13, 14, 16):
        row = one(USED[:fields], READS[:fields])
        check_cells(row, {**SAME, "f/s": "", "d/s": "" if fields < DISCARDS else "0.0"}, f"{fields} fields")


@test("the four fields of old partitions are reads, sectors read, writes, sectors written")
def _():
    story = Story(2)
    story.disk("sda", USED[:BASIC], READS[:BASIC])
    story.disk("sda1", [35486, 38030, 38000, 38030], [35496, 38110, 38005, 38070], dev=(8, 1))
    row = only(story.rows(), device="sda1")
    check_cells(row, {"r/s": "10.0", "rkB/s": "40.0", "w/s": "5.0", "wkB/s": "20.0", "await": "", "%util": "",
                      "avgqu-sz": "", "svctm": "", "r_await": "", "inflight": "", "rrqm/s": "", "f/s": "",
                      "d/s": "", "depth": "", "wait%": "", "mark": ""})


@test("a line that is no device is left out and the others stand")
def _():
    story = Story(2)
    for i, reading in enumerate((USED, READS)):
        for text in ("", "   ", "8", "8 0", "8 0 sdz", "8 0 sdz 1", "8 0 sdz 1 2 3 4 5 6", "x y sdz 1 2 3 4",
                     "8 0 sdz a b c d e f g h i j k", "\x01\x02\x03", "8 0 " + "n" * 200 + " 1 2 3 4"):
            story.line(i, text)
        story.line(i, "8 0 sda " + " ".join(map(str, reading)))
        story.line(i, "9" * (1 << 20))
    check_cells(only(story.rows()), {"device": "sda", **SAME})


@test("a last line without a newline counts, and tabs and many blanks separate fields")
def _():
    story = Story(2)
    for i, reading in enumerate((USED, READS)):
        story.put(i, "proc/diskstats", "\t8\t 0 \t sda   " + "\t".join(map(str, reading)))
    check_cells(only(story.rows()), SAME)


@test("without diskstats the same row comes from sys/block/NAME/stat")
def _():
    story = Story(2)
    for i, reading in enumerate((USED, READS)):
        story.put(i, "sys/block/vda/stat", " ".join(f"{n:8d}" for n in reading) + "\n")
        story.put(i, "sys/block/vda/dev", "253:0\n")
        story.put(i, "sys/block/vda/queue/scheduler", "[mq-deadline] none\n")
    check_cells(only(story.rows()), {"device": "vda", "scheduler": "mq-deadline", **SAME})


@test("an empty diskstats without a sys is no device and no error")
def _():
    story = Story(2)
    story.whole = False
    story.always("proc/diskstats", "")
    result = story.run()
    check(result.rows(), [], "rows")
    check(result.out.count(b"\n"), 1, "lines: the header only")


@test("without diskstats and sys the other panels still work")
def _():
    story = Story(2)
    story.task(42, "cat", [None, None])
    check([row["pid"] for row in story.rows("--panel", "tasks")], ["42"], "pids")
    check_cells(only(story.rows("--panel", "system")), {"done_rkB/s": "", "done_wkB/s": "", "tasks": "1"})
    check(story.rows("--panel", "findings"), [], "findings")
    check(story.rows("--panel", "devices"), [], "devices")


# ---- totals ----

def multipath(own_before, own_after, with_paths=True):
    story = Story(2)
    story.disk("nvme0n1", own_before, own_after, dev=(259, 1))
    if with_paths:
        story.disk("nvme0c0n1", USED, plus(USED, rd_ios=100, rd_sectors=800, rd_ms=100, io_ms=90), dev=(0, 0))
        story.disk("nvme0c1n1", USED, plus(USED, rd_ios=50, rd_sectors=400, rd_ms=50, io_ms=40), dev=(0, 0))
    return story


@test("hidden NVMe paths, all of them 0:0, are folded into their idle namespace and counted once")
def _():
    story = multipath(counters(), counters())
    row = only(story.rows())
    check_cells(row, {"device": "nvme0n1", "r/s": "150.0", "rkB/s": "600.0", "await": "1.00"})
    check(total(story), 600.0, "total kB/s")
    rows = story.rows("--device", "nvme*")
    for name, reads in (("nvme0n1", "150.0"), ("nvme0c0n1", "100.0"), ("nvme0c1n1", "50.0")):
        check_cells(only(rows, device=name), {"r/s": reads}, name)


@test("a namespace with counts of its own is taken as it is and its paths leave the total")
def _():
    story = multipath(USED, plus(USED, rd_ios=150, rd_sectors=1200, rd_ms=150, io_ms=90))
    check_cells(only(story.rows()), {"device": "nvme0n1", "r/s": "150.0", "rkB/s": "600.0"})
    check(total(story), 600.0, "total kB/s")


@test("a disk, its partition and the dm device on it are counted once")
def _():
    story = Story(2)
    story.disk("sda", USED, READS)
    story.partition("sda1", "sda", USED, READS)
    story.disk("dm-0", USED, READS, dev=(253, 0), dm_name="rl-root")
    story.stands_on("dm-0", "sda1")
    check(total(story), 400.0, "total kB/s")
    check_cells(only(story.rows(), device="dm-0"), {"title": "rl-root", "r/s": "100.0"})


@test("an NVMe disk with eight partitions is counted once")
def _():
    story = Story(2)
    story.disk("nvme0n1", USED, READS, dev=(259, 0))
    for n in range(1, 9):
        story.partition(f"nvme0n1p{n}", "nvme0n1", USED, READS, dev=(259, n))
    check(total(story), 400.0, "total kB/s")
    check(len(story.rows()), 9, "rows")


@test("loop, ram, zram, md and dm devices stay out of the physical total, whatever digit they end in")
def _():
    story = Story(2)
    story.disk("sda", USED, READS)
    for n, name in enumerate(("zram0", "loop0", "ram0", "md127", "dm-1", "bcache0")):
        story.disk(name, USED, READS, dev=(250, n))
    story.sysfs("dm-1", dm_name="x")
    story.sysfs("md127", md_level="raid1")
    for name in ("dm-1", "md127", "bcache0"):
        story.stands_on(name, "sda")
    check(total(story), 400.0, "total kB/s")
    rows = story.rows()
    check(len(rows), 7, "rows")
    check(only(rows, device="md127")["title"], "raid1", "title of md127")


@test("a name that ends in a digit is a disk unless sysfs calls it a partition")
def _():
    story = Story(2)
    for n, name in enumerate(("mmcblk0", "mtdblock3", "sda1", "xvda1", "nbd4")):
        story.disk(name, USED, READS, dev=(100, n))
    check(total(story), 2000.0, "total kB/s")


@test("without any sysfs partitions are told by their disk's name, and not counted twice")
def _():
    story = Story(2)
    story.whole = False
    for name in ("sda", "sda1", "sda12", "nvme0n1", "nvme0n1p1", "mmcblk0", "mmcblk0p2", "sdaa", "dm-0", "md0",
                 "loop7", "zram0"):
        for i, reading in enumerate((USED, READS)):
            story.line(i, f"8 0 {name} " + " ".join(map(str, reading)))
    check(total(story), 4 * 400.0, "total kB/s of sda, sdaa, nvme0n1 and mmcblk0")


# ---- order and names ----

@test("lines in any order give the same output")
def _():
    def text(shuffle):
        story = Story(2)
        story.disk("sda", USED, READS)
        story.partition("sda1", "sda", USED, READS)
        story.partition("sda2", "sda", USED, plus(READS, rd_ios=3), dev=(8, 2))
        for n, name in enumerate(("loop0", "loop1", "dm-2", "dm-10", "sdb", "nvme0n1")):
            story.disk(name, USED, plus(READS, rd_ios=n), dev=(9, n))
        for lines in story.lines:
            shuffle(lines)
        return story.run().out

    ordered = text(lambda lines: None)
    names = [row["device"] for row in harness.parse_csv(ordered)]
    check(names, ["dm-2", "dm-10", "loop0", "loop1", "nvme0n1", "sda", "sda1", "sda2", "sdb"], "order")
    for seed in range(5):
        check(text(random.Random(seed).shuffle), ordered, "output of shuffled lines")


@test("the kernel's own name is shown, never one made from numbers")
def _():
    story = Story(2)
    for number, name in ((4096, "xvdq"), (0, "rbd0"), (1, "emcpowera"), (2, "cciss/c0d0"), (3, "a-b_c.d+e")):
        story.disk(name.replace("/", "!"), dev=(202, number), *(None, None), queue_scheduler="none")
        for i, reading in enumerate((USED, READS)):
            story.line(i, f"202 {number} {name} " + " ".join(map(str, reading)))
    rows = story.rows()
    check({row["device"] for row in rows}, {"xvdq", "rbd0", "emcpowera", "cciss/c0d0", "a-b_c.d+e"}, "names")
    check({row["scheduler"] for row in rows}, {"none"}, "schedulers, also of the name with a slash")


@test("a name of 127 bytes is whole, in the name and in what device-mapper calls it")
def _():
    story = Story(2)
    story.disk("d" * 127, USED, READS, dm_name="m" * 127)
    row = only(story.rows())
    check((row["device"], row["title"]), ("d" * 127, "m" * 127), "names")


@test("device names with commas, quotes and bad UTF-8 are exact in CSV")
def _():
    name = b'a,b"c\xff;\xe2\x82\xac'
    story = Story(2)
    for i, reading in enumerate((USED, READS)):
        story.put(i, "proc/diskstats", b"8 0 %s %s\n" % (name, " ".join(map(str, reading)).encode()))
    check(only(story.rows())["device"].encode("utf-8", "surrogateescape"), name, "name")


@test("properties of a device come from class/block: scheduler in brackets, queue limits, dm and md names")
def _():
    row = one(USED, READS, queue_scheduler="mq-deadline kyber [bfq] none",
              queue_nr_requests="256", device_queue_depth="31")
    check_cells(row, {"scheduler": "bfq", "nr_requests": "256", "queue_depth": "31", "title": ""})
    check_cells(one(USED, READS), {"scheduler": "", "nr_requests": "", "queue_depth": ""})


@test("10,000 devices with long names are all there, every row whole")
def _():
    story = Story(2)
    names = [f"disk{n}-" + "x" * 90 for n in range(10000)]
    for i, reading in enumerate((USED, READS)):
        text = " ".join(map(str, reading))
        story.put(i, "proc/diskstats", "".join(f"8 0 {name} {text}\n" for name in names))
    for name in names:
        story.always(f"sys/class/block/{name}", Link(f"../../devices/virtual/block/{name}"))
    with harness.scratch() as folder:
        story.write(folder)
        rows = harness.run("-b", "--procfs", folder).rows()
        few = harness.run("-b", "--procfs", folder, "--top", "7", "--sort", "r/s").rows()
    check([row["device"] for row in rows], names, "names")
    check({row["r/s"] for row in rows}, {"100.00"}, "r/s")
    check(len(few), 7, "rows of --top 7")


# ---- accounting, identity ----

@test("a device whose accounting is off has empty figures, not zeros")
def _():
    row = one(USED, USED, queue_iostats="0")
    check_cells(row, {name: "" for name in SAME})
    check_cells(one(USED, USED, queue_iostats="1"), {"r/s": "0.0", "await": ""})


@test("a flush is not counted for a partition, though its line has the fields")
def _():
    story = Story(2)
    after = plus(READS, fl_ios=5, fl_ms=50)
    story.disk("sda", USED, after)
    story.partition("sda1", "sda", USED, after)
    rows = story.rows()
    check_cells(only(rows, device="sda"), {"f/s": "5.0", "f_await": "10.00"})
    check_cells(only(rows, device="sda1"), {"f/s": "", "f_await": "", "r/s": "100.0"})


@test("another device under the same name is new: no rates, and the new label")
def _():
    story = Story(3)
    story.disk("dm-3", USED, READS, plus(READS, rd_ios=10), dev=(253, 3))
    story.each("sys/class/block/dm-3/diskseq", ["7\n", "9\n", "9\n"])
    story.each("sys/class/block/dm-3/dm/name", ["rl-a\n", "rl-b\n", "rl-b\n"])
    first, second = story.rows()
    check_cells(first, {**{name: "" for name in SAME}, "title": "rl-b", "verdict": ""})
    check_cells(second, {"r/s": "10.0", "title": "rl-b"})


@test("a partition of a disk replaced under its name is new too")
def _():
    story = Story(2)
    story.disk("sda", USED, plus(READS, rd_ios=500))
    story.partition("sda1", "sda", USED, READS)
    story.each("sys/class/block/sda/diskseq", ["7\n", "9\n"])
    for row in story.rows():
        check_cells(row, {"r/s": "", "await": "", "%util": ""}, row["device"])


@test("--device takes names, globs and paths, may be repeated, and shows unused devices too")
def _():
    story = Story(2)
    for n, name in enumerate(("sda", "sdb", "nvme0n1", "dm-0")):
        story.disk(name, USED, READS, dev=(8, n))
    story.disk("sdz", counters(), counters(), dev=(8, 99))
    check([row["device"] for row in story.rows()], ["dm-0", "nvme0n1", "sda", "sdb"], "used devices")
    for arguments, names in ((("--device", "sdb"), ["sdb"]), (("--device", "/dev/sd[ab]"), ["sda", "sdb"]),
                             (("--device", "nvme*", "--device", "dm-?"), ["dm-0", "nvme0n1"]),
                             (("--device", "sdz"), ["sdz"])):
        check([row["device"] for row in story.rows(*arguments)], names, str(arguments))


@test("--active leaves out idle devices, --sort puts the largest first and the absent last")
def _():
    story = Story(2)
    story.disk("sda", USED, USED)
    for n, reads in enumerate((5, 50, 20)):
        story.disk(f"sd{'bcd'[n]}", USED, plus(USED, rd_ios=reads, rd_ms=reads), dev=(8, 16 + n))
    story.disk("sde", None, USED, dev=(8, 64))
    check([row["device"] for row in story.rows("--active")], ["sdb", "sdc", "sdd"], "active")
    check([row["device"] for row in story.rows("--sort", "r/s")], ["sdc", "sdd", "sdb", "sda", "sde"], "by r/s")
    check([row["device"] for row in story.rows("--sort", "device", "--top", "2")], ["sda", "sdb"], "by name")


@test("a sysfs full of dangling links, loops and files in place of folders does no harm")
def _():
    story = Story(2)
    story.disk("sda", USED, READS, queue_scheduler="none")
    story.sysfs("sda", queue_nr_requests="")
    story.stands_on("sda", "sda", "gone")
    story.always("sys/class/block/sdb", Link("sdb"))
    story.always("sys/class/block/sdc", "a file\n")
    for name in ("sdb", "sdc"):
        for i, reading in enumerate((USED, READS)):
            story.line(i, f"8 32 {name} " + " ".join(map(str, reading)))
    rows = story.rows()
    check([row["r/s"] for row in rows], ["100.00"] * 3, "r/s")
    check_true(only(rows, device="sda")["nr_requests"] == "", "an empty file is no number")
    story.rows("--panel", "findings")


# ---- where devices are mounted, and what stands on what ----

MOUNTINFO = "proc/1/mountinfo"


def mounts(story, *lines):
    """mountinfo: (device number, root, mount point, type, source, options) each."""
    text = ""
    for i, (number, root, point, fstype, source, *options) in enumerate(lines):
        text += f"{30 + i} 1 {number} {root} {point} rw,relatime shared:{i} - {fstype} {source} {options[0] if options else 'rw'}\n"
    story.always(MOUNTINFO, text)


def mounted(story):
    """Where each device is mounted."""
    return {row["device"]: row["mounts"] for row in story.rows()}


@test("a partition is where its number is mounted, an LVM volume on a partition too; both keep their names")
def _():
    story = Story(2)
    story.disk("sda", USED, READS)
    story.partition("sda1", "sda", USED, READS)
    story.partition("sda2", "sda", USED, READS, dev=(8, 2))
    story.disk("dm-0", USED, READS, dev=(253, 0), dm_name="vg--a-root")
    story.disk("dm-1", USED, READS, dev=(253, 1), dm_name="vg--a-swap")
    story.stands_on("dm-0", "sda2")
    story.stands_on("dm-1", "sda2")
    mounts(story, ("253:0", "/", "/", "ext4", "/dev/mapper/vg--a-root"), ("8:1", "/", "/boot", "xfs", "/dev/sda1"),
           ("253:0", "/", "/srv/long", "ext4", "/dev/mapper/vg--a-root"), ("0:21", "/", "/proc", "proc", "proc"))
    story.always("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/dm-1 partition\t8388604\t0\t-2\n"
                 "/swapfile file 100 0 -3\n")
    check(mounted(story), {"sda": "", "sda1": "/boot", "sda2": "", "dm-0": "/ /srv/long", "dm-1": "[swap]"}, "mounts")
    check(only(story.rows(), device="dm-0")["title"], "vg--a-root", "title")
    check(total(story), 400.0, "total kB/s: the disk, once")


@test("swap on a volume is found by the name device-mapper gives it")
def _():
    story = Story(2)
    story.disk("dm-0", USED, READS, dev=(253, 0), dm_name="vg-swap")
    story.always("proc/swaps", "Filename Type Size Used Priority\n/dev/mapper/vg-swap partition 1 0 -2\n")
    check(mounted(story), {"dm-0": "[swap]"}, "mounts")


@test("an md array on two partitions is mounted, its members are not")
def _():
    story = Story(2)
    for n, disk in enumerate(("sda", "sdb")):
        story.disk(disk, USED, READS, dev=(8, 16 * n))
        story.partition(f"{disk}1", disk, USED, READS, dev=(8, 16 * n + 1))
    story.disk("md127", USED, READS, dev=(9, 127), md_level="raid1")
    story.stands_on("md127", "sda1", "sdb1")
    mounts(story, ("9:127", "/", "/data", "xfs", "/dev/md127"))
    check(mounted(story), {"md127": "/data", "sda": "", "sda1": "", "sdb": "", "sdb1": ""}, "mounts")
    check(total(story), 800.0, "total kB/s: the two disks")


@test("every member of a btrfs has its mounts, whichever of them the kernel names")
def _():
    story = Story(2)
    for n, disk in enumerate(("sda", "sdb", "sdc")):
        story.disk(disk, USED, READS, dev=(8, 16 * n))
    uuid = "0a1b2c3d-0000-1111-2222-333344445555"
    for disk in ("sda", "sdb"):
        story.always(f"sys/fs/btrfs/{uuid}/devices/{disk}", Link(f"../../../../block/{disk}"))
    story.always("sys/fs/btrfs/deadbeef/devices/sdc", Link("../../../../block/sdc"))
    story.always("sys/fs/btrfs/features/raid56", "0\n")
    mounts(story, ("0:40", "/@home", "/home", "btrfs", "/dev/sdb", "rw,subvolid=257,subvol=/@home"),
           ("0:40", "/@", "/", "btrfs", "/dev/sdb", "rw,subvolid=256,subvol=/@"),
           ("0:40", "/@/var/x", "/x", "btrfs", "/dev/sdb", "rw,subvolid=256,subvol=/@"),
           ("0:41", "/", "/mnt", "btrfs", "/dev/sdc", "rw,subvolid=5,subvol=/"))
    check(mounted(story), {"sda": "/ /home", "sdb": "/ /home", "sdc": "/mnt"}, "mounts")


@test("a mount point with a blank keeps mountinfo's way to write it")
def _():
    story = Story(2)
    story.disk("sda", USED, READS)
    mounts(story, ("8:0", "/", "/mnt/my\\040disk", "ext4", "/dev/sda"), ("8:0", "/", "/mnt/b", "ext4", "/dev/sda"))
    check(mounted(story), {"sda": "/mnt/b /mnt/my\\040disk"}, "mounts")


@test("mounted folders count where the file system itself is mounted nowhere")
def _():
    story = Story(2)
    story.disk("sda", USED, READS)
    story.disk("sdb", USED, READS, dev=(8, 16))
    folders = [("8:0", "/pods/1", "/etc/hosts", "ext4", "/dev/sda"), ("8:16", "/pods/2", "/var", "ext4", "/dev/sdb")]
    mounts(story, *folders, ("8:16", "/", "/srv/data", "ext4", "/dev/sdb"))
    check(mounted(story), {"sda": "/etc/hosts", "sdb": "/srv/data"}, "mounts")


@test("more mount points than there is room for end in three points, the shortest are there, none is cut")
def _():
    story = Story(2)
    story.disk("sda", USED, READS)
    points = [f"/mnt/{'x' * (n % 40)}{n}" for n in range(100)]
    mounts(story, *[("8:0", "/", point, "ext4", "/dev/sda") for point in points])
    words = mounted(story)["sda"].split(" ")
    check(words[-1], "...", "last word")
    check(words[:-1], sorted(points, key=lambda point: (len(point), point))[:len(words) - 1], "words")
    check_true(len(words) > 10, "most of the room is used")
    long = "/" + "\\040" * 100
    mounts(story, ("8:0", "/", long, "ext4", "/dev/sda"))
    check(mounted(story)["sda"], "/" + "\\040" * 62 + "...", "one that is longer than the room")


@test("mounts follow what the machine does: a device unmounted and mounted elsewhere")
def _():
    story = Story(4)
    story.disk("sda", USED, READS, plus(READS, rd_ios=10), plus(READS, rd_ios=20))
    line = "30 1 8:0 / {} rw - ext4 /dev/sda rw\n"
    story.each(MOUNTINFO, [line.format("/a"), line.format("/b"), "", line.format("/c")])
    check([row["mounts"] for row in story.rows()], ["/b", "", "/c"], "mounts at each tick")


@test("a mountinfo and swaps full of nonsense do no harm, and without a sysfs numbers still count")
def _():
    story = Story(2)
    story.whole = False
    for i, reading in enumerate((USED, READS)):
        story.line(i, "8 0 sda " + " ".join(map(str, reading)))
    story.always(MOUNTINFO, "\n1\n1 2\n1 2 x / /a rw\n1 2 8:0\n1 2 8:0 /\n1 2 0:0 / /x rw - y /dev/\n"
                 "1 2 0:5 / /y rw - fuse /dev/mapper/\n1 2 8:0 / /z\n" + "\\" * 300 + "\n")
    story.always("proc/swaps", "\n/dev/sdz partition\n/dev/ partition\npartition\n/dev/sda\n")
    check(mounted(story), {"sda": "/z"}, "mounts")


@test("a stack on a name with a slash is known: the layers above a slow disk are named")
def _():
    story = Story(6)
    slow = [plus(USED, wr_ios=163 * n, wr_sectors=2608 * n, wr_ms=998 * n, io_ms=997 * n, weighted_ms=999 * n)
            for n in range(6)]
    story.disk("cciss!c0d0", *[None] * 6)
    for i, reading in enumerate(slow):
        story.line(i, "104 0 cciss/c0d0 " + " ".join(map(str, reading)))
    story.disk("dm-0", *slow, dev=(253, 0), dm_name="vg-root")
    story.stands_on("dm-0", "cciss!c0d0")
    rows = [row for row in story.rows("--panel", "findings") if row["rule"] == "serial-io"]
    check({row["subject"] for row in rows}, {"cciss/c0d0"}, "subjects")
    check_true(all("dm-0" in row["evidence"] for row in rows), "the evidence names the layer above")


if __name__ == "__main__":
    harness.main()
