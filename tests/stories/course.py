# SPDX-License-Identifier: GPL-2.0-or-later
"""A finding's course: some quiet seconds, some of the trouble, and quiet ones again.

It must come, be alone, and go. A near miss is what is taken for it: just below the thresholds, or
another cause that looks alike.
"""
from harness import check, check_true
from story import Link, Story, readings, second

BEFORE, DURING, AFTER = 4, 9, 8
WITHIN = 5  # ticks, to come and to go


class Machine(Story):
    """A machine whose devices have a quiet second and a troubled one, and a tree of sysfs like the kernel's."""

    def __init__(self, trouble=DURING):
        super().__init__(BEFORE + trouble + AFTER + 1)
        self.trouble = trouble
        self.minor = 0

    def course(self, quiet, troubled):
        """Seconds of a device. troubled: one second, or a list of them that goes round."""
        turns = troubled if isinstance(troubled, list) else [troubled]
        return ([quiet] * BEFORE + [turns[i % len(turns)] for i in range(self.trouble)] + [quiet] * AFTER)

    def add(self, name, quiet, troubled, below=(), dev=None, **attributes):
        """A device that may stand on others; attributes as of Story.sysfs."""
        self.minor += 1
        self.disk(name, *readings(self.course(quiet, troubled)), dev=dev or (8, 16 * self.minor), **attributes)
        self.stands_on(name, *below)
        for lower in below:
            self.always(f"sys/class/block/{lower}/holders/{name}", Link(f"../../{name}"))

    def during(self, quiet, troubled):
        """A text for every step: this one before and after the trouble, that one at its end of each second."""
        return [troubled if BEFORE < i <= BEFORE + self.trouble else quiet for i in range(len(self.files))]

    def ticks(self):
        """For each interval its findings, as {(subject, rule): row}."""
        found = [{} for _ in self.files[1:]]
        for row in self.rows("--panel", "findings"):
            at = round(float(row["epoch"]) - self.clock[1][1])
            found[at][row["subject"], row["rule"]] = row
        return found


def flash(**more):
    return {"queue_rotational": 0, "queue_nr_requests": 1023, "queue_scheduler": "[none] mq-deadline", **more}


def spindle(**more):
    return {"queue_rotational": 1, "queue_nr_requests": 256, "device_queue_depth": 32,
            "queue_scheduler": "none [mq-deadline]", **more}


def marks(ticks, subject, rule):
    """When it is shown: "..###"."""
    return "".join("#" if (subject, rule) in tick else "." for tick in ticks)


def warned(tick):
    return sorted((subject, rule) for (subject, rule), row in tick.items() if row["severity"] != "info")


def check_comes_and_goes(story, subject, rule, severity, evidence=(), words=(), meanwhile=()):
    """The finding is there within five ticks, alone above info, and gone within five.

    meanwhile: rules that may be shown of the subject until it is.
    """
    ticks = story.ticks()
    when = marks(ticks, subject, rule)
    first = when.find("#")
    end = BEFORE + story.trouble
    check_true(BEFORE <= first < BEFORE + WITHIN, f"{rule} is shown {when}, the trouble begins at {BEFORE}")
    check(when[first:end], "#" * (end - first), f"{rule} stays, {when}")
    check_true(when.rindex("#") < end + WITHIN, f"{rule} goes, {when}, the trouble ends at {end}")
    for n, tick in enumerate(ticks):
        others = [key for key in warned(tick) if key != (subject, rule)]
        if when[n] != "#":
            others = [key for key in others if key not in [(subject, each) for each in meanwhile]]
        check(others, [], f"others at tick {n}")
    row = ticks[end - 1][subject, rule]
    check(row["severity"], severity, "severity")
    for pair in evidence:
        check_true(pair in row["evidence"].split(" "), f"{pair} is not in {row['evidence']!r}")
    for word in words:
        check_true(word in row["text"] + " " + row["advice"], f"{word!r} is not in {row['text']!r} {row['advice']!r}")


def check_never(story, rule, expected=None):
    """The rule is never shown. expected: what is, above info, at the end of the trouble."""
    ticks = story.ticks()
    for n, tick in enumerate(ticks):
        check([subject for subject, found in tick if found == rule], [], f"{rule} at tick {n}")
    if expected is not None:
        check(warned(ticks[BEFORE + story.trouble - 1]), sorted(expected), "at the end of the trouble")


IDLE = second()
EASY = second(r=50, w=50, rkb=800, wkb=800, r_await=1, w_await=1, util=8)
