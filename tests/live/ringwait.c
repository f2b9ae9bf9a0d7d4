/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits in io_uring_enter(2) for an event that never comes, as an idle server
 * does: a poll of an eventfd nobody writes to. Status 77: no io_uring here.
 */
#include <linux/io_uring.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *map(int ring, size_t size, off_t what)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);
}

int main(void)
{
	struct io_uring_params params = {0};
	int ring = (int)syscall(__NR_io_uring_setup, 4, &params);
	int event = eventfd(0, EFD_CLOEXEC);
	struct io_uring_sqe *request;
	char *queue;

	if (ring < 0 || event < 0) {
		perror("ringwait");
		return ring < 0 && (errno == ENOSYS || errno == EPERM) ? 77 : 1;
	}
	queue = map(ring, params.sq_off.array + params.sq_entries * sizeof(unsigned),
		    IORING_OFF_SQ_RING);
	request = (void *)map(ring, params.sq_entries * sizeof(*request), IORING_OFF_SQES);
	if (queue == MAP_FAILED || (void *)request == MAP_FAILED) {
		perror("ringwait: mmap");
		return 1;
	}
	request->opcode = IORING_OP_POLL_ADD;
	request->fd = event;
	request->poll_events = POLLIN;
	*(unsigned *)(void *)(queue + params.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(void *)(queue + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		perror("ringwait: io_uring_enter");
	return 1;
}
