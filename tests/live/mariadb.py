#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Is AIO really on? MODE of a private MariaDB server under all four combinations of its two settings."""

import shutil
import subprocess
import time

import common

TICKS = 8
COMBINATIONS = [(flush, aio) for flush in ("O_DIRECT", "fsync") for aio in ("ON", "OFF")]
NAMES = [f"innodb_flush_method={flush}, innodb_use_native_aio={aio}: {what}" for flush, aio in COMBINATIONS for what in (
    f"MODE has {'D' if flush == 'O_DIRECT' else 'no D'} and {'U' if aio == 'ON' else 'no U'}",
    "rings are counted, its device is named" if aio == "ON" else "no ring is counted, its device is named",
)]


def as_server(folder):
    """Who it runs as, for it does not want to be root."""
    try:
        shutil.chown(folder, "mysql", "mysql")
    except LookupError:
        return ["--user=root"]
    return ["--user=mysql"]


def prepare(stack):
    server, client = shutil.which("mariadbd"), shutil.which("mariadb")
    install = shutil.which("mariadb-install-db")
    if not server or not client or not install:
        raise common.Skip("no MariaDB server")
    folder = common.temporary(stack, "/var/tmp")
    folder.chmod(0o755)
    user = as_server(folder)
    done = subprocess.run([install, "--no-defaults", f"--datadir={folder}/data", *user, "--auth-root-authentication-method=normal",
                           "--skip-test-db"], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise common.Skip(f"MariaDB cannot make its tables here: {done.stderr.strip()[-200:]}")
    return server, client, folder, user


def knows(server, setting):
    done = subprocess.run([server, "--no-defaults", "--verbose", "--help"], capture_output=True, text=True, check=False,
                          timeout=60)
    return setting in done.stdout


class Server:
    """The server with these settings, and a client that commits one row after the other."""

    def __init__(self, stack, made, flush, aio):
        server, self.client, self.folder, user = made
        self.log = self.folder / f"log-{flush}-{aio}"
        command = [server, "--no-defaults", *user, f"--datadir={self.folder}/data", "--skip-networking",
                   f"--socket={self.folder}/socket", f"--pid-file={self.folder}/pid", "--innodb-buffer-pool-size=32M",
                   f"--innodb-flush-method={flush}", f"--innodb-use-native-aio={aio}"]
        if knows(server, "innodb-log-file-buffering"):
            command.append("--innodb-log-file-buffering=ON")
        with open(self.log, "wb") as log:
            self.process = common.start(stack, command, stdout=log, stderr=log)
        self.await_socket()
        self.load = common.start(stack, [*self.sql(), "-f"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)

    def sql(self):
        return [self.client, "--no-defaults", f"--socket={self.folder}/socket", "--user=root"]

    def await_socket(self):
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            if self.process.poll() is not None:
                break
            done = subprocess.run([*self.sql(), "-e", "SELECT 1"], capture_output=True, check=False, timeout=30)
            if done.returncode == 0:
                return
            time.sleep(0.2)
        raise common.Skip("MariaDB does not start here: " + self.log.read_text(errors="replace").strip()[-300:])

    def has_native_aio(self):
        """It falls back where the kernel has no io_uring for it."""
        done = subprocess.run([*self.sql(), "-Ne", "SELECT @@innodb_use_native_aio"], capture_output=True, text=True,
                              check=False, timeout=30)
        return done.stdout.strip() == "1"

    def write(self, monitor_ticks):
        """Feeds the client until so many ticks have come."""
        self.load.stdin.write(b"CREATE DATABASE IF NOT EXISTS t; CREATE TABLE IF NOT EXISTS t.x (a INT AUTO_INCREMENT "
                              b"PRIMARY KEY, b VARCHAR(3000)) ENGINE=InnoDB;\n")
        while not monitor_ticks():
            self.load.stdin.write(b"INSERT INTO t.x (b) VALUES (REPEAT('x', 3000)); COMMIT;\n" * 20)
            self.load.stdin.flush()
            time.sleep(0.05)

    def down(self):
        self.load.kill()
        self.load.wait()
        self.process.terminate()
        self.process.wait(60)


def look(stack, made, flush, aio, out):
    server = Server(stack, made, flush, aio)
    try:
        if aio == "ON" and not server.has_native_aio():
            raise common.Skip("MariaDB has no native AIO here")
        out.mkdir()
        monitor = common.Monitor(stack, out, 1)
        server.write(lambda: len(monitor.ticks()) >= TICKS)
        time.sleep(0.3)
        rows = [row for row in monitor.rows("tasks") if row["pid"] == str(server.process.pid)]
        common.end(monitor.process)
    finally:
        server.down()
    return rows[-3:]


def body(tap, stack):
    common.need("root")
    made = prepare(stack)
    for flush, aio in COMBINATIONS:
        try:
            rows = look(stack, made, flush, aio, made[2] / f"out-{flush}-{aio}")
        except common.Skip as reason:
            tap.skip(reason)
            tap.skip(reason)
            continue
        modes = [row["mode"] for row in rows]
        tap.check(len(rows) == 3 and all(("D" in mode) == (flush == "O_DIRECT") and ("U" in mode) == (aio == "ON")
                                         for mode in modes), f"modes {modes}")
        rings, devices = [row["rings"] for row in rows], [row["dev"] for row in rows]
        tap.check(rows and all((ring != "0") == (aio == "ON") and ring for ring in rings) and all(devices),
                  f"rings {rings}, devices {devices}, sq/s {[row['sq/s'] for row in rows]}, "
                  f"wkB/s {[row['wkB/s'] for row in rows]}")


if __name__ == "__main__":
    common.main(NAMES, body)
