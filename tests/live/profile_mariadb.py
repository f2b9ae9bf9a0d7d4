#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""
iotriage profile of a private MariaDB server with a binary log and one client, under all
combinations of the two settings that say when commits are flushed.
"""

import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import common
import mariadb

SECONDS = 3
COMBINATIONS = [(binlog, redo) for binlog in (0, 1) for redo in (0, 1, 2)]
NAMES = [f"sync_binlog={binlog}, innodb_flush_log_at_trx_commit={redo}: {what}"
         for binlog, redo in COMBINATIONS for what in (
             f"the binary log is flushed {'once a commit' if binlog else 'not by commits'}",
             f"the redo log is flushed {'once a commit' if redo == 1 else 'not by commits'}")]
PROGRAMS = 6  # of profile, each with a link


class Server(mariadb.Server):
    """Started once: both settings can be changed while it runs."""

    def __init__(self, stack, made):
        server, self.client, self.folder, user = made
        self.log = self.folder / "log"
        with open(self.log, "wb") as log:
            self.process = common.start(
                stack, [server, "--no-defaults", *user, f"--datadir={self.folder}/data",
                        "--skip-networking", f"--socket={self.folder}/socket",
                        f"--pid-file={self.folder}/pid", "--innodb-buffer-pool-size=64M",
                        "--server-id=1", "--log-bin=binlog", "--binlog-format=ROW"],
                stdout=log, stderr=log)
        self.await_socket()

    def query(self, text):
        done = subprocess.run([*self.sql(), "-Ne", text], capture_output=True, text=True,
                              check=False, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{text}: {done.stderr}")
        return done.stdout

    def down(self):
        self.process.terminate()
        self.process.wait(60)


class Sysbench:
    """One thread of oltp_read_write."""

    def __init__(self, server):
        self.command = ["sysbench", "oltp_read_write", "--db-driver=mysql", "--mysql-user=root",
                        f"--mysql-socket={server.folder}/socket", "--mysql-db=t", "--tables=1",
                        "--table-size=2000", "--threads=1"]
        done = subprocess.run([*self.command, "prepare"], capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise common.Skip(f"sysbench cannot prepare: {(done.stdout + done.stderr)[-200:]}")

    def run(self):
        """How many transactions."""
        done = subprocess.run([*self.command, f"--time={SECONDS}", "run"], capture_output=True,
                              text=True, timeout=60)
        return int(re.search(r"transactions:\s+(\d+)", done.stdout).group(1))


class Client:
    """A row after the other, each committed."""

    def __init__(self, server):
        self.server = server
        server.query("CREATE TABLE t.x (a INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(200)) ENGINE=InnoDB")

    def run(self):
        rows, limit = 0, time.monotonic() + SECONDS
        while time.monotonic() < limit:
            self.server.query("INSERT INTO t.x (b) VALUES (REPEAT('x', 200));" * 100)
            rows += 100
        return rows


def links(pid):
    names = []
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            names.append(str(fd.readlink()))
        except OSError:
            continue
    return sum("link" in name or "tracepoint" in name for name in names)


def watch(stack, server, load):
    """Commits of the load, and what profile says of the flushes meanwhile."""
    process = common.start(stack, [common.IOTRIAGE, "profile", "-p", server.process.pid, "--time",
                                   60, "--format", "json"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 20
    while process.poll() is None and links(process.pid) < PROGRAMS and time.monotonic() < limit:
        time.sleep(0.05)
    commits = load.run()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    if process.returncode == 5:
        raise common.Skip(err.strip())
    return commits, json.loads(out)["flushes"]


def flushes_of(flushes, pattern):
    return sum(each["flushes"] for each in flushes if re.search(pattern, each["file"]))


def judge(tap, count, commits, each_one, text):
    """Of each commit within a tenth; else hardly any: once a second, and at checkpoints."""
    if each_one:
        tap.check(commits > 20 and 0.9 * commits <= count <= 1.1 * commits + 20, text)
    else:
        tap.check(commits > 20 and count <= 10 + 0.1 * commits, text)


def body(tap, stack):
    common.need("root")
    server = Server(stack, mariadb.prepare(stack))
    try:
        server.query("CREATE DATABASE t")
        load = (Sysbench if shutil.which("sysbench") else Client)(server)
        for binlog, redo in COMBINATIONS:
            server.query(f"SET GLOBAL sync_binlog={binlog}; "
                         f"SET GLOBAL innodb_flush_log_at_trx_commit={redo}")
            commits, flushes = watch(stack, server, load)
            logs = {name: flushes_of(flushes, pattern) for name, pattern in
                    (("binlog", r"/binlog\.\d+$"), ("redo", r"/ib_logfile\d+$"))}
            text = f"{commits} commits, flushes of {logs}"
            judge(tap, logs["binlog"], commits, binlog == 1, text)
            judge(tap, logs["redo"], commits, redo == 1, text)
    finally:
        server.down()


if __name__ == "__main__":
    common.main(NAMES, body)
