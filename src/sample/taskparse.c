/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/io and /proc/PID/stat. */
#include "parse.h"

static const char *const io_keys[TASK_COUNTERS] = {
	[TASK_RCHAR] = "rchar:",
	[TASK_WCHAR] = "wchar:",
	[TASK_SYSCR] = "syscr:",
	[TASK_SYSCW] = "syscw:",
	[TASK_READ_BYTES] = "read_bytes:",
	[TASK_WRITE_BYTES] = "write_bytes:",
	[TASK_CANCELLED_BYTES] = "cancelled_write_bytes:",
};

bool task_io_parse(const char *p, size_t n, uint64_t counter[TASK_COUNTERS])
{
	struct text text = {p, p + n}, line, key, value;
	unsigned seen = 0;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &key) || !text_word(&line, &value))
			continue;
		for (unsigned i = 0; i < TASK_COUNTERS; i++)
			if (text_is(key, io_keys[i]) && text_u64(value, &counter[i]))
				seen |= 1u << i;
	}
	return seen == (1u << TASK_COUNTERS) - 1;
}

/* The name stands in parentheses and may hold any byte, parentheses too. */
static const char *take_comm(const char *p, size_t n, struct task_sample *task)
{
	const char *open = memchr(p, '(', n), *close = memrchr(p, ')', n);

	if (!open || !close || close < open)
		return NULL;
	size_t length = (size_t)(close - open - 1);
	if (length >= sizeof(task->comm))
		length = sizeof(task->comm) - 1;
	memcpy(task->comm, open + 1, length);
	task->comm[length] = '\0';
	return close + 1;
}

bool task_stat_parse(const char *p, size_t n, struct task_sample *task)
{
	enum { STATE = 3, FLAGS = 9, THREADS = 20, START = 22, BLKIO = 42 };
	static const uint64_t pf_kthread = 0x00200000;
	const char *rest = take_comm(p, n, task);
	struct text line, word;
	uint64_t number = 0;
	int field = STATE;

	if (!rest)
		return false;
	line = (struct text){rest, p + n};
	for (; field <= BLKIO && text_word(&line, &word); field++) {
		if (field == STATE)
			task->state = *word.p;
		if (field != FLAGS && field != THREADS && field != START && field != BLKIO)
			continue;
		if (!text_u64(word, &number))
			return false;
		if (field == FLAGS)
			task->kernel = (number & pf_kthread) != 0;
		else if (field == THREADS)
			task->threads = (uint32_t)number;
		else if (field == START)
			task->start_ticks = number;
		else
			task->blkio_ticks = number;
	}
	return field > START;
}
