/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of one process: /proc/PID/task/TID/{io,stat,schedstat,wchan}. */
#include "threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(uint64_t sum[TASK_COUNTERS], const struct task_sample *sample)
{
	for (int c = 0; sample->io_state == PRESENT && c < TASK_COUNTERS; c++)
		sum[c] += sample->counter[c];
}

/* ---- which there are ---- */

static int compare_threads(const void *a, const void *b)
{
	const struct thread_file *x = a, *y = b;

	return (x->leaf.tid > y->leaf.tid) - (x->leaf.tid < y->leaf.tid);
}

static struct thread_file *find(struct threads *threads, size_t n, int32_t tid)
{
	const struct thread_file key = {.leaf = {.tid = tid}};

	return n ? bsearch(&key, threads->thread, n, sizeof(key), compare_threads) : NULL;
}

static bool append(struct threads *threads, int32_t pid, int32_t tid)
{
	if (threads->n == threads->cap) {
		size_t cap = threads->cap ? threads->cap * 2 : 4;
		struct thread_file *thread = reallocarray(threads->thread, cap, sizeof(*thread));
		if (!thread)
			return false;
		threads->thread = thread;
		threads->cap = cap;
	}
	struct thread_file *thread = &threads->thread[threads->n++];
	*thread = (struct thread_file){.listed = true};
	leaves_init(&thread->leaf, pid, tid);
	return true;
}

/* Marks it if it was known before, else appends it. false: no memory. */
static bool list_name(struct threads *threads, int32_t pid, const char *name, size_t known)
{
	char *end;
	long tid = strtol(name, &end, 10);

	if (*end != '\0' || tid < 1 || tid > INT32_MAX)
		return true;
	struct thread_file *thread = find(threads, known, (int32_t)tid);
	if (!thread)
		return append(threads, pid, (int32_t)tid);
	thread->listed = true;
	return true;
}

/* Each name in the folder, read without the memory that opendir(3) takes. */
static bool list_folder(struct threads *threads, const struct reader *reader, int32_t pid,
			size_t known)
{
	enum { LIST_BYTES = 4096 };
	alignas(struct dirent64) char buf[LIST_BYTES];
	char path[32];
	ssize_t n;
	bool good = true;

	snprintf(path, sizeof(path), "%d/task", (int)pid);
	int fd = openat(reader->root->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (good && (n = getdents64(fd, buf, sizeof(buf))) != 0) {
		good = n > 0;
		for (ssize_t at = 0; good && at < n;) {
			const struct dirent64 *entry = (const struct dirent64 *)(buf + at);
			good = list_name(threads, pid, entry->d_name, known);
			at += entry->d_reclen;
		}
	}
	close(fd);
	return good;
}

/* Takes those away that are not marked. */
static void drop_unlisted(struct threads *threads, uint64_t ended[TASK_COUNTERS])
{
	size_t n = 0;

	threads->listed_for = 0; /* one that could not be read may be there again */
	for (size_t i = 0; i < threads->n; i++) {
		struct thread_file *thread = &threads->thread[i];
		if (thread->listed) {
			threads->thread[n++] = *thread;
			continue;
		}
		add(ended, &thread->last);
		leaves_close_all(&thread->leaf);
	}
	threads->n = n;
}

static bool list(struct threads *threads, const struct reader *reader,
		 const struct task_sample *process, uint64_t ended[TASK_COUNTERS])
{
	size_t known = threads->n;

	for (size_t i = 0; i < known; i++)
		threads->thread[i].listed = false;
	bool listed = list_folder(threads, reader, process->pid, known);
	bool more = threads->n > known;
	drop_unlisted(threads, ended);
	if (more)
		qsort(threads->thread, threads->n, sizeof(*threads->thread), compare_threads);
	threads->listed_for = listed ? process->threads : 0;
	return listed && threads->n > 0;
}

/* ---- what they did ---- */

bool threads_look(struct threads *threads, struct reader *reader)
{
	bool idle = threads->n > 0;

	for (size_t i = 0; i < threads->n; i++) {
		struct thread_file *thread = &threads->thread[i];
		atomic_fetch_add_explicit(reader->reads, 1, memory_order_relaxed);
		thread->ran_known = leaf_ran(&thread->leaf, reader, &thread->seen);
		thread->idle = thread->ran_known && thread->settled &&
			       task_ran_same(&thread->seen, &thread->ran);
		idle = idle && thread->idle;
	}
	threads->looked = true;
	return idle;
}

static void touch(struct thread_file *thread, int64_t now_ns)
{
	thread->writes = false;
	thread->last.mono_ns = now_ns;
}

void threads_touch(struct threads *threads, int64_t now_ns)
{
	for (size_t i = 0; i < threads->n; i++)
		touch(&threads->thread[i], now_ns);
	threads->looked = false;
}

/* false: it is gone. */
static bool read_thread(struct thread_file *thread, struct reader *reader,
			uint64_t ended[TASK_COUNTERS])
{
	bool spare = reader->room >= reader->plenty;
	struct task_sample sample;

	if (thread->idle && thread->known) {
		touch(thread, root_now_ns(reader->root));
		if (!spare) {
			leaves_close(&thread->leaf, LEAF_IO);
			leaves_close(&thread->leaf, LEAF_STAT);
		}
		return true;
	}
	/* one that is read for the first time may never run again */
	enum leaf_reading reading =
	    leaves_read(&thread->leaf, reader, thread->known && spare, &sample);
	if (reading == LEAF_SHORT && thread->known) {
		leaves_set_late(&thread->last, reader->root);
		thread->settled = false;
		return true;
	}
	if (reading != LEAF_READ)
		return false;
	if (thread->known && thread->last.start_ticks != sample.start_ticks)
		add(ended, &thread->last);
	memcpy(sample.own, sample.counter, sizeof(sample.own));
	thread->writes = thread->known && task_wrote(&thread->last, &sample);
	if (sample.state == 'D')
		leaf_wchan(&thread->leaf, reader->root, sample.wchan);
	thread->settled = thread->ran_known && sample.state != 'R';
	thread->ran = thread->seen;
	thread->known = true;
	thread->last = sample;
	return true;
}

/* Reads each; one that is gone is no longer listed. false: some are. */
static bool read_all(struct threads *threads, struct reader *reader, uint64_t ended[TASK_COUNTERS])
{
	bool all = true;

	for (size_t i = 0; i < threads->n; i++) {
		struct thread_file *thread = &threads->thread[i];
		atomic_fetch_add_explicit(reader->reads, 1, memory_order_relaxed);
		if (!thread->known)
			thread->ran_known = leaf_ran(&thread->leaf, reader, &thread->seen);
		thread->listed = read_thread(thread, reader, ended);
		all = all && thread->listed;
	}
	return all;
}

bool threads_read(struct threads *threads, struct reader *reader, const struct task_sample *process,
		  uint64_t ended[TASK_COUNTERS])
{
	bool listed = false;

	/* seen must be older than what is read after it */
	if (!threads->looked)
		(void)threads_look(threads, reader);
	threads->looked = threads->current = false;
	if (process->threads != threads->listed_for &&
	    !(listed = list(threads, reader, process, ended)))
		return false;
	if (!read_all(threads, reader, ended)) {
		drop_unlisted(threads, ended);
		/* as many as before, but others; or it ended after stat was read */
		if (!listed && list(threads, reader, process, ended) &&
		    !read_all(threads, reader, ended))
			drop_unlisted(threads, ended);
	}
	for (size_t i = 0; i < threads->n; i++) {
		threads->thread[i].last.uid = process->uid;
		threads->thread[i].last.uid_known = process->uid_known;
	}
	threads->current = threads->n > 0;
	return threads->current;
}

bool threads_live(const struct threads *threads, uint64_t live[TASK_COUNTERS])
{
	memset(live, 0, TASK_COUNTERS * sizeof(*live));
	for (size_t i = 0; i < threads->n; i++) {
		if (threads->thread[i].last.io_state != PRESENT)
			return false;
		add(live, &threads->thread[i].last);
	}
	return threads->n > 0;
}

const struct task_sample *threads_waiting(const struct threads *threads)
{
	const struct task_sample *waiting = NULL;

	for (size_t i = 0; i < threads->n; i++) {
		const struct task_sample *thread = &threads->thread[i].last;
		if (thread->state == 'D' && (!waiting || thread->tid == thread->pid))
			waiting = thread;
	}
	return waiting;
}

void threads_rest(struct threads *threads)
{
	for (size_t i = 0; i < threads->n; i++)
		leaves_close_all(&threads->thread[i].leaf);
	threads->current = threads->looked = false;
}

void threads_end(struct threads *threads, uint64_t ended[TASK_COUNTERS])
{
	for (size_t i = 0; i < threads->n; i++)
		if (threads->thread[i].leaf.tid != threads->thread[i].leaf.pid)
			add(ended, &threads->thread[i].last);
	threads_release(threads);
}

unsigned threads_kept(const struct threads *threads)
{
	unsigned n = 0;

	for (size_t i = 0; i < threads->n; i++)
		n += leaves_kept(&threads->thread[i].leaf);
	return n;
}

void threads_release(struct threads *threads)
{
	threads_rest(threads);
	free(threads->thread);
	*threads = (struct threads){0};
}
