#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Golden screens: the shipped program on a story, behind a terminal emulator.

Cells are compared with golden/NAME. UPDATE_GOLDEN=1 writes them anew: look at
every change before it is committed.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "stories")]

import harness  # noqa: E402
from harness import check, test  # noqa: E402
from screens import (GOLDEN, busy_story, ended_story, files_story, idle_story, inherited_story,  # noqa: E402
                     loops_story, mirror_story, off_story, over_story, past_story, play, ramp_story, stack_story, threads_story, totals_story)


def golden(name, size, keys="", *arguments, story=busy_story, **how):
    """One screen after these keys, and a clean end."""
    @test(f"screen {name} at {size}")
    def _():
        steps = ["see stall", *(f"key {key}" for key in keys.split())] if keys or arguments else []
        script = "\n".join([*steps, f"expect {GOLDEN}/{name}-{size}", "key <Esc>", "key <Esc>", "key Q", "exit 0", "restored"])
        play(story(), size, script + "\n", *arguments, **how)


for each_size in ("40x10", "80x24", "200x50"):
    golden("overview", each_size)
golden("overview-loops", "80x24", "1", story=loops_story)
golden("overview-loops", "80x60", "1", story=loops_story)
golden("devices", "80x24", "2")
golden("devices-flat", "80x24", "2 T")
golden("tasks", "80x24", "3")
golden("tasks-names", "80x24", "3 c")
golden("tasks-reverse", "80x24", "3 r")
golden("tasks-sorted", "80x24", "3 < <")
golden("tasks-active", "80x24", "3 o")
golden("tasks-end", "80x24", "3 <End>")
golden("filter", "80x24", "3 / w o r k e r - 1 <Enter>")
golden("filter-empty", "80x24", "3 / n o s u c h <Enter>")
golden("filter-wrong", "80x24", "3 / (")
golden("user", "80x24", "3 u 2 6 <Enter>")
golden("sort-menu", "80x24", "2 <F6>")
golden("aio", "80x24", "4")
for each_size in ("80x24", "40x10", "200x50"):
    golden("device", each_size, "2 <Down> <Enter>")
    golden("task", each_size, "3 <Down> <Enter>", story=files_story)
    golden("files", each_size, "", "--panel", "files", "-p", "9120", story=files_story)
for each_size in ("80x24", "40x10"):
    golden("aio-tasks", each_size, "4 <Down>", story=files_story)
golden("device-stack", "80x24", "2 / m d 0 <Enter> <Down> <Enter> <PgDn>", story=mirror_story)
golden("partition", "80x24", "2 / s d a <Enter> <Down> <Down> <Enter>", story=mirror_story)
golden("device-finding", "80x24", "6 <Down> <Down> <Enter> <Enter> <PgDn>")
golden("task-end", "80x24", "3 <Down> <Enter> <End>", story=files_story)
golden("task-of-aio", "80x24", "4 <Down> <Enter>", story=files_story)
golden("files-all", "80x24", "o <End>", "--panel", "files", "-p", "9120", story=files_story)
golden("files-unselected", "80x24", "<Tab> <Tab> <Tab> <Tab>")
golden("files-ended", "80x24", "", "--panel", "files", "-p", "9120", story=ended_story)
golden("device-ramp", "80x24", "2 <Down> <Enter>", story=ramp_story)
golden("device-ramp-ascii", "80x24", "2 <Down> <Enter>", story=ramp_story, LC_ALL="C")
golden("device-ascii", "80x24", "2 <Down> <Down> <Enter>", LC_ALL="C")
golden("files-filter", "80x24", "/ u n d o <Enter>", "--panel", "files", "-p", "9120", story=files_story)
golden("totals-tasks", "80x24", "3 <Down>", "-a", story=totals_story)
golden("totals-programs", "80x24", "3 a", "-a", story=totals_story)
golden("totals-users", "80x24", "3 a a", "-a", story=totals_story)
golden("totals-filter", "80x24", "3 / o r a <Enter>", "-a", story=totals_story)
golden("totals-back", "80x24", "a a a", "-a", story=totals_story)
golden("totals-over", "80x24", "", "-a", story=totals_story)
golden("findings", "80x24", "6")
for each_size in ("80x24", "40x10", "200x50"):
    golden("overview-ended", each_size, story=past_story)
    golden("findings-ended", each_size, "6 <End>", story=past_story)
    golden("finding-device", each_size, "6 <Down> <Enter>")
for each_size in ("80x24", "40x10"):
    golden("finding-task", each_size, "6 <Down> <Down> <Down> <Enter>", story=past_story)
    golden("finding-system", each_size, "6 <Down> <Down> <Enter>", story=past_story)
    golden("finding-ended", each_size, "6 <End> <Enter>", story=past_story)
    golden("findings-over", each_size, "6", story=over_story)
golden("finding-end", "40x10", "6 <Down> <Enter> <End>")
golden("help", "80x24", "?")
golden("zoom", "80x24", "<Right> z")
golden("idle", "80x24", story=idle_story)
golden("no-tasks", "80x24", "3", story=idle_story)
golden("tiny", "20x5")
golden("stack", "80x24", "2", story=stack_story)
golden("stack", "200x50", "2", story=stack_story)
golden("stack-flat", "80x24", "2 T", story=stack_story)
golden("stack-ascii", "80x24", "2", story=stack_story, LC_ALL="C")
golden("threads", "80x24", "3", "--threads", story=threads_story)
golden("threads", "200x50", "3", "--threads", story=threads_story)
golden("chooser", "80x24", "2 C")
golden("chooser-no-room", "80x24", "2 C <Down> <Down> <Space> <Down> <Enter> d <Space> <Down> <Space>")
golden("chooser-threads", "80x24", "3 C", "--threads", story=threads_story)
golden("columns-chosen", "80x24", "2", settings="columns.devices = device, r_await, w_await, %util\n")
golden("columns-chosen", "200x50", "2", settings="columns.devices = device,r_await,w_await,%util\n")
golden("ioprio", "80x24", "3 <Down> i")
golden("ioprio-level", "80x24", "3 <Down> i b")
golden("ioprio-confirm", "80x24", "3 <Down> i r 0", story=threads_story)
golden("ioprio-thread", "80x24", "3 <Down> i i", "--threads", story=threads_story)
golden("ioprio", "40x10", "3 <Down> i")
golden("delayacct-confirm", "80x24", "D", story=off_story)
for each_size in ("80x24", "120x24"):
    golden("inherited", each_size, "3", story=inherited_story)
golden("delayacct-told", "80x24", "", story=off_story)
golden("too-small", "12x3")


@test("the marks stand out by letter and by colour, in red only what is judged")
def _():
    script = "see sdc.*queueing\nattr ^W.sdc red\nattr nvme0n1.*ok plain\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("without colours (NO_COLOR) the marks are still there")
def _():
    play(busy_story(), "80x24", "see ^W sdc.*queueing\nsee serial-io\nkey Q\nexit 0\nrestored\n", NO_COLOR="1")


@test("in the C locale nothing but ASCII is drawn")
def _():
    play(busy_story(), "80x24", f"expect {GOLDEN}/ascii-80x24\nkey Q\nexit 0\nrestored\n", LC_ALL="C")


@test("a window that shrinks to nothing and grows again shows the same screen")
def _():
    script = f"see queueing\nsize 1x1\nsize 300x100\nsee VERDICT\nsize 5x2\nsize 80x24\nexpect {GOLDEN}/overview-80x24\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("a view can be asked for, with its order")
def _():
    play(busy_story(), "80x24", "see by r/s\nkey Q\nexit 0\n", "--panel", "devices", "--sort", "r/s")


for signal_name in ("SIGINT", "SIGTERM", "SIGHUP"):
    @test(f"{signal_name} gives the terminal back")
    def _(name=signal_name):
        play(busy_story(), "80x24", f"see queueing\nsignal {name}\nexit 0\nrestored\n")


for signal_name in ("SIGSEGV", "SIGABRT"):
    @test(f"a crash ({signal_name}) gives the terminal back and shows in the status")
    def _(name=signal_name):
        play(busy_story(), "80x24", f"see queueing\nsignal {name}\nexit signal {name}\nrestored\n")


@test("stopping gives the terminal back, going on takes it again")
def _():
    script = "see queueing\nsignal SIGTSTP\nstopped\nsignal SIGCONT\nsee queueing\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("after a stop from outside the screen is drawn anew and keys work")
def _():
    script = "see queueing\nsignal SIGSTOP\nstopped\nsignal SIGCONT\nkey 2\nsee Devices.*6 of 7\nkey Q\nexit 0\nrestored\n"
    play(busy_story(), "80x24", script)


@test("TERM unset on a terminal is refused in one line")
def _():
    with harness.scratch() as folder:
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "120x24", "-w", "20", "-", "--",
             "env", "-u", "TERM", harness.program()],
            input=b"see iotriage: TERM is not set.*-b\nexit 4\nnoescape\nrestored\n", cwd=folder,
            env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("pausing and going on, again and again, shows live figures")
def _():
    with harness.scratch() as folder:
        script = "see VERDICT\n" + "key <Space>\nkey <Space>\n" * 20 + "see %util\nkey Q\nexit 0\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "20", "-", "--", harness.program()],
            input=script.encode(), cwd=folder, env=harness.environment(), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("a back reference in a filter is refused, not tried for hours")
def _():
    play(busy_story(), "80x24", "see queueing\nkey 3\nkey /(a*)*\\\\1z\nsee back references are not\n"
         "key <Esc>\nkey Q\nexit 0\nrestored\n")


@test("a terminal that vanishes ends the program, without a spin")
def _():
    play(busy_story(), "80x24", "see queueing\nclose\nexit nonzero\n")


@test("so it does where SIGHUP is ignored")
def _():
    play(busy_story(), "80x24", "ignorehup\nsee queueing\nclose\nexit nonzero\n")


for kind in ("", "dumb", "nosuch"):
    @test(f"TERM={kind!r} on a terminal is refused in one line")
    def _(kind=kind):
        play_term(kind)


def play_term(kind):
    with harness.scratch() as folder:
        busy_story().write(os.path.join(folder, "story"))
        script = "see iotriage: .*TERM.*-b\nexit 4\nnoescape\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "120x24", "-t", kind, "-w", "20", "-", "--",
             harness.program(), "--procfs", "story"], input=script.encode(), cwd=folder,
            env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("nobody is told how many tasks are unreadable and what would bring them")
def _():
    with harness.unprivileged() as (prefix, path):
        script = "see [0-9]+ of [0-9]+ tasks unreadable: run as root .or with CAP_SYS_PTRACE.\nkey Q\nexit 0\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "20", "-", "--", *prefix, path],
            input=script.encode(), cwd="/", env=harness.environment(), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("500 random keys and resizes on a live machine end clean")
def _():
    with harness.scratch() as folder:
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "60", "-", "--",
             harness.program(), "--read-only"], input=b"see VERDICT\nrandom 500 42 qQ<F10>\n",
            cwd=folder, env=harness.environment(XDG_CONFIG_HOME=folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


@test("500 random keys and resizes on a story end clean")
def _():
    script = "see queueing\nrandom 500 7 qQ<F10>\n"
    play(busy_story(), "80x24", script)


if __name__ == "__main__":
    harness.main()
