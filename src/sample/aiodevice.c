/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file system AIO contexts are on, in the helper that looks: the kernel's
 * own, that no mount shows. A file of a detached mount may be called as a
 * context, and is not on that.
 */
#include "looker.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a context made for that; where none can be made nothing is known. */
static void learn(struct aio_device *device, struct bytes *bytes, int root_fd)
{
	unsigned long context = 0;
	struct map map;

	device->asked = true;
	if (syscall(SYS_io_setup, 1, &context) < 0)
		return;
	if (root_read(root_fd, "self/maps", bytes) == 0) {
		struct text text = {bytes->p, bytes->p + bytes->n}, line;
		while (!device->known && text_line(&text, &line)) {
			maps_line(line, &map);
			device->known = map.kind == MAP_AIO;
			device->major = map.major;
			device->minor = map.minor;
		}
	}
	(void)syscall(SYS_io_destroy, context);
}

bool aio_device_has(struct looker *looker, const struct map *map)
{
	struct aio_device *device = &looker->aio;

	if (!looker->native)
		return true;
	if (!device->asked)
		learn(device, &looker->bytes, looker->root_fd);
	return !device->known || (map->major == device->major && map->minor == device->minor);
}
