#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the kernel cannot be traced: the reason, once, and figures all the same."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import common
import screen

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
HIDE = ("unshare", "--mount", "sh", "-c")
BTF = "/sys/kernel/btf"
DEMANDED = "--trace, --sampler bpf and profile say why, in a line, and end with 5"
FLOWS = "devices and tasks have figures and nothing is said, the measured ones absent"
NAMES = [f"{case}: {what}" for case in ("unprivileged", "types of the kernel hidden") for what in (
    DEMANDED, FLOWS, "--no-trace is the same",
    "a wide screen has the reason in its header, and a narrow one in its help",
)] + [f"{case}: {what}" for case in ("a file of 24 bytes in place of the types", "no types at all")
      for what in (DEMANDED, FLOWS)] + [
      "root of a user namespace is told that its capabilities are not the machine's",
      "CAP_BPF alone, or CAP_PERFMON alone, is not enough",
      "CAP_BPF and CAP_PERFMON are enough to measure and to profile",
      "and to read counters that /proc shows to their owner only",
      "nothing of a monitor or a profile killed by SIGKILL is left in the kernel"]
KINDS = ("prog", "map", "link")
NEEDS = "needs CAP_BPF and CAP_PERFMON"


def program(stack):
    """A copy that anybody may run, wherever this tree is."""
    folder = common.temporary(stack)
    folder.chmod(0o755)
    copy = folder / "iotriage"
    shutil.copy(common.IOTRIAGE, copy)
    copy.chmod(0o755)
    (folder / "bad").write_bytes(b"\x9f\xeb\x01\x00" + bytes(20))
    return copy


def run(*command):
    # a task's name may be no text
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          timeout=30, stdin=subprocess.DEVNULL, check=False)


def capable(*names):
    """As nobody with these capabilities and no others."""
    some = "-all," + ",".join(f"+{name}" for name in names)
    return (*NOBODY, f"--inh-caps={some}", f"--ambient-caps={some}", f"--bounding-set={some}")


def hidden(mount):
    return (*HIDE, mount + ' && exec "$@"', "sh")


def refused(tool, before, reason):
    """Whether each demand ends with that reason, and what was said."""
    done = [run(*before, tool, *words) for words in (
        ("-b", "-n", "1", "-d", "0.1", "--trace"), ("-b", "-n", "1", "-d", "0.1", "--sampler", "bpf"),
        ("profile", "--time", "0.1", "-p", os.getpid()))]
    return all(each.returncode == 5 and each.stdout == "" and each.stderr.count("\n") == 1 and
               reason in each.stderr for each in done), [f"{each.returncode} {each.stderr}" for each in done]


def flows(tool, before, *more):
    """Whether there are figures of devices and tasks, none of them measured, and nothing is said."""
    good, notes = True, []
    for panel in "devices", "tasks":
        done = run(*before, tool, "-b", "-n", "2", "-d", "0.2", "--panel", panel, *more)
        rows = list(common.csv.DictReader(done.stdout.splitlines()))
        figures = [row for row in rows if row["r/s" if panel == "devices" else "state"]]
        measured = [row for row in rows if row.get("avserv") or row.get("avwait")]
        good = good and done.returncode == 0 and done.stderr == "" and figures and not measured
        notes.append(f"{panel}: {done.returncode} {done.stderr}, {len(rows)} rows, {len(figures)} with figures, "
                     f"{len(measured)} measured")
    return good, notes


def on_screen(stack, tool, before, reason):
    """What the header of a wide screen and the help of a narrow one say."""
    wide = screen.Terminal(stack, [*before, str(tool), "--config", "/dev/null"], lines=30, columns=230)
    shown = wide.until(lambda text: f"untraced: {reason}" in text and screen.has_figures(text), 10)
    header = wide.grid.text().splitlines()[:2]
    wide.quit()
    narrow = screen.Terminal(stack, [*before, str(tool), "--config", "/dev/null"], lines=60, columns=80)
    narrow.until(screen.has_figures, 10)
    narrow.type("?")
    wanted = f"the kernel is not traced: {reason}"[:60]
    for _ in range(6):  # pages; lines are folded
        told = narrow.until(lambda text: wanted in re.sub(r"\s+", " ", text), 0.5)
        if told is not None:
            break
        narrow.type("\x1b[6~")
    page = narrow.grid.text()
    narrow.quit()
    return shown is not None and told is not None, [*header, "" if told is not None else page]


def check_case(tap, tool, before, reason):
    for good, notes in refused(tool, before, reason), flows(tool, before):
        tap.check(good, *notes)


def check_screen(tap, stack, tool, before, reason):
    for good, notes in flows(tool, before, "--no-trace"), on_screen(stack, tool, before, reason):
        tap.check(good, *notes)


def check_cases(tap, stack, tool, base):
    """base: why root cannot trace here, if so: then that comes before what is tried."""
    file = f"{BTF}/vmlinux"
    cases = [(f"mount --bind /dev/null {file}", f"{file} does not describe types"),
             (f"mount --bind {tool.parent}/bad {file}", f"{file} does not describe types"),
             (f"mount -t tmpfs none {BTF}", "the kernel does not describe its types")]
    check_case(tap, tool, NOBODY, base or NEEDS)
    check_screen(tap, stack, tool, NOBODY, base or NEEDS)
    for mount, reason in cases:
        before, reason = hidden(mount), base if base == "not built in" else reason
        screen_too = mount == cases[0][0]
        if not os.path.exists(file):
            for _ in range(4 if screen_too else 2):
                tap.skip(f"there is no {file}")
            continue
        check_case(tap, tool, before, reason)
        if screen_too:
            check_screen(tap, stack, tool, before, reason)


def check_capabilities(tap, tool):
    done = run("unshare", "--user", "--map-root-user", tool, "-b", "-n", "1", "-d", "0.1", "--trace")
    if "unshare" in done.stderr:
        tap.skip(done.stderr.strip())
    else:
        tap.check(done.returncode == 5 and NEEDS in done.stderr and "outside of this user namespace" in done.stderr,
                  f"{done.returncode} {done.stderr}")
    done = [refused(tool, capable(name), NEEDS) for name in ("bpf", "perfmon")]
    tap.check(all(good for good, _ in done), *[note for _, notes in done for note in notes])
    both = capable("bpf", "perfmon")
    done = [run(*both, tool, "-b", "-n", "1", "-d", "0.1", "--trace"),
            run(*both, tool, "profile", "--time", "0.1", "-p", os.getpid())]
    tap.check(all(each.returncode == 0 and each.stderr == "" for each in done),
              *[f"{each.returncode} {each.stderr}" for each in done])
    words = (tool, "-b", "-n", "2", "-d", "0.3", "--panel", "tasks")
    read = [[row["rchar/s"] != "" for row in common.csv.DictReader(run(*before, *words, *more).stdout.splitlines())
             if row["pid"] == str(os.getpid())]
            for before, more in ((both, ("--sampler", "bpf")), (NOBODY, ()))]
    tap.check(any(read[0]) and read[1] and not any(read[1]), f"with them {read[0]}, without {read[1]}")


def held(pid):
    """{kind: numbers} of what a process has open of BPF."""
    found = {kind: set() for kind in KINDS}
    for path in Path(f"/proc/{pid}/fdinfo").iterdir():
        for kind, number in re.findall(r"^(prog|map|link)_id:\s*(\d+)", path.read_text(), re.M):
            found[kind].add(int(number))
    return found


def listed(tool, kind):
    return {each["id"] for each in json.loads(run(tool, "-j", kind, "show").stdout or "[]")}


def check_killed(tap, stack, folder):
    tool = shutil.which("bpftool", path=os.environ["PATH"] + ":/usr/sbin")
    if not tool:
        tap.skip("no bpftool")
        return
    monitor = common.Monitor(stack, folder, 0.5, more=["--trace"])
    profile = common.start(stack, [common.IOTRIAGE, "profile", "--time", "60", "-p", os.getpid()],
                           stdout=subprocess.DEVNULL)
    monitor.wait_ticks(2)
    time.sleep(1)
    ours = {pid: held(pid) for pid in (monitor.process.pid, profile.pid)}
    there = all(numbers and numbers <= listed(tool, kind) for each in ours.values() for kind, numbers in each.items())
    for process in monitor.process, profile:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    for _ in range(50):
        left = {kind: listed(tool, kind) & set.union(*(each[kind] for each in ours.values())) for kind in KINDS}
        if not any(left.values()):
            break
        time.sleep(0.1)
    tap.check(there and not any(left.values()), f"while they ran {ours}", f"after {left}")


def body(tap, stack):
    common.need("root", "setpriv", "unshare", "mount")
    tool = program(stack)
    asked = run(tool, "-b", "-n", "1", "-d", "0.1", "--trace")
    base = asked.stderr.strip().partition(": --trace: ")[2] if asked.returncode == 5 else None
    check_cases(tap, stack, tool, base)
    if base:
        raise common.Skip(base)
    check_capabilities(tap, tool)
    check_killed(tap, stack, common.temporary(stack))


if __name__ == "__main__":
    common.main(NAMES, body)
