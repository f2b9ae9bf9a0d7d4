#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What keys and the mouse do: columns, sections, questions before the system is changed."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "stories")]

import harness  # noqa: E402
from harness import check, test  # noqa: E402
from screens import (STEPS, busy_story, files_story, grow, idle_story, inherited_story, machine, off_story, past_story,  # noqa: E402
                     play, steps, task_io, threads_story, totals_story)
from story import Story  # noqa: E402

# ---- looking closer ----

@test("Esc leaves details for where they were opened, with the row still selected")
def _():
    play(files_story(), "80x24", steps("key 4", "key <Down>", "key <Enter>", "see ^─Task 9120", "key 5", "see ^─Files of 9120",
                                       "key 4", "key <Enter>", "see ^─Task 9120", "key <Esc>", "see ^─Processes using AIO",
                                       "attr ^ +9120 reverse"))


@test("Enter on a finding explains it, once more goes to its device or task, and Esc comes back the same way")
def _():
    play(busy_story(), "80x24", steps("key 6", "key <End>", "key <Enter>", "see ^─Finding sda serial-io", "see Enter device",
                                      "see 6.13 x 163 / 1000 = 1.00", "key <Enter>", "see ^─Device sda", "key <Esc>",
                                      "see ^─Finding sda", "key <Esc>", "see ^─Findings", "attr ^w.sda reverse"))
    play(past_story(), "80x24", steps("key 6", "key <Home>", "key j", "key j", "key <Enter>", "see ^─Finding pid 500 sync-writer",
                                      "see Enter task", "key <Enter>", "see ^─Task 500 etcd", "key <Esc>", "see ^─Finding pid 500",
                                      "key 1", "see ^─Devices"))


@test("a finding about the machine leads nowhere else")
def _():
    play(past_story(), "80x24", steps("key 6", "key <Home>", "key j", "key <Enter>", "see ^─Finding system aio-exhausted",
                                      "gone Enter", "key <Enter>", "see ^─Finding system", "key <Esc>", "see ^─Findings"))


@test("ended findings stand below, say so without colour, can be hidden, filtered, and are not counted in the header")
def _():
    play(past_story(), "80x24", steps("see 3 findings$", "key 6", "see 3 now, 2 ended", "see ^e sda serial-io .*5s ended",
                                      "key o", "gone ^e sda", "see active ── 3 of 5", "key o", "see ^e sda", "key /sdb",
                                      "key <Enter>", "see 0 now, 1 ended", "see all hidden by the filter", "key <Esc>",
                                      "see 3 now, 2 ended"), NO_COLOR="1")
    play(past_story(), "80x24", steps("see 3 findings$", "see ^C sdc", "see active"), "--active", "--panel", "findings")


@test("current findings come first, whatever they are sorted by")
def _():
    play(past_story(), "80x24", steps("see by lasted", "see ^e sdb"), "--panel", "findings", "--sort", "lasted")
    play(past_story(), "80x60", steps("see ^─Findings", "key <End>", "attr ^e.sdb reverse"), "--panel", "findings",
         "--sort", "subject")


# ---- columns ----

@test("chosen columns are written to the settings, d brings the table's own back")
def _():
    toggle = [r"key 2", "key C", "see Columns of devices: 11 chosen", "key <Down>", "key <Down>", "key <Space>",
              "see Columns of devices: 12 chosen, 11 fit here", r"see ^\[-\] rrqm/s"]
    kept = play(busy_story(), "80x24", steps(*toggle, "key C", "see VERDICT"))
    check(kept, "columns.devices = mark,device,rrqm/s,r/s,w/s,rkB/s,wkB/s,avgqu-sz,await,svctm,%util,verdict\n", "settings")
    kept = play(busy_story(), "80x24", steps("key 2", "key C", "see Columns of devices: 1 chosen", "key d", "see 11 chosen",
                                             "key <Esc>", "see VERDICT"), settings="columns.devices = device\n")
    check(kept.strip(), "columns.devices =", "settings after d")


@test("columns are written beside thresholds, comments and lines that are no settings, which a note names")
def _():
    mine = "# mine\nmark_ratio = 3.5\n  nosuch=1\nhalf a li\n\ncolumns.devices = device\n# end\n"
    kept = play(busy_story(), "80x24", steps("see config:3: nosuch: no such setting; passed", "see as is 1 more line", "key 2", "key C",
                                             "see 1 chosen", "key d", "key <Esc>", "see VERDICT"), settings=mine)
    check(kept, mine.replace("devices = device", "devices = "), "settings")


@test("the help tells the thresholds of marks that are in force")
def _():
    script = steps("key ?", "see await is at least 3.5 x the service time and 2 ms",
                   "see await is at least 5 x the service time and 20 ms")
    play(busy_story(), "80x90", script, settings="mark_ratio = 3.5\nmark_strong_ms = 20\n")
    play(busy_story(), "80x90", script.replace("3.5", "2").replace("20 ms", "10 ms"))


@test("looking at the columns changes no settings")
def _():
    check(play(busy_story(), "80x24", steps("key 2", "key C", "see Columns of", "key <Esc>", "see VERDICT")), "", "settings")


@test("some column that names the rows stays")
def _():
    script = steps("key 2", "key C", "see 2 chosen", "key <Down>", "key <Enter>", "see this one stays", r"see ^\[x\] device",
                   "key <Esc>", "see DEVICE")
    play(busy_story(), "80x24", script, settings="columns.devices = device,%util\n")
    play(busy_story(), "80x24", steps("key 2", "see DEVICE +r/s"), settings="columns.devices = r/s\n")


@test("a column sorted by is shown although others were chosen; the table's own order tells only the title")
def _():
    own = "columns.tasks = pid,wkB/s,command\n"
    play(busy_story(), "80x24", steps("key 3", "see PID +wkB/s COMMAND", "see by kB/s"), settings=own)
    play(busy_story(), "80x24", steps("see PID +rkB/s +wkB/s COMMAND"), "--panel", "tasks", "--sort", "rkB/s", settings=own)


@test("findings have no columns")
def _():
    play(busy_story(), "80x24", steps("key 6", "key C", "see findings are sentences"))


# ---- the mouse: its reports are ESC [ < button ; column ; line M ----

@test("a click on a header sorts by it, a second one reverses, on a narrow and a wide screen")
def _():
    play(busy_story(), "80x24", steps(r"key \e[<0;17;4M\e[<0;17;4m", "see Devices.*by r/s ↓", r"key \e[<0;18;4M\e[<0;18;4m",
                                      "see Devices.*by r/s ↑", r"key \e[<0;70;4M", "see Devices.*by verdict ↑"))
    play(busy_story(), "200x50", steps("key 3", r"key \e[<0;3;4M", "see Tasks.*by pid ↑"))


@test("a click selects the row under it and gives its section the keys")
def _():
    script = steps(r"key \e[<0;30;13M\e[<0;30;13m", "see ^pid 77 ", "key z", "see ^─Tasks", "gone Devices")
    play(busy_story(), "80x24", script)
    play(busy_story(), "80x24", steps("key 2", r"key \e[M >)", "see ^nvme0n1 .*scheduler none"))  # three bytes


@test("a click on a finding selects it, whichever of its lines")
def _():
    play(busy_story(), "80x24", steps("key 6", r"key \e[<0;30;6M", "attr ^C.sdc reverse"))


@test("a second click on an entry of a menu chooses it")
def _():
    click = r"\e[<0;9;9M\e[<0;9;9m"
    play(busy_story(), "80x24", steps("key 2", "key <F6>", "see Sort devices", "key " + click + click, "see by r/s"))
    play(busy_story(), "80x24", steps("key 2", "key C", "see Columns of", "key " + click + click, r"see ^\[ \] w/s"))


@test("a second click on a row is Enter, and the wheel scrolls what is told of it")
def _():
    click = r"key \e[<0;30;14M\e[<0;30;14m\e[<0;30;14M\e[<0;30;14m"
    play(busy_story(), "80x24", steps(click, "see ora_dbw0_A", "gone ^─Devices", "key i", "see I/O priority of 4711 ora_dbw0_A",
                                      "key <Esc>", "see not confirmed", "key <Esc>", "see ^─Devices"))
    play(busy_story(), "80x24", steps("key 2", r"key \e[<0;30;9M", "see ^nvme0n1 ", "sleep 600", r"key \e[<0;30;9M", "sleep 300",
                                      "see ^─Devices"))


@test("the wheel scrolls by three and leaves the selection where it is")
def _():
    script = steps("key 3", "key <Down>", "see ^pid 9120", r"key \e[<65;30;9M", "see by kB/s ↓ held", "gone ^   9120",
                   "see ^   4711|829.0", "see ^pid 9120", r"key \e[<64;30;9M", "see ^   9120", r"key \e[<65;30;9M\e[<65;30;9M",
                   "gone ^ +77 ", "key <Down>", "see ^ +77 ")
    play(busy_story(), "80x24", script)
    play(busy_story(), "80x24", steps("key ?", "see lines 1 to", r"key \e[<65;30;9M", "see lines 4 to"))


@test("a click in the bottom line is the key that stands there")
def _():
    play(busy_story(), "80x24", steps(r"key \e[<0;15;24M", "see ^─Tasks", r"key \e[<0;75;1M", "see ^─Tasks", r"key \e[<0;9;24M",
                                      "see ^─Devices.*6 of 7", r"key \e[<0;58;24M", "see filter devices:", r"key \e[<0;9;24M", "key <Esc>"))


@test("reports of the mouse are never keys: cut, spread, odd or huge ones")
def _():
    odd = [r"key \e[<0;", "sleep 60", "key 17;4", "sleep 60", "key M", "see by r/s", r"key \e[<0;3", "key 1", "key 2;9;6;6M",
           r"key \e[<99999999999999999999;2;3M", r"key \e[<;;M", r"key \e[<2;6;6M", r"key \e[<35;6;6M", r"key \e[<0;9999;9999M",
           r"key \e[<0;0;0M", r"key \e[M23", "key 4", r"key \e[M\xff\xff\xff", "see ^─Tasks", "see ^─Devices.*by r/s"]
    play(busy_story(), "80x24", steps(*odd))


@test("the mouse is asked for, lent back while stopped, and given back in a crash too")
def _():
    stop = ["mouse on", "signal SIGTSTP", "stopped", "mouse off", "signal SIGCONT", "see queueing", "mouse on"]
    play(busy_story(), "80x24", steps(*stop))
    play(busy_story(), "80x24", "see queueing\nmouse on\nsignal SIGSEGV\nexit signal SIGSEGV\nrestored\n")
    play(busy_story(), "80x24", steps("see queueing", "mouse off"), settings="mouse = no\n")


@test("where the mouse is not wanted its reports do nothing")
def _():
    play(busy_story(), "80x24", steps(r"key \e[<0;17;4M", r"key \e[<0;15;24M", "key r", "see Devices.*by %util ↑"),
         settings="mouse = no\n")


@test("inherited I/O breaks ties of the tasks' own order only, and IO% keeps a place that was chosen")
def _():
    play(inherited_story(), "80x24", steps("key 3", "see inhkB/s COMMAND", "see mariadbd", "see ^   5000 .* 7000.0 sh", "key /sh|quiet",
                                           "key <Enter>", "key <Home>", "see ^pid 5000"))
    play(inherited_story(), "80x24", steps("see inhkB/s +IO%", "key <End>", "see ^pid 5000"), "--panel", "tasks", "--sort", "IO%")
    play(inherited_story(), "80x24", steps("key 3", "see wkB/s +IO% COMMAND", "gone inhkB/s"),
         settings="columns.tasks = pid,wkB/s,IO%,command\n")


# ---- what keys do where nothing is selected ----

@test("Enter, 5 and i take the first row where none is selected")
def _():
    play(busy_story(), "80x24", steps("key <Enter>", "see ^─Device sdc"))
    play(busy_story(), "80x24", steps("key 3", "key <Enter>", "see ^─Task 9120", "key <Esc>", "attr 9120.*ora_dbw0_B reverse"))
    play(busy_story(), "80x24", steps("key 6", "key <Enter>", "see ^─Finding sdc queueing"))
    play(files_story(), "80x24", steps("key 5", "see system01.dbf"))
    play(busy_story(), "80x24", steps("key i", "see I/O priority of 9120 ora_dbw0_B", "key <Esc>", "see not confirmed"))
    play(totals_story(), "80x24", steps("key 3", "key <Enter>", "see ^─Task 9120"), "-a")


@test("what no task accounts for is no first row, and is told in full")
def _():
    script = steps("key 3", "key <Enter>", "see ^─Task 1 ", "key <Esc>", "key <Home>", "see ^.unattributed. write-back: what",
                   "key <Enter>", "gone Enter more", "see no task accounts for")
    story = Story(STEPS)
    story.disk("sda", *grow({"w": 100, "wkb": 51200, "await_ms": 1, "queue": 0.1, "util": 10}))
    story.task(1, "init", task_io(0, 0))
    machine(story)
    play(story, "80x24", script)
    play(story, "40x14", steps("key 3", "key <Home>", "key <Enter>", "see and no task accounts for"))


@test("a notice goes by itself after some ticks")
def _():
    with harness.scratch() as folder:
        script = "see VERDICT\nkey D\nsee --read-only: nothing is changed\nsee Enter more\nkey Q\nexit 0\nrestored\n"
        done = subprocess.run(
            [os.environ.get("PTYSCREEN", "./ptyscreen"), "-s", "80x24", "-w", "20", "-", "--", harness.program(),
             "--read-only", "-d", "0.2"], input=script.encode(), cwd=folder, env=harness.environment(XDG_CONFIG_HOME=folder),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.PATIENCE_S, check=False)
        check(done.returncode, 0, done.stdout.decode("utf-8", "replace"))


# ---- what changes the system ----

@test("only y confirms; in a recorded tree nothing is changed even then")
def _():
    for key in ("n", "<Enter>", "<Esc>", "Q", "<Space>", "<Up>"):
        play(off_story(), "80x24", steps("key D", "see Switch kernel", f"key {key}", "see not confirmed: nothing was changed",
                                         "key 3", "see ^─Tasks", "see / filter"))
    play(off_story(), "80x24", steps("key D", "see Switch kernel", "key y", "see a recorded tree: nothing"))
    play(busy_story(), "80x24", steps("key 3", "key <Down>", "key i", "key b", "key 9", "see not confirmed"))
    play(busy_story(), "80x24", steps("key 3", "key <Down>", "key i", "key x", "see not confirmed", "key i", "key n",
                                      "see Set 9120 ora_dbw0_B to none. y/n", "key y", "see a recorded tree"))


@test("what has no I/O priority, or none of ours to change, is told")
def _():
    play(threads_story(), "80x24", steps("key 3", "key i", "see I/O priority of.* 4711 mariadbd", "key <Esc>", "key <Down>",
                                         "key i", "see 2 kthreadd is a thread of the kernel", "key <End>", "see what devices did",
                                         "key i", "see no task: it has no priority"))
    play(threads_story(), "80x24", steps("key <Down>", "key 2", "key <Enter>", "key i", "see no task is selected"))
    play(idle_story(), "80x24", steps("key 3", "key i", "see no task is selected"))


@test("--read-only changes nothing, and does not offer to")
def _():
    play(off_story(), "80x24", steps("see IO% needs kernel.task_delayacct=1$", "key D", "see --read-only: nothing is changed",
                                     "key 3", "key <Down>", "key i", "see --read-only: nothing is changed"), "--read-only")


@test("delay accounting that is on, or has no switch, is not asked about")
def _():
    play(busy_story(), "80x24", steps("key D", "see is on already; if by somebody else, it may end"))
    without = threads_story()
    for files in without.files:
        del files["proc/sys/kernel/task_delayacct"]
    play(without, "80x24", steps("key D", "see this kernel has no kernel.task_delayacct"))


@test("a recorded tree has the threads it began with")
def _():
    play(threads_story(), "80x24", steps("key 3", "key t", "see --threads begins with threads", "key a", "see ^─Totals",
                                         "key t", "see totals are of processes", "key <Down>", "key i", "see totals have no priority"))


@test("peaks begin anew with R")
def _():
    play(busy_story(), "80x24", steps("key 2", "key R", "see peaks begin anew"))


if __name__ == "__main__":
    harness.main()
