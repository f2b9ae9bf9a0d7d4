#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bios of disks without requests against diskstats, and waits for a free slot against fio's report."""

import contextlib
import json
import subprocess
import time
from pathlib import Path

import common

SLOTS, SERVICE_US = 8, 2000
FEW, JOBS = 4, 32  # the fewest requests that the kernel lets a queue have
SECONDS = 3
DELAY_MS = 7
STACKS = {"linear": "0", "delay": f"0 {DELAY_MS}"}
NAMES = [name for target in STACKS for name in (
            f"dm-{target}: avserv is diskstats' await",
            "... avwait and slotwait/s are absent, and the mark is not by avserv",
            "... the disk below has its own time, not a longer one")
         ] + ["zram: avserv is diskstats' await",
              "few slots: requests wait for one",
              "... fio's completion latency is that wait, avwait and avserv",
              "... and await does not contain it",
              "... so that shallow-queue says it",
              "enough slots: none waits",
              "few slots with a scheduler: fio's completion latency again",
              "large requests in parts: none waits where there are slots",
              "--no-trace leaves the columns empty"]


def iotriage(disks, seconds, *more):
    """{device: its row}"""
    named = [word for disk in disks for word in ("--device", disk)]
    done = subprocess.run([common.IOTRIAGE, "-b", *named, "-d", str(seconds), "-n", "1", *more],
                          capture_output=True, text=True)
    if done.returncode == 5:
        raise common.Skip(done.stderr.strip())
    if done.returncode or done.stderr:
        raise RuntimeError(f"iotriage: {done.returncode} {done.stderr}")
    return {row["device"]: row for row in common.csv.DictReader(done.stdout.splitlines())}


def times(disk):
    """(requests, their ms) of reads and writes."""
    field = [int(word) for word in Path(f"/sys/block/{disk}/stat").read_text().split()]
    return field[0] + field[4], field[3] + field[7]


def load(stack, disk, *more, runtime=SECONDS + 3):
    """fio, once it is under way."""
    idle = times(disk)
    job = common.fio(stack, "bios", f"--filename=/dev/{disk}", "--rw=randread", "--bs=4k",
                     "--ioengine=psync", f"--runtime={runtime}", *more, stdout=subprocess.PIPE)
    limit = time.monotonic() + 20
    while times(disk)[0] - idle[0] < 20 and time.monotonic() < limit and job.poll() is None:
        time.sleep(0.1)
    time.sleep(0.5)
    return job


def completion_ms(job):
    return json.loads(job.communicate()[0])["jobs"][0]["read"]["clat_ns"]["mean"] / 1e6


def compared(disk, others, *more):
    """(diskstats' await, iotriage's rows) of a load of its own; again where it was disturbed."""
    for _ in range(3):
        with contextlib.ExitStack() as stack:
            load(stack, disk, *more, runtime=60)
            before = times(disk)
            rows = iotriage([disk, *others], SECONDS, "--trace")
            after = times(disk)
        await_ms = (after[1] - before[1]) / max(1, after[0] - before[0])
        if near(common.number(rows[disk], "avserv"), await_ms):
            break
    return await_ms, rows


def near(got, wanted):
    return got is not None and abs(got - wanted) <= max(0.1 * wanted, 0.005)


def skip_all(tap, count, reason):
    for _ in range(count):
        tap.skip(reason)


def dm(tap, rig, target, rest):
    """A device-mapper disk over the rig."""
    have = subprocess.run(["dmsetup", "targets"], capture_output=True, text=True)
    if have.returncode or target not in have.stdout.split():
        return skip_all(tap, 3, f"no dm target {target}")
    sectors = int(Path(f"/sys/block/{rig.name}/size").read_text())
    name = f"iotriage-test-{target}"
    with contextlib.ExitStack() as stack:
        subprocess.run(["dmsetup", "create", name, "--noudevsync", "--table",
                        f"0 {sectors} {target} {rig.path} {rest}"], check=True)
        stack.callback(subprocess.run, ["dmsetup", "remove", "--noudevsync", "--retry", name])
        disk = subprocess.run(["dmsetup", "info", "-c", "--noheadings", "-o", "blkdevname", name],
                              capture_output=True, text=True, check=True).stdout.strip()
        await_ms, rows = compared(disk, [rig.name], "--numjobs=4", "--thread")
    upper, lower = rows[disk], rows[rig.name]
    tap.check(near(common.number(upper, "avserv"), await_ms),
              f"avserv {upper['avserv']}, await {await_ms:.3f}, traced {upper['traced/s']}/s")
    tap.check(upper["avwait"] == upper["slotwait/s"] == "" and upper["mark_by"] != "avserv", upper["mark_by"])
    least = DELAY_MS if target == "delay" else 0
    both = common.number(lower, "avserv") + common.number(lower, "avwait")
    tap.check(common.number(lower, "slotwait/s") == 0 and
              0.95 * both + least <= common.number(upper, "avserv"), f"below {both}")


def zram(tap):
    control = Path("/sys/class/zram-control")
    if not control.exists():
        return tap.skip("no zram")
    number = (control / "hot_add").read_text().strip()
    disk = f"zram{number}"
    folder = Path(f"/sys/block/{disk}")
    with contextlib.ExitStack() as stack:
        stack.callback((control / "hot_remove").write_text, number)
        (folder / "disksize").write_text("64M")
        (folder / "queue/iostats").write_text("1")
        subprocess.run(["fio", "--name=fill", f"--filename=/dev/{disk}", "--rw=write", "--bs=1M",
                        "--size=60M", "--direct=1", "--output=/dev/null"], check=True)
        await_ms, rows = compared(disk, [], "--rw=randrw", "--bs=256k", "--size=60M")
    tap.check(near(common.number(rows[disk], "avserv"), await_ms),
              f"avserv {rows[disk]['avserv']}, await {await_ms:.4f}, traced {rows[disk]['traced/s']}/s")


def slots(rig, scheduler, requests, *more):
    """(fio's completion latency, iotriage's row, mean of all requests: wait for a slot, all)"""
    queue = Path(f"/sys/block/{rig.name}/queue")
    # the same scheduler once more would set nr_requests back, and leave the slots as they are
    if f"[{scheduler}]" not in (queue / "scheduler").read_text():
        (queue / "scheduler").write_text(scheduler)
    (queue / "nr_requests").write_text(str(requests))
    for _ in range(3):
        with contextlib.ExitStack() as stack:
            job = load(stack, rig.name, f"--numjobs={JOBS}", "--thread", "--group_reporting", *more)
            row = iotriage([rig.name], SECONDS, "--trace")[rig.name]
            judge = completion_ms(job)
        wait = common.number(row, "slotwait/s") * (common.number(row, "avslot") or 0) / \
            common.number(row, "traced/s")
        both = wait + common.number(row, "avwait") + common.number(row, "avserv")
        if abs(both - judge) <= 0.1 * judge:
            break
    return judge, row, wait, both


def said(rig, rule):
    """The last row of that finding while many wait."""
    with contextlib.ExitStack() as stack:
        load(stack, rig.name, f"--numjobs={JOBS}", "--thread", runtime=8)
        done = subprocess.run([common.IOTRIAGE, "-b", "--trace", "--panel", "findings", "-d", "0.5",
                               "-n", "8"], capture_output=True, text=True)
    rows = [row for row in common.csv.DictReader(done.stdout.splitlines())
            if row["subject"] == rig.name and row["rule"] == rule]
    return rows[-1]["text"] if rows else ""


def slot_tests(tap, rig):
    def fits():
        tap.check(abs(both - judge) <= 0.1 * judge, f"fio {judge:.3f}, waits and avserv {both:.3f} ms")

    judge, row, wait, both = slots(rig, "none", FEW)
    tap.check(common.number(row, "slotwait/s") > 0,
              common.figures([row], "r/s", "slotwait/s", "avslot", "avwait", "avserv", "await"))
    fits()
    tap.check(wait > common.number(row, "await"))
    text = said(rig, "shallow-queue")
    tap.check("free slot" in text and "nr_requests" in text, text)
    _, row, _, _ = slots(rig, "none", 128)
    tap.check(common.number(row, "slotwait/s") == 0 and row["avslot"] == "",
              common.figures([row], "slotwait/s", "avslot"))
    judge, row, wait, both = slots(rig, "mq-deadline", FEW)
    fits()
    limit = int(Path(f"/sys/block/{rig.name}/queue/max_sectors_kb").read_text())
    _, row, _, _ = slots(rig, "none", 128, f"--bs={4 * limit}k", "--numjobs=2")
    tap.check(common.number(row, "slotwait/s") == 0,
              f"parts of {limit} KiB: " + common.figures([row], "areq-sz", "slotwait/s", "avslot"))


def body(tap, stack):
    common.need("root", "fio")
    folder = common.temporary(stack)
    rig = common.Disk(stack, folder, SERVICE_US, SLOTS, 64)
    iotriage([rig.name], 0.2, "--trace")
    for target, rest in STACKS.items():
        if common.shutil.which("dmsetup"):
            dm(tap, rig, target, rest)
        else:
            skip_all(tap, 3, "no dmsetup")
    zram(tap)
    slot_tests(tap, rig)
    row = iotriage([rig.name], 0.5, "--no-trace")[rig.name]
    tap.check(row["slotwait/s"] == row["avslot"] == "")


common.main(NAMES, body)
