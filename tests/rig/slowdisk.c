/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk whose service time and concurrency are set: a FUSE filesystem with the
 * file "disk", whose requests take service_us each, at most "slots" of them at
 * once, first come first served, and the file "ctl" that changes this while it
 * runs.
 *
 * The receiving thread only queues. One other thread is the disk: it starts a
 * request when a slot is free and answers it at an absolute time. Where a slot
 * had work waiting, the next request starts at the time the last one was due,
 * so late wake-ups do not add up.
 */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { INO_DISK = 2, INO_CTL = 3, SLOTS_MAX = 256, CTL_MAX = 1024 };

#define US_MAX 3600000000ull
#define MIB_MAX (1024ull * 1024)

enum kind { KIND_READ, KIND_WRITE, KIND_FLUSH, KIND_DISCARD, KINDS };

static const char *const kind_names[KINDS] = { "reads", "writes", "flushes", "discards" };

struct request {
	struct request *next;
	fuse_req_t req;
	enum kind kind;
	size_t size;
	off_t off;
	uint64_t arrived; /* ns, CLOCK_MONOTONIC */
};

struct slot {
	struct request *busy;
	uint64_t due;  /* of the busy one */
	uint64_t free; /* since when it has been free */
};

static struct {
	unsigned char *data;
	size_t size;
	bool drop; /* forget what is written */

	pthread_mutex_t lock; /* for all that follows */
	pthread_cond_t wake;
	pthread_t thread;
	bool started;
	bool released; /* nothing is held back any more */
	bool stopping;
	bool stalled;
	uint64_t resumed; /* end of the last stall */
	uint64_t service_us, flush_us, slots;
	struct slot slot[SLOTS_MAX];
	struct request *head, **tail;
	uint64_t queued, serving, outstanding_max;
	uint64_t served[KINDS], bytes[KINDS];
} disk = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.service_us = 6000,
	.slots = 1,
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void answer(struct request *r)
{
	switch (r->kind) {
	case KIND_READ:
		fuse_reply_buf(r->req, (const char *)disk.data + r->off, r->size);
		break;
	case KIND_WRITE:
		fuse_reply_write(r->req, r->size);
		break;
	default:
		fuse_reply_err(r->req, 0);
	}
	free(r);
}

static void begin(struct slot *slot)
{
	struct request *r = disk.head;
	uint64_t us = r->kind == KIND_FLUSH ? disk.flush_us : disk.service_us;

	disk.head = r->next;
	if (!disk.head)
		disk.tail = &disk.head;
	r->next = NULL;
	slot->busy = r;
	slot->due = later(later(r->arrived, slot->free), disk.resumed) + us * 1000;
	disk.queued--;
	disk.serving++;
}

static struct request *finish(struct slot *slot)
{
	struct request *r = slot->busy;

	slot->busy = NULL;
	slot->free = slot->due;
	disk.served[r->kind]++;
	disk.bytes[r->kind] += r->size;
	disk.serving--;
	return r;
}

/*
 * What is due now, as a list, and what waits for a free slot started. Sets
 * *next to when the next one is due.
 */
static struct request *advance(uint64_t now, uint64_t *next)
{
	struct request *done = NULL;
	struct request **end = &done;

	*next = UINT64_MAX;
	if (disk.stalled && !disk.released)
		return NULL;
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		struct slot *slot = &disk.slot[i];

		if (slot->busy && (slot->due <= now || disk.released)) {
			*end = finish(slot);
			end = &(*end)->next;
		}
		if (!slot->busy && i < disk.slots && disk.head)
			begin(slot);
		if (slot->busy && slot->due < *next)
			*next = slot->due;
	}
	return done;
}

static void *run(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&disk.lock);
	for (;;) {
		uint64_t next;
		uint64_t now = now_ns();
		struct request *done = advance(now, &next);

		if (done) {
			pthread_mutex_unlock(&disk.lock);
			while (done) {
				struct request *r = done;

				done = r->next;
				answer(r);
			}
			pthread_mutex_lock(&disk.lock);
		} else if (disk.stopping && !disk.head) {
			break;
		} else if (next == UINT64_MAX) {
			pthread_cond_wait(&disk.wake, &disk.lock);
		} else if (next > now && !disk.released) {
			struct timespec t = { .tv_sec = (time_t)(next / 1000000000u),
					      .tv_nsec = (long)(next % 1000000000u) };

			pthread_cond_timedwait(&disk.wake, &disk.lock, &t);
		}
	}
	pthread_mutex_unlock(&disk.lock);
	return NULL;
}

static bool start(void)
{
	pthread_condattr_t attr;

	disk.tail = &disk.head;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&disk.wake, &attr);
	pthread_condattr_destroy(&attr);
	disk.started = pthread_create(&disk.thread, NULL, run, NULL) == 0;
	return disk.started;
}

static void release(void)
{
	pthread_mutex_lock(&disk.lock);
	disk.released = true;
	pthread_cond_signal(&disk.wake);
	pthread_mutex_unlock(&disk.lock);
}

static void stop(void)
{
	if (!disk.started)
		return;
	pthread_mutex_lock(&disk.lock);
	disk.released = true;
	disk.stopping = true;
	pthread_cond_signal(&disk.wake);
	pthread_mutex_unlock(&disk.lock);
	pthread_join(disk.thread, NULL);
}

static void enqueue(fuse_req_t req, enum kind kind, size_t size, off_t off)
{
	struct request *r = malloc(sizeof(*r));

	if (!r) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	*r = (struct request){ .req = req, .kind = kind, .size = size, .off = off };
	pthread_mutex_lock(&disk.lock);
	r->arrived = now_ns();
	*disk.tail = r;
	disk.tail = &r->next;
	disk.queued++;
	disk.outstanding_max = later(disk.outstanding_max, disk.queued + disk.serving);
	pthread_cond_signal(&disk.wake);
	pthread_mutex_unlock(&disk.lock);
}

/* The part of a request that is inside the disk. */
static size_t clamp(size_t size, off_t off)
{
	if (off < 0 || (size_t)off >= disk.size)
		return 0;
	return size < disk.size - (size_t)off ? size : disk.size - (size_t)off;
}

/* "name value" */
static int set(const char *line)
{
	char name[16];
	char text[24];
	unsigned long long value;
	int end = 0;

	if (sscanf(line, " %15s %23s %n", name, text, &end) != 2 || line[end] != '\0')
		return EINVAL;
	if (!serve_number(text, US_MAX, &value))
		return EINVAL;
	if (strcmp(name, "service_us") == 0) {
		disk.service_us = value;
	} else if (strcmp(name, "flush_us") == 0) {
		disk.flush_us = value;
	} else if (strcmp(name, "slots") == 0 && value >= 1 && value <= SLOTS_MAX) {
		disk.slots = value;
	} else if (strcmp(name, "stall") == 0 && value <= 1) {
		if (disk.stalled && !value)
			disk.resumed = now_ns();
		disk.stalled = value != 0;
	} else {
		return EINVAL;
	}
	return 0;
}

/* Lines up to the first that is wrong take effect. */
static void ctl_write(fuse_req_t req, const char *buf, size_t size)
{
	char text[CTL_MAX];
	char *rest = text;
	char *line;
	int err = 0;

	if (size >= sizeof(text)) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	memcpy(text, buf, size);
	text[size] = '\0';
	pthread_mutex_lock(&disk.lock);
	while (!err && (line = strsep(&rest, "\n")))
		if (*line)
			err = set(line);
	pthread_cond_signal(&disk.wake);
	pthread_mutex_unlock(&disk.lock);
	if (err)
		fuse_reply_err(req, err);
	else
		fuse_reply_write(req, size);
}

static char *ctl_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	pthread_mutex_lock(&disk.lock);
	fprintf(out, "service_us %" PRIu64 "\nslots %" PRIu64 "\nflush_us %" PRIu64 "\nstall %d\n",
		disk.service_us, disk.slots, disk.flush_us, disk.stalled);
	fprintf(out, "queued %" PRIu64 "\nserving %" PRIu64 "\noutstanding_max %" PRIu64 "\n",
		disk.queued, disk.serving, disk.outstanding_max);
	for (int k = 0; k < KINDS; k++) {
		fprintf(out, "%s %" PRIu64 "\n", kind_names[k], disk.served[k]);
		if (k != KIND_FLUSH)
			fprintf(out, "%s_bytes %" PRIu64 "\n", kind_names[k], disk.bytes[k]);
	}
	pthread_mutex_unlock(&disk.lock);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void op_init(void *data, struct fuse_conn_info *conn)
{
	(void)data;
	serve_tune(conn);
}

/* Who opens ctl sees the state at that moment, however small his reads. */
static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	char *text = NULL;

	fi->direct_io = 1;
	if (ino == INO_CTL && !(text = ctl_text())) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	fi->fh = (uintptr_t)text;
	if (fuse_reply_open(req, fi) != 0)
		free(text);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	free((char *)(uintptr_t)fi->fh);
	fuse_reply_err(req, 0);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	const char *text = (const char *)(uintptr_t)fi->fh;
	size_t have;

	if (ino == INO_DISK) {
		enqueue(req, KIND_READ, clamp(size, off), clamp(size, off) ? off : 0);
		return;
	}
	have = strlen(text);
	if (off < 0 || (size_t)off >= have)
		size = 0;
	else if (size > have - (size_t)off)
		size = have - (size_t)off;
	fuse_reply_buf(req, size ? text + off : NULL, size);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
		     struct fuse_file_info *fi)
{
	(void)fi;
	if (ino == INO_CTL) {
		ctl_write(req, buf, size);
		return;
	}
	size = clamp(size, off);
	if (size == 0) {
		fuse_reply_err(req, ENOSPC);
		return;
	}
	if (!disk.drop)
		memcpy(disk.data + off, buf, size);
	enqueue(req, KIND_WRITE, size, off);
}

static void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	(void)datasync;
	(void)fi;
	if (ino == INO_DISK)
		enqueue(req, KIND_FLUSH, 0, 0);
	else
		fuse_reply_err(req, 0);
}

/* How loop passes on a discard, and a write of zeros. */
static void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t length,
			 struct fuse_file_info *fi)
{
	size_t size;
	size_t from;

	(void)fi;
	if (ino != INO_DISK || !(mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))) {
		fuse_reply_err(req, EOPNOTSUPP);
		return;
	}
	size = clamp((size_t)length, off);
	from = ((size_t)off + 4095) & ~(size_t)4095;
	if (size && from < ((size_t)off + size)) {
		size_t whole = ((size_t)off + size - from) & ~(size_t)4095;

		memset(disk.data + off, 0, from - (size_t)off);
		madvise(disk.data + from, whole, MADV_DONTNEED);
		memset(disk.data + from + whole, 0, (size_t)off + size - from - whole);
	} else if (size) {
		memset(disk.data + off, 0, size);
	}
	enqueue(req, KIND_DISCARD, size, off);
}

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = serve_lookup,
	.getattr = serve_getattr,
	.setattr = serve_setattr,
	.readdir = serve_readdir,
	.statfs = serve_statfs,
	.open = op_open,
	.release = op_release,
	.read = op_read,
	.write = op_write,
	.fsync = op_fsync,
	.fallocate = op_fallocate,
};

static int usage(FILE *out, int status)
{
	fputs("Usage: slowdisk [-fd] [-s service_us] [-n slots] [-F flush_us] [-m size_mib] DIR\n"
	      "  -f  stay in the foreground\n"
	      "  -d  drop what is written (reads give zeros)\n",
	      out);
	return status;
}

int main(int argc, char **argv)
{
	unsigned long long mib = 64;
	/* A loop device over an unmounted file shows "/disk" for a name: nobody would find it. */
	struct serve how = { .kind = "slowdisk",
			     .stay_if_busy = true,
			     .start = start,
			     .release = release,
			     .stop = stop };
	struct serve_file files[] = { { "disk", 0600, 0 }, { "ctl", 0600, 0 }, { 0 } };
	int opt;

	while ((opt = getopt(argc, argv, "fds:n:F:m:h")) != -1) {
		unsigned long long value = 0;
		unsigned long long max = opt == 'n' ? SLOTS_MAX : opt == 'm' ? MIB_MAX : US_MAX;

		if (optarg && !serve_number(optarg, max, &value))
			return usage(stderr, 2);
		if ((opt == 'n' || opt == 'm') && value == 0)
			return usage(stderr, 2);
		switch (opt) {
		case 'f':
			how.foreground = true;
			break;
		case 'd':
			disk.drop = true;
			break;
		case 's':
			disk.service_us = value;
			break;
		case 'n':
			disk.slots = value;
			break;
		case 'F':
			disk.flush_us = value;
			break;
		case 'm':
			mib = value;
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

	disk.size = (size_t)mib << 20;
	disk.data = mmap(NULL, disk.size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (disk.data == MAP_FAILED) {
		perror("slowdisk: mmap");
		return 1;
	}
	files[0].size = (off_t)disk.size;
	serve_files = files;
	return serve(&how, &ops);
}
