#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""How soon the first figures are there, and that a tick leaves nothing behind."""

import os
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import common
import screen

RUNS = 5
WARM = 4      # seconds after which nothing may be allocated any more
SECONDS = 12  # long enough for what is done every ten seconds only
TICKS = 200
NAMES = [
    "the first real figures are on screen within 2 s",
    "batch: the main thread's allocations stop after the first ticks",
    "screen: the main thread's allocations stop after the first ticks",
    "all panels in turn: the main thread's allocations stop, too",
    f"no more descriptors after {TICKS} ticks",
    f"no more memory after {TICKS} ticks",
]


def first_figures(tap):
    times = []
    for _ in range(RUNS):
        with common.contextlib.ExitStack() as stack:
            terminal = screen.Terminal(stack, [common.IOTRIAGE])
            times.append(terminal.until(screen.has_figures, 5))
            terminal.quit()
    known = sorted(each for each in times if each is not None)
    text = " ".join(f"{each * 1000:.0f}" if each else "never" for each in times)
    good = len(known) == RUNS and known[-1] <= 2
    median = f"{known[len(known) // 2] * 1000:.0f} ms" if known else "none"
    tap.check(good, f"median {median} of {text} (the aim is 400)")


def alone(command):
    """In a PID namespace of its own, with some idle processes, none of which come and go."""
    return ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c",
            "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 999 & done; exec \"$@\"", "sh", *command]


def counted_by(library):
    """LD_PRELOAD for the program alone, not for what starts it."""
    return ["env", f"LD_PRELOAD={library}", common.IOTRIAGE]


class Counted:
    """What malloc_count.c wrote."""

    def __init__(self, path):
        self.seconds, self.stacks = [], []
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, first, *rest = line.split(" ")
            if kind == "second":
                self.seconds.append(int(rest[0]))
            else:
                self.stacks.append((int(first), rest))

    def late(self):
        """Calls after the warm time, but for the last second, in which the program ends."""
        return self.seconds[WARM:-2]

    def describe(self):
        yield "calls in each second " + " ".join(map(str, self.seconds))
        if not any(self.late()):
            return
        for calls, frames in sorted(self.stacks, reverse=True)[:8]:
            yield f"{calls} calls from " + " < ".join(symbols(frames))


def symbols(frames):
    """Function names, where addr2line is here; a return address is behind its call."""
    for frame in frames:
        path, _, offset = frame.rpartition("+")
        name = ""
        if shutil.which("addr2line") and path:
            done = subprocess.run(["addr2line", "-f", "-s", "-e", path, hex(int(offset, 16) - 1)],
                                  capture_output=True, text=True, check=False)
            function, _, line = done.stdout.strip().partition("\n")
            name = f"{function} ({line.split(' ')[0]})" if "?" not in function else ""
        yield name or f"{Path(path).name}+{offset}"


def count_batch(stack, folder, library):
    """Starts it; what comes back waits for its figures."""
    path = folder / "batch.count"
    process = common.start(stack, alone([
        *counted_by(library), "-b", "--panel", "all", "-O", folder / "csv", "-d", "0.2",
        "-n", SECONDS * 5]),
        env={**os.environ, "MALLOC_COUNT": str(path), "MALLOC_WARM": str(WARM)})

    def wait():
        process.wait(SECONDS + 10)
        return Counted(path)

    return wait


def count_screen(stack, folder, library, keys):
    path = folder / f"screen{len(keys)}.count"
    terminal = screen.Terminal(stack, alone([*counted_by(library), "-d", "0.2"]), env={
        "MALLOC_COUNT": str(path), "MALLOC_WARM": str(WARM)})

    def wait():
        limit = time.monotonic() + SECONDS
        while time.monotonic() < limit:
            for key in keys:
                terminal.type(key)
                terminal.watch(0.25)
            if not keys:
                terminal.watch(1)
        terminal.quit()
        return Counted(path)

    return wait


def check_count(tap, counted):
    """None in a tick as such; the look at sysfs every ten seconds and a sequence that ncurses
    meets for the first time are seen in single seconds, and named in the notes."""
    works = len(counted.seconds) >= WARM + 3 and counted.seconds[0] > 0
    seconds = sum(1 for calls in counted.late() if calls)
    tap.check(works and seconds <= len(counted.late()) // 3, *counted.describe())


def allocations(tap, stack, folder):
    library = common.compile_c(stack, common.HERE / "malloc_count.c", "-fPIC", "-shared")
    batch = count_batch(stack, folder, library)
    plain = count_screen(stack, folder, library, "")
    check_plain = plain()
    check_count(tap, batch())
    check_count(tap, check_plain)
    check_count(tap, count_screen(stack, folder, library, "23461")())


def program_of(process):
    """The program that unshare runs, seen from here."""
    for _ in range(100):
        text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii")
        if text.split():
            return int(text.split()[0])
        time.sleep(0.01)
    return process.pid


def descriptors(pid):
    """What each leads to."""
    found = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(os.readlink(path))
        except OSError:
            pass
    return found


def sizes(pid):
    """Descriptors, resident and anonymous memory in kB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    return descriptors(pid), int(lines["VmRSS"].split()[0]), int(lines["RssAnon"].split()[0])


def growth(stack, folder):
    """200 ticks of 0.1 s: the sizes after 20; what comes back waits for those at the end."""
    monitor = common.Monitor(stack, folder, 0.1, before=alone([]))
    monitor.wait_ticks(20)
    pid = program_of(monitor.process)
    early = sizes(pid)

    def wait():
        monitor.wait_ticks(TICKS)
        return early, sizes(pid)

    return wait


def body(tap, stack):
    common.need()
    folder = common.temporary(stack)
    (folder / "growth").mkdir()
    first_figures(tap)
    common.need("root", "unshare")
    grown = growth(stack, folder / "growth")
    try:
        allocations(tap, stack, folder)
    except common.Skip as reason:
        while tap.next < 4:
            tap.skip(reason)
    early, late = grown()
    more = sorted((Counter(late[0]) - Counter(early[0])).elements())
    text = (f"descriptors {len(early[0])} then {len(late[0])}, RSS {early[1]} kB then {late[1]} kB, "
            f"of it anonymous {early[2]} kB then {late[2]} kB")
    tap.check(len(late[0]) <= len(early[0]), text, f"more: {more}")
    tap.check(late[1] <= early[1] + 256 and late[2] <= early[2] + 128, text)


if __name__ == "__main__":
    common.main(NAMES, body)
