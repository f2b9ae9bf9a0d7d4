#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""MODE, contexts and rings of fio's engines, side by side on the root's file system."""

import json
import subprocess
import time
from pathlib import Path

import common

DEPTH = 16
RATE = 400
JOBS = {
    "buffered": ("B", ["--ioengine=psync", "--direct=0", "--rw=randwrite"]),
    "direct": ("D", ["--ioengine=psync", "--rw=randread"]),
    "synchronous": ("S", ["--ioengine=psync", "--direct=0", "--sync=1", "--rw=randwrite"]),
    "libaio": ("DA", [f"--iodepth={DEPTH}", "--rw=randread"]),
    "io_uring": ("DU", ["--ioengine=io_uring", f"--iodepth={DEPTH}", "--rw=randread"]),
    "mapped": ("M", ["--ioengine=mmap", "--direct=0", "--rw=randwrite"]),
}
NAMES = [f"{name}: MODE is {mode}" for name, (mode, _) in JOBS.items()] + [
    "DEV is the same device for all of them",
    "libaio has one context, and no other job has any",
    "io_uring has one ring, and no other job has any",
    "the AIO table has a row for each of the two, with these figures",
    f"aio-nr has grown by {DEPTH} at least",
    "completions per second of the ring are fio's IOPS",
    "so are its submissions",
    "when fio has ended no row of it is left, and its slots of aio-nr are free",
    "find, du and rm -rf never are M",
]


def children(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def job_pid(process):
    """fio forks its job; the parent only waits."""
    limit = time.monotonic() + 10
    while time.monotonic() < limit:
        found = children(process.pid)
        if found:
            return found[-1]
        time.sleep(0.1)
    raise RuntimeError("fio has started no job")


def start_jobs(stack, folder):
    processes = {}
    for name, (_, options) in JOBS.items():
        processes[name] = common.fio(stack, name, *options, "--bs=4k", "--size=16m", f"--rate_iops={RATE}",
                                     f"--filename={folder / name}", cwd=folder,
                                     stdout=open(folder / f"{name}.json", "w", encoding="utf-8"))
    return processes, {name: job_pid(process) for name, process in processes.items()}


def last(rows, epochs):
    return [row for row in rows if any(abs(float(row["epoch"]) - epoch) < 0.01 for epoch in epochs)]


def mean(rows, column):
    known = [common.number(row, column) for row in rows if row[column] != ""]
    return sum(known) / len(known) if known else None


def check_modes(tap, monitor, epochs, pids):
    rows = last(monitor.rows("tasks"), epochs)
    of = {name: [row for row in rows if row["pid"] == str(pid)] for name, pid in pids.items()}
    for name, (mode, _) in JOBS.items():
        seen = [row["mode"] for row in of[name]]
        tap.check(len(seen) == len(epochs) and set(seen) == {mode}, f"seen: {seen}")
    devices = {row["dev"] for each in of.values() for row in each}
    tap.check(len(devices) == 1 and "" not in devices, f"devices {devices}")
    for column, owner in ("contexts", "libaio"), ("rings", "io_uring"):
        seen = {name: {row[column] for row in each} for name, each in of.items()}
        tap.check(all(cells == ({"1"} if name == owner else {"0"}) for name, cells in seen.items()), seen)


def check_aio(tap, monitor, epochs, pids, before):
    rows = last(monitor.rows("aio"), epochs)
    libaio = [row for row in rows if row["pid"] == str(pids["libaio"])]
    ring = [row for row in rows if row["pid"] == str(pids["io_uring"])]
    tap.check(len(libaio) == len(ring) == len(epochs) and {row["contexts"] for row in libaio} == {"1"} and
              {row["rings"] for row in ring} == {"1"}, f"{len(libaio)} and {len(ring)} rows")
    slots = [float(row["aio-nr"]) for row in rows if not row["pid"]]
    tap.check(slots and min(slots) >= before + DEPTH, f"{before:.0f} before, {slots} while it runs")
    return ring, min(slots, default=before)


def machine_slots():
    return float(Path("/proc/sys/fs/aio-nr").read_text())


def finish(processes):
    for process in processes.values():
        process.terminate()
    for process in processes.values():
        process.wait(20)


def reported(folder, name):
    text = (folder / f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text[text.index("{"):])["jobs"][0]["read"]["iops"]


def check_gone(tap, monitor, pids, during):
    ended = time.time()
    epochs = monitor.wait_ticks(4, ended)[2:]
    left = {row["pid"] for table in ("tasks", "aio") for row in last(monitor.rows(table), epochs)}
    left &= {str(pid) for pid in pids.values()}
    slots = machine_slots()
    tap.check(not left and slots <= during - DEPTH, f"rows left: {left}; aio-nr {slots:.0f}, it was {during:.0f}")


def check_folders(tap, stack, monitor, folder):
    """Reads and writes of folders and of what the file system keeps: bytes without calls."""
    script = ("while :; do mkdir -p t; for d in 1 2 3 4 5 6 7 8 9; do mkdir -p t/$d; (cd t/$d && touch $(seq 400)); done;"
              " sync; echo 2 >/proc/sys/vm/drop_caches; find . -type f >/dev/null; du -s . >/dev/null; rm -rf t; done")
    since = time.time()
    common.start(stack, ["sh", "-c", script], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    monitor.wait_ticks(8, since)
    rows = [row for row in monitor.rows("tasks", since) if row["comm"] in ("find", "du", "rm", "touch", "mkdir")]
    wrong = [(row["comm"], row["mode"]) for row in rows if "M" in row["mode"]]
    tap.check(not wrong, f"{len(rows)} rows; M: {wrong}")


def body(tap, stack):
    common.need("root", "fio")
    folder = common.temporary(stack, "/var/tmp")
    before = machine_slots()
    processes, pids = start_jobs(stack, folder)
    (folder / "out").mkdir()
    monitor = common.Monitor(stack, folder / "out", 1)
    epochs = monitor.wait_ticks(12)[-5:]
    time.sleep(0.3)  # the tables of that tick are written one after the other
    check_modes(tap, monitor, epochs, pids)
    ring, during = check_aio(tap, monitor, epochs, pids, before)
    finish(processes)
    iops = reported(folder, "io_uring")
    for column in "cq/s", "sq/s":
        seen = mean(ring, column)
        tap.check(seen is not None and abs(seen - iops) <= 0.2 * iops, f"{column} {seen}, fio {iops:.0f}")
    check_gone(tap, monitor, pids, during)
    check_folders(tap, stack, monitor, folder)


if __name__ == "__main__":
    common.main(NAMES, body)
