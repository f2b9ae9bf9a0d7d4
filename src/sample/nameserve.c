/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper that finds command lines and users. It may hang in the kernel at
 * any line below and is then killed; the program notices by the clock, never by
 * waiting for it.
 */
#include "nameserve.h"

#include <errno.h>
#include <fcntl.h>
#include <libproc2/pids.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ITEM_UID, ITEM_START, ITEMS };

/*
 * The arguments, joined by blanks, byte for byte: libproc2 would turn newlines
 * into blanks. Empty for a kernel thread.
 */
static void read_command(struct name_message *message)
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)message->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	do
		n = read(fd, message->text, sizeof(message->text));
	while (n < 0 && errno == EINTR);
	close(fd);
	while (n > 0 && message->text[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (message->text[i] == '\0')
			message->text[i] = ' ';
	message->length = n > 0 ? (uint32_t)n : 0;
}

/* libproc2's *_VAL macros change their arguments in 4.0.5; the structs do not. */
static void answer_task(struct pids_info *info, struct name_message *message)
{
	unsigned pid = (unsigned)message->pid;
	struct pids_fetch *fetch = procps_pids_select(info, &pid, 1, PIDS_SELECT_PID);

	if (!fetch || fetch->counts->total < 1) {
		message->error = ENOENT;
		return;
	}
	const struct pids_result *result = fetch->stacks[0]->head;
	message->uid = result[ITEM_UID].result.u_int;
	message->start_ticks = result[ITEM_START].result.ull_int;
	read_command(message);
}

static void answer_user(struct name_message *message)
{
	const struct passwd *user = getpwuid(message->uid);

	message->error = user ? 0 : ENOENT;
	if (user) {
		size_t n = strnlen(user->pw_name, sizeof(message->text));
		memcpy(message->text, user->pw_name, n);
		message->length = (uint32_t)n;
	}
}

static void answer_uid(struct name_message *message)
{
	char name[256];

	snprintf(name, sizeof(name), "%.*s", (int)message->length, message->text);
	const struct passwd *user = getpwnam(name);
	message->error = user ? 0 : ENOENT;
	message->uid = user ? user->pw_uid : 0;
	message->length = 0;
}

static void serve(int fd, struct pids_info *info)
{
	static struct name_message message;

	while (recv(fd, &message, sizeof(message), 0) >= (ssize_t)NAME_HEAD) {
		message.error = 0;
		if (message.kind != NAME_UID)
			message.length = 0;
		if (message.kind == NAME_TASK)
			answer_task(info, &message);
		else if (message.kind == NAME_USER)
			answer_user(&message);
		else
			answer_uid(&message);
		if (send(fd, &message, NAME_HEAD + message.length, MSG_NOSIGNAL) < 0)
			break;
	}
}

void names_serve(int fd)
{
	enum pids_item items[ITEMS] = {
		[ITEM_UID] = PIDS_ID_EUID,
		[ITEM_START] = PIDS_TICS_BEGAN,
	};
	struct pids_info *info = NULL;

	if (procps_pids_new(&info, items, ITEMS) == 0)
		serve(fd, info);
}
