#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor beside a process that blocks whoever reads its files: it must not hang too."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import common
import screen

TICKS = 5
PROC = ("--sampler", "proc")  # what is tested is reading files that hang
NAMES = [f"in execve, {when}: {what}" for when in ("already open", "found stuck") for what in (
    "ticks stay on the clock",
    "its row says blocked from the third tick on",
    "all other tasks are there with figures",
    "SIGTERM ends the program within a second",
)] + [
    "in execve, on screen: device figures come",
    "in execve, on screen: q ends the program within a second",
    "in execve: pidstat -d hangs",
] + [f"in mmap: {what}" for what in (
    "ticks stay on the clock",
    "its row shows the name in brackets and has figures",
    "the names of others come",
    "so does that of a process started since",
    "no more than one helper is left behind while it runs",
    "SIGTERM ends the program within a second",
    "no more than one helper outlives the program",
    "no helper is left when the process is gone",
)] + [f"files in /proc that hang, {how}: {what}" for how in ("through the page cache", "with direct I/O") for what in (
    "ticks stay on the clock",
    "the rows show names in brackets, with figures",
    "the names of others come, and how they do I/O",
    "so do those of a process started since",
    "no more helpers are left behind than files that hang",
    "SIGTERM ends the program within a second",
    "no helper is left when the files answer again",
)] + ["files in /proc that hang: q ends the program on screen within a second"]


def pids():
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def status(pid):
    """Name, parent and state of a process; this file can be read also while it is stuck."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", 0, "X"
    lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return lines.get("Name", "").strip(), int(lines.get("PPid", "0")), lines["State"].split()[0]


HELPERS = ("iotriage-names", "iotriage-uses")


def helpers(parent=None, kinds=HELPERS):
    """Those alive; one that has ended waits for init, which may take its time."""
    found = {pid: status(pid) for pid in pids()}
    return {pid for pid, (name, ppid, state) in found.items()
            if name in kinds and parent in (None, ppid) and state not in "ZX"}


def most_of_a_kind(parent):
    return max(len(helpers(parent, (kind,))) for kind in HELPERS)


def left_after(seconds, seen):
    """Of the helpers that were seen those that are still there after so long."""
    limit = time.monotonic() + seconds
    while helpers() & seen and time.monotonic() < limit:
        time.sleep(0.05)
    return helpers() & seen


def readable(pid):
    """Whether its io file is, asked by a process that may hang."""
    done = subprocess.run(["timeout", "-s", "KILL", "1", "cat", f"/proc/{pid}/io"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def check_clock(tap, ticks):
    steps = [after - before for before, after in zip(ticks, ticks[1:])]
    tap.check(len(steps) >= TICKS - 1 and all(abs(step - 1) <= 0.3 for step in steps),
              "steps " + " ".join(f"{step:.3f}" for step in steps))


def tick_rows(monitor, epoch):
    return {int(row["pid"]): row for row in monitor.rows("tasks")
            if row["pid"] and abs(float(row["epoch"]) - epoch) < 0.01}


def check_blocked(tap, monitor, ticks, victim):
    states = [tick_rows(monitor, epoch).get(victim, {}).get("state", "no row") for epoch in ticks]
    tap.check(len(states) >= TICKS and all(state == "blocked" for state in states[2:]),
              "states " + ", ".join(states))


def check_others(tap, monitor, epoch, there):
    """Every process that lived all the time has a row, and figures unless nobody may read them."""
    rows = tick_rows(monitor, epoch)
    there &= pids()
    missing = {pid for pid in there if pid not in rows}
    empty = {pid for pid in there & set(rows) if rows[pid]["rkB/s"] == ""}
    wrong = {pid for pid in empty if readable(pid)}
    tap.check(there and not missing and not wrong,
              f"{len(there)} others, {len(empty)} unreadable; no row: {sorted(missing)}; "
              f"no figures though readable: {sorted(wrong)}")


def check_end(tap, process):
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        pass
    took = time.monotonic() - begun
    tap.check(process.poll() == 0 and took <= 1, f"status {process.poll()} after {took:.2f} s")


def in_execve(tap, stack, folder):
    before = common.Monitor(stack, folder / "before", 1, more=PROC)
    before.wait_ticks(2)
    victim = common.Stuck(stack, folder, "flush")
    up = time.time()
    there = pids() - {victim.pid}
    after = common.Monitor(stack, folder / "after", 1, more=PROC)
    pidstat = common.start(stack, ["timeout", "-s", "KILL", "4", "pidstat", "-d", "1", "1"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    terminal = screen.Terminal(stack, [common.IOTRIAGE, *PROC], lines=50, columns=120)
    shown = terminal.until(screen.has_figures, 5)
    terminal.watch(2)  # a worker is hanging now, another at work
    text = terminal.grid.text()
    quit_after = terminal.quit()
    for monitor in before, after:
        ticks = monitor.wait_ticks(TICKS, up)[:TICKS]
        monitor.seen = ticks
        monitor.there = set(there)
    time.sleep(0.3)  # the tables of that tick are written one after the other
    for monitor in before, after:
        check_clock(tap, monitor.seen)
        check_blocked(tap, monitor, monitor.seen, victim.pid)
        check_others(tap, monitor, monitor.seen[-1], monitor.there - {
            pidstat.pid, terminal.pid, after.process.pid})
        check_end(tap, monitor.process)
    tap.check(shown is not None, f"after {shown:.3f} s" if shown else text)
    tap.check(quit_after is not None and quit_after <= 1 and terminal.status == 0,
              f"{quit_after} s, status {terminal.status}")
    code = pidstat.wait(10)
    tap.check(code in (137, -9), f"status {code}; 137: it had to be killed after 4 s")
    tap.note(f"stuck for {time.time() - up:.1f} s")
    victim.down()


def in_mmap(tap, stack, folder):
    seen = set()
    victim = common.Stuck(stack, folder, "write")
    monitor = common.Monitor(stack, folder / "mmap", 1, more=PROC)
    most = 0
    up = time.time()
    for count in range(1, TICKS + 1):
        ticks = monitor.wait_ticks(count, up)[:TICKS]
        most = max(most, most_of_a_kind(monitor.process.pid))
        seen |= helpers(monitor.process.pid)
        if count == 2:  # its name is the next helper's to find
            late = common.start(stack, ["sleep", "300"])
    time.sleep(0.3)
    most = max(most, most_of_a_kind(monitor.process.pid))
    seen |= helpers(monitor.process.pid)
    rows = tick_rows(monitor, ticks[-1])
    own = rows.get(os.getpid(), {})
    row = rows.get(victim.pid, {})
    check_clock(tap, ticks)
    tap.check(row.get("command") == "[stuckexec]" and row.get("rkB/s", "") != "",
              f"command '{row.get('command')}', state {row.get('state')}, rkB/s {row.get('rkB/s')}")
    named = sum(1 for each in rows.values() if each["user"])
    tap.check("stuck.py" in own.get("command", "") and named >= 0.9 * len(rows),
              f"this test: '{own.get('command')}'; {named} of {len(rows)} rows have a user")
    command = rows.get(late.pid, {}).get("command")
    tap.check(command == "sleep 300", f"command '{command}'")
    tap.check(most <= 2, f"{most} helpers of a kind at most, one of them at work")
    check_end(tap, monitor.process)
    left = left_after(1, seen)
    tap.check(len(left) <= 1, f"left while the process is stuck: {sorted(left)}")
    tap.note(f"stuck for {time.time() - up:.1f} s")
    victim.down()
    left = left_after(2, seen)
    tap.check(not left, f"left: {sorted(left)}")


WRITER = """import os, time
fd = os.open("written", os.O_WRONLY | os.O_CREAT | os.O_DSYNC)
while True:
    os.pwrite(fd, b"x" * 4096, 0)
    time.sleep(0.05)
"""
VICTIMS = 2


def start_writer(stack, folder):
    return common.start(stack, [sys.executable, "-c", WRITER], cwd=folder)


def with_hanging(victims, hang, command):
    """The command in a mount namespace in which some files of these processes hang."""
    mounts = "".join(f"mount --bind {hang} /proc/{each.pid}/{name} && " for each in victims
                     for name in ("cmdline", "maps"))
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounts + 'exec "$@"', "sh", *command]


def in_proc(tap, stack, folder, mode):
    seen = set()
    out = folder / f"proc-{mode}"
    out.mkdir()
    victims = [start_writer(stack, out) for _ in range(VICTIMS)]
    other = start_writer(stack, out)
    stuck = common.Stuck(stack, folder, mode)
    monitor = common.Monitor(stack, out, 1, before=with_hanging(victims, stuck.folder / "hang", ()), more=PROC)
    most, up = 0, time.time()
    for count in range(1, TICKS + 3):
        ticks = monitor.wait_ticks(count, up)
        most = max(most, most_of_a_kind(monitor.process.pid))
        seen |= helpers(monitor.process.pid)
        if count == 2:
            late = start_writer(stack, out)
    time.sleep(0.3)
    rows = tick_rows(monitor, ticks[-1])
    hung = [rows.get(each.pid, {}) for each in victims]
    check_clock(tap, ticks[:TICKS + 2])
    tap.check(all(row.get("command", "")[:1] == "[" and row.get("wkB/s", "") != "" and row.get("mode") == "" and
                  row.get("contexts") == "" for row in hung),
              [f"{row.get('command')} mode '{row.get('mode')}' wkB/s {row.get('wkB/s')}" for row in hung])
    for each in other, late:
        row = rows.get(each.pid, {})
        tap.check("written" in row.get("command", "") and row.get("mode") == "S",
                  f"mode '{row.get('mode')}', contexts '{row.get('contexts')}'")
    tap.check(most <= VICTIMS + 1, f"{most} of a kind at most, one of them at work")
    check_end(tap, monitor.process)
    on_screen = None
    if mode == "direct":
        terminal = screen.Terminal(stack, with_hanging(victims, stuck.folder / "hang", [common.IOTRIAGE, *PROC]),
                                   lines=50, columns=120)
        terminal.until(screen.has_figures, 5)
        terminal.watch(2)
        seen |= helpers(terminal.pid)
        on_screen = (terminal.quit(), terminal.status)
    tap.note(f"stuck for {time.time() - up:.1f} s")
    stuck.down()
    left = left_after(3, seen)
    tap.check(not left, f"left: {sorted(left)}")
    return on_screen


def body(tap, stack):
    common.need("root", "pidstat", "timeout", "unshare")
    folder = common.temporary(stack)
    for name in "before", "after", "mmap":
        (folder / name).mkdir()
    in_execve(tap, stack, folder)
    in_mmap(tap, stack, folder)
    in_proc(tap, stack, folder, "read")
    took, code = in_proc(tap, stack, folder, "direct")
    tap.check(took is not None and took <= 1 and code == 0, f"{took} s, status {code}")


if __name__ == "__main__":
    common.main(NAMES, body)
