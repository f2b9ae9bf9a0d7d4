#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""What measuring requests in the kernel costs: requests a second with tracing and without, in
alternating pairs, and the time of the programs for a million requests.

The disk is a loop device over memory, so that only the CPU limits it, and the real disk below
the temporary folder. The counts of the kernel's own programs are compared with diskstats'.
"""

import argparse
import contextlib
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "live"))
import common  # noqa: E402

TARGETS = """requests a second with tracing  >= 0.95 x without
counted by tracing, of diskstats' >= 0.999
"""
STATS = Path("/proc/sys/kernel/bpf_stats_enabled")


def memory_disk(stack):
    """A loop device over a file in memory."""
    folder = common.temporary(stack, "/dev/shm")
    image = folder / "image"
    with open(image, "wb") as file:
        file.truncate(256 << 20)
    done = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True)
    if done.returncode:
        raise common.Skip(f"no loop device: {done.stderr.strip()}")
    path = done.stdout.strip()
    stack.callback(subprocess.run, ["losetup", "-d", path], check=False)
    return path


def real_file(stack):
    """A file on a real disk, written through."""
    path = common.real_folder(stack) / "file"
    subprocess.run(["fio", "--name=fill", f"--filename={path}", "--size=512m", "--bs=1m", "--rw=write",
                    "--end_fsync=1", "--output=/dev/null"], check=True)
    return str(path)


def load(path, seconds):
    """Requests a second of one run."""
    done = subprocess.run(
        ["fio", "--name=load", f"--filename={path}", "--direct=1", "--ioengine=libaio", "--bs=4k",
         "--rw=randread", "--iodepth=64", "--time_based", f"--runtime={seconds}",
         "--output-format=json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["jobs"][0]["read"]["iops"]


def monitor(stack, disk, out, *more):
    command = [common.IOTRIAGE, "-b", "--panel", "devices", "--device", disk, "-d", "1", *more]
    process = common.start(stack, command, stdin=subprocess.DEVNULL, stdout=out)
    time.sleep(1)  # attached, and the first reading is made
    return process


def pair(path, disk, seconds, traced_first):
    """Requests a second (traced, untraced)."""
    rates = {}
    for traced in (traced_first, not traced_first):
        with contextlib.ExitStack() as stack:
            out = stack.enter_context(open(os.devnull, "w", encoding="ascii"))
            monitor(stack, disk, out, "--trace" if traced else "--no-trace")
            rates[traced] = load(path, seconds)
    return rates[True], rates[False]


def programs_of(pid):
    """(name, seconds, runs) of the BPF programs a process holds."""
    numbers, found = set(), []
    for entry in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{pid}/fdinfo/{entry}").read_text(encoding="ascii")
            numbers.update(re.findall(r"^prog_id:\s*(\d+)", text, re.MULTILINE))
    for each in sorted(numbers, key=int):
        done = subprocess.run(["bpftool", "-j", "prog", "show", "id", each], capture_output=True,
                              text=True)
        if done.returncode == 0:
            program = json.loads(done.stdout)
            found.append((program["name"], program.get("run_time_ns", 0) / 1e9,
                          program.get("run_cnt", 0)))
    return found


def counted(path, disk, requests):
    """Prints how many requests tracing counted of diskstats', and the cost of the programs."""
    with contextlib.ExitStack() as stack:
        before = STATS.read_text(encoding="ascii")
        stack.callback(STATS.write_text, before, encoding="ascii")
        STATS.write_text("1", encoding="ascii")
        csv_path = common.temporary(stack) / "csv"
        out = stack.enter_context(open(csv_path, "w", encoding="ascii"))
        process = monitor(stack, disk, out, "--trace")
        rate, done = 0, 0
        while done < requests:
            rate = load(path, 10)
            done += rate * 10
        time.sleep(2)
        programs = programs_of(process.pid)
        common.end(process)
        with open(csv_path, encoding="ascii") as file:
            rows = [row for row in csv.DictReader(file) if row["device"] == disk]
    total = sum(float(row["interval"]) * (float(row["r/s"] or 0) + float(row["w/s"] or 0)) for row in rows)
    traced = sum(float(row["interval"]) * float(row["traced/s"] or 0) for row in rows)
    print(f"{disk}: diskstats {total:.0f}, traced {traced:.0f}, ratio {traced / total:.6f}")
    for name, seconds, runs in programs:
        if runs > 1000:
            print(f"  {name:16} {1e9 * seconds / runs:6.0f} ns x {runs}")
    cost = sum(seconds for _, seconds, _ in programs)
    requests = max((runs for _, _, runs in programs), default=0)  # of all disks
    print(f"  {1e6 * cost / (requests or 1):.3f} s of CPU for a million requests (this timing included)")


def compare(path, disk, pairs, seconds):
    ratios = []
    for number in range(pairs):
        traced, untraced = pair(path, disk, seconds, number % 2 == 0)
        ratios.append(traced / untraced)
        print(f"  {traced:9.0f} / {untraced:9.0f} = {ratios[-1]:.3f}", flush=True)
    print(f"{disk}: median {statistics.median(ratios):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a minute, less exact")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=1000000)
    options = parser.parse_args()
    if options.quick:
        options.pairs, options.seconds = 3, 2
    try:
        common.need("root", "fio", "losetup", "bpftool")
        with contextlib.ExitStack() as stack:
            path, file = memory_disk(stack), real_file(stack)
            print(TARGETS + f"load {' '.join(map(str, os.getloadavg()))} (anything else that runs disturbs)")
            for target, disk in (path, Path(path).name), (file, common.disk_of(file)):
                if target == path:
                    counted(target, disk, options.requests)
                compare(target, disk, options.pairs, options.seconds)
    except (common.Skip, RuntimeError) as reason:
        print(f"tracing: {reason}")


if __name__ == "__main__":
    main()
