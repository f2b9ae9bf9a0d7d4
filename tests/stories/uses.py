#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""How tasks do I/O, told from their descriptors and mappings: MODE, DEV, AIO, rings and files."""
import os

import harness
from harness import check, check_cells, check_true, only, test
from story import Link, Story, USED, io_text, plus, stat_text

KIB, MIB = 1024, 1 << 20
RDONLY, WRONLY, RDWR = 0, 1, 2
DIRECT, SYNC, DSYNC, APPEND, PATH = os.O_DIRECT, os.O_SYNC, os.O_DSYNC, os.O_APPEND, 0o10000000
ROOT, DATA, NFS, TMP, BTRFS, DEV, PROC, OVER, LV = 27, 30, 31, 32, 33, 34, 35, 36, 37
MOUNTINFO = f"""{ROOT} 1 8:1 / / rw - ext4 /dev/root rw
{DATA} {ROOT} 8:16 / /data rw - xfs /dev/sdb rw
{NFS} {ROOT} 0:50 / /nfs rw - nfs4 host:/export rw
{TMP} {ROOT} 0:51 / /tmp rw - tmpfs tmpfs rw
{BTRFS} {ROOT} 0:52 / /btrfs\\040x rw - btrfs /dev/sdc rw
{DEV} {ROOT} 0:6 / /dev rw - devtmpfs devtmpfs rw
{PROC} {ROOT} 0:21 / /proc rw - proc proc rw
{OVER} {ROOT} 0:60 / /over rw - overlay overlay rw
{LV} {ROOT} 0:61 / /lv rw - btrfs /dev/mapper/vg-data rw
"""
RING = "anon_inode:[io_uring]"
AIO_RING = "7f00-7f01 rw-s 00000000 00:13 77                         /[aio] (deleted)\n"


def info(flags, pos=0, mount=ROOT, inode=1, tails=None):
    text = f"pos:\t{pos}\nflags:\t0{flags:o}\nmnt_id:\t{mount}\nino:\t{inode}\n"
    return text + (f"SqTail:\t{tails[0]}\nCqTail:\t{tails[1]}\n" if tails else "")


class Machine(Story):
    """A story with four disks, in which processes have files."""

    def __init__(self, steps=2, seconds=1.0):
        super().__init__(steps, seconds)
        for name, dev in (("sda", (8, 0)), ("sdb", (8, 16)), ("sdc", (8, 32)), ("sda1", (8, 1))):
            self.disk(name, *[plus(USED)] * steps, dev=dev)
        self.disk("dm-0", *[plus(USED)] * steps, dev=(253, 0), dm_name="vg-data")
        self.all_pids = set()

    def process(self, pid, ios, files=None, maps="", faults=None, comm="db", **stat):
        """files: {fd: (link, info)}; a list in place of files, info or maps has one for each step."""
        self.task(pid, comm, ios, **stat)
        for i in range(len(self.files)):
            if ios[i] is False:
                continue
            self.put(i, f"proc/{pid}/mountinfo", MOUNTINFO)
            self.put(i, f"proc/{pid}/maps", maps[i] if isinstance(maps, list) else maps)
            self.put(i, f"proc/{pid}/fd/.keep", "")
            self.put(i, f"proc/{pid}/fdinfo/.keep", "")
            for fd, (link, text) in (files[i] if isinstance(files, list) else files or {}).items():
                self.put(i, f"proc/{pid}/fd/{fd}", Link(link))
                self.put(i, f"proc/{pid}/fdinfo/{fd}", text[i] if isinstance(text, list) else text)
            if faults:
                fields = stat_text(pid, "db").split(b" ")
                fields[11] = b"%d" % faults[i]  # field 12
                self.put(i, f"proc/{pid}/stat", b" ".join(fields))

    def mode(self, pid=42, step=-1):
        return self.column("mode", pid, step)

    def column(self, name, pid=42, step=-1):
        return [row for row in self.rows("--panel", "tasks") if row["pid"] == str(pid)][step][name]


def writing(n=2, kib=100, **also):
    """io texts of a process whose write calls and storage writes go on."""
    return [io_text(wchar=i * kib * KIB, syscw=i, write_bytes=i * kib * KIB, **also) for i in range(n)]


def reading(n=2, kib=100):
    return [io_text(rchar=i * kib * KIB, syscr=i, read_bytes=i * kib * KIB) for i in range(n)]


def storage(n=2, kib=100):
    """Storage I/O both ways without calls."""
    return [io_text(read_bytes=i * kib * KIB, write_bytes=i * kib * KIB) for i in range(n)]


def one(link, flags, ios, mount=ROOT, maps="", **how):
    """A machine with one process that has one file open."""
    machine = Machine()
    machine.process(42, ios, {3: (link, info(flags, mount=mount))}, maps, **how)
    return machine


# ---- the letters ----

@test("MODE: D, S, B by the flags of what is open, and A, U by contexts and rings")
def _():
    check(one("/f", RDWR | DIRECT, writing()).mode(), "D", "O_DIRECT")
    check(one("/f", RDWR | SYNC, writing()).mode(), "S", "O_SYNC")
    check(one("/f", WRONLY | DSYNC, writing()).mode(), "S", "O_DSYNC")
    check(one("/f", RDWR | DIRECT | DSYNC, writing()).mode(), "DS", "both")
    check(one("/f", RDWR, writing()).mode(), "B", "buffered")
    check(one("/f", RDWR | DIRECT, storage(), maps=AIO_RING).mode(), "DA", "libaio")
    machine = Machine()
    machine.process(42, storage(), {3: ("/f", info(RDWR | DIRECT)), 4: (RING, info(RDWR, tails=(1, 1)))})
    check(machine.mode(), "DU", "io_uring")


@test("MODE: none of these is a dot, a socket and a pipe never are D or S")
def _():
    machine = Machine()
    machine.process(42, storage(), {3: ("socket:[7]", info(RDWR | DSYNC)), 4: ("pipe:[8]", info(WRONLY | DIRECT))})
    check(machine.mode(), ".", "mode")


@test("MODE: B only on what may be on a device: not on tmpfs, proc and terminals; on nfs it is")
def _():
    for mount, link, expected in ((TMP, "/tmp/x", "."), (PROC, "/proc/1/stat", "."), (DEV, "/dev/pts/0", "."),
                                  (NFS, "/nfs/x", "B"), (OVER, "/over/x", "B")):
        check(one(link, RDWR, writing(), mount).mode(), expected, link)


@test("MODE: a program that writes directly and prints into a file is not B; one whose log grows is")
def _():
    for moves, expected in ((0, "D"), (4096, "DB")):
        machine = Machine(3)
        machine.process(42, writing(3), {3: ("/data/f", info(RDWR | DIRECT, mount=DATA)),
                                         1: ("/out", [info(WRONLY, i * moves) for i in range(3)])})
        check(machine.mode(), expected, f"{moves} bytes a step")


@test("MODE: B stays while a tick is idle, and goes after some seconds")
def _():
    machine = Machine(10)
    ios = [io_text(wchar=min(i, 1) * MIB, write_bytes=min(i, 1) * MIB) for i in range(10)]
    machine.process(42, ios, {3: ("/f", info(RDWR))})
    modes = [row["mode"] for row in machine.rows("--panel", "tasks") if row["pid"]]
    check("".join(modes), "BBBBB....", "modes")


@test("MODE: another program in the same process is looked at at once")
def _():
    direct, other = {3: ("/data/f", info(RDWR | DIRECT, mount=DATA))}, {1: ("/out", info(WRONLY | DSYNC))}
    machine = Machine(6)
    machine.process(42, writing(6), [direct] * 4 + [other] * 2, comm=["db"] * 4 + ["tar"] * 2)
    rows = [row for row in machine.rows("--panel", "tasks") if row["pid"]]
    check([(row["comm"], row["mode"], row["dev"]) for row in rows],
          [("db", "D", "sdb")] * 3 + [("tar", "S", "sda1")] * 2, "rows")


@test("MODE: M for faults that read and for shared mappings that are written; not for folders")
def _():
    shared = "7f00-7f09 rw-s 00000000 08:01 9          /f\n"
    reads, writes = [io_text(), io_text(read_bytes=MIB)], [io_text(), io_text(write_bytes=MIB)]
    machine = Machine(3)
    machine.process(42, [*reads, io_text(read_bytes=2 * MIB)], {3: ("/f", info(RDONLY))}, faults=[5, 40, 75])
    check(machine.mode(), "M", "faults")
    machine = Machine(3)
    machine.process(42, [*reads, io_text(read_bytes=2 * MIB)], {3: ("/f", info(RDONLY))}, faults=[5, 5, 5])
    check(machine.mode(), ".", "find, du")
    check(one("/f", RDWR, writes, maps=shared).mode(), "M", "shared mapping")
    check(one("/f", RDWR, writes, maps=shared.replace("08:01", "00:33")).mode(), ".", "shared memory of tmpfs")
    check(one("/f", RDWR, writes, maps=shared.replace("rw-s", "rw-p")).mode(), ".", "private mapping")
    check(one("/f", RDWR, writes).mode(), ".", "rm -rf")


@test("MODE: in the view of threads a process of one thread has its own letters, too")
def _():
    row = only(one("/f", RDWR | DIRECT, writing()).rows("--panel", "tasks", "--threads", "-p", "42"))
    check_cells(row, {"tid": "42", "mode": "D", "dev": "sda1", "files": "1"})


@test("MODE: what was never looked at and what has no descriptors is empty")
def _():
    machine = Machine()
    machine.process(42, [io_text(), io_text()], {3: ("/f", info(RDWR | DIRECT))})
    machine.task(43, "x", writing())
    rows = machine.rows("--panel", "tasks")
    for pid in "42", "43":
        check_cells(only(rows, pid=pid), {"mode": "", "dev": "", "contexts": "", "rings": "", "files": ""}, pid)


# ---- devices ----

@test("DEV: by number, by what was mounted, by the map's name, or the type of file system")
def _():
    for mount, expected in ((ROOT, "sda1"), (DATA, "sdb"), (BTRFS, "sdc"), (LV, "dm-0"), (NFS, "nfs4"),
                            (OVER, "overlay"), (TMP, ""), (PROC, "")):
        check(one("/f", RDWR, writing(), mount).column("dev"), expected, str(mount))
    check(one("/dev/sdb", RDWR | DIRECT, writing(), DEV).column("dev"), "sdb", "the device itself")
    check(one("/dev/null", RDWR, writing(), DEV).column("dev"), "", "no block device")


@test("DEV: files with evidence first, two are named, more are counted")
def _():
    many = {3: ("/a", info(RDWR)), 4: ("/b", info(RDWR)), 5: ("/data/x", info(RDWR | DIRECT, mount=DATA))}
    machine = Machine()
    machine.process(42, writing(), many)
    machine.process(43, writing(), {3: ("/a", info(RDWR)), 4: ("/b", info(RDWR)), 5: ("/x", info(RDWR, mount=DATA))})
    machine.process(44, writing(), {3: ("/a", info(RDWR)), 4: ("/n", info(RDWR, mount=NFS)),
                                    5: ("/x", info(RDWR, mount=DATA)), 6: ("/y", info(RDWR, mount=BTRFS))})
    check(machine.column("dev", 42), "sdb", "direct")
    check(machine.column("dev", 43), "sda1,sdb", "two")
    check(machine.column("dev", 44)[-2:], "+3", "four")


@test("DEV: a position that moved is evidence")
def _():
    machine = Machine(3)
    machine.process(42, writing(3), {3: ("/a", info(RDWR)), 4: ("/b", info(RDWR)),
                                     5: ("/x", [info(RDWR, pos, DATA) for pos in (0, 4096, 8192)])})
    check(machine.column("dev"), "sdb", "dev")


# ---- AIO ----

@test("AIO: contexts are the kernel's rings alone, not files of that name, and go as they end")
def _():
    on_disk = AIO_RING.replace("00:13", "08:01")
    on_tmpfs = AIO_RING.replace("00:13", "00:33")  # 0:51, which is mounted
    machine = Machine(3)
    machine.process(42, storage(3), {}, [AIO_RING * 3 + on_disk + on_tmpfs, AIO_RING * 3 + on_disk + on_tmpfs, ""])
    rows = [row["contexts"] for row in machine.rows("--panel", "tasks") if row["pid"]]
    check(rows, ["3", "0"], "contexts")


@test("AIO: submissions and completions per second wrap at 32 bits, over all rings; a missing tail is not 0")
def _():
    first = {3: (RING, info(RDWR, inode=5, tails=((1 << 32) - 50, 10))), 4: (RING, info(RDWR, inode=6, tails=(0, 0)))}
    second = {3: (RING, info(RDWR, inode=5, tails=(150, 110))), 4: (RING, info(RDWR, inode=6, tails=(20, 30)))}
    third = {3: (RING, info(RDWR, inode=5)), 4: (RING, info(RDWR, inode=6, tails=(20, 30)))}
    machine = Machine(5, 2.0)
    machine.process(42, storage(5), [first, first, second, third, {}])
    rows = [row for row in machine.rows("--panel", "tasks") if row["pid"]]
    check([row["rings"] for row in rows], ["2", "2", "2", "0"], "rings")
    check([row["sq/s"] for row in rows], ["", "110.00", "100.00", ""], "sq/s")
    check([row["cq/s"] for row in rows], ["", "65.00", "50.00", ""], "cq/s")


@test("AIO: the machine's row has the sums, one row per process that uses it follows")
def _():
    machine = Machine(3)
    machine.aio(8, 65536)
    idle = [io_text()] * 3
    machine.process(50, idle, {3: (RING, [info(RDWR, tails=(i * 10, i * 20)) for i in range(3)])})
    machine.process(40, idle, {}, AIO_RING * 2)
    machine.process(60, idle, {3: ("/f", info(RDWR))})
    rows = machine.rows("--panel", "aio")[-3:]
    check([row["pid"] for row in rows], ["", "40", "50"], "pids")
    check_cells(rows[0], {"contexts": "2", "rings": "1", "sq/s": "10.00", "cq/s": "20.00", "aio-nr": "8"}, "sums")
    check_cells(rows[1], {"contexts": "2", "rings": "0", "sq/s": "", "aio-nr": "", "kiocb_source": "", "mode": "A"}, "40")
    check_cells(rows[2], {"contexts": "0", "rings": "1", "cq/s": "20.00", "mode": "U"}, "50")


# ---- the files of a process ----

def files_story():
    machine = Machine(3, 2.0)
    machine.process(42, writing(3), {
        0: ("/dev/null", info(RDONLY, mount=DEV)),
        1: ("pipe:[7]", info(WRONLY)),
        2: ("socket:[8]", info(RDWR)),
        3: ("/data/x", [info(RDWR | DIRECT, pos, DATA) for pos in (0, 8192, 16384)]),
        4: ("/gone (deleted)", info(WRONLY | APPEND, 4096)),
        5: ("/memfd:name (deleted)", info(RDWR, 5, mount=999)),
        6: ("/memfd:odd (deleted)", info(RDWR)),
        7: (RING, info(RDWR, tails=(1, 2))),
        8: ("anon_inode:[eventfd]", info(RDWR)),
        9: ("/dev/sdb", info(RDWR | DIRECT, 512, DEV)),
        10: ("/btrfs x/a\nb,\"c\"\x1b", info(RDONLY, 0, BTRFS)),
        11: ("/folder", info(PATH)),
        12: ("/back", [info(RDONLY, pos) for pos in (0, 8192, 4096)]),
    })
    return machine


@test("files: a row for every descriptor, by number: kind, access, letters, device, mount and path")
def _():
    rows = files_story().rows("--panel", "files", "-p", "42", escapes=True)[-13:]
    check([int(row["fd"]) for row in rows], list(range(13)), "fds")
    expected = [("char", "r", "devtmpfs", "/dev", "/dev/null"), ("pipe", "w", "", "", "pipe:[7]"),
                ("socket", "u", "", "", "socket:[8]"), ("file", "uD", "sdb", "/data", "/data/x"),
                ("file, deleted?", "waB", "sda1", "/", "/gone (deleted)"), ("memfd, deleted", "u", "", "", "/memfd:name"),
                ("file, deleted?", "uB", "sda1", "/", "/memfd:odd (deleted)"), ("io_uring", "uU", "", "", RING),
                ("anon", "u", "", "", "anon_inode:[eventfd]"), ("block", "uD", "sdb", "", "/dev/sdb"),
                ("file", "rB", "sdc", "/btrfs x", "/btrfs x/a\nb,\"c\"\x1b"), ("file", "p", "sda1", "/", "/folder"),
                ("file", "rB", "sda1", "/", "/back")]
    for row, cells in zip(rows, expected):
        if row["kind"] in ("pipe", "socket", "io_uring", "anon"):  # on mounts of the kernel's own
            row["device"] = row["mount"] = ""
        check(tuple(row[name] for name in ("kind", "mode", "device", "mount", "path")), cells, row["fd"])


@test("files: the position and how fast it moves; empty where there is none or nothing can be told")
def _():
    rows = {row["fd"]: row for row in files_story().rows("--panel", "files", "-p", "42", escapes=True)[-13:]}
    for fd, position, rate in (("3", "16384", "4.00"), ("4", "4096", "0.00"), ("1", "", ""), ("2", "", ""),
                               ("10", "0", ""), ("12", "4096", ""), ("11", "", ""), ("0", "", "")):
        check_cells(rows[fd], {"position": position, "pos_kB/s": rate}, f"fd {fd}")
    check_cells(rows["9"], {"size": "1048576"}, "of a block device")


@test("files: a process that goes or has no such folder just has no rows")
def _():
    machine = Machine(3)
    machine.process(42, [*writing(2), False], {3: ("/f", info(RDWR))})
    check(len(machine.rows("--panel", "files", "-p", "42")), 1, "rows")
    machine = Machine()
    machine.task(42, "x", writing())
    check(machine.rows("--panel", "files", "-p", "42"), [], "no fd folder")


@test("files: spoiled fdinfo, links out of the tree and odd names harm nothing")
def _():
    machine = Machine()
    machine.process(42, writing(), {3: ("/etc/passwd", ""), 4: ("/x", b"\xff" * 5000), 5: ("../../../secret", "pos:\t1\n"),
                                    6: ("/ok", info(RDWR))}, maps="x\n" * 3000 + "\xff" * 9000 + "\n" + AIO_RING)
    for name in "x", "-1", "00", "99999999999":
        machine.always(f"proc/42/fd/{name}", Link("/odd"))
    rows = machine.rows("--panel", "files", "-p", "42")
    check_cells(only(rows, fd="6"), {"mode": "uB", "path": "/ok"})
    check_cells(only(rows, fd="5"), {"kind": "anon", "position": ""})
    check(machine.column("contexts"), "1", "contexts")


@test("files: of 100,000 descriptors 32,768 have rows, all are counted, and memory stays bounded")
def _():
    machine = Machine(2)
    machine.process(42, writing(), {3: ("/f", info(RDWR))})
    with harness.scratch() as folder:
        os.chmod(folder, 0o755)
        machine.write(folder)
        fds, infos = f"{folder}/2/proc/42/fd", f"{folder}/2/proc/42/fdinfo"
        for fd in range(10, 100009):
            os.symlink(f"/data/table-{fd}.ibd", f"{fds}/{fd}")
        text = info(RDWR | DIRECT, mount=DATA).encode()
        with open(f"{infos}/10", "wb") as file:
            file.write(text)
        for fd in range(11, 100009, 50):  # the others' cannot be read
            os.link(f"{infos}/10", f"{infos}/{fd}")
        rows = harness.run("-b", "--procfs", folder, "--panel", "files", "-p", "42").rows()
        check(len(rows), 32768, "rows")
        check(len({row["fd"] for row in rows}), 32768, "distinct descriptors")
        task = only(harness.run("-b", "--procfs", folder, "--panel", "tasks", "-p", "42").rows())
    check_cells(task, {"files": "100000", "mode": "D", "dev": "sdb"})


@test("a process whose mappings may not be read is denied: nothing of it is 0")
def _():
    machine = Machine()
    machine.process(42, writing(), {3: ("/f", info(RDWR | DIRECT))}, AIO_RING)
    with harness.scratch() as folder, harness.unprivileged() as (prefix, path):
        os.chmod(folder, 0o755)
        machine.write(folder)
        os.chmod(f"{folder}/2/proc/42/maps", 0)
        os.chmod(f"{folder}/2/proc/42/fd", 0)
        how = {"prefix": prefix, "path": path}
        row = only(harness.run("-b", "--procfs", folder, "--panel", "tasks", "-p", "42", **how).rows())
        check_cells(row, {"mode": "", "dev": "", "contexts": "", "rings": "", "files": "", "sq/s": ""})
        files = harness.run("-b", "--procfs", folder, "--panel", "files", "-p", "42", **how)
        check((files.status, files.out.count(b"\n")), (0, 1), "a header and no files")
        check_true(b"-p 42" in files.err and b"refuses" in files.err, f"stderr says why: {files.err}")
        machine = only(harness.run("-b", "--procfs", folder, "--panel", "aio", **how).rows())
        check_cells(machine, {"contexts": "", "rings": ""})
        check_true(row["wkB/s"] != "", "its rates are there")


if __name__ == "__main__":
    harness.main()
