#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a tick costs with 3,000 idle processes, beside iotop-c, pidstat and iostat.

CPU time (user and system, children included) of 61 ticks less that of one, over 60, at 1 s
for all of them: iotop-c takes -d 0.5 for 0, iostat and pidstat take whole seconds only. Those
that walk over the tasks run one after the other; those that do not run beside them.

Then the same with as many processes of four threads, for the views of processes and of threads.
"""

import argparse
import contextlib
import ctypes
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "live"))
import common  # noqa: E402
import screen  # noqa: E402

PR_SET_CHILD_SUBREAPER = 36
SLEEPERS = 3000
THREADS = 4
TARGETS = """CPU of devices + tasks (all)        <= 0.2 x iotop-c's
CPU of the task sampler             <= 0.02 x iotop-c's
CPU of devices alone                <= 1.0 x iostat -x's
peak memory of all, with its helper <= 0.5 x iotop-c's
first figures on screen             <= 400 ms"""
THREAD_TARGETS = """CPU of tasks, view of processes     <= 0.5 x iotop-c's
CPU of tasks, view of threads       <= 0.5 x iotop-c's"""


class Tool:
    """One of those compared: its command for a number of ticks, and what was measured."""

    def __init__(self, name, command, on_screen=False):
        self.name = name
        self.command = command
        self.on_screen = on_screen
        self.runs = {}    # ticks: seconds of CPU of each run
        self.memory = []  # (peak RSS, PSS) in kB
        self.worker = []  # ms of CPU a second of what samples tasks, of each run

    def per_tick(self, ticks):
        """Milliseconds of CPU of one tick, or None."""
        if ticks not in self.runs or 1 not in self.runs:
            return None
        whole, one = (statistics.median(self.runs[count]) for count in (ticks, 1))
        return 1000 * (whole - one) / (ticks - 1)

    def peak(self, which):
        return statistics.median(each[which] for each in self.memory) if self.memory else None


def tools(folder):
    """All there are on this machine, by name."""
    def monitor(*words):
        return lambda n: [common.IOTRIAGE, *words, "-d", "1", "-n", str(n)]

    found = [
        Tool("all", monitor("-b", "--panel", "all", "-O", str(folder / "csv"))),
        Tool("tasks", monitor("-b", "--panel", "tasks")),
        Tool("devices", monitor("-b", "--panel", "devices")),
        Tool("screen", monitor(), on_screen=True),
        Tool("iotop-c", lambda n: ["iotop-c", "-b", "-qq", "-d", "1", "-n", str(n)]),
        Tool("pidstat -d", lambda n: ["pidstat", "-d", "1", str(n)]),
        Tool("iostat -x", lambda n: ["iostat", "-x", "1", str(n)]),
    ]
    return {tool.name: tool for tool in found if shutil.which(tool.command(1)[0])}


def thread_tools():
    """Those that show threads, and the view of processes beside them."""
    def monitor(*words):
        return lambda n: [common.IOTRIAGE, "-b", "--panel", "tasks", *words, "-d", "1", "-n", str(n)]

    found = [
        Tool("processes", monitor()),
        Tool("threads", monitor("--threads")),
        Tool("iotop-c", lambda n: ["iotop-c", "-b", "-qq", "-d", "1", "-n", str(n)]),
        Tool("pidstat -dt", lambda n: ["pidstat", "-dt", "1", str(n)]),
    ]
    return {tool.name: tool for tool in found if shutil.which(tool.command(1)[0])}


def family(pid):
    """A process and its children."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return [pid, *map(int, text.split())]
    return [pid]


def field(path, name):
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def memory(pids):
    """Peak RSS and PSS of these, in kB; None when one of them ends meanwhile."""
    try:
        peak = sum(field(f"/proc/{pid}/status", "VmHWM") for pid in pids)
        pss = sum(field(f"/proc/{pid}/smaps_rollup", "Pss") for pid in pids)
    except OSError:
        return None
    return (peak, pss) if peak and pss else None


def worker_ns(pid):
    """CPU time of the threads beside the main one: what samples tasks. None: it has ended."""
    try:
        others = [name for name in os.listdir(f"/proc/{pid}/task") if name != str(pid)]
        return sum(int(Path(f"/proc/{pid}/task/{name}/schedstat").read_text(encoding="ascii").split()[0])
                   for name in others)
    except OSError:
        return None


class Run:
    """A tool at work. Its orphans come to us, so that none of their time is lost."""

    def __init__(self, stack, tool, ticks, out):
        self.tool, self.ticks = tool, ticks
        self.terminal = None
        self.children = set()
        self.size = None
        self.next_look = 0.0
        self.worked = []  # (when, CPU time so far) of its sampler, from when it has begun
        self.begun = time.monotonic()
        if tool.on_screen:
            self.terminal = screen.Terminal(stack, tool.command(ticks), lines=50, columns=120)
            self.pid = self.terminal.pid
        else:
            process = subprocess.Popen(tool.command(ticks), stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=out, start_new_session=True)
            stack.callback(common.end, process)
            self.pid = process.pid
            self.process = process

    def look(self, now):
        """Children and memory: often in a short run, seldom in a long one."""
        if now < self.next_look:
            return
        self.next_look = now + (0 if self.ticks == 1 else 2)
        pids = family(self.pid)
        self.children.update(pids[1:])
        self.size = memory(pids) or self.size
        if self.tool.name == "tasks" and self.ticks > 1 and now - self.begun > 1.5:
            worked = worker_ns(self.pid)
            self.worked += [(now, worked)] if worked is not None else []

    def ended(self):
        """Takes the process away when it has ended, and its CPU time with it."""
        if self.terminal:
            self.terminal.read(0)
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            return False
        code = os.waitstatus_to_exitcode(status)
        if self.terminal:
            self.terminal.status = code
        else:
            self.process.returncode = code
        if code != 0:
            raise RuntimeError(f"{self.tool.name} ended with status {code}")
        cpu = usage.ru_utime + usage.ru_stime
        for child in self.children:
            with contextlib.suppress(ChildProcessError):  # the program has reaped it itself
                usage = os.wait4(child, 0)[2]
                cpu += usage.ru_utime + usage.ru_stime
        self.tool.runs.setdefault(self.ticks, []).append(cpu)
        if self.size and self.ticks > 1:
            self.tool.memory.append(self.size)
        if len(self.worked) > 1:
            (begin, less), (end, whole) = self.worked[0], self.worked[-1]
            self.tool.worker.append((whole - less) / 1e6 / (end - begin))
        return True


def together(run_tools, ticks, out):
    """Runs these side by side, out of step with each other."""
    with contextlib.ExitStack() as stack:
        waiting, runs = list(run_tools), []
        begin = time.monotonic()
        limit = begin + 6 * ticks + 120  # pidstat -dt takes seconds a tick
        while waiting or runs:
            now = time.monotonic()
            if now > limit:
                raise RuntimeError(f"{runs[0].tool.name} did not end")
            if waiting and now >= begin:
                runs.append(Run(stack, waiting.pop(0), ticks, out))
                begin = now + 1 / len(run_tools)
            for run in runs:
                run.look(now)
            runs = [run for run in runs if not run.ended()]
            time.sleep(0.02)


def first_figures(count):
    """Milliseconds until the screen shows figures: the median of some starts."""
    times = []
    for _ in range(count):
        with contextlib.ExitStack() as stack:
            terminal = screen.Terminal(stack, [common.IOTRIAGE])
            took = terminal.until(screen.has_figures, 5)
            terminal.quit()
            times.append(5000 if took is None else took * 1000)
    return statistics.median(times)


def processes(stack, count, threads=1):
    program = common.compile_c(stack, Path(__file__).resolve().parent / "sleepers.c", "-pthread")
    sleepers = common.start(stack, [program, count, threads], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)
    if not sleepers.stdout.readline():
        raise RuntimeError("the idle processes cannot be started")
    return sum(name.isdigit() for name in os.listdir("/proc"))


def cell(value, form):
    return "-" if value is None else format(value, form)


def over(a, b):
    return None if a is None or not b else a / b


def table(found, ticks):
    """What each cost; returns CPU and memory by name."""
    cpu = {name: tool.per_tick(ticks) for name, tool in found.items()}
    peak = {name: tool.peak(0) for name, tool in found.items()}
    print(f"{'':12} {'ms/tick':>8} {'x iotop-c':>9} {'x iostat':>9} {'peak kB':>8} {'PSS kB':>8}"
          f" {'x iotop-c':>9}  each run, s of CPU")
    for name, tool in found.items():
        print(f"{name:12} {cell(cpu[name], '8.3f'):>8} "
              f"{cell(over(cpu[name], cpu.get('iotop-c')), '.3f'):>9} "
              f"{cell(over(cpu[name], cpu.get('iostat -x')), '.2f'):>9} "
              f"{cell(peak[name], '.0f'):>8} {cell(tool.peak(1), '.0f'):>8} "
              f"{cell(over(peak[name], peak.get('iotop-c')), '.2f'):>9}  "
              + " ".join(f"{run:.3f}" for run in tool.runs.get(ticks, []))
              + " less " + " ".join(f"{run:.3f}" for run in tool.runs.get(1, [])))
    print()
    return cpu, peak


def verdict(lines, measured):
    for line, (value, limit) in zip(lines.splitlines(), measured):
        word = "not measured" if value is None else "met" if value <= limit else "MISSED"
        print(f"{line}: {cell(value, '.0f' if limit == 400 else '.3f')}, {word}")


def report(found, ticks, figures):
    cpu, peak = table(found, ticks)
    worker = statistics.median(found["tasks"].worker) if found["tasks"].worker else None
    print(f"task sampler (the thread of it in tasks): {cell(worker, '.3f')} ms/tick")
    measured = ((over(cpu["all"], cpu.get("iotop-c")), 0.2),
                (over(worker, cpu.get("iotop-c")), 0.02),
                (over(cpu["devices"], cpu.get("iostat -x")), 1.0),
                (over(peak["all"], peak.get("iotop-c")), 0.5), (figures, 400))
    verdict(TARGETS, measured)


def bench(stack, quick, count):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    memory_disk = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()
    folder = common.temporary(stack, memory_disk)
    found = tools(folder)
    out = stack.enter_context(open(folder / "out", "w", encoding="utf-8"))
    print(f"{processes(stack, count)} processes; load {' '.join(map(str, os.getloadavg()))}"
          " (anything else that runs disturbs)", flush=True)
    ticks = 8 if quick else 61
    light = ["devices", "iostat -x"]
    rounds = [["all"], ["iotop-c"], ["pidstat -d", "tasks"]]
    rounds += [] if quick else [["iotop-c"], ["all", "screen"]]
    for _ in range(1 if quick else 3):
        for name, tool in found.items():
            if name != "screen" or not quick:
                together([tool], 1, out)
    for number, names in enumerate(rounds):
        beside = light if number % 2 else light[::-1]
        print(f"round {number + 1} of {len(rounds)}: " + ", ".join(names + beside), flush=True)
        together([found[name] for name in names + beside if name in found], ticks, out)
        out.truncate(0)
    figures = first_figures(3 if quick else 7)
    print()
    report({name: tool for name, tool in found.items() if tool.runs}, ticks, figures)


def bench_threads(stack, quick, count):
    folder = common.temporary(stack)
    found = thread_tools()
    out = stack.enter_context(open(folder / "out", "w", encoding="utf-8"))
    print(f"\n{processes(stack, count, THREADS)} processes, {count} of them of {THREADS} threads", flush=True)
    ticks = 6 if quick else 31
    for tool in found.values():
        for _ in range(1 if quick else 3):
            together([tool], 1, out)
        print(f"{tool.name}, {ticks} ticks", flush=True)
        together([tool], ticks, out)
        out.truncate(0)
    print()
    cpu, _ = table({name: tool for name, tool in found.items() if tool.runs}, ticks)
    verdict(THREAD_TARGETS, ((over(cpu["processes"], cpu.get("iotop-c")), 0.5),
                             (over(cpu["threads"], cpu.get("iotop-c")), 0.5)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less than a minute, less exact")
    parser.add_argument("--processes", type=int, default=SLEEPERS, metavar="N")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: sys.exit(128 + got))
    try:
        common.need()
        for part in bench, bench_threads:
            with contextlib.ExitStack() as stack:
                part(stack, options.quick, options.processes)
    except (common.Skip, RuntimeError) as reason:
        print(f"bench: {reason}")


if __name__ == "__main__":
    main()
