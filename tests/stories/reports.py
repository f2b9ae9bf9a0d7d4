#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iotriage explain: rarer formats, odd texts, and what is said of a report that is no report."""
import csv
import io
import json
import subprocess
import tempfile

import harness
from harness import check, check_cells, check_complaint, check_true, run, test


def explain(text, *options):
    """The program's answer to a text (str or bytes) in a file."""
    data = text.encode() if isinstance(text, str) else text
    with tempfile.NamedTemporaryFile(prefix="iotriage-test-", suffix=".txt") as file:
        file.write(data)
        file.flush()
        return run("explain", *options, file.name)


def table(text, *options):
    result = explain(text, "--format", "csv", *options)
    check((result.status, result.err), (0, b""), "exit status and stderr")
    return list(csv.DictReader(io.StringIO(result.out.decode(), newline=""), strict=True))


def rows(text):
    return table(text, "--panel", "devices")


def found(text):
    return {(row["severity"], row["rule"], row["subject"]) for row in table(text)}


def said(text, *options):
    result = explain(text, *options)
    check((result.status, result.err), (0, b""), "exit status and stderr")
    return " ".join(result.out.decode().split())


HEADER = "Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util\n"
SERIAL = "sdq 0.00 4.00 1.00 200.00 4.00 1600.00 15.96 1.01 5.00 4.95 99.50\n"
IDLE = "sdr 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00\n"


# ---- what a text is written in ----

@test("lines may end with a carriage return, a byte order mark may be missing, zeros may stand in between")
def _():
    text = HEADER + SERIAL + IDLE
    for name, data in (("CR", text.replace("\n", "\r").encode()), ("CR LF", text.replace("\n", "\r\n").encode()),
                       ("UTF-16LE", text.encode("utf-16-le")), ("UTF-16BE", text.encode("utf-16-be")),
                       ("a mark", text.encode("utf-16")), ("a zero", (text + 9 * IDLE).encode().replace(b" ", b"\0", 1))):
        got = rows(data)
        check([row["device"] for row in got][:2], ["sdq", "sdr"], name)
        check_cells(got[0], {"w/s": "200", "await": "5"})


@test("a carriage return within the first line ends it only where no newline follows")
def _():
    check(len(rows("progress 1\rprogress 2\n" + HEADER + SERIAL)), 1, "rows")


@test("a table in the comments of a script or a program is read")
def _():
    for mark in ("# ", "#", "// ", " * ", "> # "):
        got = rows("".join(mark + line + "\n" for line in (HEADER + SERIAL + IDLE).splitlines()))
        check([row["device"] for row in got], ["sdq", "sdr"], f"after {mark!r}")


@test("JSON is read on a line of any length, another line of that length is left out and told")
def _():
    disk = {"r/s": 1.0, "w/s": 200.0, "rkB/s": 4.0, "wkB/s": 1600.0, "r_await": 5.0, "w_await": 5.0, "aqu-sz": 1.0,
            "util": 99.5}
    interval = {"disk": [dict(disk, disk_device=f"sd{letter}") for letter in "abcdefgh"]}
    text = json.dumps({"sysstat": {"hosts": [{"statistics": 1500 * [interval]}]}})
    check_true(len(text) > 1 << 20, "the line is long")
    check(len(rows(text)), 12000, "rows")
    check(len(rows(text + "\n" + HEADER + SERIAL)), 12001, "rows, with a table behind it")
    long = "word " * 300000
    check_true("1 line longer than 1 MiB (line 1)" in said(long + "\n" + HEADER + SERIAL), "it is told")
    check_complaint(explain(long), 1, "longer than 1 MiB")


@test("binary data without an end is not read to its end")
def _():
    for path in ("/dev/zero", "/dev/urandom"):
        check_complaint(run("explain", path), 1, "binary")


@test("nothing at all, a folder, a closed input and damaged rows crash nothing")
def _():
    check_complaint(explain(""), 1, "empty")
    check_complaint(run("explain", "/dev/null"), 1, "empty")
    check_complaint(run("explain", "/"), 1, "Is a directory")
    got = subprocess.run(f"exec {harness.program()} explain <&-", shell=True, capture_output=True,
                         env=harness.environment(), check=False)
    check((got.returncode, got.stdout, got.stderr.count(b"\n")), (1, b"", 1), "closed stdin")
    text = HEADER + SERIAL + "sdt 0.00 9e99 1e308 -1 nan inf 0x10 1.2.3 -- 5\n"
    check([row["device"] for row in rows(text)], ["sdq"], "devices")
    check(found(HEADER + SERIAL.replace(" 200.00", " -200.00")), {("warn", "counter-fault", "sdq")}, "a negative rate")


# ---- formats ----

SADF = "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;areq-sz;aqu-sz;await;%util\n"


@test("sadf -d: rows between semicolons, among the tables of other figures")
def _():
    text = ("# hostname;interval;timestamp;runq-sz;plist-sz\nh;5;2024-05-01 10:00:05 UTC;2;242\n" + SADF +
            "h;5;2024-05-01 10:00:05 UTC;sdq;417.80;44576.00;523.20;107.9;21.85;52.28;54.68\n"
            "h;5;2024-05-01 10:00:05 UTC;sdr;0.00;0.00;0.00;0.00;0.00;0.00;0.00\n"
            "h;5;2024-05-01 10:00:10 UTC;sdq;12.60;323.20;0.00;25.65;0.03;2.62;1.60\n"
            "h;-1;2024-05-01 10:02:00 UTC;LINUX-RESTART\n"
            "# hostname;interval;timestamp;IFACE;rxpck/s\nh;5;2024-05-01 10:00:05 UTC;ens5;2.68\n")
    got = rows(text)
    check([row["device"] for row in got], ["sdq", "sdr", "sdq"], "devices")
    check_cells(got[0], {"rkB/s": "44576", "avgqu-sz": "21.85", "await": "52.28", "interval": "5"})
    check([row["epoch"] for row in got], 2 * ["1714557605.000"] + ["1714557610.000"], "time")
    check({row["since_boot"] for row in got}, {"0"}, "blocks of sar are intervals")
    check_true("1 restart" in said(text), "the restart is told")
    check_cells(rows(SADF + "h;599;2013-09-19 00-45-01;dev8-0;13,89;0,28;766,76;55,24;0,21;15,44;2,21\n")[0],
                {"wkB/s": "766.76", "await": "15.44"})


@test("/proc/partitions of kernel 2.4, four-counter partitions, a remark behind the counters")
def _():
    got = rows("major minor  #blocks  name     rio rmerge rsect ruse wio wmerge wsect wuse running use aveq\n\n"
               "   8     0    8969493 sdq      1000 450 66560 5500 400 197 5960 25600 0 36480 277410\n"
               "   8     1      40131 sdq1     10 382 900 680 0 0 0 0 0 5780 5890\n")
    check([row["device"] for row in got], ["sdq", "sdq1"], "devices")
    check_cells(got[0], {"r_await": "5.5", "w_await": "64", "r/s": "", "since_boot": "1"})
    got = rows("   3    0 hdq 4000 4113 48000 28000 1000 1682 21000 1900 0 858685 2231096 <-- it is the slow one\n"
               "   3    1 hdq1 25 500 10 80\n   3    2 hdq2 8 160 2 40\n   3    3 hdq3 20 400 12 98\n"
               "  22    0 hdr 4000 4113 48000 28000 1000 1682 21000 1900 0 858685 2231096\n")
    check([row["device"] for row in got], ["hdq", "hdq1", "hdq2", "hdq3", "hdr"], "devices")
    check_cells(got[2], {"avgrq-sz": "20", "await": ""})
    got = rows("   8     0    8969493 sdq      1000 450 66560\n5500 400 197\n5960 25600 0 36480 277410\n")
    check_cells(got[0], {"device": "sdq", "w_await": "64"})


@test("the clock in a line of uptime, top or watch is the time of a snapshot")
def _():
    snapshot = "   8       0 sdq 1000 0 8000 500 {} 0 16000 {} 0 {} 4500 0 0 0 0\n"
    for line in (" 10:00:{} up 12 days,  3:01,  1 user,  load average: 8.11, 7.90, 6.12\n",
                 "top - 10:00:{} up 12 days,  3:01,  1 user,  load average: 8.11, 7.90, 6.12\n",
                 "Every 5.0s: cat /proc/diskstats        h9: Mon Feb  5 10:00:{} 2024\n\n"):
        got = rows(line.format("00") + snapshot.format(2000, 4000, 3000) +
                   line.format("05") + snapshot.format(2800, 8900, 7950))
        check_cells(got[0], {"w/s": "160", "w_await": "6.12", "%util": "99", "interval": "5"})


VMSTAT = "r b swpd free buff cache si so bi bo in cs us sy id wa st"
PAGING = "0 9 904212 54012 2040 90882 4120 5210 4480 5300 1420 2100 3 4 0 93 0"


@test("vmstat with a clock in front, a date behind, other columns")
def _():
    for header, row in ((VMSTAT, PAGING), ("          " + VMSTAT, "19:17:37 " + PAGING),
                        (VMSTAT + "                 CET", PAGING + " 2024-02-11 10:14:02"),
                        (VMSTAT + " gu", PAGING + " 0"), (VMSTAT.replace("buff cache", "inact active"), PAGING)):
        text = "\n".join([header, row, row, row, ""])
        check_true("vmstat (line 2) 0 devices, 2 intervals, 1 average since boot" in said(text), header)
        check(found(text), {("warn", "swapping", "system")}, header)


@test("iotop -t begins its rows with a clock")
def _():
    text = ("    TIME    TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN      IO    COMMAND\n"
            "10:31:02   4570 be/4 root        0.00 B/s    0.40 M/s  0.00 %  4.50 % [kworker/u8:1-flush-8:0]\n")
    check_true("iotop (line 1) 0 devices, 1 interval" in said(text), said(text))


@test("iostat -y -o JSON above a document makes its first block an interval")
def _():
    text = json.dumps({"sysstat": {"hosts": [{"statistics": [{"disk": [
        {"disk_device": "sdq", "r/s": 1.37, "w/s": 2.11, "r_await": 5.0, "w_await": 1.0}]}]}]}})
    for command, boot in (("iostat -xy 10 -o JSON", "0"), ("iostat -x 10 -o JSON", "1")):
        check(rows(f"$ {command}\n{text}\n")[0]["since_boot"], boot, command)


# ---- AIX ----

AIX_SAR = "AIX prod9 3 5 00C0FFEE4C00    03/03/11\n\n14:00:00     device    %busy    avque    r+w/s    Kbs/s   avwait   avserv\n\n"


@test("AIX sar -d: a line between the rows is passed over, the size of requests is derived")
def _():
    got = rows(AIX_SAR + "14:00:05     hdisk2     72      0.0      173      692      0.0      4.6\n*** ***\n"
               "             hdisk3      4      0.0        9       72      0.0      1.1\n")
    check([row["device"] for row in got], ["hdisk2", "hdisk3"], "devices")
    check_cells(got[0], {"areq-sz": "4", "avserv": "4.6", "rkB/s": "", "r/s": ""})


@test("AIX: measured times alone tell one request at a time, a line in the device, a burst, a short host queue")
def _():
    for busy, rate, wait, serve, finding in ((98, 180, "0.0", "5.4", {("warn", "serial-io", "hdisk2")}),
                                             (70, 180, "0.0", "4.0", {("info", "serial-io", "hdisk2")}),
                                             (100, 250, "20.0", "40.0", {("warn", "queueing", "hdisk2")}),
                                             (100, 88, "95.2", "2.3", {("warn", "shallow-queue", "hdisk2")}),
                                             (12, 300, "0.0", "3.0", set()), (30, 300, "0.0", "4.0", set())):
        text = AIX_SAR + f"14:00:05     hdisk2     {busy}      0.0      {rate}      {4 * rate}      {wait}      {serve}\n"
        check(found(text), finding, f"{busy} % busy, {rate}/s, {wait} + {serve} ms")


@test("AIX iostat -T: the clock at the end of a row is no figure")
def _():
    for header, row in (("Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn  time",
                         "hdisk2          91.0     752.0      80.0        740        12  17:04:01"),
                        ("Disks: % tm_act Kbps tps Kb_read Kb_wrtn time", "hdisk2 91.0 752.0 80.0 740 12 17:04:01")):
        got = rows(f"{header}\n{row}\n{row.replace('hdisk2', 'hdisk3')}\n\n{header}\n{row}\n")
        check([row["device"] for row in got], ["hdisk2", "hdisk3", "hdisk2"], header)
        check_cells(got[0], {"%util": "91", "areq-sz": "9.4"})


LONG = """Disks:                     xfers                                read
           write                                  queue
                 %tm    bps   tps  bread  bwrtn   rps    avg    min    max
time fail   wps    avg    min    max time fail    avg    min    max   avg
avg  serv
                 act                                    serv   serv   serv
outs              serv   serv   serv outs        time   time   time  wqsz
sqsz qfull
hdisk5          98.2  11.4M 801.0  10.2M   1.2M 700.0   6.1    0.2  180.3
0    0 101.0   1.4    0.3   12.1     0    0  55.3    0.0    1.2S  31.0
4.0 612.0
hdisk6           0.3   4.1K   1.0   4.1K    0.0   1.0   0.3    0.3    0.3
0    0   0.0   0.0    0.0    0.0     0    0   0.0    0.0    0.0    0.0
0.0   0.0
"""


@test("AIX iostat -Dl is read where mail broke header and rows")
def _():
    got = rows(LONG)
    check([row["device"] for row in got], ["hdisk5", "hdisk6"], "devices")
    check_cells(got[0], {"r/s": "700", "avwait": "55.3", "maxwait": "1200", "sqfull": "612"})
    check(found(LONG), {("warn", "shallow-queue", "hdisk5")}, "findings")


# ---- sar: no reads and writes apart ----

@test("sar -d: a queue of writes alone at a moderate %util is a burst, told by bytes; with reads it is a line")
def _():
    for read, util, finding in (("0.20", "13.90", {("info", "write-burst", "sdq")}),
                                ("9000.00", "13.90", {("crit", "queueing", "sdq")}),
                                ("0.20", "99.00", {("crit", "queueing", "sdq")})):
        text = SADF + "".join(f"h;600;2024-05-01 1{i}:00:00 UTC;sdq;144.46;{read};20137.00;139.4;23.90;165.47;{util}\n"
                              for i in range(3))
        check(found(text), finding, f"{read} kB/s read at {util} %")


# ---- AIO ----

REFUSED = (
    "2024-06-27T00:29:11.946294Z 0 [Warning] InnoDB: io_setup() failed with EAGAIN. Will make 5 attempts before giving up.",
    "240627  0:29:11  InnoDB: Warning: io_setup() failed with EAGAIN. Will make 5 attempts before giving up.",
    "Jun 27 00:29:11 h mysqld[77]: InnoDB: Error: io_setup() failed with EAGAIN after 5 attempts.",
    "ORA-27090: Unable to reserve kernel resources for asynchronous disk I/O",
    "fio: pid=977, err=11/file:engines/libaio.c:353, func=io_queue_init, error=Resource temporarily unavailable",
    "db_1 | ERROR 2022-11-09 15:29:57 [shard 1] seastar - Could not setup Async I/O: Resource temporarily unavailable.",
    "        Message: Unable to create a new asynchronous I/O context. Please increase sysctl fs.aio-max-nr",
    "io_setup(4096, 0x66e1588) = -1 EAGAIN (Resource temporarily unavailable)",
    "[pid  4711] <... io_setup resumed> [0]) = -1 EAGAIN (Resource temporarily unavailable)",
)


@test("a refused io_setup is taken from the logs of databases, and not from prose about it")
def _():
    for line in REFUSED:
        check(found("text before\n" + line + "\nText after it\n"), {("crit", "aio-exhausted", "system")}, line)
        check_true("lines" not in said(line + "\n") and "line 1" in said(line + "\n"), "the line is told")
    for line in ("When it is too small MySQL says io_setup() failed with EAGAIN.",
                 "| `InnoDB: Warning: io_setup() failed with EAGAIN` | the limit is too low |",
                 "you risk `ORA-27090: Unable to reserve kernel resources for asynchronous disk I/O`"):
        check_complaint(explain(line + "\n"), 1, "no report found")


@test("a limit that has room now was lower, or others held the rest, when an io_setup failed")
def _():
    text = "fs.aio-nr = 100\nfs.aio-max-nr = 1048576\nio_setup(4096, 0x7f) = -1 EAGAIN\n"
    check_true("has room for it as it is shown here" in said(text), said(text))
    text = "fs.aio-nr = 65000\nfs.aio-max-nr = 65536\nio_setup(4096, 0x7f) = -1 EAGAIN\n"
    check_true("leaves no room" in said(text), said(text))


@test("AIO figures: sysctl -n, slabtop; what somebody advises or sets is none")
def _():
    check_true("aio-nr 65530 of 65536" in said("# sysctl -n fs.aio-nr fs.aio-max-nr\n65530\n65536\n"), "sysctl -n")
    check_true("kiocb 338 of 420" in said("  OBJS ACTIVE  USE OBJ SIZE  SLABS OBJ/SLAB CACHE SIZE NAME\n"
                                          "   420    338  80%    0.25K     28       15       112K kiocb\n"), "slabtop")
    text = "fs.aio-nr = 65530\nfs.aio-max-nr = 65536\n"
    for line in ("fs.aio-max-nr > 1M (echo 1048576 > /proc/sys/fs/aio-max-nr) or fs.aio-max-nr=1048576 in /etc/sysctl.conf",
                 "$ sudo sysctl -w fs.aio-max-nr=1048576"):
        check_true("aio-nr 65530 of 65536" in said(text + line + "\n"), line)


# ---- other systems ----

@test("more reports of other systems are named and not judged")
def _():
    for text, name in (
            ("device    r/s    w/s   Mr/s   Mw/s wait actv  svc_t  %w  %b\nsd1 9.9 1474.2 0.1 172.2 8.3 0.8 6.2 88 83\n",
             "Solaris"),
            ("device,r/s,w/s,kr/s,kw/s,wait,actv,svc_t,%w,%b,\ncmdk9,0.1,0.2,5.5,1.2,0.0,0.0,12.3,0,0\n", "Solaris"),
            ("device r/i w/i kr/i kw/i qlen tsvc_t/i sb/i\nada9 7919.0 2973.0 5905.5 1192.0 0 1182.3 482.8\n", "FreeBSD"),
            ("timestamp,name,q-depth,total_ops/s,read/s,%busy\n2021-03-01 10:00:01.0,ada9,12,640,300,99.8\n", "gstat"),
            ("latency total_wait disk_wait sync_queue\n1us 0 0 0\n", "zpool"),
            ('"(PDH-CSV 4.0)","\\\\W9\\PhysicalDisk(_Total)\\Avg. Disk Queue Length"\n"03/11/2024 10:14:02.1","12.4"\n',
             "Windows"),
            ("Timestamp                 CounterSamples\n---------                 --------------\n", "Windows"),
            ("DSK |          sdq | busy     93% | read      12 | write  68112 | avio 0.14 ms |\n", "atop"),
            (" r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n"
             " 1  0 12345  1234   0   0   0   0    0   0 100  200 150  5 10 85  0\n", "AIX"),
            ("10:03:10   device   %busy   avque   r+w/s  blks/s  avwait  avserv\n"
             "10:03:15   c2t6d0    1.50    0.51       4      66    0.06    6.31\n", "HP-UX"),
            ("12:36:32 device %busy avque r+w/s blks/s avwait avserv\n12:40:01 dad9 15 0.7 26 399 18.1 10.0\n"
             "dad9,a 15 0.7 26 398 18.1 10.0\n", "Solaris")):
        result = explain(text)
        check_complaint(result, 1, name)
        check(result.out, b"", "stdout")


@test("a report beside one of another system is judged, the other named")
def _():
    text = HEADER + SERIAL + "\n    KB/t  tps  MB/s\n   49.11  122  5.85\n"
    check_true("Not judged: BSD or macOS iostat" in said(text), said(text))
    check(found(text), {("warn", "serial-io", "sdq")}, "findings")


@test("kernel messages of hung tasks do not disturb the tables beside them")
def _():
    hung = ("[ 1800.885411] INFO: task txg_sync:580 blocked for more than 120 seconds.\n"
            "[ 1800.885690] txg_sync        D ffff88040a0f7cb8     0   580      2 0x00000000\n"
            "[ 1800.885720]  [<ffffffff8154f0e9>] schedule+0x29/0x70\n")
    stuck = IDLE.replace("0.00\n", "100.00\n")
    text = hung + "\n" + (HEADER + SERIAL + stuck + "\n") * 2 + hung + HEADER + SERIAL + stuck
    check(len(rows(text)), 6, "rows")
    check({rule for _, rule, subject in found(text) if subject == "sdr"}, {"stalled"}, "findings")


if __name__ == "__main__":
    harness.main()
