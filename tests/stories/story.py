# SPDX-License-Identifier: GPL-2.0-or-later
"""Story trees: what /proc and /sys say at each tick, made from Python data.

    story = Story(2)                      two readings, one second apart
    story.disk("sda", before, after)      its diskstats line in each of them
    story.task(42, "cat", [io0, io1])
    rows = story.rows("--panel", "tasks")
"""
import os

import harness

# Names of the counters of a diskstats line, in its order.
COUNTERS = ("rd_ios", "rd_merges", "rd_sectors", "rd_ms", "wr_ios", "wr_merges", "wr_sectors", "wr_ms",
            "in_flight", "io_ms", "weighted_ms", "dc_ios", "dc_merges", "dc_sectors", "dc_ms",
            "fl_ios", "fl_ms")
BASIC, DISCARDS, FLUSHES = 11, 15, 17

EPOCH = 1700000000.0  # 2023-11-14T22:13:20 UTC
MONO = 5000.0


def counters(fields=FLUSHES, **given):
    """Counters by name; those not given are 0."""
    unknown = set(given) - set(COUNTERS)
    harness.check(unknown, set(), "unknown counters")
    return [given.get(name, 0) for name in COUNTERS[:fields]]


def plus(base, **grown):
    """Counters that have grown by this much."""
    more = counters(len(base), **grown)
    return [a + b for a, b in zip(base, more)]


# Any disk that has been in use for a while.
USED = counters(rd_ios=20000, rd_merges=700, rd_sectors=900000, rd_ms=60000, wr_ios=30000, wr_merges=9000,
                wr_sectors=1500000, wr_ms=150000, io_ms=70000, weighted_ms=210000)


def rates(base, seconds=1, **row):
    """Counters after an interval in which iostat would print this row.

    Its words: rrqm wrqm r w rkb wkb await queue util, per second, ms and %. Await
    goes to the reads and writes alike, to the millisecond.
    """
    r, w = row.get("r", 0) * seconds, row.get("w", 0) * seconds
    waited = round((r + w) * row.get("await_ms", 0))
    reading = round(waited * r / (r + w)) if r + w else 0
    return plus(base, rd_ios=round(r), wr_ios=round(w), rd_ms=reading, wr_ms=waited - reading,
                rd_merges=round(row.get("rrqm", 0) * seconds), wr_merges=round(row.get("wrqm", 0) * seconds),
                rd_sectors=round(row.get("rkb", 0) * 2 * seconds),
                wr_sectors=round(row.get("wkb", 0) * 2 * seconds),
                io_ms=round(row.get("util", 0) * 10 * seconds),
                weighted_ms=round(row.get("queue", 0) * 1000 * seconds))


def second(r=0, w=0, rkb=0, wkb=0, r_await=0, w_await=0, f=0, f_await=0, queue=None, util=0, rrqm=0):
    """What the counters grow by in a second. The queue is what the times add up to, if not given."""
    times = {"rd_ms": round(r * r_await), "wr_ms": round(w * w_await), "fl_ms": round(f * f_await)}
    weighted = sum(times.values()) if queue is None else round(1000 * queue)
    return {"rd_ios": r, "wr_ios": w, "rd_sectors": 2 * rkb, "wr_sectors": 2 * wkb, "rd_merges": rrqm,
            "fl_ios": f, "io_ms": round(10 * util), "weighted_ms": weighted, **times}


def readings(seconds):
    """Counters before the first of these seconds, and after each."""
    counters = [list(USED)]
    for grown in seconds:
        counters.append(plus(counters[-1], **grown))
    return counters


def io_text(rchar=0, wchar=0, syscr=0, syscw=0, read_bytes=0, write_bytes=0, cancelled_write_bytes=0):
    """What /proc/PID/io says."""
    return (f"rchar: {rchar}\nwchar: {wchar}\nsyscr: {syscr}\nsyscw: {syscw}\nread_bytes: {read_bytes}\n"
            f"write_bytes: {write_bytes}\ncancelled_write_bytes: {cancelled_write_bytes}\n")


def ticks_at(seconds):
    """The start of a task that started so long after the story's first step."""
    return round((MONO + seconds) * 100)


def stat_text(pid, comm, state="S", threads=1, start=100, blkio=0, ppid=1, reaped=0, majflt=0,
              kernel=False):
    """What /proc/PID/stat says: 52 fields, the name in bytes. reaped: faults of children waited for."""
    rest = ["0"] * 53
    rest[9] = str(0x200000 if kernel else 0)
    rest[3], rest[20], rest[22], rest[42] = state, str(threads), str(start), str(blkio)
    rest[4], rest[11], rest[12] = str(ppid), str(reaped), str(majflt)
    name = comm if isinstance(comm, bytes) else comm.encode()
    return b"%d (%s) %s\n" % (pid, name, " ".join(rest[3:]).encode())


class Link(str):
    """A symbolic link to this target, in place of a file's text."""


class Story:
    """Steps of files; the clocks of each step; written out and run by rows()."""

    def __init__(self, steps=2, seconds=1.0):
        self.files = [{} for _ in range(steps)]
        self.lines = [[] for _ in range(steps)]  # of diskstats
        self.clock = [[MONO + i * seconds, EPOCH + i * seconds] for i in range(steps)]
        self.whole = True  # with a sys/ beside proc/
        for i in range(steps):
            self.put(i, "proc/uptime", f"{self.clock[i][0]:.2f} 1.00\n")
            self.put(i, "proc/sys/kernel/hostname", "db01\n")

    # ---- files ----

    def put(self, step, path, text):
        """This file at one step. A Link makes a link."""
        self.files[step][path] = text

    def always(self, path, text):
        """The same file at every step."""
        for i in range(len(self.files)):
            self.put(i, path, text)

    def each(self, path, texts):
        """This file at the steps in turn; None: not there."""
        harness.check(len(texts), len(self.files), "a text for every step")
        for i, text in enumerate(texts):
            if text is not None:
                self.put(i, path, text)

    # ---- devices ----

    def line(self, step, text):
        """A raw line of diskstats at one step."""
        self.lines[step].append(text)

    def disk(self, name, *readings, dev=(8, 0), **attributes):
        """A diskstats line per step (None: gone), and attributes in sysfs."""
        harness.check(len(readings), len(self.files), f"a reading of {name} for every step")
        for i, reading in enumerate(readings):
            if reading is not None:
                self.line(i, f"{dev[0]:4d} {dev[1]:7d} {name} " + " ".join(map(str, reading)))
        self.sysfs(name, **attributes)

    def sysfs(self, name, **attributes):
        """Attributes of a device: queue_rotational is its file queue/rotational."""
        self.always(f"sys/class/block/{name}/size", attributes.pop("size", "2097152\n"))
        for key, value in attributes.items():
            folder, _, leaf = key.partition("_")
            path = f"{folder}/{leaf}" if leaf and folder in ("queue", "device", "dm", "md", "loop") else key
            self.always(f"sys/class/block/{name}/{path}", f"{value}\n")

    def partition(self, name, disk, *readings, dev=(8, 1)):
        """A partition: a link in class/block into its disk's folder, as the kernel has it."""
        self.disk(name, *readings, dev=dev)
        folder = f"sys/devices/pci0/block/{disk}/{name}"
        for files in self.files:
            del files[f"sys/class/block/{name}/size"]
        self.always(f"{folder}/partition", "1\n")
        self.always(f"{folder}/size", "1048576\n")
        self.always(f"sys/class/block/{name}", Link(f"../../devices/pci0/block/{disk}/{name}"))

    def stands_on(self, name, *lower):
        """Slaves of a stacked device, as links."""
        for other in lower:
            self.always(f"sys/class/block/{name}/slaves/{other}", Link(f"../../{other}"))

    # ---- tasks ----

    def task(self, pid, comm, ios, uid=1000, **stat):
        """A process at the steps in turn: io is text, None (io refused or absent), or False: no process.

        A list in place of a stat value has one for each step.
        """
        harness.check(len(ios), len(self.files), f"an io of {pid} for every step")
        for i, text in enumerate(ios):
            if text is False:
                continue
            now = {key: value[i] if isinstance(value, list) else value for key, value in stat.items()}
            name = comm[i] if isinstance(comm, list) else comm
            self.put(i, f"proc/{pid}/stat", stat_text(pid, name, **now))
            self.put(i, f"proc/{pid}/status", f"Name:\tx\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
            if text is not None:
                self.put(i, f"proc/{pid}/io", text)

    def thread(self, pid, tid, comm, ios, wchan=None, **stat):
        """A thread of a process, in the same way; its process says how many there are."""
        harness.check(len(ios), len(self.files), f"an io of {tid} for every step")
        for i, text in enumerate(ios):
            if text is False:
                continue
            now = {key: value[i] if isinstance(value, list) else value for key, value in stat.items()}
            self.put(i, f"proc/{pid}/task/{tid}/stat", stat_text(tid, comm, **now))
            if text is not None:
                self.put(i, f"proc/{pid}/task/{tid}/io", text)
            if wchan is not None:
                self.put(i, f"proc/{pid}/task/{tid}/wchan", wchan[i] if isinstance(wchan, list) else wchan)

    # ---- the machine ----

    def aio(self, nr, limit):
        self.always("proc/sys/fs/aio-nr", f"{nr}\n")
        self.always("proc/sys/fs/aio-max-nr", f"{limit}\n")

    def slabs(self, **caches):
        """slabinfo with these caches: name=(active, total)."""
        text = "slabinfo - version: 2.1\n# name <active_objs> <num_objs> <objsize> ...\n"
        for name, (active, total) in {"dentry": (9000, 9999), **caches}.items():
            text += (f"{name:17} {active:6} {total:6} 576 28 4 : tunables 0 0 0 : "
                     "slabdata 4 4 0\n")
        self.always("proc/slabinfo", text)

    # ---- running ----

    def write(self, folder):
        """Writes the tree."""
        _write(f"{folder}/step", "story\n")
        for i, files in enumerate(self.files):
            here = f"{folder}/{i + 1}"
            clocks = " ".join(f"{t:.3f}" for t in self.clock[i])
            os.makedirs(f"{here}/proc", exist_ok=True)
            if self.whole:
                os.makedirs(f"{here}/sys", exist_ok=True)
            _write(f"{here}/step", f"{i + 1} {clocks}\n")
            if self.lines[i]:
                _write(f"{here}/proc/diskstats", "\n".join(self.lines[i]) + "\n")
            for path, text in files.items():
                _write(f"{here}/{path}", text)

    def run(self, *arguments, **how):
        """Runs the program in batch on the story, to its end."""
        with harness.scratch() as folder:
            os.chmod(folder, 0o755)
            self.write(folder)
            return harness.run("-b", "--procfs", folder, *arguments, **how)

    def rows(self, *arguments, escapes=False, **how):
        """The rows the program writes, the run having gone well."""
        return self.run(*arguments, **how).rows(escapes)


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(text, Link):
        os.symlink(text, path)
        return
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
