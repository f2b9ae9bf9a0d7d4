/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors, memory and crashes. */
#include "process.h"
#include "iotriage/screen.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A file opened later must not become stdout; and what is written there must fail. */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", O_RDONLY);
}

static bool may_lock(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)
		return true;
	return syscall(SYS_capget, &header, data) == 0 && (data[0].effective & (1u << CAP_IPC_LOCK));
}

static void on_crash(int number)
{
	screen_rescue();
	(void)raise(number); /* once more, with the default action */
}

static void restore_terminal_on_crash(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT};
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		(void)sigaction(signals[i], &action, NULL);
}

void process_prepare(void)
{
	fill_standard_descriptors();
	/* one heap: the worker's allocations are few, and memory stays small */
	(void)mallopt(M_ARENA_MAX, 1);
	/* a machine that swaps must not swap out its monitor; only what is touched */
	if (may_lock())
		(void)mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
	restore_terminal_on_crash();
}
