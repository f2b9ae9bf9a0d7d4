/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"
#include "refusal.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each program and map is an open file. */
enum { FILES_LEAST = 256 };

static const char btf_path[] = "/sys/kernel/btf/vmlinux";

static const char *const points[PROBE_POINTS] = {
	"block_bio_complete", "block_bio_queue", "block_getrq", "block_split",
	"block_io_start", "block_rq_complete", "block_rq_issue", "block_rq_merge", "block_rq_requeue",
	"io_uring_complete", "io_uring_submit_req", "sched_process_exit", "sched_process_fork",
	"sys_enter", "sys_exit",
};

/* Under confidentiality no kernel memory can be read. */
static bool locked_down(void)
{
	char line[128] = "";
	int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[n > 0 ? n : 0] = '\0';
	return refusal_is_lockdown(line);
}

static bool has_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	uint64_t has = data[0].effective | (uint64_t)data[1].effective << 32;
	uint64_t both = UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;

	return (has & both) == both || (has & UINT64_C(1) << CAP_SYS_ADMIN);
}

/* The first namespaces have numbers of their own. */
static bool is_namespace(const char *path, unsigned number)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_ino == (ino_t)number;
}

bool probe_first_namespace(void)
{
	return is_namespace("/proc/self/ns/pid", 0xEFFFFFFC);
}

void probe_failure(char why[TRACE_WHY_MAX], int error)
{
	const struct refusal refusal = {
		.error = error,
		.locked = locked_down(),
		.capable = has_capabilities(),
		.contained = !is_namespace("/proc/self/ns/user", 0xEFFFFFFD),
	};

	refusal_text(why, &refusal);
}

/* libbpf's own reports would land in the middle of the screen. */
static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

static int count_arguments(const struct btf *btf, const char *name)
{
	char typedef_name[80];
	const struct btf_type *type;
	int id;

	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	id = btf__find_by_name_kind(btf, typedef_name, BTF_KIND_TYPEDEF);
	type = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	type = type ? btf__type_by_id(btf, type->type) : NULL; /* a pointer */
	type = type && btf_is_ptr(type) ? btf__type_by_id(btf, type->type) : NULL;
	if (!type || !btf_is_func_proto(type) || btf_vlen(type) < 1)
		return -1;
	return btf_vlen(type) - 1; /* the first is the kernel's own */
}

bool probe_kernel(struct probe *probe, char why[TRACE_WHY_MAX])
{
	struct rlimit files;
	struct btf *btf;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FILES_LEAST) {
		snprintf(why, TRACE_WHY_MAX, "the limit on open files is below %d", FILES_LEAST);
		return false;
	}
	libbpf_set_print(say_nothing);
	if (access(btf_path, F_OK) < 0) {
		snprintf(why, TRACE_WHY_MAX, "the kernel does not describe its types (no %s)", btf_path);
		return false;
	}
	btf = btf__parse(btf_path, NULL);
	/* libbpf has numbers of its own beyond those of the system */
	if (!btf && (errno == EINVAL || errno == EIO || errno >= __LIBBPF_ERRNO__START))
		snprintf(why, TRACE_WHY_MAX, "%s does not describe types", btf_path);
	else if (!btf)
		snprintf(why, TRACE_WHY_MAX, "%s cannot be read: %s", btf_path, strerror(errno));
	if (!btf)
		return false;
	for (size_t i = 0; i < PROBE_POINTS; i++)
		probe->arguments[i] = count_arguments(btf, points[i]);
	probe->iterates_tasks = btf__find_by_name_kind(btf, "bpf_iter_task_new", BTF_KIND_FUNC) > 0 &&
				btf__find_by_name_kind(btf, "bpf_rcu_read_lock", BTF_KIND_FUNC) > 0;
	btf__free(btf);
	return true;
}

int probe_tracepoint(const struct probe *probe, const char *name)
{
	for (size_t i = 0; i < PROBE_POINTS; i++)
		if (strcmp(points[i], name) == 0)
			return probe->arguments[i];
	return -1;
}
