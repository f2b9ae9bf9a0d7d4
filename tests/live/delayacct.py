#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Delay accounting is switched back whatever becomes of the program that switched it on."""

import fcntl
import os
import signal
import subprocess
import termios
import time
from pathlib import Path

import common

SWITCH = Path("/proc/sys/kernel/task_delayacct")
PATIENCE = 10.0  # the keeper has nothing to wait for

ENDS = [(signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP"), (signal.SIGINT, "SIGINT"),
        (signal.SIGQUIT, "SIGQUIT"), (signal.SIGSEGV, "SIGSEGV"), (signal.SIGKILL, "SIGKILL")]

NAMES = ["an ordinary end puts it back before the program is gone",
         *[f"{name} puts it back" for _, name in ENDS],
         "a fault of the program itself puts it back",
         "a terminal that hangs up puts it back",
         "a helper that outlives the program does not hold it",
         "the keeper is named, a session of its own, holds one descriptor and heeds no signal",
         "a keeper that was killed is made up for by the program",
         "so is one that was stopped",
         "what was on stays on",
         "of two, the second changes nothing",
         "what somebody switched off meanwhile is left alone",
         "who may not switch it is told so, and nothing changes"]


def value():
    return SWITCH.read_text().strip()


def becomes(wanted):
    limit = time.monotonic() + PATIENCE
    while value() != wanted and time.monotonic() < limit:
        time.sleep(0.02)
    return value() == wanted


class Program:
    """The program's part in this: see actions.c."""

    def __init__(self, stack, tool, *words, **how):
        self.process = common.start(stack, [tool, "keep", *words], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True, **how)
        self.said = self.process.stdout.readline().strip()

    def keeper(self):
        """The keeper's PID."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        for pid in children.split():
            if Path(f"/proc/{pid}/comm").read_text() == "iotriage-keep\n":
                return int(pid)
        raise RuntimeError(f"no keeper among {children!r}")

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        self.tell("end")
        self.process.wait(PATIENCE)


def check_ends(tap, stack, tool):
    program = Program(stack, tool)
    was_on = program.said == "on" and value() == "1"
    program.end()
    tap.check(was_on and value() == "0", f"said {program.said}, now {value()}")
    for number, _ in ENDS:
        program = Program(stack, tool)
        was_on = value() == "1"
        program.process.send_signal(number)
        program.process.wait(PATIENCE)
        tap.check(was_on and becomes("0"), f"was on: {was_on}, status {program.process.returncode}")
    program = Program(stack, tool)
    was_on = value() == "1"
    program.tell("crash")
    tap.check(was_on and program.process.wait(PATIENCE) == -signal.SIGSEGV and becomes("0"))


def check_hangup(tap, stack, tool):
    master, slave = os.openpty()
    program = Program(stack, tool, pass_fds=[slave],
                      preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0))
    was_on = value() == "1"
    os.close(slave)
    os.close(master)
    status = program.process.wait(PATIENCE)
    tap.check(was_on and status == -signal.SIGHUP and becomes("0"), f"status {status}")


def check_helper(tap, stack, tool):
    program = Program(stack, tool, "fork")
    helper = int(program.process.stdout.readline().split()[1])
    stack.callback(lambda: os.path.exists(f"/proc/{helper}") and os.kill(helper, signal.SIGKILL))
    was_on = value() == "1"
    program.process.kill()
    program.process.wait(PATIENCE)
    good = was_on and becomes("0") and os.path.exists(f"/proc/{helper}")
    tap.check(good, f"was on: {was_on}; the helper lives: {os.path.exists(f'/proc/{helper}')}")


def check_keeper(tap, stack, tool):
    program = Program(stack, tool)
    keeper = program.keeper()
    open_files = sorted(os.listdir(f"/proc/{keeper}/fd"), key=int)
    targets = [os.readlink(f"/proc/{keeper}/fd/{fd}") for fd in open_files]
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGPIPE,
                   signal.SIGTSTP, signal.SIGUSR1):
        os.kill(keeper, number)
    time.sleep(0.2)
    state = Path(f"/proc/{keeper}/stat").read_text().rpartition(")")[2].split()
    own_session = int(state[3]) == keeper
    good = (targets[:3] == ["/dev/null"] * 3 and len(targets) == 4 and targets[3].startswith("socket:")
            and own_session and state[0] == "S" and os.readlink(f"/proc/{keeper}/cwd") == "/")
    tap.check(good, targets, state[:4])
    os.kill(keeper, signal.SIGKILL)
    program.end()
    tap.check(value() == "0", f"now {value()}")
    program = Program(stack, tool)
    was_on = value() == "1"
    keeper = program.keeper()
    stack.callback(lambda: os.path.exists(f"/proc/{keeper}") and os.kill(keeper, signal.SIGKILL))
    os.kill(keeper, signal.SIGSTOP)
    program.end()
    tap.check(was_on and value() == "0" and not os.path.exists(f"/proc/{keeper}"), f"now {value()}")


def check_others(tap, stack, tool):
    SWITCH.write_text("1")
    program = Program(stack, tool)
    program.end()
    tap.check(program.said == "as it was" and value() == "1", program.said, value())
    SWITCH.write_text("0")

    first = Program(stack, tool)
    second = Program(stack, tool)
    second.end()
    still = value()
    first.end()
    tap.check((first.said, second.said, still, value()) == ("on", "as it was", "1", "0"),
              f"{first.said}, {second.said}, {still}, {value()}")

    program = Program(stack, tool)
    SWITCH.write_text("0")
    program.end()
    tap.check(value() == "0")


def body(tap, stack):
    common.need("root")
    if not SWITCH.exists():
        raise common.Skip("no kernel.task_delayacct here")
    tool = common.BUILD / "tests" / "live" / "actions"
    if not tool.exists():
        raise common.Skip(f"no {tool}: make tests")
    before = value()
    try:
        SWITCH.write_text("0")
    except OSError as error:
        raise common.Skip(f"kernel.task_delayacct cannot be set here: {error}") from error
    stack.callback(SWITCH.write_text, before)
    check_ends(tap, stack, tool)
    check_hangup(tap, stack, tool)
    check_helper(tap, stack, tool)
    check_keeper(tap, stack, tool)
    check_others(tap, stack, tool)
    # a copy that anybody may run, wherever this tree is
    folder = common.temporary(stack)
    folder.chmod(0o755)
    copy = folder / "actions"
    copy.write_bytes(tool.read_bytes())
    copy.chmod(0o755)
    program = Program(stack, copy, user=65534, group=65534, extra_groups=[])
    tap.check(program.said.startswith("error ") and value() == "0", program.said)
    program.end()


if __name__ == "__main__":
    common.main(NAMES, body)
