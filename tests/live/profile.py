#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""iotriage profile: counts and bytes by file and call, against programs whose I/O is known."""

import collections
import contextlib
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import common

ENGINES = {"psync": ("pread64", "pwrite64"), "libaio": ("io_submit:read", "io_submit:write"),
           "io_uring": ("io_uring:read", "io_uring:write")}
NAMES = ["a descriptor that is used again: two files, two rows",
         *(f"fio with {engine}: bytes of its file within 1 % of fio's own" for engine in ENGINES),
         *(f"... and requests of {engine}" for engine in ENGINES),
         "dd with conv=fsync: counts are exact",
         "... and the flush stands beside its writes",
         "--save: a row for each call counted",
         "... of known files, and none was lost",
         "--save while nobody reads: those lost are counted",
         "--save onto a full disk: told, status 1, and the table is whole",
         "the root of a file system is not called deleted",
         "a command's child is followed",
         "the command's exit status is noted",
         "a process that runs already, by number, and an unlinked file: ends with it",
         "SIGINT: the results so far, status 0",
         "mapped reads are named with their share",
         "more files than there is room for: all their calls are counted, the rest as (other)",
         "two threads whose numbers have one slot: both are counted",
         "calls of a 32-bit program are left out, and their number is told",
         "kill -9 leaves no program behind, and the command runs on",
         "without privilege: status 5 and one line",
         "no such process: status 2 and one line"]


def profile(*words, cwd=None):
    done = subprocess.run([common.IOTRIAGE, "profile", *map(str, words)], capture_output=True,
                          text=True, cwd=cwd, stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode == 5:
        raise common.Skip(done.stderr.strip())
    return done


def table(text):
    """{file: {call: number}} of CSV; of two rows with one name the sum."""
    rows = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(text.splitlines()):
        name = row.pop("file")
        rows[name].update({call: float(cell) for call, cell in row.items()})
    return rows


def python(*lines):
    """A program of so many statements that does them with descriptors only."""
    return [sys.executable, "-I", "-S", "-c", "\n".join(("import os, sys, time, mmap", *lines))]


def reused(tap, folder):
    (folder / "a").write_bytes(b"a" * 1000)
    (folder / "b").write_bytes(b"b" * 3000)
    done = profile("--cell", "sizes", "--", *python(
        f"for name in 'a', 'b':\n fd = os.open('{folder}/' + name, os.O_RDONLY)",
        " assert fd == 3, fd", " os.read(fd, 10000)", " os.close(fd)"))
    rows = table(done.stdout)
    got = {name: rows[str(folder / name)]["read"] for name in "ab"}
    tap.check(got == {"a": 1000, "b": 3000}, got, done.stderr)


def with_fio(folder, engine):
    report = folder / "fio.json"
    words = ["--cell", "sizes", "--format", "json", "--", "fio", "--name=a",
             f"--filename={folder}/fio", "--size=16M", "--rw=randrw", "--bs=4k", "--iodepth=8",
             f"--ioengine={engine}", "--direct=1", "--loops=2", "--output-format=json",
             f"--output={report}"]
    done = profile(*words)
    job = json.loads(report.read_text())["jobs"][0]
    rows = json.loads(done.stdout)["rows"]
    calls = next(row["calls"] for row in rows if row["file"] == f"{folder}/fio")
    return [(kind, job[kind]["io_bytes"], job[kind]["total_ios"], calls[call]["bytes"],
             calls[call]["count"], calls[call]["seconds"])
            for kind, call in zip(("read", "write"), ENGINES[engine])]


def engines(tap, folder):
    results = {}
    for engine in ENGINES:
        try:
            results[engine] = with_fio(folder, engine)
        except (KeyError, StopIteration, ValueError) as error:
            results[engine] = error
    for place, what in ((3, 1), (4, 2)):
        for engine, result in results.items():
            good = isinstance(result, list) and all(
                each[what] > 0 and abs(each[place] - each[what]) <= each[what] / 100 and
                each[5] > 0 for each in result)
            tap.check(good, f"{engine}: {result}")


def with_dd(tap, folder):
    target = folder / "dd"
    words = ["dd", "if=/dev/zero", f"of={target}", "bs=4k", "count=500", "conv=fsync"]
    done = profile("--cell", "count", "--", *words)
    rows = table(done.stdout)
    got = {call: rows[str(target)][call] for call in ("openat", "write", "fsync")}
    tap.check(got == {"openat": 1, "write": 500, "fsync": 1} and rows["/dev/zero"]["read"] == 500,
              got, done.stderr)
    flushes = json.loads(profile("--format", "json", "--", *words).stdout)["flushes"]
    tap.check([(each["file"], each["flushes"], each["writes"]) for each in flushes] ==
              [(str(target), 1, 500)], flushes)


def saved(tap, folder):
    target, save = folder / "saved", folder / "calls.csv"
    done = profile("--cell", "count", "--save", save, "--", "dd", "if=/dev/zero", f"of={target}",
                   "bs=1k", "count=20000", "conv=fsync")
    with open(save, encoding="utf-8") as file:
        events = collections.Counter((row["file"], row["call"]) for row in csv.DictReader(file))
    counted = {(file, call): count for file, calls in table(done.stdout).items()
               for call, count in calls.items() if call != "total" and count}
    tap.check(counted == dict(events), set(counted.items()) ^ set(events.items()))
    tap.check(events[str(target), "write"] == 20000 and "lost" not in done.stderr, done.stderr)


def lost(tap, folder):
    """Our reader stands still meanwhile: saved and lost are all there were."""
    save = folder / "lost.csv"
    done = profile("--cell", "count", "--save", save, "--", "sh", "-c",
                   "kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=100000; kill -CONT $PPID")
    counted = sum(row["total"] for row in table(done.stdout).values())
    with open(save, encoding="utf-8") as file:
        rows = sum(1 for _ in csv.DictReader(file))
    told = re.search(r"lost to the saved file: ([0-9,]+)", done.stderr)
    missed = int(told.group(1).replace(",", "")) if told else 0
    tap.check(missed > 0 and rows + missed == counted, rows, missed, counted, done.stderr)


def full(tap, folder):
    target, ended = folder / "full", folder / "ended"
    done = profile("--cell", "count", "--save", "/dev/full", "--", "sh", "-c",
                   f"for i in 1 2 3; do dd if=/dev/zero of={target} bs=1 count=100; sleep 0.3; done; : >{ended}")
    tap.check(done.returncode == 1 and "/dev/full: No space left" in done.stderr and ended.exists() and
              table(done.stdout)[str(target)]["write"] == 300, done.returncode, done.stdout, done.stderr)
    done = profile("--", *python("d = os.open('/proc', 0)", "os.lseek(d, 0, 0)"))
    tap.check("/proc" in table(done.stdout), done.stdout)


def commands(tap, folder):
    target = folder / "child"
    done = profile("--cell", "count", "--", "sh", "-c",
                   f"dd if=/dev/zero of={target} bs=4k count=70; exit 7")
    tap.check(table(done.stdout)[str(target)]["write"] == 70, done.stdout)
    tap.check(done.returncode == 0 and "the command's exit status is 7" in done.stderr, done.stderr)


def running(tap, stack, folder):
    writer = common.start(stack, python(
        f"fd = os.open('{folder}/running', os.O_WRONLY | os.O_CREAT)",
        f"os.unlink('{folder}/running')", "time.sleep(1.5)",
        "for i in range(30):\n os.write(fd, b'x' * 100)"))
    begun = time.monotonic()
    done = profile("-p", writer.pid, "--time", 60, "--cell", "sizes")
    tap.check(table(done.stdout)[f"{folder}/running (deleted)"]["write"] == 3000 and
              time.monotonic() - begun < 30, done.stdout, done.stderr)


def interrupted(tap, stack, folder):
    writer = common.start(stack, python(
        f"fd = os.open('{folder}/endless', os.O_WRONLY | os.O_CREAT)",
        "while True:\n os.pwrite(fd, b'x' * 100, 0)\n time.sleep(0.01)"))
    time.sleep(0.3)
    process = common.start(stack, [common.IOTRIAGE, "profile", "-p", writer.pid, "--time", 60],
                           stdout=subprocess.PIPE, text=True)
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    out = process.communicate(timeout=30)[0]
    tap.check(process.returncode == 0 and f"{folder}/endless" in out, process.returncode, out)


def mapped(tap, folder):
    big = folder / "mapped"
    big.write_bytes(os.urandom(8 << 20))
    fd = os.open(big, os.O_RDWR)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)
    done = profile("--", *python(
        f"fd = os.open('{big}', os.O_RDONLY)", "m = mmap.mmap(fd, 0, prot=mmap.PROT_READ)",
        "for at in range(0, len(m), 4096):\n m[at]"))
    line = next((line for line in done.stderr.splitlines() if "storage reads" in line), "")
    tap.check("in no call" in line and "mapped" in line, done.stderr)


def many(tap, folder):
    """Of more files than can have a name each is written once, and unlinked."""
    done = profile("--cell", "count", "--", *python(
        f"os.mkdir('{folder}/many')", "for i in range(17000):",
        f" name = '{folder}/many/%d' % i", " fd = os.open(name, os.O_WRONLY | os.O_CREAT)",
        " os.write(fd, b'x')", " os.close(fd)", " os.unlink(name)"))
    rows = table(done.stdout)
    named = sum(row["write"] for name, row in rows.items() if name.startswith(f"{folder}/many/"))
    other = rows["(other)"]["write"]
    tap.check(other > 0 and named + other == 17000 and "(device" not in done.stdout and
              "added up as (other)" in done.stderr, named, other, done.stderr)


def one_slot(tap, folder):
    """The second thread gets a number by which the first one's place would be its own."""
    slots = 8192
    done = profile("--cell", "count", "--", *python(
        "import threading", "fits = []", "def write(name, count):",
        f" fd = os.open('{folder}/' + name, os.O_WRONLY | os.O_CREAT)",
        " for i in range(count): os.write(fd, b'x')", " os.close(fd)",
        "def second(first):", f" if (threading.get_native_id() - first) % {slots}: return",
        " fits.append(1), write('slot-b', 70)",
        "def work():", " write('slot-a', 50)", " first = threading.get_native_id()",
        " for i in range(50):", "  if fits: return",
        "  with open('/proc/sys/kernel/ns_last_pid', 'w') as file:",
        f"   file.write(str(first + {slots} - 1))",
        "  thread = threading.Thread(target=second, args=(first,))",
        "  thread.start(), thread.join()",
        "thread = threading.Thread(target=work)", "thread.start(), thread.join()",
        "sys.exit(not fits)"))
    if "exit status is 1" in done.stderr:
        tap.skip("others took the number")
        return
    rows = table(done.stdout)
    got = [rows[f"{folder}/slot-{name}"]["write"] for name in "ab"]
    tap.check(got == [50, 70], got, done.stderr)


NARROW = """
static void call(long n, long a, long b, long c)
{
	__asm__ volatile("int $0x80" : "+a"(n) : "b"(a), "c"(b), "d"(c) : "memory");
}
void _start(void)
{
	for (int i = 0; i < 5; i++)
		call(4, 1, (long)"hello\\n", 6);
	call(1, 0, 0, 0);
}
"""


def narrow(tap, folder):
    """It writes five times and ends."""
    program = folder / "narrow"
    made = subprocess.run(["cc", "-m32", "-nostdlib", "-static", "-ffreestanding", "-fno-pic", "-O1",
                           "-x", "c", "-o", program, "-"], input=NARROW, text=True,
                          capture_output=True) if shutil.which("cc") else None
    runs = made and made.returncode == 0 and subprocess.run(
        ["sh", "-c", program], capture_output=True, check=False).returncode == 0
    if not runs:
        tap.skip("no 32-bit program can be made or run here")
        return
    done = profile("--cell", "count", "--", program)
    tap.check("32-bit programs, which are left out: 6" in done.stderr and
              done.stdout.splitlines()[-1] == "file,total", done.stdout, done.stderr)


def ours():
    done = subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True, text=True)
    return {each["id"] for each in json.loads(done.stdout)
            if each.get("name", "").startswith("profile_")}


def killed(tap, stack, folder):
    before = ours()
    pid_file = folder / "pid"
    process = common.start(stack, [common.IOTRIAGE, "profile", "--", "sh", "-c",
                                   f"echo $$ >{pid_file}; exec sleep 30"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 20
    while not (pid_file.exists() and pid_file.read_text().strip()) and time.monotonic() < limit:
        time.sleep(0.1)
    there = ours() - before
    process.kill()
    process.wait()
    limit = time.monotonic() + 20
    while ours() & there and time.monotonic() < limit:
        time.sleep(0.2)
    child = int(pid_file.read_text())
    lives = os.path.exists(f"/proc/{child}/comm")
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    tap.check(len(there) >= 4 and not ours() & there and lives, f"programs {there}, {ours()}, {lives}")


def refused(tap):
    done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", common.IOTRIAGE,
                           "profile", "--", "true"], capture_output=True, text=True)
    tap.check(done.returncode == 5 and len(done.stderr.splitlines()) == 1 and not done.stdout,
              done.returncode, done.stderr)
    done = profile("-c", "no-such-name")
    tap.check(done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr)


def body(tap, stack):
    common.need("root", "fio", "bpftool", "setpriv", "dd")
    folder = common.temporary(stack, "/var/tmp")
    reused(tap, folder)
    engines(tap, folder)
    with_dd(tap, folder)
    saved(tap, folder)
    lost(tap, folder)
    full(tap, folder)
    commands(tap, folder)
    running(tap, stack, folder)
    interrupted(tap, stack, folder)
    mapped(tap, folder)
    many(tap, folder)
    one_slot(tap, folder)
    narrow(tap, folder)
    killed(tap, stack, folder)
    refused(tap)


if __name__ == "__main__":
    common.main(NAMES, body)
