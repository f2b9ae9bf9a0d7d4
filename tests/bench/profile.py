#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""What iotriage profile costs the program it watches: its rate with and without, in turns.

fio that reads 4 KiB from the page cache, and a private MariaDB server under one thread of
sysbench oltp_read_write. Beside it the same under strace -f of the same calls, once.
"""

import argparse
import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "live"))
import common  # noqa: E402
import mariadb  # noqa: E402
import profile_mariadb  # noqa: E402
import tracing  # noqa: E402

LEAST = 0.95
CALLS = ("read,pread64,readv,preadv,preadv2,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,"
         "sync_file_range,msync,open,openat,openat2,creat,close,lseek,fallocate,ftruncate,truncate,"
         "io_submit,io_getevents,io_pgetevents")


def await_(condition, what):
    limit = time.monotonic() + 30
    while not condition():
        if time.monotonic() > limit:
            raise RuntimeError(f"{what} does not begin")
        time.sleep(0.02)


class Reader:
    """fio; what it did is the number of its reads."""

    name, unit = "4 KiB reads of the page cache", "read"

    def __init__(self, stack):
        folder = common.temporary(stack, "/var/tmp")
        self.process = common.start(
            stack, ["fio", "--name=a", f"--filename={folder}/file", "--size=64M", "--rw=randread",
                    "--bs=4k", "--ioengine=psync", "--invalidate=0", "--norandommap", "--thread",
                    "--time_based", "--runtime=100000"], stdout=subprocess.DEVNULL)
        self.pid = self.process.pid
        await_(lambda: self.done() > 100000, "fio")

    def done(self):
        text = Path(f"/proc/{self.pid}/io").read_text(encoding="ascii")
        return int(text.split("syscr: ")[1].split()[0])


class Database:
    """MariaDB; what it did is the number of its commits."""

    name, unit = "MariaDB, sysbench, one client", "commit"

    def __init__(self, stack):
        if not shutil.which("sysbench"):
            raise common.Skip("no sysbench")
        self.server = profile_mariadb.Server(stack, mariadb.prepare(stack))
        stack.callback(self.server.down)
        self.server.query("CREATE DATABASE t")
        load = profile_mariadb.Sysbench(self.server)
        common.start(stack, [*load.command, "--time=0", "--events=0", "run"],
                     stdout=subprocess.DEVNULL)
        self.pid = self.server.process.pid
        await_(lambda: self.done() > 50, "sysbench")

    def done(self):
        return int(self.server.query("SHOW GLOBAL STATUS LIKE 'Com_commit'").split()[1])


@contextlib.contextmanager
def profiled(pid):
    process = subprocess.Popen([common.IOTRIAGE, "profile", "-p", str(pid), "--time", "1000"],
                               stdout=subprocess.DEVNULL)
    try:
        await_(lambda: profile_mariadb.links(process.pid) >= profile_mariadb.PROGRAMS, "profile")
        yield process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextlib.contextmanager
def straced(pid):
    process = subprocess.Popen(["strace", "-f", "-o", "/dev/null", "-e", f"trace={CALLS}", "-p", str(pid)],
                               stderr=subprocess.DEVNULL)
    try:
        await_(lambda: "TracerPid:\t0" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8"),
               "strace")
        yield
    finally:
        process.terminate()
        process.wait()


def cpu_ticks(pid):
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:13]))


def rate(target, seconds, around=None):
    """What it does a second, and the CPU time of each in microseconds."""
    with around(target.pid) if around else contextlib.nullcontext():
        done, cpu, began = target.done(), cpu_ticks(target.pid), time.monotonic()
        time.sleep(seconds)
        took, done, cpu = time.monotonic() - began, target.done() - done, cpu_ticks(target.pid) - cpu
    return done / took, 1e6 * cpu / os.sysconf("SC_CLK_TCK") / max(done, 1)


def program_times(target, seconds):
    """What the programs at system calls take, as the kernel says: a measure that stands noise."""
    with contextlib.ExitStack() as stack:
        stack.callback(tracing.STATS.write_text, tracing.STATS.read_text(encoding="ascii"),
                       encoding="ascii")
        pid = stack.enter_context(profiled(target.pid))
        tracing.STATS.write_text("1", encoding="ascii")
        time.sleep(seconds)
        for name, spent, runs in tracing.programs_of(pid):
            if name.startswith(("profile_enter", "profile_exit")) and runs:
                print(f"  {name:15} {1e9 * spent / runs:5.0f} ns a call of any process "
                      "(the kernel's timing included)")


def bench(target, pairs, seconds):
    without, watched = [], []
    for i in range(pairs):
        for with_it in (i % 2 == 0, i % 2 == 1):
            got = rate(target, seconds, profiled if with_it else None)
            (watched if with_it else without).append(got)
    ratios = [w[0] / n[0] for w, n in zip(watched, without)]
    median = statistics.median(ratios)
    print(f"{target.name}: {pairs} pairs of {seconds} s; load {' '.join(map(str, os.getloadavg()))}")
    for words, runs in (("without", without), ("profile", watched)):
        print(f"  {words:8} {statistics.median(r for r, _ in runs):12.0f} {target.unit}s/s, "
              f"{statistics.median(c for _, c in runs):9.3f} us of CPU each")
    print(f"  ratio of rates {median:.3f} (from {min(ratios):.3f} to {max(ratios):.3f}), "
          f"at least {LEAST}: {'met' if median >= LEAST else 'MISSED'}")
    program_times(target, seconds)
    if shutil.which("strace"):
        traced = rate(target, seconds, straced)[0]
        print(f"  strace   {traced:12.0f} {target.unit}s/s, "
              f"ratio {traced / statistics.median(r for r, _ in without):.3f}")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="half a minute, less exact")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: sys.exit(128 + got))
    for kind in Reader, Database:
        try:
            common.need("root", "fio", "bpftool")
            with contextlib.ExitStack() as stack:
                bench(kind(stack), *((3, 1) if options.quick else (9, 3)))
        except (common.Skip, RuntimeError) as reason:
            print(f"{kind.name}: skipped, {reason}", flush=True)


if __name__ == "__main__":
    main()
