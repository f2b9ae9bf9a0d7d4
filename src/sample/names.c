/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the helper has answered, and looking after it. */
#include "iotriage/names.h"
#include "clock.h"
#include "helper.h"
#include "namebook.h"
#include "nameserve.h"
#include "room.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { IN_FLIGHT_MAX = 32 }; /* questions the helper has not answered */

/* Programs change their titles: those that ran and are on show are asked again, some in a frame. */
enum { RENEWED_MAX = 50 };
static const int64_t renew_ns = 10 * 1000000000LL;

struct question {
	int32_t kind, pid;
	uint32_t uid;
};

struct names {
	bool native;
	struct helper helper;
	struct namebook book;
	uint32_t *due; /* rows whose names are not known, or may be others by now */
	size_t ndue, due_cap;
	size_t cursor; /* of those the ones before it have been asked for since the last attach */
	unsigned renewed;    /* in this frame so many were asked again, */
	int32_t renewed_pid; /* and this was the last one */
	struct question flight[IN_FLIGHT_MAX]; /* not answered, the oldest first */
	bool found_uid; /* an answer to NAME_UID has come: */
	uint32_t uid;
	int uid_error;
};

int names_open(struct names **ret, bool native)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->native = native;
	helper_init(&names->helper, "iotriage-names", names_serve);
	*ret = names;
	return 0;
}

void names_start(struct names *names)
{
	if (names->native)
		(void)helper_start(&names->helper);
}

void names_close(struct names *names)
{
	if (!names)
		return;
	helper_close(&names->helper);
	namebook_release(&names->book);
	free(names->due);
	free(names);
}

static bool ask(struct names *names, const struct name_message *message)
{
	unsigned n = names->helper.in_flight;

	if (n == IN_FLIGHT_MAX || !helper_ask(&names->helper, message, NAME_HEAD + message->length))
		return false;
	names->flight[n] = (struct question){message->kind, message->pid, message->uid};
	return true;
}

static bool ask_number(struct names *names, enum name_kind kind, int32_t pid, uint32_t uid)
{
	struct name_message message;

	memset(&message, 0, NAME_HEAD);
	message.kind = (int32_t)kind;
	message.pid = pid;
	message.uid = uid;
	return ask(names, &message);
}

/* Once; again after a while, or where it hung in another state. */
static bool may_ask(struct names *names, const struct task_name *task,
		    const struct task_sample *sample, int64_t now)
{
	bool hangs = task->hung && (task->asked_in == sample->state ||
				    helper_is_left(&names->helper, task->hung));

	if (hangs)
		return false;
	if (task->state == NAME_KNOWN)
		return now - task->asked_ns > renew_ns && names->renewed < RENEWED_MAX &&
		       task->pid >= names->renewed_pid;
	return task->state == NAME_LATE && task->asked_in != sample->state;
}

static void ask_task(struct names *names, const struct task_sample *sample, int64_t now)
{
	struct task_name *task = namebook_task(&names->book, sample);

	if (task && !may_ask(names, task, sample, now))
		return;
	if (!task)
		task = namebook_add(&names->book, sample);
	if (!task)
		return;
	bool known = task->state == NAME_KNOWN, asked = ask_number(names, NAME_TASK, task->pid, 0);
	if (known) {
		task->state = asked ? NAME_RENEWED : NAME_KNOWN;
		names->renewed++;
		names->renewed_pid = task->pid;
	} else {
		task->state = asked ? NAME_ASKED : NAME_LATE;
	}
	task->asked_in = asked ? sample->state : '\0';
	task->asked_ns = now;
	memcpy(task->comm, sample->comm, sizeof(task->comm));
}

/* Users whose question was lost with a helper. */
static void ask_users(struct names *names)
{
	for (struct user_name *user = names->book.user; user; user = user->next)
		if (!user->asked)
			user->asked = ask_number(names, NAME_USER, 0, user->uid);
}

void names_ask(struct names *names, const struct frame *frame, bool all)
{
	int64_t now = clock_mono_ns();

	if (!names->native)
		return;
	if (names->helper.in_flight == 0)
		names->cursor = 0; /* rows may have come on show since */
	/* the frame's rows may have been taken away since */
	for (; names->cursor < names->ndue && names->due[names->cursor] < frame->ntask &&
	       names->helper.in_flight < IN_FLIGHT_MAX;
	     names->cursor++) {
		const struct task_row *row = &frame->task[names->due[names->cursor]];
		bool wanted = row->on_show || (all && row->names == TASK_NAMES_WANTED);
		if (wanted && !row->blocked)
			ask_task(names, name_source(frame, row), now);
	}
	ask_users(names);
}

static void set_row_user(struct task_row *row, const struct user_name *user)
{
	row->user = user->name;
	row->uid = user->uid;
}

/* By the number in the task's status, where that was read. */
static void attach_sampled_user(struct names *names, struct task_row *row)
{
	if (!row->task->uid_known)
		return;
	const struct user_name *user = namebook_user(&names->book, row->task->uid);
	if (!user)
		user = namebook_add_user(&names->book, row->task->uid);
	if (user)
		set_row_user(row, user);
}

/* A program that runs may give itself another title. */
static bool is_due(const struct task_name *task, const struct task_row *row, int64_t now)
{
	if (row->names == TASK_NAMES_WANTED)
		return true;
	return task->state == NAME_KNOWN && !row->task->kernel &&
	       row->task->ran_ns > task->asked_ns && now - task->asked_ns > renew_ns;
}

/* task NULL: nothing is known of it. */
static void attach_native(struct names *names, struct task_row *row, struct task_name *task,
			  const struct task_sample *sample)
{
	row->names = TASK_NAMES_WANTED;
	attach_sampled_user(names, row);
	if (!task)
		return;
	task->seen = names->book.frame;
	/* after an exec it has another command line, and maybe another user */
	if (task->state == NAME_KNOWN && !sample->kernel && strcmp(task->comm, sample->comm) != 0) {
		task->state = NAME_LATE;
		task->asked_in = '\0';
	}
	if (task->state != NAME_KNOWN && task->state != NAME_RENEWED)
		return;
	const struct user_name *user =
	    task->uid_known ? namebook_user(&names->book, task->uid) : NULL;
	row->names = TASK_NAMES_KNOWN;
	row->command = task->command;
	if (user)
		set_row_user(row, user);
}

/* The rows of a process stand together; one that has ended may have left its PID to the next. */
static bool has_names_of(const struct task_row *row, const struct task_sample *sample)
{
	bool of_main = row->kind == TASK_THREAD && row->task->tid != row->task->pid;

	return sample && sample->pid == row->task->pid &&
	       (of_main || sample->start_ticks == row->task->start_ticks);
}

static void attach_all(struct names *names, struct frame *frame)
{
	const struct task_sample *sample = NULL;
	struct task_name *task = NULL;
	int64_t now = clock_mono_ns();

	for (size_t i = 0; i < frame->ntask; i++) {
		struct task_row *row = &frame->task[i];
		if (row->kind == TASK_UNATTRIBUTED)
			continue; /* its command is its own */
		row->user = row->command = NULL;
		if (!has_names_of(row, sample)) {
			sample = name_source(frame, row);
			task = namebook_task(&names->book, sample);
		}
		attach_native(names, row, task, sample);
		if (names->ndue < names->due_cap && is_due(task, row, now))
			names->due[names->ndue++] = (uint32_t)i;
	}
}

static void attach_foreign(struct names *names, struct frame *frame)
{
	for (size_t i = 0; i < frame->ntask; i++) {
		struct task_row *row = &frame->task[i];
		if (row->kind == TASK_UNATTRIBUTED)
			continue;
		row->user = row->command = NULL;
		row->names = TASK_NAMES_NEVER;
		attach_sampled_user(names, row);
	}
}

void names_attach(struct names *names, struct frame *frame)
{
	if (names->renewed < RENEWED_MAX) /* those were all */
		names->renewed_pid = 0;
	names->cursor = names->ndue = names->renewed = 0;
	if (!names->native) {
		attach_foreign(names, frame);
		return;
	}
	names->book.frame++;
	/* without memory some are asked about later */
	(void)room_for(&names->due, &names->due_cap, frame->ntask, sizeof(*names->due));
	attach_all(names, frame);
	namebook_sweep(&names->book, frame->ntask);
}

int names_fd(const struct names *names)
{
	return names->helper.fd;
}

bool names_pending(const struct names *names)
{
	return names->helper.in_flight > 0;
}

int names_timeout_ms(const struct names *names)
{
	return helper_timeout_ms(&names->helper);
}

/* Most are the same as before. */
static void set_command(struct task_name *task, const struct name_message *answer)
{
	size_t n = strnlen(answer->text, answer->length);

	if (task->command && n > 0 && strncmp(task->command, answer->text, n) == 0 &&
	    task->command[n] == '\0')
		return;
	free(task->command);
	task->command = n > 0 ? strndup(answer->text, n) : NULL;
}

static void set_task(struct names *names, const struct name_message *answer)
{
	struct task_name *task = namebook_first(&names->book, answer->pid);

	for (; task; task = task->next) {
		if (task->pid != answer->pid ||
		    (task->state != NAME_ASKED && task->state != NAME_RENEWED))
			continue;
		task->state = NAME_KNOWN;
		task->hung = 0;
		if (answer->error || answer->start_ticks != task->start_ticks)
			continue; /* gone, or another process by now: no command */
		task->uid = answer->uid;
		task->uid_known = true;
		set_command(task, answer);
		if (!namebook_user(&names->book, task->uid) &&
		    namebook_add_user(&names->book, task->uid))
			ask_users(names);
	}
}

static void set_user(struct names *names, const struct name_message *answer)
{
	struct user_name *user = namebook_user(&names->book, answer->uid);
	char *name =
	    answer->error || !answer->length ? NULL : strndup(answer->text, answer->length);

	if (!user || !name) {
		free(name);
		return;
	}
	free(user->name);
	user->name = name;
}

static void take_answer(struct names *names, const struct name_message *answer)
{
	memmove(names->flight, names->flight + 1, names->helper.in_flight * sizeof(*names->flight));
	if (answer->kind == NAME_TASK) {
		set_task(names, answer);
	} else if (answer->kind == NAME_USER) {
		set_user(names, answer);
	} else {
		names->found_uid = true;
		names->uid = answer->uid;
		names->uid_error = answer->error;
	}
}

/* hung: the helper that hangs on it; 0: it hangs on another question. */
static void lose(struct names *names, const struct question *question, pid_t hung)
{
	struct user_name *user =
	    question->kind == NAME_USER ? namebook_user(&names->book, question->uid) : NULL;

	if (user)
		user->asked = hung > 0;
	if (question->kind != NAME_TASK)
		return;
	struct task_name *task = namebook_first(&names->book, question->pid);
	for (; task; task = task->next) {
		if (task->pid != question->pid ||
		    (task->state != NAME_ASKED && task->state != NAME_RENEWED))
			continue;
		task->state = task->state == NAME_RENEWED ? NAME_KNOWN : NAME_LATE;
		task->hung = hung;
		if (!hung)
			task->asked_in = '\0';
	}
}

/*
 * A late helper is killed. The question it hung on is not asked again before the
 * task changes its state; the others are.
 */
static void give_up(struct names *names)
{
	unsigned n = names->helper.in_flight;
	pid_t helper = helper_stop(&names->helper);

	for (unsigned i = 0; i < n; i++)
		lose(names, &names->flight[i], i == 0 ? helper : 0);
}

bool names_tend(struct names *names)
{
	static struct name_message answer; /* large; only the main thread is here */
	bool news = false;

	while (names->helper.fd >= 0) {
		ssize_t n = helper_answer(&names->helper, &answer, sizeof(answer));
		if (n == 0)
			break;
		if (n < (ssize_t)NAME_HEAD) { /* it has died, also while idle */
			give_up(names);
			break;
		}
		answer.length = (uint32_t)(n - NAME_HEAD);
		take_answer(names, &answer);
		news = true;
	}
	if (names_timeout_ms(names) == 0)
		give_up(names);
	return news;
}

static bool parse_uid(const char *user, uint32_t *uid)
{
	char *end;

	if (!isdigit((unsigned char)*user))
		return false;
	errno = 0;
	unsigned long n = strtoul(user, &end, 10);
	if (errno || *end || n > UINT32_MAX)
		return false;
	*uid = (uint32_t)n;
	return true;
}

int names_uid(struct names *names, const char *user, uint32_t *uid)
{
	static const int64_t patience_ns = 2 * 1000000000LL;
	struct name_message message;
	int64_t start = clock_mono_ns();

	if (parse_uid(user, uid))
		return 0;
	memset(&message, 0, NAME_HEAD);
	message.kind = NAME_UID;
	message.length = (uint32_t)strnlen(user, 255);
	memcpy(message.text, user, message.length);
	names->found_uid = false;
	if (!names->native)
		return -EOPNOTSUPP;
	if (!ask(names, &message))
		return -ETIMEDOUT;
	while (!names->found_uid && clock_mono_ns() - start < patience_ns) {
		struct pollfd fd = {.fd = names_fd(names), .events = POLLIN};
		if (fd.fd < 0)
			return -ETIMEDOUT;
		(void)poll(&fd, 1, 50);
		/* a directory service may take longer than a task's files may */
		names->helper.since_ns = clock_mono_ns();
		(void)names_tend(names);
	}
	if (!names->found_uid)
		return -ETIMEDOUT;
	*uid = names->uid;
	return names->uid_error ? -ENOENT : 0;
}
