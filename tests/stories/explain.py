#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iotriage explain: every format it reads, and what it makes of damaged ones."""
import csv
import io
import json
import os
import subprocess
import tempfile

import harness
from harness import check, check_cells, check_complaint, check_true, check_usage, run, test

BANNER = "Linux 5.10.0-21-amd64 (db01) \t11/30/2020 \t_x86_64_\t(8 CPU)\n\n"
NINE = "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n"
ROW = "sda               0.00     4.00    1.00  200.00     4.00  1600.00    15.96     1.01    5.00   4.95  99.50\n"
OTHER = "sdb               0.00     0.00    0.00    2.00     0.00     8.00     8.00     0.00    0.50   0.50   0.10\n"


def explain(text, *options):
    """The program's answer to a text (str or bytes) in a file."""
    data = text.encode() if isinstance(text, str) else text
    with tempfile.NamedTemporaryFile(prefix="iotriage-test-", suffix=".txt") as file:
        file.write(data)
        file.flush()
        return run("explain", *options, file.name)


def rows(text, *options):
    """The parsed rows."""
    result = explain(text, "--panel", "devices", "--format", "csv", *options)
    check((result.status, result.err), (0, b""), "exit status and stderr")
    return list(csv.DictReader(io.StringIO(result.out.decode(), newline=""), strict=True))


def names(text):
    return [row["device"] for row in rows(text)]


def said(text, *options):
    result = explain(text, *options)
    check((result.status, result.err), (0, b""), "exit status and stderr")
    return " ".join(result.out.decode().split())


# ---- iostat, generation by generation ----

@test("the same load in the layouts of four generations and four units reads the same")
def _():
    for header, row in (
            ("Device: rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util",
             "sda 1.00 4.00 10.00 200.00 80.00 3200.00 15.62 1.01 5.00 4.95 99.50"),
            ("Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
             "sda 1.00 4.00 10.00 200.00 40.00 1600.00 15.62 1.01 5.00 5.00 5.00 4.95 99.50"),
            ("Device r/s w/s rMB/s wMB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util",
             "sda 10.00 200.00 0.0390625 1.5625 1.00 4.00 0.0 0.0 5.00 5.00 1.01 4.00 8.00 4.95 99.50"),
            ("Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s dkB/s "
             "drqm/s %drqm d_await dareq-sz f/s f_await aqu-sz %util",
             "sda 10.00 40.00 1.00 0.0 5.00 4.00 200.00 1600.00 4.00 0.0 5.00 8.00 0.00 0.00 0.00 0.0 0.00 0.00 "
             "0.00 0.00 1.01 99.50")):
        got = rows(f"{header}\n{row}\n")
        check(len(got), 1, f"rows of {header}")
        check_cells(got[0], {"r/s": "10", "w/s": "200", "rkB/s": "40", "wkB/s": "1600", "rrqm/s": "1",
                             "wrqm/s": "4", "avgqu-sz": "1.01", "await": "5.0", "avgrq-sz": "15.6",
                             "areq-sz": "7.8", "%util": "99.5"}, header)
        check(got[0]["svctm"], "4.95" if "svctm" in header else "4.74", "svctm, derived where it is lacking")


@test("columns are found by name, in any order, and an unknown one is passed over")
def _():
    got = rows("Device %util zork/s w/s r/s await\nsda 50.00 7.77 3.00 2.00 9.00\n")
    check_cells(got[0], {"%util": "50.0", "w/s": "3", "r/s": "2", "await": "9.0", "wkB/s": "", "avgqu-sz": ""})


@test("a row that lacks figures is read by place only where they end where the header's words end")
def _():
    cut = NINE + ROW[:ROW.index("1600.00") + 7] + "\n" + OTHER
    got = rows(cut)
    check([row["device"] for row in got], ["sda", "sdb"], "devices")
    check_cells(got[0], {"w/s": "200", "wkB/s": "1600", "avgqu-sz": "", "await": "", "%util": ""})
    check(names(NINE + "sda 1.00 2.00 3.00\n" + OTHER), ["sdb"], "a row that fits nowhere")


@test("header and rows may be broken at different places, a name may stand alone")
def _():
    words = NINE.split()
    header = " ".join(words[:7]) + "\n" + " ".join(words[7:]) + "\n"
    figures = ROW.split()
    got = rows(header + "sda\n" + " ".join(figures[1:4]) + "\n" + " ".join(figures[4:]) + "\n" + OTHER)
    check([row["device"] for row in got], ["sda", "sdb"], "devices")
    check_cells(got[0], {"w/s": "200", "await": "5.0", "%util": "99.5"})


@test("a broken row with too many or too few figures is left out whole")
def _():
    words = NINE.split()
    header = " ".join(words[:7]) + "\n" + " ".join(words[7:]) + "\n"
    figures = ROW.split()
    check(names(header + " ".join(figures[:5]) + "\n" + OTHER), ["sdb"], "too few")
    check(names(header + " ".join(figures) + "\n1.00 2.00\n" + OTHER), ["sdb"], "too many")


@test("iostat -h prints parts of a table one below the other, the device last")
def _():
    text = ("     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n"
            "   10.00     39.9k     0.00   0.0%    7.60     4.0k sda\n"
            "    0.00      0.0k     0.00   0.0%    0.00     0.0k sdb\n\n"
            "     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device\n"
            "  375.00      5.7M     5.59   1.5%    0.33    15.5k sda\n"
            "    1.00      4.0k     0.00   0.0%    0.20     4.0k sdb\n\n"
            "     f/s f_await  aqu-sz  %util Device\n"
            "    0.10    5.02    0.23   2.9% sda\n"
            "    0.00    0.00    0.08   0.3% sdb\n\n")
    got = rows(text + text)
    check([row["device"] for row in got], ["sda", "sdb"] * 2, "two intervals")
    check_cells(got[0], {"r/s": "10", "rkB/s": "39.9", "w/s": "375", "wkB/s": "5836.8", "avgqu-sz": "0.23",
                         "%util": "2.9", "f_await": "5.02"})
    lost = (text + text).replace("     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device\n", "", 1)
    check_true(all(row["r/s"] in ("10.00", "0.00") for row in rows(lost)), "writes taken for reads")


@test("plain iostat has rates, and no times")
def _():
    got = rows("Device:            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n"
               "sda              50.00       100.00       300.00        100        300\n"
               "Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn\n"
               "sda              50.00       200.00       600.00        100        300\n")
    for row in got:
        check_cells(row, {"rkB/s": "100", "wkB/s": "300", "avgrq-sz": "16", "r/s": "", "await": "", "%util": ""})
    check(len(got), 2, "rows")


# ---- which block is since boot ----

def marks(text):
    return [row["since_boot"] for row in rows(text)]


FRACTION = ROW.replace("200.00", "200.13").replace(" 4.00 ", " 4.07 ", 1)


@test("below a banner or a command line the first block is since boot")
def _():
    block = NINE + FRACTION + "\n"
    check(marks(BANNER + block + block), ["1", "0"], "a banner")
    check(marks("$ iostat -x 1 5\n" + block + block), ["1", "0"], "a command line")
    check(marks(block + block), ["0", "0"], "neither")
    check(marks("[root@db ~]# iostat -xy 1 5\n" + BANNER + block), ["0"], "-y")
    for left_out in ("...", "[...]", "[snip]", "--- snip ---", "<cut>", "\u2026"):
        check(marks(BANNER + left_out + "\n" + block), ["0"], left_out)
    check(marks(BANNER + "-----\n" + block), ["1"], "a rule")
    check(marks(BANNER + NINE + ROW), ["0"], "whole counts only")
    check(marks(BANNER + block + "\n" + BANNER + block), ["1", "1"], "two runs")


@test("rates that no short interval gives are since boot")
def _():
    got = "".join(f"sd{name} 0.00 0.00 {r} {w} 1.00 1.00 8.00 0.10 1.00 1.00 1.00\n" for name, r, w in
                  (("a", "4.39", "142.05"), ("b", "3.64", "12.68"), ("c", "4.66", "155.25"),
                   ("d", "6.35", "246.61"), ("e", "4.35", "25.11"), ("f", "4.52", "13.11")))
    check(set(marks(NINE + got)), {"1"}, "long")
    thirds = "".join(f"sd{name} 0.00 0.00 {r} {w} 1.00 1.00 8.00 0.10 1.00 1.00 1.00\n" for name, r, w in
                     (("a", "4.33", "142.67"), ("b", "3.67", "12.33"), ("c", "4.00", "155.00")))
    check(set(marks(NINE + thirds)), {"0"}, "three seconds")


@test("a report that is one average since boot gives no verdict on the present")
def _():
    text = said(BANNER + NINE + FRACTION)
    check_true("since-boot-only" in text and "warn" not in text, text)


# ---- intervals, times and what stands around ----

@test("a device that comes again without a header begins the next interval")
def _():
    check(names(NINE + ROW + OTHER + ROW + OTHER), ["sda", "sdb"] * 2, "devices")
    check_true("2 devices, 2 intervals" in said(NINE + ROW + OTHER + ROW + OTHER), "two intervals")


@test("times tell the length of an interval, over midnight too")
def _():
    def lengths(*stamps):
        return [row["interval"] for row in rows("".join(f"{stamp}\n{NINE}{ROW}\n" for stamp in stamps))]
    check(lengths("09/05/2018 05:14:27 PM", "09/05/2018 05:14:32 PM"), ["", "5.000"], "twelve hours")
    check(lengths("2018-09-05T23:59:59+0200", "2018-09-06T00:00:04+0200"), ["", "5.000"], "ISO")
    check(lengths("23:59:59", "00:00:04"), ["", "5.000"], "midnight")
    check(lengths("Wed Sep  5 17:14:27 CEST 2018", "Wed Sep  5 17:14:29 CEST 2018"), ["", "2.000"], "date")
    check(lengths("12:00:00", "11:00:00", "11:00:02"), ["", "", "2.000"], "a clock put back")


@test("prose, prompts, colours, quotes and carriage returns change nothing")
def _():
    plain = rows(NINE + ROW + OTHER)
    for what, text in (
            ("prose", "Hi all,\nthis is slow:\n" + NINE + ROW + "and then there is\n" + OTHER + "Thanks\n"),
            ("prompts", "[root@db data]# cat motd\n" + NINE + ROW + OTHER + "[root@db data]# "),
            ("colours", "".join(f"\x1b[1m{line[:9]}\x1b[0m{line[9:]}" for line in (NINE, ROW, OTHER))),
            ("quotes", "".join(f">> {line}" for line in (NINE, ROW, OTHER))),
            ("initials", "".join(f"JD> {line}" for line in (NINE, ROW, OTHER))),
            ("CRLF", (NINE + ROW + OTHER).replace("\n", "\r\n")),
            ("no-break blanks", (NINE + ROW + OTHER).replace("  ", "\u00a0 ")),
            ("a mark", NINE + "<KEY> " + ROW + "[18:01:12]" + OTHER),
            ("times before rows", f"Nov 30 18:01:12 {NINE}Nov 30 18:01:12 {ROW}Nov 30 18:01:12 {OTHER}"),
            ("a table of a wiki", "".join("| " + " | ".join(line.split()) + " |\n" for line in (NINE, ROW, OTHER))),
            ("UTF-16", ("\ufeff" + NINE + ROW + OTHER).encode("utf-16-le"))):
        try:
            got = rows(text)
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from None
        check([{**row, "interval": ""} for row in got], [{**row, "interval": ""} for row in plain], what)


@test("quoted-printable is undone before quotes, within numbers and words")
def _():
    header, row = ("> " + NINE).rstrip("\n"), ("> " + ROW).rstrip("\n")
    text = header[:74] + "=\n" + header[74:] + "\n" + row[:75] + "=\n" + row[75:] + "\n>=20\n"
    check_cells(rows(text)[0], {"w/s": "200", "wkB/s": "1600", "avgrq-sz": "15.96", "%util": "99.5"})


@test("a number that mail tore does not join with the name of another row")
def _():
    torn = NINE + ROW[:ROW.index("1.01") + 3] + "=\n" + OTHER
    got = rows(torn)
    check([row["device"] for row in got], ["sda", "sdb"], "devices")
    check_cells(got[0], {"wkB/s": "1600", "avgqu-sz": "", "await": ""})
    check_cells(got[1], {"w/s": "2", "avgqu-sz": "0", "await": "0.5"})


@test("sums and averages of scripts are no devices")
def _():
    tail = "".join(ROW.replace("sda", name) for name in ("sum", "avg", "stddev"))
    check(names(NINE + ROW + tail), ["sda"], "devices")


@test("decimal commas are decided by the whole text")
def _():
    comma = (NINE + ROW + OTHER).replace(".", ",")
    check(rows(comma), rows(NINE + ROW + OTHER), "commas")
    got = rows("Device r/s w/s rkB/s wkB/s\nsda 1,234.50 2.00 3.00 4.00\n")
    check_cells(got[0], {"r/s": "1234.5"})
    got = rows("Device r/s w/s rkB/s wkB/s\nsda 1,234 2,50 3,00 4,00\n")
    check_cells(got[0], {"r/s": "1.2", "w/s": "2.5"})
    got = rows("Device r/s w/s rkB/s wkB/s\nsda 1,234 2 3 4\n")
    check_cells(got[0], {"r/s": "", "w/s": "2"})
    check_true("thousands or decimals" in said("Device r/s w/s rkB/s wkB/s\nsda 1,234 2 3 4\n"), "it is told")


# ---- sar ----

SAR = ("Linux 3.10.0 (db01) \t01/07/2020 \t_x86_64_\t(32 CPU)\n\n"
       "06:43:44 PM       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n"
       "06:43:54 PM    dev8-0    200.00    400.00   3200.00     18.00      1.50      7.50      4.00     80.00\n"
       "06:43:54 PM   dev8-16      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00\n"
       "06:44:04 PM    dev8-0    100.00    400.00   3200.00     36.00      1.50     15.00      8.00     80.00\n")


@test("sar -d: its blocks are intervals, its averages are left out")
def _():
    got = rows(SAR + "Average:       dev8-0    150.00    400.00   3200.00     27.00      1.50      7.50      4.00     80.00\n")
    check([row["device"] for row in got], ["dev8-0", "dev8-16", "dev8-0"], "devices")
    check([row["interval"] for row in got], ["10.000"] * 3, "length")
    check_cells(got[0], {"rkB/s": "200", "wkB/s": "1600", "await": "7.5", "r/s": "", "since_boot": "0"})
    check_cells(got[1], {"await": "", "avgrq-sz": "", "avgqu-sz": "0"})


@test("sar -d speaks other languages and stops for a restart")
def _():
    for clock, average in (("18:43:54", "Média:"), ("18.43.54", "Mittelw.:"), ("06時43分54秒", "平均値:"),
                           ("오후 06시 43분 54초", "평균:"), ("06:43:54 μμ", "Μέση τιμή:")):
        text = (f"{clock}   DEV   tps   rkB/s   wkB/s   dkB/s   areq-sz   aqu-sz   await   %util\n"
                f"{clock}   sda   10.00   40.00   0.00   0.00   4.00   0.10   2.00   5.00\n"
                f"{average}   sda   11.00   40.00   0.00   0.00   4.00   0.10   2.00   5.00\n")
        got = rows(text)
        check([row["avgqu-sz"] for row in got], ["0.10"], f"rows at {clock}")
    check_true("1 restart" in said(SAR + "06:50:00 PM       LINUX RESTART\t(4 CPU)\n\n" + SAR), "the restart is told")


@test("the tables of sar -A that are not about devices are passed over")
def _():
    text = SAR + ("\n06:43:44 PM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s  %ifutil\n"
                  "06:43:54 PM      eth0      1.00      2.00      3.00      4.00      0.00      0.00      0.00      0.00\n")
    check(set(names(text)), {"dev8-0", "dev8-16"}, "devices")


# ---- AIX ----

AIX_LONG = """Disks:                     xfers                                read                                write                                  queue
-------------- -------------------------------- ------------------------------------ ------------------------------------ --------------------------------------
                 %tm    bps   tps  bread  bwrtn   rps    avg    min    max time fail   wps    avg    min    max time fail    avg    min    max   avg   avg  serv
                 act                                    serv   serv   serv outs              serv   serv   serv outs        time   time   time  wqsz  sqsz qfull
hdisk0          99.0   1.3M 160.3 236.0K   1.1M  28.8   5.6    0.1   41.2     0    0 131.5   0.4    0.2    3.9     0    0  68.1    0.0    9.2S  12.0   1.0 159.0
hdisk1           0.0   0.0    0.0   0.0    0.0    0.0   0.0    0.0    0.0     0    0   0.0   0.0    0.0    0.0     0    0   0.0    0.0    0.0    0.0   0.0   0.0
"""


@test("AIX iostat -D: long rows, with seconds and powers of 1024")
def _():
    got = rows(AIX_LONG)
    check([row["device"] for row in got], ["hdisk0", "hdisk1"], "devices")
    check_cells(got[0], {"r/s": "28.8", "w/s": "131.5", "rkB/s": "236", "wkB/s": "1126.4", "%util": "99",
                         "avserv": "1.33", "minserv": "0.1", "maxserv": "41.2", "avwait": "68.1",
                         "maxwait": "9200", "sqfull": "159", "slotwait/s": "", "avslot": "", "await": "", "avgqu-sz": "", "since_boot": "0"})
    check_cells(got[1], {"avserv": "", "r/s": "0"})


@test("what to do about a disk of AIX has AIX's commands")
def _():
    found = explain(AIX_LONG, "--format", "csv").out.decode()
    check_true("chdev -l hdisk0 -a queue_depth" in found and "/sys/" not in found, found)
    found = explain("AIX db 3 5 00C1 01/07/2020\n\nSystem configuration: lcpu=8 drives=1 mode=Capped\n\n"
                    "10:09:58     device    %busy    avque    r+w/s    Kbs/s   avwait   avserv\n"
                    "10:10:03     hdisk1     99     12.0      400    16000     60.0     45.0\n", "--format", "csv")
    check_true(b"16000 KiB/s" in found.out and b"filemon" in found.out and b"pidstat" not in found.out, found.out)


@test("AIX iostat -D: sections whose disk's name is lost belong to nobody")
def _():
    def disk(name, wps):
        return (f"{name}          xfer:  %tm_act      bps      tps      bread      bwrtn\n"
                "                         10.0      1.0K    10.0       0.0       1.0K\n"
                "                read:      rps  avgserv  minserv  maxserv   timeouts      fails\n"
                "                           0.0      0.0      0.0      0.0          0          0\n"
                "               write:      wps  avgserv  minserv  maxserv   timeouts      fails\n"
                f"                         {wps}      0.4      0.2      3.9          0          0\n"
                "               queue:  avgtime  mintime  maxtime  avgwqsz    avgsqsz     sqfull\n"
                "                          1.0      0.0      2.0      0.0        0.0        0.0\n")
    whole = disk("hdisk4", "10.0") + disk("hdisk5", "77.0")
    check([row["w/s"] for row in rows(whole)], ["10.00", "77.00"], "whole")
    lost = "".join(line + "\n" for line in whole.splitlines() if "hdisk5" not in line)
    check([(row["device"], row["w/s"]) for row in rows(lost)], [("hdisk4", "10.00")], "without the second name")


@test("AIX sar -d prints its clock once a block")
def _():
    got = rows("AIX db 3 5 00C1 01/07/2020\n\nSystem configuration: lcpu=8 drives=2 mode=Capped\n\n"
               "10:09:58     device    %busy    avque    r+w/s    Kbs/s   avwait   avserv\n"
               "10:10:03     hdisk0     90      0.0      160     1320     68.0      1.5\n"
               "             hdisk1      1      0.0        3       24      0.0      5.0\n"
               "10:10:08     hdisk0     91      0.0      161     1320     69.0      1.5\n"
               "             hdisk1      2      0.0        4       24      0.0      5.0\n"
               "Average      hdisk0     90      0.0      160     1320     68.5      1.5\n"
               "             hdisk1      1      0.0        3       24      0.0      5.0\n")
    check([row["device"] for row in got], ["hdisk0", "hdisk1"] * 2, "devices")
    check_cells(got[2], {"%util": "91", "avwait": "69", "avserv": "1.5", "interval": "5", "avgqu-sz": "", "r/s": ""})


# ---- snapshots of /proc/diskstats ----

BEFORE = "   8       0 sda 1000 10 8000 5000 2000 20 16000 9000 0 6000 14000 0 0 0 0 100 50\n"
AFTER = "   8       0 sda 1100 20 9600 6000 2200 60 19200 10000 1 7000 16000 0 0 0 0 110 100\n"


@test("two snapshots are an interval, whose length is known only from times")
def _():
    got = rows(BEFORE + AFTER)
    check(len(got), 1, "rows")
    check_cells(got[0], {"r_await": "10", "w_await": "5", "f_await": "5", "avgrq-sz": "16", "svctm": "3.33",
                         "r/s": "", "%util": "", "avgqu-sz": "", "interval": "", "since_boot": "0", "inflight": "1"})
    timed = rows("1536160467\n" + BEFORE + "1536160469\n" + AFTER)
    check_cells(timed[0], {"r/s": "50", "w/s": "100", "%util": "50", "avgqu-sz": "1", "interval": "2", "f/s": "5"})


@test("one snapshot is an average since boot; another machine's is not compared with it")
def _():
    check_cells(rows(BEFORE)[0], {"r_await": "5", "w_await": "4.5", "r/s": "", "since_boot": "1"})
    got = rows(AFTER + BEFORE)
    check([row["since_boot"] for row in got], ["1", "1"], "counters that went back")
    other = BEFORE.replace("sda", "vda")
    check([row["since_boot"] for row in rows(BEFORE + "\n" + other)], ["1", "1"], "another device")


@test("a snapshot line that mail broke is joined")
def _():
    words = AFTER.split()
    got = rows(BEFORE + " ".join(words[:8]) + "\n" + " ".join(words[8:]) + "\n")
    check_cells(got[0], {"r_await": "10", "w_await": "5"})


# ---- AIO ----

@test("AIO figures are read wherever they stand")
def _():
    for text, words in (
            ("kioctx 35 84 320 12 1 : tunables 54 27 8 : slabdata 7 7 0\n", "kioctx 35 of 84"),
            ("fs.aio-nr = 2561\nfs.aio-max-nr = 65536\n", "aio-nr 2561 of 65536"),
            ("$ cat /proc/sys/fs/aio-*\n65536\n2305\n", "aio-nr 2305 of 65536"),
            ("$ cat /proc/sys/fs/aio-nr /proc/sys/fs/aio-max-nr\n2305\n65536\n", "aio-nr 2305 of 65536"),
            ("$ cat /proc/sys/fs/aio-{nr,max-nr}\n2305\n65536\n", "aio-nr 2305 of 65536"),
            ("==> /proc/sys/fs/aio-max-nr <==\n65536\n\n==> /proc/sys/fs/aio-nr <==\n7\n", "aio-nr 7 of 65536"),
            ("aio-max-nr: 65536 aio-nr: 9\n", "aio-nr 9 of 65536"),
            ("/proc/sys/fs/aio-max-nr:65536\n/proc/sys/fs/aio-nr:12\n", "aio-nr 12 of 65536")):
        check_true(words in said(text), f"{words!r} of {text!r}: {said(text)}")


@test("one number where two files were printed is neither")
def _():
    check_complaint(explain("$ cat /proc/sys/fs/aio-*\n2305\n\n"), 1, "no report found")


@test("AIO slots that are all but used up, or refused in a trace, are told without any device")
def _():
    check_true("aio-exhausted" in said("fs.aio-nr = 65500\nfs.aio-max-nr = 65536\n"), "used up")
    check_true("aio-exhausted" in said("fs.aio-max-nr = 65536\nio_setup(65537, 0x7ffd) = -1 EAGAIN "
                                       "(Resource temporarily unavailable)\n"), "refused")


# ---- JSON and CSV ----

def statistics(r):
    return {"avg-cpu": {"iowait": 1.5}, "disk": [
        {"disk_device": "sda", "r/s": r, "w/s": 2.0, "rMB/s": 1.0, "wkB/s": 8.0, "r_await": 5.0, "w_await": 1.0,
         "aqu-sz": 0.5, "util": 12.5}]}


@test("iostat -o JSON, also without its end, on one line or many")
def _():
    document = {"sysstat": {"hosts": [{"nodename": "db01", "statistics": [statistics(10.13), statistics(20.0)]}]}}
    for indent in (None, 1):
        text = json.dumps(document, indent=indent)
        got = rows(text)
        check([row["since_boot"] for row in got], ["1", "0"], "since boot")
        check_cells(got[1], {"r/s": "20", "rkB/s": "1024", "wkB/s": "8", "await": "4.64", "%util": "12.5"})
    cut = json.dumps(document, indent=1)
    cut = cut[:cut.rindex('"disk_device"')]
    check(len(rows(cut)), 1, "the first interval of a text without an end")
    check_true("has no end" in said(cut), "it is told")


@test("JSON of sadf")
def _():
    text = json.dumps({"sysstat": {"hosts": [{"statistics": [
        {"timestamp": {"date": "2020-01-07", "time": "18:43:54"}, "disk": [
            {"disk-device": "sda", "tps": 10.5, "rkB": 40.0, "wkB": 2.0, "areq-sz": 4.0, "aqu-sz": 0.1,
             "await": 2.0, "util-percent": 5.0}]}]}]}})
    check_cells(rows(text)[0], {"rkB/s": "40", "await": "2", "%util": "5", "since_boot": "0"})


@test("what the program writes it reads back, as CSV and as JSON")
def _():
    text = BANNER + NINE + FRACTION + OTHER + "\n" + NINE + ROW + OTHER
    first = explain(text, "--panel", "devices", "--format", "csv").out
    again = explain(first, "--panel", "devices", "--format", "csv").out
    check(again, first, "CSV")
    figures = rows(text)
    lines = explain(text, "--panel", "devices", "--format", "json").out
    check([json.loads(line)["since_boot"] for line in lines.splitlines()], [True, False], "JSON since boot")
    back = rows(lines)
    check([{k: v for k, v in row.items() if k != "verdict"} for row in back],
          [{k: v for k, v in row.items() if k != "verdict"} for row in figures], "JSON")


@test("findings as JSON hold what CSV holds")
def _():
    text = NINE + ROW + ROW
    found = [json.loads(line) for line in explain(text, "--format", "json").out.splitlines()]
    check(len(found), 1, "objects")
    table = list(csv.DictReader(io.StringIO(explain(text, "--format", "csv").out.decode())))
    check_true(len(table) > 0, "findings")
    for row, finding in zip(table, found[0]["findings"]):
        for name in ("severity", "rule", "subject", "text", "evidence", "advice", "intervals", "lines"):
            check(finding[name], row[name], name)
    check((table[0]["rule"], table[0]["intervals"], table[0]["lines"]), ("serial-io", "1-2", "2-3"), "where")


# ---- others ----

@test("vmstat and iotop are read beside a table of devices")
def _():
    text = ("procs -----------memory---------- ---swap-- -----io---- -system-- ----cpu----\n"
            " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa\n"
            " 0  3  12972 1077828 151660 1354460    0    0     4     0 1296 2914  1  1 78 20\n"
            " 0  3  12972 1077720 151660 1354460    0    0     0     0 1190 2659  1  0 74 26\n"
            "Total DISK READ: 0.00 B/s | Total DISK WRITE: 0.00 B/s\n"
            "  TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN     IO>    COMMAND\n"
            " 9120 be/4 oracle      0.00 B/s    1.56 M/s  0.00 % 97.00 % ora_dbw0_B\n")
    words = said(NINE + ROW + "\n" + text)
    for name in ("iostat (line 2)", "vmstat (line 6)", "iotop (line 9)"):
        check_true(name in words, f"{name!r} in {words}")
    beside = NINE + ROW + "\n" + text[text.index("Total"):]
    check_true("ora_dbw0_B" in said(beside), f"the writer is named: {said(beside)}")


@test("reports of other systems are named and not judged")
def _():
    for header, name in (("device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b", "Solaris"),
                         ("    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device", "Solaris"),
                         ("device     r/s   w/s    kr/s    kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b", "FreeBSD"),
                         ("          KB/t  tps  MB/s  us sy id   1m   5m   15m", "macOS"),
                         ("  device    bps     sps    msps", "HP-UX")):
        result = explain(header + "\nsd5 224.8 157.8 10701.8 6114.7 0.0 9.5 24.7 0 100\n")
        check_complaint(result, 1, name)
        check(result.out, b"", "stdout")


@test("binary data is named, with what converts it")
def _():
    check_complaint(explain(b"\x96\xd5" + bytes(range(256))), 1, "binary sar data", "sar -d")
    check_complaint(explain(b"\x1f\x8b\x08\0\0"), 1, "zcat")
    check_complaint(explain(b"text\0more\n"), 1, "binary")


@test("a text without a report ends with status 1 and says what was looked for")
def _():
    for text in ("", "\n\n", "Hello, %util is high and await too.\n", NINE):
        check_complaint(explain(text), 1, "no report found", "iostat", "sar", "diskstats")
        check(explain(text).out, b"", "stdout")


# ---- the formula ----

@test("the formula is in CSV, last, in JSON, and in text with --verbose only")
def _():
    formula = "L = await x iops / 1000 = 5 x 201 / 1000 = 1.00, within 0.7 to 1.3"
    found = list(csv.DictReader(io.StringIO(explain(NINE + ROW, "--format", "csv").out.decode())))[0]
    check(list(found)[-1], "formula", "the last column")
    check_true(formula in found["formula"], found["formula"])
    check_true(formula in json.loads(explain(NINE + ROW, "--format", "json").out)["findings"][0]["formula"], "JSON")
    check_true("Formula:" not in said(NINE + ROW), "text without --verbose")
    check_true("Formula: " + formula in said(NINE + ROW, "--verbose"), said(NINE + ROW, "--verbose"))


# ---- the command ----

@test("explain reads stdin, several files, and complains of those it cannot read")
def _():
    env = harness.environment()
    got = subprocess.run([harness.program(), "explain", "--format", "csv"], input=(NINE + ROW).encode(),
                         capture_output=True, env=env, check=False)
    check((got.returncode, got.stderr), (0, b""), "stdin")
    check_true(b"serial-io" in got.stdout and b",stdin," in got.stdout, "findings")
    with tempfile.TemporaryDirectory(prefix="iotriage-test-") as folder:
        for name in ("a", "b"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(NINE + ROW.replace("sda", "sd" + name))
        result = run("explain", "--format", "csv", f"{folder}/a", f"{folder}/b")
        table = list(csv.DictReader(io.StringIO(result.out.decode())))
        check([row["subject"] for row in table], ["sda", "sdb"], "one header, both files")
        check_complaint(run("explain", f"{folder}/none"), 1, "none", "No such file")
        check_complaint(run("explain", folder), 1, "Is a directory")


@test("explain's options are checked")
def _():
    check_usage(run("explain", "--format", "xml"), "--format xml", "text, csv or json")
    check_usage(run("explain", "--panel", "tasks"), "--panel tasks")
    check_usage(run("explain", "--nonsense"), "--nonsense: unknown option", "iotriage explain --help")
    check_usage(run("explain", "--format"), "--format: needs an argument")
    check(run("explain", "--help").out.split(b"\n")[0], b"usage: iotriage explain [OPTIONS] [FILE...]", "help")


@test("colour only where it is wanted, and nothing a report holds reaches the terminal raw")
def _():
    check_true(b"\x1b" not in explain(NINE + ROW).out, "no colour in a file")
    check_true(b"\x1b[" in explain(NINE + ROW, "--color", "always").out, "colour on demand")
    wild = explain(json.dumps({"devices": [{"device": "s\x1bda", "r/s": 1.0}]}))
    check_true(b"\x1b" not in wild.out + wild.err, "an escape byte in a name")


@test("--verbose says which rules had not what they need")
def _():
    words = said("Device r/s w/s\nsda 1.00 2.00\n", "--verbose")
    check_true("could not be judged" in words and "queueing" in words, words)


@test("a full disk is a failure, a reader that goes is none")
def _():
    with tempfile.NamedTemporaryFile(prefix="iotriage-test-") as file:
        file.write((NINE + ROW).encode())
        file.flush()
        with open("/dev/full", "wb") as full:
            check_complaint(run("explain", file.name, stdout=full), 1, "stdout", "No space")


if __name__ == "__main__":
    harness.main()
