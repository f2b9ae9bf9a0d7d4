#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tasks read by tracing: as /proc says, and with those that lived for a moment."""

import json
import os
import signal
import subprocess
import time

import agree
import common

COUNT, MIB = 40, 8
NAMES = ["a quiet process's counters grow as /proc says, to the byte",
         "40 short dd are there by name, each once",
         "their bytes are the device's to 2 %",
         "nothing is inherited that has a row of its own",
         "the totals have them after they ended",
         "a process that is stuck in execve has its figures",
         "a killed monitor leaves no program behind",
         "an unprivileged one says what tracing needs: status 5",
         "and reads /proc without being told"]
LOOP = """
i=0
while [ $i -lt {count} ]; do
	dd if=/dev/zero of={folder}/file bs=1M count={mib} oflag=direct conv=notrunc status=none
	sleep 0.05
	i=$((i + 1))
done
"""


def traced(stack, folder, *more):
    return common.Monitor(stack, folder, 1, more=["--sampler", "bpf", *more])


def io_of(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return {name: int(value) for name, value in (line.split(": ") for line in file)}


def quiet(tap, stack, folder):
    """It wrote before it was looked at, and writes once more, then waits."""
    script = f"head -c 100000 /dev/zero >{folder}/a; echo; read x; " \
             f"printf '%0300d' 0 >{folder}/b; echo; read x"
    process = common.start(stack, ["bash", "-c", script], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE)
    process.stdout.readline()
    before = io_of(process.pid)
    (folder / "quiet").mkdir()
    monitor = traced(stack, folder / "quiet", "--pid", process.pid)
    monitor.wait_ticks(2)
    process.stdin.write(b"\n")
    process.stdin.flush()
    process.stdout.readline()
    after = io_of(process.pid)
    monitor.wait_ticks(2, time.time())
    lengths = {row["epoch"]: float(row["interval"]) for row in monitor.rows("system")}
    rows = [row for row in monitor.rows("tasks") if row["pid"] == str(process.pid)]
    grown = sum(float(row["wchar/s"]) * 1024 * lengths[row["epoch"]] for row in rows if row["wchar/s"])
    calls = sum(float(row["syscw/s"]) * lengths[row["epoch"]] for row in rows if row["syscw/s"])
    common.end(monitor.process)
    wanted = after["wchar"] - before["wchar"], after["syscw"] - before["syscw"]
    tap.check(len(rows) > 2 and abs(grown - wanted[0]) < 8 and abs(calls - wanted[1]) < 0.1,
              f"wchar {grown:.1f} of {wanted[0]}, syscw {calls:.2f} of {wanted[1]}, {len(rows)} rows")


def short_lives(stack, where, folder):
    """The loop beside the monitor: rows of dd, KiB of all of them, KiB the device wrote meanwhile."""
    folder.mkdir()
    os.sync()
    monitor = traced(stack, folder)
    totals = common.start(stack, [common.IOTRIAGE, "-b", "--sampler", "bpf", "--panel", "totals", "-O",
                                  folder / "totals.csv", "-d", 1])
    monitor.wait_ticks(2)
    shell = common.start(stack, ["bash", "-c", LOOP.format(count=COUNT, mib=MIB, folder=where)])
    shell.wait(60)
    monitor.wait_ticks(2, time.time())
    time.sleep(0.3)
    lengths = {row["epoch"]: float(row["interval"]) for row in monitor.rows("system")}
    tasks = [row for row in monitor.rows("tasks") if row["epoch"] in lengths]
    rows = [row for row in tasks if row["comm"] == "dd"]
    kib = sum(float(row["wkB/s"] or 0) * lengths[row["epoch"]] for row in rows)
    others = sum(float(row["wkB/s"] or 0) * lengths[row["epoch"]] for row in tasks
                 if row["comm"] not in ("dd", "(unattributed)"))
    inherited = sum(float(row["inhkB/s"] or 0) * lengths[row["epoch"]] for row in tasks
                    if row["pid"] == str(shell.pid))
    disk = agree.disk_of(where)
    device = sum(float(row["wkB/s"] or 0) * lengths.get(row["epoch"], 0)
                 for row in monitor.rows("devices") if row["device"] == disk)
    common.end(monitor.process)
    totals.send_signal(signal.SIGTERM)
    totals.wait(5)
    with open(folder / "totals.csv", encoding="utf-8", errors="replace") as file:
        last = [row for row in common.csv.DictReader(file)]
    epoch = last[-1]["epoch"] if last else None
    ended = [row for row in last if row["epoch"] == epoch and row["name"] == "dd"]
    return rows, kib, others, device, inherited, ended


def lives(tap, stack):
    where = common.temporary(stack, common.BUILD)
    if not agree.disk_of(where):
        for _ in range(4):
            tap.skip("the build folder is on no real disk")
        return
    (where / "file").write_bytes(bytes(MIB << 20))
    os.sync()
    time.sleep(1)
    wrote = COUNT * MIB * 1024
    for attempt in 1, 2, 3:  # once more where something else wrote
        rows, kib, others, device, inherited, ended = short_lives(
            stack, where, common.temporary(stack) / f"run{attempt}")
        close = abs(device - others - kib) <= 0.02 * kib or abs(device - kib) <= 0.02 * kib
        if close:
            break
    text = f"{len(rows)} rows of dd, {kib:.0f} KiB of {wrote}; others {others:.0f}, device {device:.0f}"
    tap.check(len({row["pid"] for row in rows}) == COUNT and abs(kib - wrote) <= 0.02 * wrote, text)
    tap.check(close, text)
    tap.check(inherited <= 0.01 * wrote, f"{inherited:.0f} KiB inherited by the shell")
    tap.check(len(ended) >= 1, f"{len(ended)} rows of dd in the totals")


def stuck(tap, stack, folder):
    try:
        victim = common.Stuck(stack, folder, "flush")
    except common.Skip as reason:
        tap.skip(reason)
        return
    (folder / "stuck").mkdir()
    monitor = traced(stack, folder / "stuck")
    monitor.wait_ticks(4)
    rows = [row for row in monitor.rows("tasks") if row["pid"] == str(victim.pid)]
    common.end(monitor.process)
    victim.down()
    tap.check(len(rows) >= 3 and rows[-1]["wkB/s"] != "", f"{len(rows)} rows, the last {rows[-1:]}")


def programs():
    """The kernel's numbers of programs of these names; others may run a monitor too."""
    path = os.environ["PATH"] + ":/usr/sbin"
    tool = common.shutil.which("bpftool", path=path)
    if not tool:
        raise common.Skip("no bpftool")
    listed = subprocess.run([tool, "-j", "prog", "show"], capture_output=True, text=True).stdout
    return {each["id"]: each["name"] for each in json.loads(listed)
            if each.get("name") in ("task_list", "task_ran", "task_exits", "block_issue")}


def owned(process):
    """Those that the monitor holds."""
    tool = common.shutil.which("bpftool", path=os.environ["PATH"] + ":/usr/sbin")
    listed = subprocess.run([tool, "-j", "prog", "show"], capture_output=True, text=True).stdout
    return {each["id"] for each in json.loads(listed)
            if any(holder["pid"] == process.pid for holder in each.get("pids", []))}


def killed(tap, stack, folder):
    try:
        before = programs()
    except common.Skip as reason:
        tap.skip(reason)
        return
    (folder / "killed").mkdir()
    monitor = traced(stack, folder / "killed")
    monitor.wait_ticks(2)
    ours = owned(monitor.process) or set(programs()) - set(before)
    names = {name for number, name in programs().items() if number in ours}
    os.kill(monitor.process.pid, signal.SIGKILL)
    monitor.process.wait()
    for _ in range(50):
        time.sleep(0.1)
        if not ours & set(programs()):
            break
    left = ours & set(programs())
    # task_ran where the kernel lets a program go over the tasks
    tap.check(names - {"task_ran"} == {"task_list", "task_exits", "block_issue"} and not left,
              f"programs: {sorted(names)} while it ran, {len(left)} of them after")


def unprivileged(tap):
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if not common.shutil.which("setpriv"):
        tap.skip("no setpriv")
        tap.skip("no setpriv")
        return
    done = subprocess.run([*nobody, common.IOTRIAGE, "-b", "-n", "1", "-d", "0.1", "--sampler", "bpf",
                           "--panel", "tasks"], capture_output=True, text=True)
    tap.check(done.returncode == 5 and done.stderr.count("\n") == 1 and "CAP_BPF" in done.stderr,
              f"{done.returncode} {done.stderr}")
    done = subprocess.run([*nobody, common.IOTRIAGE, "-b", "-n", "1", "-d", "0.1", "--panel", "tasks"],
                          capture_output=True, text=True)
    tap.check(done.returncode == 0 and done.stderr == "" and done.stdout.count("\n") > 2,
              f"{done.returncode} {done.stderr}")


def body(tap, stack):
    common.need("root", "dd", "bash")
    done = subprocess.run([common.IOTRIAGE, "-b", "-n", "1", "-d", "0.1", "--sampler", "bpf", "--panel",
                           "tasks"], capture_output=True, text=True)
    if done.returncode == 5:
        raise common.Skip(done.stderr.strip())
    folder = common.temporary(stack)
    quiet(tap, stack, folder)
    lives(tap, stack)
    stuck(tap, stack, folder)
    killed(tap, stack, folder)
    unprivileged(tap)


if __name__ == "__main__":
    common.main(NAMES, body)
