/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports this program does not read: named, so that nobody takes them for another. */
#include "importer.h"

#include <string.h>

#define IOSTAT_REMEDY "send iostat -x 1 5 of the Linux machine"

static const struct foreign {
	const char *what, *remedy;
	const char *needs[4]; /* words its header has */
	const char *lacks;    /* and one it has not */
} foreigns[] = {
    {"Solaris or illumos iostat", IOSTAT_REMEDY, {"r/s", "w/s", "actv"}, NULL},
    {"Solaris or illumos iostat", IOSTAT_REMEDY, {"r/s", "w/s", "asvc_t"}, NULL},
    {"Solaris or illumos iostat", IOSTAT_REMEDY, {"r/s", "w/s", "svc_t"}, NULL},
    {"Solaris or illumos iostat", IOSTAT_REMEDY, {"r/i", "w/i", "actv"}, NULL},
    {"Solaris or illumos vfsstat", IOSTAT_REMEDY, {"ractv", "wactv"}, NULL},
    {"the iostat of a Linux before 2.4", IOSTAT_REMEDY, {"mgr/s", "mgw/s"}, NULL},
    {"FreeBSD iostat", IOSTAT_REMEDY, {"kr/s", "kw/s", "qlen"}, NULL},
    {"FreeBSD iostat", IOSTAT_REMEDY, {"kr/s", "kw/s", "%b"}, "actv"},
    {"FreeBSD iostat", IOSTAT_REMEDY, {"r/i", "w/i", "qlen"}, NULL},
    {"FreeBSD gstat", IOSTAT_REMEDY, {"L(q)", "ops/s", "%busy"}, NULL},
    {"FreeBSD gstat", IOSTAT_REMEDY, {"q-depth", "total_ops/s"}, NULL},
    {"BSD or macOS iostat", IOSTAT_REMEDY, {"KB/t", "MB/s"}, NULL},
    {"AIX, BSD or HP-UX vmstat", "on AIX send iostat -D 1 5", {"avm", "pi", "po"}, NULL},
    {"Solaris vmstat", IOSTAT_REMEDY, {"swap", "re", "mf", "pi"}, NULL},
    {"Windows performance counters", IOSTAT_REMEDY, {"(PDH-CSV", "4.0)"}, NULL},
    {"Windows performance counters", IOSTAT_REMEDY, {"Timestamp", "CounterSamples"}, NULL},
    {"esxtop", IOSTAT_REMEDY, {"DAVG/cmd", "KAVG/cmd"}, NULL},
    {"HP-UX iostat", IOSTAT_REMEDY, {"device", "bps", "sps"}, NULL},
    {"pidstat -d", "add iostat -x 1 5, which has the devices", {"kB_rd/s", "kB_wr/s"}, NULL},
    {"zpool iostat", "add iostat -x 1 5, which has the disks", {"pool", "alloc", "free"}, NULL},
    {"zpool iostat", "add iostat -x 1 5, which has the disks", {"total_wait", "disk_wait"}, NULL},
    {"dstat", IOSTAT_REMEDY, {"usr", "sys", "idl", "wai"}, NULL},
    {"dstat", IOSTAT_REMEDY, {"time", "rawa", "wawa"}, NULL},
    {"dstat", IOSTAT_REMEDY, {"time", "util util"}, NULL},
    {"nfsiostat",
     "add iostat -x 1 5; NFS is not a block device",
     {"avg", "RTT", "(ms)", "exe"},
     NULL},
};

/* Headers of CSV count too: words may end at a comma or a quote. */
static bool has(const struct line *line, const char *text)
{
	static const char ends[] = " \t,;:|\"";
	const char *end = line->p + line->n, *p = line->p, *at;
	size_t n = strlen(text);

	for (; (at = memmem(p, (size_t)(end - p), text, n)) != NULL; p = at + 1)
		if ((at == line->p || memchr(ends, at[-1], sizeof(ends) - 1)) &&
		    (at + n == end || memchr(ends, at[n], sizeof(ends) - 1)))
			return true;
	return false;
}

void foreign_note(struct import *import, const struct line *line, const char *what,
		  const char *remedy)
{
	grid_close(import);
	import->foreign = true;
	if (import->summary.foreign)
		return;
	import->summary.foreign = what;
	import->summary.foreign_remedy = remedy ? remedy : IOSTAT_REMEDY;
	import->summary.foreign_line = line->number;
}

static bool foreign_header(struct import *import, const struct line *line)
{
	for (size_t i = 0; i < sizeof(foreigns) / sizeof(*foreigns); i++) {
		const struct foreign *foreign = &foreigns[i];
		bool all = !(foreign->lacks && has(line, foreign->lacks));

		for (size_t k = 0; all && k < 4 && foreign->needs[k]; k++)
			all = has(line, foreign->needs[k]);
		if (!all)
			continue;
		foreign_note(import, line, foreign->what, foreign->remedy);
		return true;
	}
	/* the sar of other systems looks like that of AIX, but means other things */
	if (import->context.other_system && has(line, "%busy") && has(line, "avque")) {
		foreign_note(import, line, import->context.other_system, NULL);
		return true;
	}
	return false;
}

bool foreign_line(struct import *import, const struct line *line)
{
	/* a line of atop has no header */
	if (word_is(&line->word[0], "DSK") && has(line, "busy") && has(line, "avio")) {
		foreign_note(import, line, "atop", NULL);
		return true;
	}
	if (line->numbers == 0) {
		if (foreign_header(import, line))
			return true;
		/* another header ends it; a name on a line of its own does not */
		import->foreign = import->foreign && line->nword < 3;
		return false;
	}
	return import->foreign;
}

const char *binary_kind(const char *p, size_t n)
{
	static const struct {
		const char *magic, *what;
		size_t n;
	} kinds[] = {
	    {"\x96\xd5", "binary sar data; convert it with: sar -d -p -f FILE", 2},
	    {"\xd5\x96", "binary sar data; convert it with: sar -d -p -f FILE", 2},
	    {"\x1f\x8b", "gzip data; give it through: zcat FILE", 2},
	    {"\xfd"
	     "7zXZ",
	     "xz data; give it through: xzcat FILE", 5},
	    {"BZh", "bzip2 data; give it through: bzcat FILE", 3},
	    {"\x28\xb5\x2f\xfd", "zstd data; give it through: zstdcat FILE", 4},
	    {"SQLite format 3", "an SQLite database", 15},
	    {"%PDF-", "a PDF; copy the report out of it as text", 5},
	    {"\x89PNG", "a picture; a report is needed as text", 4},
	    {"\xff\xd8\xff", "a picture; a report is needed as text", 3},
	};
	enum { LOOK = 4096, FEW = 64, SOME = 16 }; /* a crash leaves some zeros in a text */
	size_t zeros = 0, others = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (n >= kinds[i].n && memcmp(p, kinds[i].magic, kinds[i].n) == 0)
			return kinds[i].what;
	n = n < LOOK ? n : LOOK;
	for (size_t i = 0; i < n; i++) {
		zeros += p[i] == '\0';
		others += (unsigned char)p[i] < ' ' && !memchr("\t\n\r\f\b\033", p[i], 6);
	}
	if (zeros > n / FEW || others > n / SOME)
		return "binary data; if it is sar's, convert it with: sar -d -p -f FILE";
	return NULL;
}
