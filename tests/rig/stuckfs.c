/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filesystem with one file, "hang", that never answers one kind of operation.
 * Everything else works, and so does cleaning up: when the server ends, the
 * kernel aborts the connection and whoever waited gets an error. It ends by
 * itself after a while, because a stuck process also hangs ps and its like.
 *
 * The file "held" lists what is held, "OP PID" a line. A line written to it is
 * kept and shown first: the place where stuck.sh notes the process it started.
 */
#include "serve.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INO_HANG = 2, INO_HELD = 3, HELD_MAX = 256, NOTE_MAX = 64 };

enum { HANG_SIZE = 65536 };

static struct {
	const char *op; /* the one that is never answered */
	struct {
		fuse_req_t req;
		pid_t pid;
	} held[HELD_MAX];
	size_t n;
	char note[NOTE_MAX];
	bool direct; /* no page cache between a reader and the server */
} stuck = { .op = "flush" };

static bool hold(fuse_req_t req, fuse_ino_t ino, const char *op)
{
	if (ino != INO_HANG || strcmp(stuck.op, op) != 0 || stuck.n == HELD_MAX)
		return false;
	stuck.held[stuck.n].req = req;
	stuck.held[stuck.n].pid = fuse_req_ctx(req)->pid;
	stuck.n++;
	return true;
}

/* Ending: whoever waits gets an error now. */
static void release(void)
{
	for (size_t i = 0; i < stuck.n; i++)
		fuse_reply_err(stuck.held[i].req, EIO);
	stuck.n = 0;
	stuck.op = "";
}

static void op_init(void *data, struct fuse_conn_info *conn)
{
	(void)data;
	serve_tune(conn);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	if (hold(req, ino, "open"))
		return;
	fi->direct_io = ino == INO_HELD || stuck.direct;
	fuse_reply_open(req, fi);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	static const char zeros[HANG_SIZE];
	char text[HELD_MAX * 24 + NOTE_MAX];
	size_t have = 0;

	(void)fi;
	if (hold(req, ino, "read"))
		return;
	if (ino == INO_HANG) {
		fuse_reply_buf(req, zeros, size < sizeof(zeros) ? size : sizeof(zeros));
		return;
	}
	have = (size_t)snprintf(text, sizeof(text), "%s", stuck.note);
	for (size_t i = 0; i < stuck.n; i++)
		have += (size_t)snprintf(text + have, sizeof(text) - have, "%s %d\n", stuck.op,
					 (int)stuck.held[i].pid);
	if (off < 0 || (size_t)off >= have)
		have = off = 0;
	have -= (size_t)off;
	fuse_reply_buf(req, text + off, size < have ? size : have);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
		     struct fuse_file_info *fi)
{
	(void)off;
	(void)fi;
	if (hold(req, ino, "write"))
		return;
	if (ino == INO_HANG) {
		fuse_reply_write(req, size);
		return;
	}
	if (ino != INO_HELD || size >= sizeof(stuck.note)) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	memcpy(stuck.note, buf, size);
	stuck.note[size] = '\0';
	fuse_reply_write(req, size);
}

/* Sent, and waited for, by every close of an open file. */
static void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	if (!hold(req, ino, "flush"))
		fuse_reply_err(req, 0);
}

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = serve_lookup,
	.getattr = serve_getattr,
	.setattr = serve_setattr,
	.readdir = serve_readdir,
	.statfs = serve_statfs,
	.open = op_open,
	.read = op_read,
	.write = op_write,
	.flush = op_flush,
};

static int usage(FILE *out, int status)
{
	fputs("Usage: stuckfs [-df] [-t seconds] [-o flush|read|write|open] DIR\n"
	      "  -d  direct I/O: readers wait for the server, not for the page cache\n"
	      "  -f  stay in the foreground\n"
	      "  -t  leave by itself after so long (default 60, 0: never)\n"
	      "  -o  the operation on DIR/hang that is never answered\n",
	      out);
	return status;
}

int main(int argc, char **argv)
{
	static const struct serve_file files[] = { { "hang", 0777, HANG_SIZE },
						   { "held", 0666, 0 },
						   { 0 } };
	struct serve how = { .kind = "stuckfs", .lifetime_s = 60, .release = release };
	unsigned long long value;
	int opt;

	while ((opt = getopt(argc, argv, "dft:o:h")) != -1) {
		switch (opt) {
		case 'd':
			stuck.direct = true;
			break;
		case 'f':
			how.foreground = true;
			break;
		case 't':
			if (!serve_number(optarg, 86400, &value))
				return usage(stderr, 2);
			how.lifetime_s = (unsigned)value;
			break;
		case 'o':
			if (strcmp(optarg, "flush") != 0 && strcmp(optarg, "read") != 0 &&
			    strcmp(optarg, "write") != 0 && strcmp(optarg, "open") != 0)
				return usage(stderr, 2);
			stuck.op = optarg;
			break;
		case 'h':
			return usage(stdout, 0);
		default:
			return usage(stderr, 2);
		}
	}
	if (optind + 1 != argc)
		return usage(stderr, 2);
	how.mountpoint = argv[optind];
	serve_files = files;
	return serve(&how, &ops);
}
