#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""A mirror of two disks of known speed, one of which becomes slow for a while: uneven-legs."""

import contextlib
import subprocess
import time
from pathlib import Path

import common
from common import figures

RULE = "uneven-legs"
HEALTHY_US, SLOW_US = 2000, 20000
ONSET, MIB = 5, 256
JOBS, FILE_MIB = 4, 8
NAMES = [
    "both legs at 2 ms: no warning",
    "one leg at 20 ms: uneven-legs on it within 5 ticks, a warning",
    "it names the slow leg and the set",
    "nothing else warns of either leg or of the machine",
    "both at 2 ms again: it is gone within 5 ticks",
    "the other leg at 20 ms: the finding is on that one",
]


def run(*command):
    done = subprocess.run(["timeout", "60", *map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        raise common.Skip(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def need_btrfs():
    common.need("root", "fio", "mkfs.btrfs", "btrfs", "mount")
    subprocess.run(["modprobe", "-q", "btrfs"], check=False, stderr=subprocess.DEVNULL)
    kinds = Path("/proc/filesystems").read_text(encoding="ascii").split()
    if "btrfs" not in kinds:
        raise common.Skip("this kernel has no btrfs")


class Mirror:
    """btrfs, data and metadata on both of two rigs."""

    def __init__(self, stack, folder):
        self.legs = []
        for name in "a", "b":
            (folder / name).mkdir()
            self.legs.append(common.Disk(stack, folder / name, service_us=0, slots=4, mib=MIB))
        paths = [leg.path for leg in self.legs]
        stack.callback(self.forget)
        run("mkfs.btrfs", "-q", "-f", "-K", "-m", "raid1", "-d", "raid1", *paths)
        run("btrfs", "device", "scan", *paths)
        self.point = folder / "mnt"
        self.point.mkdir()
        stack.callback(self.down)
        run("mount", "-t", "btrfs", "-o", "noatime,nodatacow", paths[0], self.point)
        self.uuid = run("findmnt", "-n", "-o", "UUID", self.point)

    def down(self):
        for leg in self.legs:
            with contextlib.suppress(RuntimeError):
                leg.set("service_us", 0)
        subprocess.run(["timeout", "30", "umount", str(self.point)], check=False,
                       stderr=subprocess.DEVNULL)
        self.point.rmdir()

    def forget(self):
        """The kernel remembers members of several; their loop devices go."""
        for leg in self.legs:
            subprocess.run(["btrfs", "device", "scan", "--forget", leg.path], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def rows_of(monitor, mirror, since):
    for leg in mirror.legs:
        rows = [row for row in monitor.rows("devices", since) if row["device"] == leg.name]
        yield f"{leg.name}: " + figures(rows, "w/s", "w_await", "avgqu-sz", "%util", "verdict")


def slow_leg(monitor, mirror, slow):
    """One leg slow for a while: when that is shown, what it says, and when it is gone."""
    since = time.time()
    slow.set("service_us", SLOW_US)
    shown = monitor.until(slow.name, RULE, True, 2 * ONSET)
    monitor.wait_ticks(4, time.time())
    said = monitor.said(slow.name, RULE, since) or {}
    slow.set("service_us", HEALTHY_US)
    gone = monitor.until(slow.name, RULE, False, 2 * ONSET)
    subjects = {leg.name for leg in mirror.legs} | {"system"}
    return shown, said, gone, monitor.warnings(subjects, since), rows_of(monitor, mirror, since)


def check_legs(tap, monitor, mirror):
    subjects = {leg.name for leg in mirror.legs} | {"system"}
    since = time.time()
    monitor.wait_ticks(5, since)
    warned = monitor.warnings(subjects, since)
    tap.check(not warned, str(warned), *rows_of(monitor, mirror, since))
    first, other = mirror.legs
    shown, said, gone, warned, rows = slow_leg(monitor, mirror, first)
    tap.check(shown is not None and shown <= ONSET and said.get("severity") == "warn",
              f"after {shown} ticks", *rows)
    tap.check(said.get("text", "").startswith(f"{first.name} holds up its set") and
              mirror.uuid in said.get("text", ""), said.get("text"), said.get("evidence"))
    tap.check({key[:2] for key in warned} == {(first.name, RULE)}, str(warned))
    tap.check(gone is not None and gone <= ONSET, f"after {gone} ticks")
    shown, said, gone, warned, rows = slow_leg(monitor, mirror, other)
    tap.check(shown is not None and shown <= ONSET and gone is not None and gone <= ONSET and
              {key[:2] for key in warned} == {(other.name, RULE)},
              f"after {shown} ticks, gone after {gone}; {warned}", *rows)


def body(tap, stack):
    need_btrfs()
    folder = common.temporary(stack)
    mirror = Mirror(stack, folder)
    for n in range(JOBS):
        (mirror.point / f"legs.{n}.0").write_bytes(bytes(FILE_MIB << 20))
    subprocess.run(["sync", "-f", str(mirror.point)], check=True)
    for leg in mirror.legs:
        leg.set("service_us", HEALTHY_US)
    monitor = common.Monitor(stack, folder, 1)
    with contextlib.ExitStack() as load:
        # btrfs takes one direct write to a file at a time
        common.fio(load, "legs", f"--directory={mirror.point}", f"--size={FILE_MIB}m", "--bs=4k",
                   "--rw=randwrite", f"--numjobs={JOBS}")
        monitor.wait_ticks(3)  # fio is slow to begin
        check_legs(tap, monitor, mirror)


if __name__ == "__main__":
    common.main(NAMES, body)
