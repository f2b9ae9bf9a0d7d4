# SPDX-License-Identifier: GPL-2.0-or-later
"""What the story tests share: the list of tests, running the program, TAP.

A test is a small function with a name in plain English:

    @test("a wrapped millisecond counter is read on")
    def _():
        ...

harness.main() runs them all and prints TAP. The program is $IOTRIAGE, or
./iotriage. Story trees are made by story.py.
"""
import contextlib
import csv
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

PATIENCE_S = 120  # for a run of the program on a busy machine, under a sanitizer

# nohup and a shell's "&" ignore these, and the program under test would inherit it
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)

_tests = []


class Skip(Exception):
    """Raised by a test that cannot be run here; says why."""


def test(name):
    """Registers a test under this name."""
    def register(function):
        _tests.append((name, function))
        return function
    return register


def check(got, expected, what=""):
    """Fails the test unless got equals expected."""
    if got != expected:
        raise AssertionError(f"{what}: got {got!r}, expected {expected!r}")


def check_true(condition, what):
    if not condition:
        raise AssertionError(what)


def program():
    return os.path.abspath(os.environ.get("IOTRIAGE", "./iotriage"))


def scratch():
    """A folder that is gone after the `with` it is used in."""
    return tempfile.TemporaryDirectory(prefix="iotriage-")


class Result:
    """A run of the program that has ended."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def rows(self, escapes=False):
        """Its standard output as CSV rows, the run having gone well."""
        check((self.status, self.err), (0, b""), "exit status and stderr")
        return parse_csv(self.out, escapes)


def environment(**changes):
    """The environment of a test run: pinned, with changes; None takes one out."""
    env = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC", TERM="xterm", XDG_CONFIG_HOME="/nonexistent")
    for name, value in changes.items():
        env[name] = value
        if value is None:
            del env[name]
    return env


def run(*arguments, env=None, stdout=subprocess.PIPE, prefix=(), path=None):
    """Runs the program to its end."""
    argv = [*prefix, path or program(), *(a if isinstance(a, bytes) else str(a) for a in arguments)]
    ended = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                           env=env or environment(), timeout=PATIENCE_S, check=False)
    return Result(ended.returncode, ended.stdout or b"", ended.stderr)


@contextlib.contextmanager
def unprivileged():
    """What to run the program with, so that it is nobody: (prefix, path of a program all may run)."""
    with scratch() as folder:
        copy = shutil.copy(program(), f"{folder}/iotriage")
        os.chmod(folder, 0o755)
        if os.geteuid() != 0:
            yield (), copy
            return
        prefix = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        try:
            tried = subprocess.run([*prefix, copy, "--version"], capture_output=True, check=False)
        except FileNotFoundError:
            raise Skip("there is no setpriv") from None
        if tried.returncode != 0:
            raise Skip(f"setpriv cannot start it: {tried.stderr.decode(errors='replace').strip()}")
        yield prefix, copy


def start(*arguments, **how):
    """Starts the program and returns the subprocess, its pipes without a buffer."""
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
           "env": environment(), "bufsize": 0, **how}
    return subprocess.Popen([program(), *map(str, arguments)], **how)


def parse_csv(text, escapes=False):
    """Rows as dictionaries. Strict: one header, as many fields in every record, whole lines.

    escapes: the text may hold escape bytes, for a process was named so.
    """
    check_true(text == b"" or text.endswith(b"\n"), f"the last line is cut: {text[-80:]!r}")
    check_true(escapes or b"\x1b" not in text, "an escape byte in CSV")
    decoded = text.decode("utf-8", "surrogateescape")
    records = list(csv.reader(io.StringIO(decoded, newline=""), strict=True))
    if not records:
        return []
    header = records[0]
    check(header[:2], ["time", "epoch"], "the first columns")
    check(len(set(header)), len(header), "distinct column names")
    for record in records[1:]:
        check(len(record), len(header), f"fields of {record!r}")
        check_true(record != header, "a second header")
    return [dict(zip(header, record)) for record in records[1:]]


def only(rows, **key):
    """The one row with these cells."""
    found = [row for row in rows if all(row[name] == value for name, value in key.items())]
    check(len(found), 1, f"rows with {key} among {[list(row.values())[2:5] for row in rows[:12]]}")
    return found[0]


def check_cells(row, expected, what=""):
    """Numbers are compared as they are printed: "9.3" to one decimal, "" is an empty cell."""
    for name, value in expected.items():
        cell = row[name]
        if value == "" or cell == "" or not _is_number(value):
            check(cell, value, f"{what} {name}")
        else:
            digits = len(value.partition(".")[2])
            check(f"{float(cell):.{digits}f}", value, f"{what} {name} ({cell})")


def check_usage(result, *words):
    """Wrong usage: one line on stderr with these words, nothing on stdout, status 2."""
    check_complaint(result, 2, *words)
    check(result.out, b"", "stdout")


def check_complaint(result, status, *words):
    """One line on stderr, "iotriage: ..." with these words, and that status."""
    err = result.err.decode("utf-8", "surrogateescape")
    check(result.status, status, f"exit status ({err!r})")
    check(err.count("\n"), 1, f"lines on stderr: {err!r}")
    check_true(err.endswith("\n") and err.startswith("iotriage: "), f"stderr is {err!r}")
    for word in words:
        check_true(word in err, f"{word!r} is not in {err!r}")


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _diagnose(error):
    """A failure as TAP comment lines."""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename != __file__:
            print(f"# {os.path.basename(frame.filename)}:{frame.lineno}: {frame.line}")
    text = f"{type(error).__name__}: {error}".encode("ascii", "backslashreplace").decode()
    for line in text.splitlines():
        print("#   " + line[:800])


def _outcome(function):
    """"ok", "skip", or "not ok", with the reason of a skip or the error."""
    try:
        function()
    except Skip as reason:
        return "skip", reason
    except Exception as error:  # whatever it is, the test has failed and the others go on
        return "not ok", error
    return "ok", None


def main():
    """Runs all tests, or those whose numbers are given; prints TAP and exits."""
    chosen = {int(word) for word in sys.argv[1:]} or set(range(1, len(_tests) + 1))
    failed = False
    if not os.access(program(), os.X_OK):
        print(f"Bail out! {program()} is no program; set IOTRIAGE")
        sys.exit(1)
    print(f"1..{len(_tests)}")
    for number, (name, function) in enumerate(_tests, 1):
        if number not in chosen:
            print(f"ok {number} - {name} # SKIP not chosen")
            continue
        outcome, why = _outcome(function)
        if outcome == "skip":
            print(f"ok {number} - {name} # SKIP {why}")
        else:
            print(f"{outcome} {number} - {name}")
        if outcome == "not ok":
            _diagnose(why)
            failed = True
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
