#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that may keep a third of its memory swaps to a disk of known speed: swapping."""

import contextlib
import os
import subprocess
import time
from pathlib import Path

import common
from common import figures

LIMIT_MIB, TOUCHED_MIB = 24, 72
ONSET = 5
NAMES = [
    "swap that is on and not used: no finding",
    "the device is known to swap",
    "memory beyond the limit is touched: swapping within 5 ticks, a warning",
    "it names the device that swaps",
    "nothing else warns of that device or of the machine",
    "the process has ended: swapping is gone within 5 ticks",
]


def mount_of(kind, option):
    """Where cgroups are mounted, of that kind and with that option."""
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        words, _, rest = line.partition(" - ")
        if rest.split()[0] == kind and (not option or option in rest.split()[2].split(",")):
            return Path(words.split()[4])
    return None


def memory_group(stack):
    """A folder of the memory controller, either version, with the limit set."""
    v1, v2 = mount_of("cgroup", "memory"), mount_of("cgroup2", None)
    limit = "memory.limit_in_bytes"
    if not v1 and v2 and "memory" in (v2 / "cgroup.subtree_control").read_text().split():
        limit = "memory.max"
    elif not v1:
        raise common.Skip("no memory controller for new cgroups")
    group = (v1 or v2) / f"iotriage-live.{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        raise common.Skip(f"no new cgroup: {error}") from None
    stack.callback(remove_group, group)
    (group / limit).write_text(str(LIMIT_MIB << 20))
    return group


def remove_group(group):
    """Its process may take a moment to be gone."""
    for _ in range(50):
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.1)


class Swap:
    """A rig that swaps, before all other swap there is."""

    def __init__(self, stack, folder):
        self.disk = common.Disk(stack, folder, service_us=0, slots=2, mib=128)
        subprocess.run(["mkswap", self.disk.path], check=True, capture_output=True)
        stack.callback(self.off)
        done = subprocess.run(["swapon", "--priority", "32767", self.disk.path],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise common.Skip(f"no swapon here: {done.stderr.strip()}")

    def off(self):
        """What is in it comes back at the disk's full speed."""
        with contextlib.suppress(RuntimeError):
            self.disk.set("stall", 0)
            self.disk.set("service_us", 0)
        subprocess.run(["timeout", "30", "swapoff", self.disk.path], capture_output=True)


def quiet(tap, swap, monitor):
    since = time.time()
    monitor.wait_ticks(3, since)
    tap.check(not monitor.warnings({swap.disk.name, "system"}, since),
              str(monitor.findings(since)))
    row = [row for row in monitor.rows("devices") if row["device"] == swap.disk.name][-1]
    tap.check(row["mounts"] == "[swap]", f"mounts '{row['mounts']}'")


def paging(tap, swap, monitor, group, pager):
    name = swap.disk.name
    since = time.time()
    with contextlib.ExitStack() as stack:
        process = common.start(stack, [pager, group, TOUCHED_MIB], stdout=subprocess.PIPE)
        if process.stdout.readline() != b"touching\n":
            raise RuntimeError("the process that pages did not come to it")
        swap.disk.set("service_us", 2000)
        shown = monitor.until("system", "swapping", True, 2 * ONSET)
        monitor.wait_ticks(4, time.time())
        said = monitor.said("system", "swapping", since) or {}
    gone = monitor.until("system", "swapping", False, 2 * ONSET)
    rows = [row for row in monitor.rows("devices", since) if row["device"] == name]
    moved = figures(monitor.rows("system", since), "pswpin/s", "pswpout/s")
    warned = monitor.warnings({name, "system"}, since)
    tap.check(shown is not None and shown <= ONSET and said.get("severity") == "warn",
              f"after {shown} ticks: {said.get('severity')} {said.get('text')}", moved,
              figures(rows, "r/s", "w/s", "avgqu-sz", "await", "%util", "verdict"))
    tap.check(f"device={name} " in said.get("evidence", "") + " ", said.get("evidence"))
    tap.check({key[:2] for key in warned} == {("system", "swapping")}, str(warned))
    tap.check(gone is not None and gone <= ONSET, f"after {gone} ticks")


def body(tap, stack):
    common.need("root", "mkswap", "swapon", "swapoff")
    pager = common.compile_c(stack, common.HERE / "pager.c", "-D_GNU_SOURCE")
    folder = common.temporary(stack)
    group = memory_group(stack)
    swap = Swap(stack, folder)
    monitor = common.Monitor(stack, folder, 1)
    quiet(tap, swap, monitor)
    paging(tap, swap, monitor, group, pager)


if __name__ == "__main__":
    common.main(NAMES, body)
