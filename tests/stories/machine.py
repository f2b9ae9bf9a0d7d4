#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine's own figures: AIO slots and slabs, pressure, CPU, paging, what is absent and why."""
import os

import harness
from harness import check, check_cells, check_true, only, test
from story import USED, Link, Story, io_text, plus

CACHES = ("kioctx", "kiocb", "io_kiocb")


def aio(story):
    return only(story.rows("--panel", "aio"))


def system(story):
    return only(story.rows("--panel", "system"))


def with_files(**texts):
    """A story of two steps with these files of /proc at both, or a list of two texts."""
    story = Story(2)
    for name, text in texts.items():
        story.each("proc/" + name.replace("__", "/"), text if isinstance(text, list) else [text, text])
    return story


# ---- AIO ----

@test("%aio is slots reserved as a share of the limit, above 100 where the limit was lowered")
def _():
    for nr, limit, share in ((65000, 65536, "99.2"), (0, 65536, "0.0"), (165, 65536, "0.25"),
                             (81920, 65536, "125.0"), (5, 0, ""), (0, 0, ""), (1 << 63, 65536, "14073748835532800.0")):
        story = Story(2)
        story.aio(nr, limit)
        check_cells(aio(story), {"aio-nr": str(nr), "aio-max-nr": str(limit), "%aio": share, "pid": ""},
                    f"{nr} of {limit}:")


@test("without aio-nr, or with no number in it, its cells are empty")
def _():
    empty = {"aio-nr": "", "%aio": "", "aio-max-nr": ""}
    check_cells(aio(Story(2)), empty)
    for text in ("", "\n", "many\n", "0x10\n"):
        story = Story(2)
        story.always("proc/sys/fs/aio-nr", text)
        story.always("proc/sys/fs/aio-max-nr", text)
        check_cells(aio(story), empty, repr(text))


@test("caches with a line in slabinfo are counted; kiocb is also called aio_kiocb")
def _():
    for name in ("kiocb", "aio_kiocb"):
        story = Story(2)
        story.slabs(kioctx=(35, 84), io_kiocb=(64, 66), **{name: (3, 40)})
        check_cells(aio(story), {"kioctx": "35", "kioctx_total": "84", "kioctx_source": "slabinfo", "kiocb": "3",
                                 "kiocb_total": "40", "kiocb_source": "slabinfo", "io_kiocb": "64",
                                 "io_kiocb_total": "66", "io_kiocb_source": "slabinfo"}, name)


@test("slabinfo of every layout is read, in any order, with more columns or fewer")
def _():
    for text in ("slabinfo - version: 1.1\nkioctx 35 84 128 1 2 1\nkiocb 0 0 96 0 0 1\n",
                 "slabinfo - version: 1.1 (SMP)\nkiocb 0 0 96 0 0 1 : 252 126\nkioctx 35 84 128 1 2 1 : 252 126\n",
                 "slabinfo - version: 2.0\n# name\nkioctx 35 84 320 12 1 : tunables 54 27 8 : slabdata 7 7 0\n"
                 "kiocb\t0\t0 256 15 1 : tunables 120 60 8 : slabdata 0 0 0\n",
                 "kioctx 35 84 1 1 1 : tunables 0 0 0 : slabdata 7 7 0 : globalstat 1 2 3 : cpustat 4 5\nkiocb 0 0",
                 "kioctx_x 9 9\nxkioctx 9 9\nkioctx\nkioctx 35\nkioctx a b\nkioctx 35 84 \nkiocb 0 0\n"):
        check_cells(aio(with_files(slabinfo=text)), {"kioctx": "35", "kioctx_total": "84", "kiocb": "0",
                                                     "kiocb_total": "0", "io_kiocb": ""}, repr(text[:40]))


@test("a cache merged with others has no count, which is not zero")
def _():
    for name in ("kiocb", "aio_kiocb"):
        story = Story(2)
        story.slabs()
        story.always(f"sys/kernel/slab/{name}", Link(":0000192"))
        story.always("sys/kernel/slab/io_kiocb", Link(":0000256"))
        check_cells(aio(story), {"kiocb": "", "kiocb_total": "", "kiocb_source": "merged", "io_kiocb": "",
                                 "io_kiocb_source": "merged", "kioctx": "", "kioctx_source": "unavailable"}, name)


@test("a line that also counts other caches is marked as shared; without aliases it is not")
def _():
    for aliases, source in (("3\n", "shared"), ("0\n", "slabinfo")):
        story = Story(2)
        story.slabs(kioctx=(28, 28))
        story.always("sys/kernel/slab/kioctx", Link(":0000576"))
        story.always("sys/kernel/slab/:0000576/aliases", aliases)
        check_cells(aio(story), {"kioctx": "28", "kioctx_total": "28", "kioctx_source": source}, aliases)


@test("no slabinfo is unavailable, and aio-nr is there all the same")
def _():
    story = Story(2)
    story.aio(165, 65536)
    check_cells(aio(story), {"aio-nr": "165", **{f"{name}_source": "unavailable" for name in CACHES},
                             **{name: "" for name in CACHES}})


@test("files that only root may read are denied and leave the others alone")
def _():
    story = with_files(stat=["cpu 1 1 1 1 1 1 1 1\nprocs_blocked 3\n"] * 2, meminfo="Dirty: 9 kB\n")
    story.aio(165, 65536)
    story.slabs(kioctx=(1, 1))
    story.disk("sda", USED, plus(USED, rd_ios=1, rd_sectors=2))
    with harness.scratch() as folder, harness.unprivileged() as (prefix, path):
        os.chmod(folder, 0o755)
        story.write(folder)
        for step in (1, 2):
            for name in ("slabinfo", "stat"):
                os.chmod(f"{folder}/{step}/proc/{name}", 0)
        base, how = ("-b", "--procfs", folder, "--panel"), {"prefix": prefix, "path": path}
        row = only(harness.run(*base, "aio", **how).rows())
        check_cells(row, {"aio-nr": "165", **{f"{name}_source": "denied" for name in CACHES}, "kioctx": ""})
        row = only(harness.run(*base, "system", **how).rows())
        check_cells(row, {"iowait": "", "blocked": "", "dirty": "9", "done_rkB/s": "1.0"})
        only(harness.run(*base, "devices", **how).rows())


# ---- pressure ----

def pressure(*texts):
    return system(with_files(pressure__io=list(texts)))


@test("pressure is the growth of total over the interval, avg10 is the kernel's own")
def _():
    row = pressure("some avg10=1.25 avg60=0.50 avg300=0.10 total=1000000\n"
                   "full avg10=0.75 avg60=0.25 avg300=0.05 total=500000\n",
                   "some avg10=41.05 avg60=0.50 avg300=0.10 total=1410000\n"
                   "full avg10=100.00 avg60=0.25 avg300=0.05 total=880000\n")
    check_cells(row, {"psi_some": "41.00", "psi_full": "38.00", "psi_some_avg10": "41.05",
                      "psi_full_avg10": "100.00"})


@test("either line of pressure may be missing: its cells are empty, the other's are not")
def _():
    some = "some avg10=0.00 avg60=0.00 avg300=0.00 total={}\n"
    check_cells(pressure(some.format(0), some.format(10000)),
                {"psi_some": "1.00", "psi_full": "", "psi_some_avg10": "0.00", "psi_full_avg10": ""})
    full = some.replace("some", "full")
    check_cells(pressure(full.format(0), full.format(10000)), {"psi_some": "", "psi_full": "1.00"})


@test("no pressure file, an empty one or garbage: empty cells, no error, no finding")
def _():
    for text in (None, "", "\n\n", "other avg10=1 total=2\n"):
        check_cells(pressure(text, text), {"psi_some": "", "psi_full": "", "psi_some_avg10": ""}, repr(text))
    check(with_files(pressure__io="").rows("--panel", "findings"), [], "findings")


@test("a total of pressure that fell is no pressure of 1.8e19")
def _():
    line = "some avg10=0.00 avg60=0.00 avg300=0.00 total={}\n"
    check_cells(pressure(line.format(5000000), line.format(4)), {"psi_some": ""})


# ---- CPU, paging, dirty pages ----

@test("iowait is a share of all CPU time, guests not counted twice; blocked is procs_blocked")
def _():
    row = system(with_files(stat=["cpu  100 0 100 1000 50 0 0 0 70 0\ncpu0 9 9 9 9 9\nintr 5 4\nprocs_blocked 0\n",
                                  "cpu  150 0 120 1080 100 0 0 0 90 0\nprocs_running 9\nprocs_blocked 3\n"]))
    check_cells(row, {"iowait": "25.0", "blocked": "3"})


@test("iowait that goes back a little, as it does, is none; all CPU time going back is unknown")
def _():
    check_cells(system(with_files(stat=["cpu 100 0 0 1000 50\n", "cpu 200 0 0 1000 49\n"])), {"iowait": "0.0"})
    check_cells(system(with_files(stat=["cpu 100 0 0 1000 50\n", "cpu 1 0 0 1 1\n"])), {"iowait": ""})


@test("a CPU line too old or too short for iowait has none, which is not zero")
def _():
    check_cells(system(with_files(stat=["cpu 100 0 100 1000\n", "cpu 150 0 150 1100\n"])),
                {"iowait": "", "blocked": ""})
    check_cells(system(with_files(stat="nothing\n")), {"iowait": "", "blocked": ""})


@test("paging and swapping are rates; the dirty limit is in KiB")
def _():
    page = os.sysconf("SC_PAGESIZE") // 1024
    before = "nr_dirty_threshold 1000\npgpgin 500\npgpgout 100\npswpin 7\npswpout 0\n"
    after = "nr_dirty_threshold 1000\npgpgin 1500\npgpgout 4100\npswpin 107\npswpout 50\npgpginx 5\n"
    check_cells(system(with_files(vmstat=[before, after])),
                {"pgpgin/s": "1000.0", "pgpgout/s": "4000.0", "pswpin/s": "100.0", "pswpout/s": "50.0",
                 "dirty_limit": str(1000 * page)})


@test("vmstat without the swap counters has no swap rates, which is not zero")
def _():
    check_cells(system(with_files(vmstat=["pgpgin 500\npgpgout 1\n", "pgpgin 600\npgpgout 1\n"])),
                {"pgpgin/s": "100.0", "pgpgout/s": "0.0", "pswpin/s": "", "pswpout/s": ""})
    check_cells(system(with_files(vmstat=["pswpin 500\npswpout 1\n", "pswpin 600\npswpout 1\n"])),
                {"pgpgin/s": "", "pgpgout/s": "", "pswpin/s": "100.0", "pswpout/s": "0.0"})


@test("dirty and write-back pages are gauges; lines that only look like them are not taken")
def _():
    text = "MemTotal: 5 kB\nWritebackTmp: 77 kB\nDirtyX: 5 kB\nDirty:       319488 kB\nWriteback:     18432 kB\n"
    check_cells(system(with_files(meminfo=text)), {"dirty": "319488", "writeback": "18432"})
    check_cells(system(with_files(meminfo="MemTotal: 5 kB\nDirty:\n")), {"dirty": "", "writeback": ""})


@test("what tasks asked stands beside what devices did")
def _():
    story = Story(2, 2.0)
    story.disk("sda", USED, plus(USED, rd_sectors=4096, rd_ios=1, wr_sectors=8192, wr_ios=1))
    story.task(10, "a", [io_text(), io_text(read_bytes=1 << 20, write_bytes=1 << 21)])
    story.task(20, "b", [io_text(), io_text(read_bytes=1 << 20)])
    check_cells(system(story), {"asked_rkB/s": "1024.0", "asked_wkB/s": "1024.0", "done_rkB/s": "1024.0",
                                "done_wkB/s": "2048.0", "tasks": "2", "unreadable": "0", "interval": "2.000"})


@test("since boot the machine has averages too, and tasks have none")
def _():
    story = with_files(stat=["cpu 100 0 0 800 100\n", "cpu 100 0 0 800 200\n"],
                       vmstat=["pgpgin 50000\npgpgout 0\n", "pgpgin 50000\npgpgout 0\n"])
    story.always("proc/uptime", "100.00 1.00\n")
    story.task(10, "a", [io_text(read_bytes=1 << 30), io_text(read_bytes=1 << 30)])
    first, second = story.rows("--panel", "system", "--since-boot")
    check_cells(first, {"since_boot": "1", "iowait": "10.0", "pgpgin/s": "500.0", "interval": "100.000"})
    check_cells(second, {"since_boot": "0", "iowait": "100.0", "pgpgin/s": "0.0"})
    for panel in ("tasks", "aio", "findings"):
        harness.check_usage(story.run("--panel", panel, "--since-boot"), "--since-boot", panel)


@test("one file that is missing, empty or a mebibyte of digits takes nothing else along")
def _():
    whole = {"stat": "cpu 1 1 1 1 1\nprocs_blocked 2\n", "vmstat": "pgpgin 1\npgpgout 1\n",
             "meminfo": "Dirty: 7 kB\nWriteback: 8 kB\n", "diskstats": "8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n"}
    cells = {"stat": ("blocked", "2"), "vmstat": ("pgpgin/s", "0.00"), "meminfo": ("dirty", "7"),
             "diskstats": ("done_rkB/s", "0.00")}
    for broken in whole:
        for text in (None, "", "9" * (1 << 20), b"\0" * 5000):
            row = system(with_files(**{**whole, broken: text}))
            for name, (column, cell) in cells.items():
                check_true(name == broken or row[column] == cell, f"{broken} broken: {column} is {row[column]!r}")
            check(row[cells[broken][0]], "", f"the figure of the broken {broken}")


if __name__ == "__main__":
    harness.main()
