#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings over a pause of the screen: their start, how long they held, and when they ended."""

import re
import time

import common
import screen

PAUSE = 5
NAMES = [
    "a finding that holds on both sides of a pause goes on: the pause is part of how long it held",
    "one that held to the pause only ended there",
]
CLOCK = r"(\d+):(\d\d):(\d\d)"
HOLDS = re.compile(rf"system aio-exhausted since {CLOCK}, (\d+)s")
ENDED = re.compile(rf"system aio-exhausted {CLOCK}-{CLOCK} (\d+)s ended")
HEADER = re.compile(rf" {CLOCK} ")
DAY = 86400


def seconds(groups):
    return int(groups[0]) * 3600 + int(groups[1]) * 60 + int(groups[2])


class Machine:
    """A root whose AIO slots are nearly all taken, or not, and the screen on it."""

    def __init__(self, stack):
        self.root = common.temporary(stack)
        (self.root / "sys/fs").mkdir(parents=True)
        (self.root / "stat").write_text("cpu 0 0 0 0 0 0 0 0 0 0\nprocs_blocked 0\n", encoding="ascii")
        (self.root / "diskstats").write_text("   8  0 sda" + " 0" * 17 + "\n", encoding="ascii")
        (self.root / "uptime").write_text("5000.00 1.00\n", encoding="ascii")
        (self.root / "sys/fs/aio-max-nr").write_text("65536\n", encoding="ascii")
        self.take(65000)
        self.terminal = screen.Terminal(stack, [common.IOTRIAGE, "--procfs", self.root, "-d", "0.2", "--panel",
                                                "findings", "--config", "/dev/null"])

    def take(self, slots):
        (self.root / "sys/fs/aio-nr").write_text(f"{slots}\n", encoding="ascii")

    def see(self, expression):
        """The match on the screen, once it is there."""
        if self.terminal.until(expression.search, 20) is None:
            raise RuntimeError(f"never seen: {expression.pattern}\n{self.terminal.grid.text()}")
        return expression.search(self.terminal.grid.text())

    def pause(self, meanwhile=None):
        """Pauses for a while and goes on; the clock that the header shows in the pause."""
        self.terminal.type(" ")
        self.see(re.compile("paused"))
        if meanwhile is not None:
            self.take(meanwhile)
        self.terminal.watch(PAUSE)
        clock = seconds(HEADER.search(self.terminal.grid.text()).groups())
        self.terminal.type(" ")
        return clock


def goes_on(tap, stack):
    machine = Machine(stack)
    since = seconds(machine.see(HOLDS).groups())
    paused = machine.pause()
    machine.see(re.compile(r"sampling"))
    found = machine.see(HOLDS)
    now = seconds(HEADER.search(machine.terminal.grid.text()).groups())
    held = int(found.group(4))
    tap.check(seconds(found.groups()) == since and (now - paused) % DAY >= PAUSE - 1
              and abs((now - since) % DAY - held) <= 2, found.group(0), f"clock {now}, since {since}")


def ended(tap, stack):
    machine = Machine(stack)
    machine.see(HOLDS)
    time.sleep(1)
    paused = machine.pause(meanwhile=0)
    found = machine.see(ENDED)
    since, until = seconds(found.groups()), seconds(found.groups()[3:])
    tap.check((paused - until) % DAY <= 1 and abs((until - since) % DAY - int(found.group(7))) <= 1,
              found.group(0), f"paused at {paused}, ended at {until}")


def body(tap, stack):
    common.need()
    goes_on(tap, stack)
    ended(tap, stack)


if __name__ == "__main__":
    common.main(NAMES, body)
