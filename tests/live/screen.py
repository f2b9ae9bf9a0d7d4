# SPDX-License-Identifier: GPL-2.0-or-later
"""A program on a pseudo terminal: what it drew, and when."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

ESCAPE = re.compile(r"\x1b(?:\[([?>=]?)([\d;]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)"
                    r"|[()][0-9A-B]|[=>78cDEMH])")


class Grid:
    """The cells, as far as ncurses uses an xterm: text, movement, erasure, scrolling."""

    def __init__(self, lines, columns):
        self.lines, self.columns = lines, columns
        self.cells = [[" "] * columns for _ in range(lines)]
        self.y = self.x = 0
        self.top, self.bottom = 0, lines - 1
        self.last = " "
        self.rest = ""

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.cells)

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = ESCAPE.match(text, at)
                if not match:
                    if len(text) - at < 32:  # the rest of it comes later
                        self.rest = text[at:]
                        return
                    at += 1
                    continue
                if match[3] and not match[1]:
                    self.control(match[3], [int(n or 0) for n in match[2].split(";")])
                elif match[0] == "\x1bM":
                    self.scroll(-1) if self.y == self.top else self.move(self.y - 1, self.x)
                at = match.end()
            else:
                self.character(text[at])
                at += 1

    def move(self, y, x):
        self.y = min(max(y, 0), self.lines - 1)
        self.x = min(max(x, 0), self.columns - 1)

    def scroll(self, count):
        blank = [" "] * self.columns
        for _ in range(abs(count)):
            if count > 0:
                del self.cells[self.top]
                self.cells.insert(self.bottom, list(blank))
            else:
                del self.cells[self.bottom]
                self.cells.insert(self.top, list(blank))

    def character(self, char):
        if char == "\n":
            self.scroll(1) if self.y == self.bottom else self.move(self.y + 1, self.x)
        elif char == "\r":
            self.x = 0
        elif char == "\b":
            self.move(self.y, self.x - 1)
        elif char == "\t":
            self.move(self.y, (self.x // 8 + 1) * 8)
        elif char >= " ":
            if self.x >= self.columns:
                self.x = 0
                self.character("\n")
            self.cells[self.y][self.x] = self.last = char
            self.x += 1

    def control(self, final, numbers):
        n = numbers[0]
        one = max(n, 1)
        line = self.cells[self.y]
        if final == "H":
            self.move(one - 1, (numbers[1] if len(numbers) > 1 else 1) - 1)
        elif final in "ABCD":
            self.move(self.y + {"A": -one, "B": one}.get(final, 0),
                      self.x + {"C": one, "D": -one}.get(final, 0))
        elif final == "G":
            self.move(self.y, one - 1)
        elif final == "d":
            self.move(one - 1, self.x)
        elif final == "K":
            first, last = (self.x, self.columns) if n == 0 else (0, self.x + 1 if n == 1 else
                                                                 self.columns)
            line[first:last] = [" "] * (last - first)
        elif final == "J":
            for y in range(0 if n else self.y, self.lines):
                first = self.x if y == self.y and n == 0 else 0
                self.cells[y][first:] = [" "] * (self.columns - first)
        elif final == "X":
            line[self.x:self.x + one] = [" "] * min(one, self.columns - self.x)
        elif final == "P":
            line[self.x:] = (line[self.x + one:] + [" "] * one)[:self.columns - self.x]
        elif final == "@":
            line[self.x:] = ([" "] * one + line[self.x:])[:self.columns - self.x]
        elif final == "b":
            for _ in range(one):
                self.character(self.last)
        elif final == "r":
            self.top = one - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.lines) - 1
            self.move(0, 0)
        elif final in "ST":
            self.scroll(one if final == "S" else -one)
        elif final in "LM":
            top, self.top = self.top, self.y
            self.scroll(-one if final == "L" else one)
            self.top = top


class Terminal:
    """A program on a terminal of its own; begun is the moment before it was started."""

    def __init__(self, stack, command, lines=24, columns=80, env=None):
        self.grid = Grid(lines, columns)
        self.status = None
        env = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(env or {})}
        for name in ("LINES", "COLUMNS", "NO_COLOR"):
            env.pop(name, None)
        command = [str(word) for word in command]
        self.begun = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            try:
                os.execvpe(command[0], command, env)
            finally:
                os._exit(127)
        stack.callback(self.close)

    def read(self, timeout):
        """Takes what comes within that time. False: nothing, or the program has ended."""
        if not select.select([self.fd], [], [], max(timeout, 0))[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.grid.feed(data.decode("utf-8", "replace"))
        return bool(data)

    def until(self, seen, patience):
        """Seconds since the start when seen(text of the screen) was first true, or None."""
        limit = time.monotonic() + patience
        while time.monotonic() < limit:
            if self.read(limit - time.monotonic()) and seen(self.grid.text()):
                return time.monotonic() - self.begun
            if self.ended():
                break
        return None

    def watch(self, seconds):
        """Lets the program draw."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit and not self.ended():
            if not self.read(min(0.2, limit - time.monotonic())):
                time.sleep(0.01)

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def ended(self):
        """Whether it has; its status is then known."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def quit(self, patience=5.0):
        """Types q: seconds until the program has ended, or None."""
        begun = time.monotonic()
        self.type("q")
        while time.monotonic() < begun + patience:
            self.read(0.01)
            if self.ended():
                return time.monotonic() - begun
        return None

    def close(self):
        if not self.ended():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            limit = time.monotonic() + 2
            while not self.ended() and time.monotonic() < limit:
                self.read(0.01)
        with contextlib.suppress(OSError):
            os.close(self.fd)


DEVICE_ROW = re.compile(r"^[wW ] \S+( +\d[\d.]*){4}", re.MULTILINE)


def has_figures(text):
    """Whether a device's row has numbers and nothing is being sampled any more."""
    return "sampling" not in text and DEVICE_ROW.search(text) is not None
