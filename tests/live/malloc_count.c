/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD library: counts what the main thread asks of malloc, calloc, realloc
 * and reallocarray, second by second. At exit it writes into $MALLOC_COUNT
 *
 *     second N CALLS
 *     stack CALLS OBJECT+OFFSET OBJECT+OFFSET ...
 *
 * the stacks being those of calls after the first $MALLOC_WARM seconds. Other
 * threads and processes forked off are left out.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 600, STACKS = 256, DEPTH = 12, SKIP = 2 };

struct stack {
	unsigned long calls;
	int depth;
	void *frame[DEPTH];
};

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static unsigned long calls[SECONDS];
static struct stack stacks[STACKS];
static size_t nstacks;
static unsigned long lost;
static long warm = 5;
static pid_t process;
static time_t begun;
static char target[256];
static _Thread_local bool inside;

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void remember(void)
{
	struct stack stack = {.calls = 1};
	void *frame[DEPTH + SKIP];
	int depth = backtrace(frame, DEPTH + SKIP) - SKIP;

	stack.depth = depth > 0 ? depth : 0;
	memcpy(stack.frame, frame + SKIP, (size_t)stack.depth * sizeof(frame[0]));
	for (size_t i = 0; i < nstacks; i++)
		if (stacks[i].depth == stack.depth && !memcmp(stacks[i].frame, stack.frame, sizeof(stack.frame))) {
			stacks[i].calls++;
			return;
		}
	if (nstacks < STACKS)
		stacks[nstacks++] = stack;
	else
		lost++;
}

/* The main thread is the one whose thread number is the process's. */
__attribute__((noinline)) static void count(void)
{
	if (!process || inside || gettid() != process)
		return;
	inside = true;
	time_t second = now() - begun;
	if (second >= 0 && second < SECONDS)
		calls[second]++;
	if (second >= warm)
		remember();
	inside = false;
}

void *malloc(size_t size)
{
	count();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	count();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	count();
	return __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	count();
	return __builtin_mul_overflow(n, size, &bytes) ? NULL : __libc_realloc(p, bytes);
}

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("MALLOC_COUNT"), *seconds = getenv("MALLOC_WARM");
	void *frame[1];

	if (!name || strlen(name) >= sizeof(target))
		return;
	strcpy(target, name);
	if (seconds)
		warm = atol(seconds);
	unsetenv("LD_PRELOAD"); /* for this program alone */
	(void)backtrace(frame, 1); /* loads what it needs */
	begun = now();
	process = getpid();
}

static void write_stack(FILE *file, const struct stack *stack)
{
	fprintf(file, "stack %lu", stack->calls);
	for (int i = 0; i < stack->depth; i++) {
		Dl_info info;
		if (dladdr(stack->frame[i], &info) && info.dli_fname)
			fprintf(file, " %s+%#tx", info.dli_fname, (char *)stack->frame[i] - (char *)info.dli_fbase);
	}
	fputc('\n', file);
}

__attribute__((destructor)) static void end(void)
{
	time_t last = now() - begun;

	if (process != getpid())
		return;
	process = 0;
	FILE *file = fopen(target, "w");
	if (!file)
		return;
	for (time_t i = 0; i <= last && i < SECONDS; i++)
		fprintf(file, "second %ld %lu\n", (long)i, calls[i]);
	for (size_t i = 0; i < nstacks; i++)
		write_stack(file, &stacks[i]);
	if (lost)
		fprintf(file, "stack %lu others\n", lost);
	fclose(file);
}
