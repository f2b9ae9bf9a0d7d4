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

enum stat_field {
	STATE = 3,
	PPID = 4,
	FLAGS = 9,
	CMINFLT = 11,
	MAJFLT = 12,
	CMAJFLT = 13,
	CUTIME = 16,
	CSTIME = 17,
	THREADS = 20,
	START = 22,
	BLKIO = 42
};

#define FIELD(n) (UINT64_C(1) << (n))

static const uint64_t fields_wanted = FIELD(PPID) | FIELD(FLAGS) | FIELD(CMINFLT) | FIELD(MAJFLT) |
				      FIELD(CMAJFLT) | FIELD(CUTIME) | FIELD(CSTIME) |
				      FIELD(THREADS) | FIELD(START) | FIELD(BLKIO);

static void take_field(int field, uint64_t number, struct task_sample *task)
{
	static const uint64_t pf_kthread = 0x00200000;

	switch (field) {
	case PPID:
		task->ppid = (int32_t)number;
		break;
	case FLAGS:
		task->kernel = (number & pf_kthread) != 0;
		break;
	case MAJFLT:
		task->majflt = number;
		break;
	case THREADS:
		task->threads = (uint32_t)number;
		break;
	case START:
		task->start_ticks = number;
		break;
	case BLKIO:
		task->blkio_ticks = number;
		break;
	default:
		task->reaped += number;
		break; /* of children it waited for */
	}
}

bool task_stat_parse(const char *p, size_t n, struct task_sample *task)
{
	const char *rest = take_comm(p, n, task);
	struct text line, word;
	uint64_t number = 0;
	int field = STATE;

	if (!rest)
		return false;
	task->reaped = 0;
	line = (struct text){rest, p + n};
	for (; field <= BLKIO && text_word(&line, &word); field++) {
		if (field == STATE)
			task->state = *word.p;
		if (!(fields_wanted & FIELD(field)))
			continue;
		if (!text_u64(word, &number))
			return false;
		take_field(field, number, task);
	}
	return field > START;
}
