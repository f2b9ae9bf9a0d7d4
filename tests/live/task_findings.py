#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""The findings that rest on what a task has open, where it waits and what its cgroup may do: each with its
load, on a quick disk with ext4 on it, and without. One run for all of it."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import common

INTERVAL = 0.5
MOST = 5  # ticks until it is shown, or gone
QUIET = 6  # ticks in which it must not show

# load KIND PATH: one way to do I/O, by its own name, until it is killed.
LOAD = r"""
import mmap, os, sys, threading, time
kind, path = set(sys.argv[1].split()), sys.argv[2]
with open("/proc/self/comm", "w") as comm: comm.write("mysqld" if "ibd" in kind else "load")

def flags():
    return ((os.O_DIRECT if "direct" in kind else 0) | (os.O_DSYNC if "dsync" in kind else 0)
            | (os.O_RDONLY if "read" in kind else os.O_RDWR | os.O_CREAT))

def read(fd):
    large = mmap.mmap(-1, (1 << 20) if "large" in kind else 4096)
    size = os.fstat(fd).st_size
    while True:
        if "random" in kind: os.lseek(fd, hash(time.monotonic()) % (size >> 12) << 12, os.SEEK_SET)
        if not os.readv(fd, [large]): os.lseek(fd, 0, os.SEEK_SET)
        time.sleep(0.001)

def append(n):
    fd = os.open(f"{path}.{n}" if "own" in kind else path, flags() | os.O_APPEND)
    page = mmap.mmap(-1, 4096)
    while True:
        os.write(fd, page)
        if "slowly" in kind: time.sleep(0.002)
        if os.fstat(fd).st_size > 4 << 20: os.ftruncate(fd, 0)

def rewrite(fd):
    piece = mmap.mmap(-1, 65536)
    while True:
        for at in range(0, 16 << 20, len(piece)):
            os.pwritev(fd, [piece], at)
            time.sleep(0.01)
        if "ibd" in kind: os.ftruncate(fd, 0)

if "read" in kind: read(os.open(path, flags()))
if "ibd" in kind or "blocks" in kind: rewrite(os.open(path, flags()))
if "threads" in kind:
    for n in range(8): threading.Thread(target=append, args=(n,)).start()
elif "processes" in kind:
    for n in range(7):
        if os.fork() == 0: break
    append(os.getpid())
else: append(0)
"""

NAMES = [
    "idle: no finding",
    "a cgroup's limit holds a writer back: throttled, and nothing else on the device",
    "throttled is gone after it",
    "the same writer without a limit: not throttled",
    "direct reads of 4 KiB in order: direct-no-readahead, and nothing else on the device",
    "direct-no-readahead is gone after it",
    "direct reads of 1 MiB, or at random: no direct-no-readahead",
    "8 threads append to one file: inode-contention names it, and nothing else on the device",
    "inode-contention is gone after it",
    "8 processes append to one file: inode-contention",
    "8 threads append to files of their own: no inode-contention",
    "appending with O_DSYNC: sync-writer names the task, and nothing else on the device",
    "sync-writer is gone after it",
    "buffered appending: no sync-writer",
    "a database that rewrites its data file through the page cache: double-caching",
    "double-caching is gone after it",
    "the same with O_DIRECT: no double-caching",
]


def limited_group(stack, device, bytes_per_s):
    """A cgroup that may write so much to the device; its folder."""
    numbers = f"{os.major(device)}:{os.minor(device)}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        point, kind = Path(before.split()[4]), after.split()
        group = point / f"iotriage-live-{os.getpid()}"
        if kind[0] == "cgroup" and "blkio" in kind[2].split(","):
            name, text = "blkio.throttle.write_bps_device", f"{numbers} {bytes_per_s}"
        elif kind[0] == "cgroup2" and "io" in (point / "cgroup.subtree_control").read_text().split():
            name, text = "io.max", f"{numbers} wbps={bytes_per_s}"
        else:
            continue
        group.mkdir()
        stack.callback(remove_group, group)
        (group / name).write_text(text)
        return group
    raise common.Skip("no cgroup hierarchy limits I/O here")


def remove_group(group):
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)


class Bench:
    """The disk, the monitor on it, and what the monitor says of it and of a task."""

    def __init__(self, stack):
        self.folder = common.temporary(stack)
        self.disk = common.Disk(stack, self.folder, 0, 4, 128)
        self.mount = self.folder / "mount"
        self.mount.mkdir()
        subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.disk.path], check=True)
        subprocess.run(["mount", self.disk.path, self.mount], check=True)
        stack.callback(subprocess.run, ["umount", self.mount], check=False)
        (self.mount / "large").write_bytes(bytes(16 << 20))
        os.sync()
        self.disk.set("service_us", 50)
        self.disk.set("flush_us", 100)
        self.load_path = self.folder / "load.py"
        self.load_path.write_text(LOAD)
        self.monitor = common.Monitor(stack, self.folder, INTERVAL)
        self.monitor.wait_ticks(1)

    def load(self, stack, kind, name, group=None):
        """Starts it, in a cgroup where one is given; the subject of findings about it."""
        enter = (lambda: (group / "cgroup.procs").write_text("0")) if group else None
        stack.callback(self.remove_files)
        process = common.start(stack, [sys.executable, self.load_path, kind, self.mount / name], preexec_fn=enter)
        return f"pid {process.pid}"

    def remove_files(self):
        """What a load has written."""
        for path in self.mount.glob("load*"):
            path.unlink()

    def findings(self, since=0.0):
        return self.monitor.rows("findings", since)

    def until(self, rule, subject, present):
        """Ticks from now until it is there, or gone; None if that takes too long."""
        since = time.time()
        for count in range(1, 2 * MOST + 1):
            epochs = self.monitor.wait_ticks(count, since)
            time.sleep(0.05)  # tables are written one after the other
            shown = any(float(row["epoch"]) == epochs[count - 1] and (row["rule"], row["subject"]) == (rule, subject)
                        for row in self.findings(since))
            if shown == present:
                return count
        return None

    def others(self, since, expected):
        """What else is said of the device, as a warning or worse."""
        return sorted({row["rule"] for row in self.findings(since) if row["subject"] == self.disk.name
                       and row["severity"] != "info" and row["rule"] not in expected})

    def said(self, rule, subject, since):
        """The last of it, in words."""
        return [f"{row['severity']} {row['text']} {row['advice']} [{row['evidence']}]" for row in self.findings(since)
                if (row["rule"], row["subject"]) == (rule, subject)][-1:]

    def device_notes(self, since):
        rows = [row for row in self.monitor.rows("devices", since)[-200:] if row["device"] == self.disk.name]
        return "; ".join(f"{column} " + " ".join(row[column] or "-" for row in rows)
                         for column in ("r/s", "w/s", "f/s", "avgqu-sz", "await", "%util", "verdict"))


def one_try(bench, rule, kind, name, group, words, of_device, rests_on):
    """(good, gone in time, notes)"""
    begun = time.time()
    with contextlib.ExitStack() as stack:
        subject = bench.load(stack, kind, name, group)
        subject = bench.disk.name if of_device else subject
        shown = bench.until(rule, subject, True)
        bench.monitor.wait_ticks(3, time.time())
    others = bench.others(begun, {rule, *rests_on})
    gone = bench.until(rule, subject, False)
    texts = bench.said(rule, subject, begun)
    good = shown is not None and shown <= MOST and not others and all(word in texts[0] for word in words)
    return good, gone is not None and gone <= MOST, [
        f"shown after {shown} ticks, gone after {gone}; others at warn: {others}", *texts, bench.device_notes(begun)]


def positive(tap, bench, rule, kind, name, *, group=None, words=(), of_device=False, gone_too=True, rests_on=()):
    """Once more where it was disturbed: others' work on this machine makes a quick disk slow."""
    for left in (1, 0):
        good, gone, notes = one_try(bench, rule, kind, name, group, words, of_device, rests_on)
        if good and gone:
            break
        if left:
            tap.note("disturbed, once more: " + notes[0])
            settle(bench)
    tap.check(good, *notes)
    if gone_too:
        tap.check(gone, notes[0])


def settle(bench):
    """What was written goes out, and what was said of it is taken back."""
    os.sync()
    bench.monitor.wait_ticks(5, time.time())


def silent(tap, bench, rule, loads):
    found, notes = [], []
    for kind, name in loads:
        begun = time.time()
        with contextlib.ExitStack() as stack:
            subject = bench.load(stack, kind, name)
            bench.monitor.wait_ticks(QUIET, begun)
        found += bench.said(rule, subject, begun) + bench.said(rule, bench.disk.name, begun)
        notes.append(f"{kind}: {bench.device_notes(begun)}")
        settle(bench)
    tap.check(not found, *found, *notes)


def throttled(tap, bench):
    with contextlib.ExitStack() as stack:
        group = limited_group(stack, os.stat(bench.disk.path).st_rdev, 512 * 1024)
        positive(tap, bench, "throttled", "blocks direct", "load.blocks", group=group, of_device=True,
                 words=(group.name, "512 KiB/s of writes"))
    silent(tap, bench, "throttled", [("blocks direct", "load.blocks")])


def direct(tap, bench):
    positive(tap, bench, "direct-no-readahead", "read direct", "large", words=("/large",))
    silent(tap, bench, "direct-no-readahead", [("read direct large", "large"), ("read direct random", "large")])


def contention(tap, bench):
    positive(tap, bench, "inode-contention", "threads direct", "load.log", words=("/load.log", "_write_iter"))
    positive(tap, bench, "inode-contention", "processes direct", "load.log", words=("/load.log",), gone_too=False)
    silent(tap, bench, "inode-contention", [("threads direct own", "load.log")])


def sync_writer(tap, bench):
    # a flush of a quick disk is a warning of its own where the machine is busy
    positive(tap, bench, "sync-writer", "dsync", "load.journal", words=("O_DSYNC", bench.disk.name),
             rests_on=("flush-bound",))
    silent(tap, bench, "sync-writer", [("slowly", "load.journal")])


def double_caching(tap, bench):
    positive(tap, bench, "double-caching", "ibd", "load.ibd", words=("load.ibd", "innodb_flush_method"))
    silent(tap, bench, "double-caching", [("ibd direct", "load.ibd")])


def body(tap, stack):
    common.need("root", "mkfs.ext4")
    bench = Bench(stack)
    bench.monitor.wait_ticks(4, time.time())
    mine = [row for row in bench.findings() if row["subject"] == bench.disk.name]
    tap.check(not mine, *[row["text"] for row in mine])
    throttled(tap, bench)
    direct(tap, bench)
    contention(tap, bench)
    sync_writer(tap, bench)
    double_caching(tap, bench)


if __name__ == "__main__":
    common.main(NAMES, body)
