#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast a saved report is read, and in how much memory: iotriage explain on iostat -x text."""

import os
import subprocess
import sys
import tempfile

TARGETS = "MB of iostat -x text per second of CPU >= 20; peak memory of a text ten times as long <= 1.1 x"
HEADER = ("Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm "
          "w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util\n")


def block(number):
    """One report of ten disks."""
    rows = "".join(
        f"sd{name}             {100 + number % 7:5d}.00   1600.00     0.00   0.00    0.{number % 90 + 10:02d}    16.00"
        f"   {200 + number % 11:4d}.00   3200.00     2.00   0.99    1.25    16.00    0.00      0.00     0.00   0.00"
        "    0.00     0.00    1.00    0.50    0.31  22.40\n" for name in "abcdefghij")
    return ("avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
            "           1.97    0.00    2.43    5.68    0.00   89.92\n\n" + HEADER + rows + "\n")


def measure(path):
    """Seconds of CPU and peak memory in kB of one reading."""
    program = os.environ.get("IOTRIAGE", "./iotriage")
    with subprocess.Popen([program, "explain", path], stdout=subprocess.DEVNULL) as child:
        _, child.returncode, usage = os.wait4(child.pid, 0)
    if child.returncode:
        sys.exit(f"explain ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    with tempfile.TemporaryDirectory() as folder:
        size, path, short = 0, os.path.join(folder, "long"), os.path.join(folder, "short")
        blocks = [block(number) for number in range(100)]
        for name, times in ((short, 30), (path, 300)):
            with open(name, "w", encoding="utf-8") as file:
                for _ in range(times):
                    file.writelines(blocks)
            size = os.path.getsize(name)
        seconds, large = min(measure(path) for _ in range(3))
        small = measure(short)[1]
        print(f"{size / 1e6:.0f} MB in {seconds:.2f} s of CPU: {size / 1e6 / seconds:.0f} MB/s; "
              f"peak {large} kB, of a tenth of it {small} kB")
        met = size / 1e6 / seconds >= 20 and large <= 1.1 * small
        print(f"{TARGETS}: {'met' if met else 'MISSED'}")


if __name__ == "__main__":
    main()
