/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of an answer, in the helper that looks. */
#include "looker.h"
#include "mountinfo.h"

#include <string.h>

size_t looker_room(const struct looker *looker)
{
	return LOOK_SPACE - looker->answer->length;
}

void *looker_record(struct looker *looker, enum look_kind kind, size_t size)
{
	struct look_record *record = (void *)(looker->answer->records + looker->answer->length);

	size = (size + 7) & ~(size_t)7;
	memset(record, 0, size);
	record->kind = (uint16_t)kind;
	record->size = (uint16_t)size;
	looker->answer->length += (uint32_t)size;
	return record;
}

void looker_add_file(struct looker *looker, const struct look_file *file, const char *path,
		     size_t length)
{
	struct look_file *record = looker_record(looker, RECORD_FILE, sizeof(*record) + length + 1);
	struct look_record head = record->head;

	*record = *file;
	record->head = head;
	memcpy(record->path, path, length);
}

void looker_add_mount(struct looker *looker, const struct mount_brief *brief,
		      const struct mount_space *space)
{
	enum { TOLD_MAX = sizeof(looker->told) / sizeof(*looker->told), POINT_MAX = 512 };
	static struct mount mount;
	struct text text = {space->text.p + brief->at, space->text.p + brief->at + brief->length};

	for (size_t i = 0; i < looker->ntold; i++)
		if (looker->told[i] == brief->id)
			return;
	if (looker->ntold < TOLD_MAX)
		looker->told[looker->ntold++] = brief->id;
	if (!mountinfo_next(&text, &mount))
		return;
	size_t type = strlen(mount.type) + 1, source = strlen(mount.source) + 1;
	size_t point = strnlen(mount.point, POINT_MAX - 1);
	struct look_mount *record =
	    looker_record(looker, RECORD_MOUNT, sizeof(*record) + type + source + point + 1);
	record->id = mount.id;
	record->major = mount.major;
	record->minor = mount.minor;
	memcpy(record->text, mount.type, type);
	memcpy(record->text + type, mount.source, source);
	memcpy(record->text + type + source, mount.point, point);
}
