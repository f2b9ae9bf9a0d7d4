#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures against iostat's and fio's, over the same ten seconds of the same load."""

import json
import os
import subprocess
import time

import common
from common import disk_of, real_folder

SECONDS = 10
RATE_LIMIT = 2  # per cent: 3 would let 1000 for 1024 pass
RATES = ("r/s", "w/s", "rkB/s", "wkB/s")
TIMES = ("r_await", "w_await", "avgqu-sz", "%util")
IOSTAT_NAME = {"avgqu-sz": "aqu-sz", "%util": "util"}
NAMES = [f"{column} of the real disk as iostat's" for column in RATES + TIMES] + [
    f"{column} of the rig as iostat's" for column in RATES + TIMES] + [
    "rkB/s + wkB/s of the task on the real disk as fio's",
    "rkB/s + wkB/s of the task on the rig as fio's"]


def weight(row, column):
    """Rates count by the length of their interval, averages by the requests in it."""
    requests = {"r_await": "r/s", "w_await": "w/s"}.get(column)
    return float(row["interval"]) * (float(row[requests]) if requests else 1)


def mean(rows, column):
    pairs = [(common.number(row, column), weight(row, column)) for row in rows]
    pairs = [(value, share) for value, share in pairs if value is not None]
    total = sum(share for _, share in pairs)
    return sum(value * share for value, share in pairs) / total if total else None


def iostat_rows(text):
    hosts = json.loads(text)["sysstat"]["hosts"]
    return {disk["disk_device"]: disk for disk in hosts[0]["statistics"][0]["disk"]}


def fio_rate(text):
    """KiB/s over the time of the run, of reads and writes together."""
    job = json.loads(text)["jobs"][0]
    return sum(job[way]["io_bytes"] / 1.024 / job[way]["runtime"] for way in ("read", "write")
               if job[way]["runtime"])


def task_rate(rows, job):
    """KiB/s of the worker: of fio's two processes the one that does something."""
    rates = {}
    for row in rows:
        if f"--name={job}" in row["command"] and row["rkB/s"]:
            rates.setdefault(row["pid"], []).append(float(row["rkB/s"]) + float(row["wkB/s"]))
    means = [sum(each) / len(each) for each in rates.values()]
    return max(means, default=None)


def measure(tap, outer, disk):
    """One run of all of them: {name: (ours, theirs, of one hundred, absolute)}"""
    with common.contextlib.ExitStack() as stack:
        folder = common.temporary(outer)
        real = real_folder(stack)
        size = 64 << 20
        (real / "file").write_bytes(os.urandom(1 << 20) * 64)
        os.sync()
        loads = {
            "real": common.fio(
                stack, "agree-real", f"--filename={real}/file", f"--size={size}", "--rw=randrw",
                "--bsrange=4k-64k", "--iodepth=4", "--rate=4800k,4800k",  # about 200 + 200 IOPS
                stdout=open(folder / "real.json", "w", encoding="utf-8")),
            "rig": common.fio(
                stack, "agree-rig", f"--filename={disk.path}", f"--size={size}", "--rw=randrw",
                "--bs=16k", "--iodepth=4",
                stdout=open(folder / "rig.json", "w", encoding="utf-8")),
        }
        time.sleep(1.5)
        # both read for the first time some milliseconds after they are started
        begun = time.time()
        monitor = common.Monitor(stack, folder, 1, SECONDS)
        iostat = common.start(stack, ["iostat", "-y", "-x", "-o", "JSON", SECONDS, 1],
                              stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "LC_ALL": "C", "S_TIME_FORMAT": "ISO"})
        theirs = iostat_rows(iostat.communicate(timeout=SECONDS + 15)[0])
        monitor.finish(15)
        for load in loads.values():
            load.send_signal(common.signal.SIGINT)
            load.wait(20)
        results = {}
        name_of = {"real": disk_of(real), "rig": disk.name}
        ticks = monitor.ticks()
        tap.note(f"{len(ticks)} ticks, the first {ticks[0] - begun:.2f} s and the last "
                 f"{ticks[-1] - begun:.2f} s after the start; disk {name_of['real']}")
        for kind, name in name_of.items():
            rows = [row for row in monitor.rows("devices") if row["device"] == name]
            for column in RATES + TIMES:
                other = theirs[name][IOSTAT_NAME.get(column, column)]
                results[kind, column] = (mean(rows, column), other,
                                         limit(kind, column),
                                         0.02 if column in TIMES else 0)
        for kind in name_of:
            text = (folder / f"{kind}.json").read_text(encoding="utf-8")
            results[kind, "task"] = (task_rate(monitor.rows("tasks"), f"agree-{kind}"),
                                     fio_rate(text[text.index("{"):]), RATE_LIMIT, 0)
        return results


def limit(kind, column):
    if column in RATES:
        return RATE_LIMIT
    return 5 if kind == "real" else 3


def close(result):
    ours, theirs, percent, absolute = result
    return ours is not None and abs(ours - theirs) <= max(abs(theirs) * percent / 100, absolute)


def describe(result):
    ours, theirs, percent, absolute = result
    if ours is None:
        return f"iotriage nothing, the other {theirs:.2f}"
    off = f"{100 * (ours / theirs - 1):+.2f} %" if theirs else "-"
    return f"iotriage {ours:.3f}, the other {theirs:.3f}: {off} (limit {percent} % or {absolute})"


def body(tap, stack):
    common.need("root", "fio", "iostat")
    disk = common.Disk(stack, common.temporary(stack))
    real_folder(stack)
    first = measure(tap, stack, disk)
    second = None
    if not all(map(close, first.values())):
        tap.note("disturbed, or wrong: once more")
        second = measure(tap, stack, disk)
    keys = [(kind, column) for kind in ("real", "rig") for column in RATES + TIMES]
    for key in keys + [("real", "task"), ("rig", "task")]:
        notes = [describe(first[key])]
        if second:
            notes.append(f"second run: {describe(second[key])}")
        tap.check(close(first[key]) or (second is not None and close(second[key])), *notes)


if __name__ == "__main__":
    common.main(NAMES, body)
