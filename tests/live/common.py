# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests against the real kernel share: TAP, cleaning up, the rig, iotriage's CSV."""

import contextlib
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
RIG = HERE.parent / "rig"
BUILD = Path(os.environ.get("BUILDDIR", HERE.parent.parent / "build")).resolve()
IOTRIAGE = os.environ.get("IOTRIAGE", str(BUILD / "iotriage"))


# a shell's "&" ignores these, and what is tested would inherit it
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)


class Skip(Exception):
    """Something this test needs is not here."""


class Tap:
    """Prints one line for each of the names, in order, whatever happens on the way."""

    def __init__(self, names):
        self.names = list(names)
        self.next = 0
        self.failed = 0
        print(f"1..{len(self.names)}", flush=True)

    def note(self, text):
        for line in str(text).splitlines():
            print(f"# {line}", flush=True)

    def check(self, good, *notes):
        name = self.names[self.next]
        self.next += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.next} - {name}", flush=True)
        for note in notes:
            self.note(note)
        return good

    def skip(self, reason):
        name = self.names[self.next]
        self.next += 1
        print(f"ok {self.next} - {name} # SKIP {reason}", flush=True)

    def skip_rest(self, reason):
        while self.next < len(self.names):
            self.skip(reason)

    def fail_rest(self, reason):
        while self.next < len(self.names):
            self.check(False, reason)


def run(names, body):
    """Runs body(tap, stack); what is on the stack is undone also after a signal. An exit status."""

    def stop(number, _frame):
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    tap = Tap(names)
    try:
        with contextlib.ExitStack() as stack:
            body(tap, stack)
    except Skip as reason:
        tap.skip_rest(reason)
    except Exception as error:  # every name gets its line, also after a mistake of ours
        tap.note(f"{type(error).__name__}: {error}")
        tap.fail_rest("not reached")
    tap.fail_rest("not reached")
    return 1 if tap.failed else 0


def need(*tools):
    """Skips where one of these cannot be had: "root", or a program's name."""
    if not os.access(IOTRIAGE, os.X_OK):
        raise Skip(f"no program {IOTRIAGE}: set IOTRIAGE")
    for tool in tools:
        if tool == "root":
            if os.geteuid() != 0:
                raise Skip("needs root")
        elif not shutil.which(tool):
            raise Skip(f"no {tool}")


def need_tracing(*demand):
    """Skips where the program cannot measure in the kernel what is demanded of it."""
    done = subprocess.run([IOTRIAGE, "-b", "-n", "1", "-d", "0.1", "--panel", "tasks", *demand],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 5:
        raise Skip(done.stderr.strip())


def temporary(stack, where=None):
    """A folder that goes with the stack."""
    folder = Path(tempfile.mkdtemp(prefix="iotriage-live.", dir=where))
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def disk_of(folder):
    """The whole disk that a folder is on, if any."""
    number = os.stat(folder).st_dev
    link = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not link.exists():
        return None
    real = link.resolve()
    real = real.parent if (real / "partition").exists() else real
    return real.name if not real.name.startswith(("loop", "ram", "zram")) else None


def real_folder(stack):
    """A folder on a real disk, which goes with the stack."""
    for where in (tempfile.gettempdir(), "/var/tmp", BUILD, Path.cwd()):
        if os.access(where, os.W_OK) and disk_of(where):
            return temporary(stack, where)
    raise Skip("no folder on a real disk")


def end(process, patience=2.0):
    """Ends a process of ours and what is in its session, by force after a while."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patience)


def start(stack, command, **more):
    """A process in a session of its own, ended with the stack."""
    process = subprocess.Popen([str(word) for word in command], start_new_session=True, **more)
    stack.callback(end, process)
    return process


def script(name, *words, patience=30):
    """One of the rig's scripts: what it printed."""
    done = subprocess.run(["timeout", "-s", "KILL", str(patience), "sh", str(RIG / name), "-b",
                           str(BUILD), *map(str, words)], capture_output=True, text=True)
    if done.returncode == 77:
        raise Skip(done.stdout.strip() or f"{name} cannot run here")
    if done.returncode != 0:
        raise RuntimeError(f"{name} {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout.strip()


class Disk:
    """A rig: a loop device whose service time is known."""

    def __init__(self, stack, folder, service_us=6000, slots=1, mib=64):
        script("rig.sh", "probe")
        self.folder = folder / "rig"
        stack.callback(self.down)
        self.path = script("rig.sh", "up", self.folder, service_us, slots, mib)
        self.name = self.path.removeprefix("/dev/")

    def set(self, name, value):
        script("rig.sh", "set", self.folder, name, value)

    def down(self):
        with contextlib.suppress(RuntimeError):
            script("rig.sh", "down", self.folder)
        with contextlib.suppress(OSError):
            self.folder.rmdir()


class Stuck:
    """A process stuck in the kernel. Nobody may wait for ps while it is up."""

    def __init__(self, stack, folder, mode):
        script("stuck.sh", "probe")
        self.folder = folder / f"stuck-{mode}"
        self.up = True
        stack.callback(self.down)
        self.pid = int(script("stuck.sh", "up", self.folder, mode))

    def down(self):
        if self.up:
            script("stuck.sh", "down", self.folder)
            self.folder.rmdir()
        self.up = False


def fio(stack, name, *options, **more):
    """fio with one job; its report, if asked for, is JSON."""
    command = ["fio", f"--name={name}", "--output-format=json", "--ioengine=libaio", "--direct=1",
               "--randrepeat=0", "--time_based", "--runtime=600", *options]
    return start(stack, command, stderr=subprocess.DEVNULL,
                 stdout=more.pop("stdout", subprocess.DEVNULL), **more)


class Monitor:
    """iotriage --panel all into a folder, whose tables can be read while it runs."""

    def __init__(self, stack, folder, interval, count=None, before=(), env=None, more=()):
        self.folder = folder / "csv"
        self.interval = interval
        command = [*before, IOTRIAGE, "-b", "--panel", "all", "-O", self.folder, "-d", interval,
                   *more]
        if count:
            command += ["-n", count]
        self.process = start(stack, command, stdin=subprocess.DEVNULL, env=env)

    def rows(self, table, since=0.0):
        """Rows whose tick was after that moment; a line still being written is left out."""
        try:
            text = (self.folder / f"{table}.csv").read_text(errors="replace")
        except OSError:
            return []
        lines = text[: text.rfind("\n") + 1]
        return [row for row in csv.DictReader(lines.splitlines(keepends=True))
                if float(row["epoch"]) > since]

    def ticks(self, since=0.0):
        """The moments of the ticks so far: the system table has one row for each."""
        return [float(row["epoch"]) for row in self.rows("system", since)]

    def wait_ticks(self, count, since=0.0, patience=10.0):
        """Waits for so many ticks after a moment."""
        limit = time.monotonic() + count * self.interval + patience
        while len(self.ticks(since)) < count:
            if time.monotonic() > limit:
                raise RuntimeError(f"no {count} ticks in time, but {len(self.ticks(since))}")
            if self.process.poll() is not None:
                break
            time.sleep(self.interval / 10)
        return self.ticks(since)

    def findings(self, since=0.0):
        """(epoch, subject, rule, severity) of every row."""
        return [(float(row["epoch"]), row["subject"], row["rule"], row["severity"])
                for row in self.rows("findings", since)]

    def until(self, subject, rule, present, most):
        """The number of ticks from now until that is shown, or gone; None if never."""
        since = time.time()
        for count in range(1, most + 1):
            epoch = self.wait_ticks(count, since)[count - 1]
            time.sleep(0.1)  # tables are written one after the other
            shown = {(who, what) for when, who, what, _ in self.findings(since) if when == epoch}
            if ((subject, rule) in shown) == present:
                return count
        return None

    def warnings(self, subjects, since):
        """The rules that warned of these, with their severity, and when first."""
        first = {}
        for when, who, what, severity in self.findings(since):
            if who in subjects and severity in ("warn", "crit"):
                first.setdefault((who, what, severity), when)
        return first

    def said(self, subject, rule, since=0.0):
        """The last row of that finding, or None."""
        rows = [row for row in self.rows("findings", since)
                if row["subject"] == subject and row["rule"] == rule]
        return rows[-1] if rows else None

    def finish(self, patience):
        return self.process.wait(patience)


def figures(rows, *columns):
    """Columns of some rows, to show beside a result."""
    return "; ".join(f"{column} " + " ".join(row[column] or "-" for row in rows)
                     for column in columns)


def number(row, column):
    """A cell as a number, or None where it is empty."""
    return float(row[column]) if row[column] != "" else None


def compile_c(stack, source, *options):
    """A small program of the tests: from the build folder, else compiled here."""
    where = source.parent.relative_to(HERE.parent)
    suffix = ".so" if "-shared" in options else ""
    built = BUILD / "tests" / where / (source.stem + suffix)
    if built.exists():
        return built
    compiler = os.environ.get("CC", "cc").split()
    if not shutil.which(compiler[0]):
        raise Skip(f"no {built.name} and no compiler")
    target = temporary(stack) / built.name
    done = subprocess.run([*compiler, "-std=c11", "-O2", "-g", *options, "-o", str(target),
                           str(source)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{source.name} does not compile: {done.stderr}")
    return target


def main(names, body):
    sys.exit(run(names, body))
