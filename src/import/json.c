/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON of iostat, of sadf and of this program. The text is cut into the objects
 * that hold a list of devices, one for each interval, and only those are parsed:
 * so memory does not grow with it, and a text without an end is read as far as
 * it goes.
 */
#include "importer.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_BYTES_MAX = 8 * 1024 * 1024, JSON_DEPTH_MAX = 64 };

/* ---- figures ---- */

/* sadf names its columns without signs. */
static const struct heading *json_heading(const char *name)
{
	static const struct heading sadf[] = {
	    {"rkB", FIELD_RKB, 1, UNIT_KIB, 1},
	    {"wkB", FIELD_WKB, 1, UNIT_KIB, 1},
	    {"dkB", FIELD_DKB, 1, UNIT_KIB, 1},
	    {"rd_sec", FIELD_RKB, 0.5, UNIT_KIB, 1},
	    {"wr_sec", FIELD_WKB, 0.5, UNIT_KIB, 1},
	    {"util-percent", FIELD_UTIL, 1, UNIT_PERCENT, 1},
	    {"util", FIELD_UTIL, 1, UNIT_PERCENT, 1},
	};
	const struct word word = {.p = name, .n = strlen(name)};
	const struct heading *heading = heading_find(&word);

	for (size_t i = 0; !heading && i < sizeof(sadf) / sizeof(*sadf); i++)
		if (strcmp(name, sadf[i].name) == 0)
			heading = &sadf[i];
	return heading;
}

static const char *device_of(const json_t *object, bool *own)
{
	static const char *const keys[] = {"device", "disk_device", "disk-device"};

	for (size_t i = 0; i < 3; i++) {
		const char *name = json_string_value(json_object_get(object, keys[i]));
		*own = i == 0;
		if (!name)
			continue;
		const struct word word = {.p = name, .n = strlen(name)};
		return device_name_fits(&word) ? name : NULL;
	}
	return NULL;
}

static void read_device(struct import *import, json_t *object, unsigned long line)
{
	unsigned char rank[FIELDS] = {0};
	const char *key, *name;
	json_t *value;
	bool own;

	name = json_is_object(object) ? device_of(object, &own) : NULL;
	if (!name || block_find(import, name, strlen(name)) != SIZE_MAX)
		return;
	size_t row = block_add(import, name, strlen(name), line);
	if (row == SIZE_MAX)
		return;
	json_object_foreach(object, key, value)
	{
		const struct heading *heading = json_heading(key);
		enum field field = heading ? heading->field : own ? own_field(key) : FIELD_NONE;
		unsigned char this = heading ? heading->rank : 1;

		if (!json_is_number(value) || field == FIELD_NONE || this < rank[field])
			continue;
		rank[field] = this;
		import->block.field[row][field] =
		    value_of(json_number_value(value) * (heading ? heading->factor : 1));
	}
}

/* ---- an interval ---- */

static struct stamp json_stamp(const json_t *object)
{
	const json_t *value = json_object_get(object, "timestamp");
	struct stamp stamp = {0};
	const char *text = json_string_value(value);
	char joined[CLOCK_TEXT_MAX];
	struct number_style style = {0};
	struct line line = {0};

	if (json_is_object(value)) { /* of sadf */
		const char *date = json_string_value(json_object_get(value, "date"));
		const char *time = json_string_value(json_object_get(value, "time"));
		snprintf(joined, sizeof(joined), "%.20s %.20s", date ? date : "", time ? time : "");
		text = joined;
	}
	if (!text)
		text = json_string_value(json_object_get(object, "time"));
	if (!text)
		return stamp;
	line.p = text;
	line.n = strlen(text);
	line_words(&line, &style);
	if (!stamp_read(&line, &stamp))
		stamp = (struct stamp){0};
	return stamp;
}

static void read_iowait(struct import *import, const json_t *object)
{
	const json_t *iowait = json_object_get(json_object_get(object, "avg-cpu"), "iowait");

	if (!json_is_number(iowait))
		return;
	import->block.frame.system.iowait = value_of(json_number_value(iowait));
	import->block.has_cpu = true;
}

static enum boot_hint json_hint(struct import *import, const json_t *object,
				enum import_format format, bool sadf)
{
	if (format == IMPORT_OWN_JSON)
		return json_is_true(json_object_get(object, "since_boot")) ? BOOT_CERTAIN
									   : BOOT_NEVER;
	if (sadf)
		return BOOT_NEVER;
	enum boot_hint hint = context_take_hint(import);
	/* iostat -o JSON prints no banner; the first block is as below one */
	return hint == BOOT_TRY ? BOOT_LIKELY : hint;
}

/* The interval before it must be handed out first: it may be of the same devices. */
static void read_interval(struct import *import, json_t *object, unsigned long line)
{
	json_t *own = json_object_get(object, "devices"), *disks = json_object_get(object, "disk");
	enum import_format format = own ? IMPORT_OWN_JSON : IMPORT_IOSTAT_JSON;
	json_t *list = own ? own : disks, *device;
	bool sadf = json_is_object(json_object_get(object, "timestamp"));
	struct stamp stamp = json_stamp(object);
	size_t i;

	if (!json_is_array(list) || json_array_size(list) == 0 ||
	    block_begin(import, format, line, json_hint(import, object, format, sadf)))
		return;
	double seconds = stamp_difference(&import->context.last_stamp, &stamp);
	import->block.seconds = seconds > 0 ? seconds : 0;
	json_t *interval = json_object_get(object, "interval");
	if (json_is_number(interval))
		import->block.seconds = json_number_value(interval);
	import->block.stamp = import->context.last_stamp = stamp;
	json_t *epoch = json_object_get(object, "epoch");
	if (json_is_number(epoch)) {
		import->block.stamp.known = import->block.stamp.dated = true;
		import->block.stamp.seconds = json_number_value(epoch);
	}
	read_iowait(import, object);
	json_array_foreach(list, i, device) read_device(import, device, line);
	import->block.last_line = import->json.line;
}

/* ---- cutting ---- */

static void forget(struct json_text *json)
{
	json->n = 0;
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		json->start[i] = SIZE_MAX;
}

static void complain_json(struct import *import, const char *what)
{
	if (import->summary.broken_json)
		return;
	import->summary.broken_json = what;
	import->summary.broken_json_line = import->json.line;
}

/* Holds the object a list of devices of its own, not only an object within it? */
static bool is_interval(const char *p, size_t n)
{
	static const char *const keys[] = {"\"disk\"", "\"devices\""};

	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(keys[i]);
		for (size_t at = 0; at + length <= n; at++)
			if (p[at] == '"' && memcmp(p + at, keys[i], length) == 0)
				return true;
	}
	return false;
}

/* The object that begins at p and holds no other; its bytes, 0: there is none. */
static size_t flat_object(const char *p, const char *end)
{
	for (const char *q = p + 1; q < end && *q != '{'; q++)
		if (*q == '}')
			return (size_t)(q + 1 - p);
	return 0;
}

/* Of a text that is cut or edited the devices that are whole. */
static void salvage(struct import *import, size_t start)
{
	const char *p = import->json.p + start, *end = import->json.p + import->json.n;
	bool begun = false, own;

	for (; p < end && !import->error; p++) {
		size_t n = *p == '{' ? flat_object(p, end) : 0;
		json_t *object = n ? json_loadb(p, n, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
		const char *name = object ? device_of(object, &own) : NULL;

		if (name && !own) {
			bool sadf = json_object_get(object, "disk-device") != NULL;

			if (!begun || block_find(import, name, strlen(name)) != SIZE_MAX)
				(void)block_begin(
				    import, IMPORT_IOSTAT_JSON, import->json.first_line,
				    json_hint(import, object, IMPORT_IOSTAT_JSON, sadf));
			begun = true;
			read_device(import, object, import->json.line);
		}
		json_decref(object);
	}
}

static void end_object(struct import *import)
{
	struct json_text *json = &import->json;
	size_t start = json->start[json->depth];
	json_error_t error;

	if (start == SIZE_MAX || !is_interval(json->p + start, json->n - start))
		return;
	json_t *object =
	    json_loadb(json->p + start, json->n - start, JSON_DECODE_INT_AS_REAL, &error);
	if (object)
		read_interval(import, object, json->first_line);
	else {
		complain_json(import, "an interval of the JSON text is malformed");
		salvage(import, start);
	}
	json_decref(object);
	json->first_line = json->line + 1;
	forget(json);
}

static bool put(struct import *import, char c)
{
	struct json_text *json = &import->json;

	if (json->n == JSON_BYTES_MAX)
		forget(json); /* an object this large is no interval */
	if (json->n == json->cap) {
		size_t cap = json->cap ? 2 * json->cap : 16384;
		char *p = realloc(json->p, cap);
		if (!p) {
			import->error = -ENOMEM;
			return false;
		}
		json->p = p;
		json->cap = cap;
	}
	json->p[json->n++] = c;
	return true;
}

static bool take_string(struct json_text *json, char c)
{
	if (json->escaped)
		json->escaped = false;
	else if (c == '\\')
		json->escaped = true;
	else if (c == '"')
		json->in_string = false;
	return true;
}

/* false: this is no JSON. */
static bool take(struct import *import, char c)
{
	struct json_text *json = &import->json;

	if (json->in_string)
		return put(import, c) && take_string(json, c);
	if (c == '{') {
		if (json->depth == JSON_DEPTH_MAX)
			return false;
		json->start[json->depth++] = json->n;
	}
	if (!put(import, c))
		return true;
	if (c == '"')
		json->in_string = true;
	else if (c == '}' && --json->depth >= 0)
		end_object(import);
	else if (!c || !strchr("{[]:, \t+-.0123456789eEtruefalsn", c))
		return false;
	return json->depth >= 0;
}

static bool begins_json(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == ','))
		i++;
	if (i == n || p[i] != '{')
		return false;
	for (i++; i < n && (p[i] == ' ' || p[i] == '\t'); i++)
		;
	return i == n || p[i] == '"';
}

bool json_begins(struct import *import, const char *p, size_t n, unsigned long number)
{
	struct json_text *json = &import->json;

	if (!json->active) {
		if (!begins_json(p, n))
			return false;
		*json = (struct json_text){
		    .active = true, .p = json->p, .cap = json->cap, .first_line = number};
		forget(json);
		grid_close(import);
	}
	json->line = number;
	return true;
}

bool json_bytes(struct import *import, const char *p, size_t n)
{
	for (size_t i = 0; i < n && !import->error; i++)
		if (!take(import, p[i])) {
			salvage(import, 0);
			import->json.active = false;
			return false;
		}
	return true;
}

void json_line_ends(struct import *import)
{
	struct json_text *json = &import->json;

	(void)put(import, ' ');
	json->in_string = false; /* no string goes over a line */
	if (json->depth == 0)
		json->active = false;
}

bool json_line(struct import *import, const struct line *line)
{
	if (!json_begins(import, line->p, line->n, line->number) ||
	    !json_bytes(import, line->p, line->n))
		return false;
	json_line_ends(import);
	return true;
}

void json_end(struct import *import)
{
	if (import->json.active && import->json.depth > 0)
		complain_json(import, "the JSON text has no end");
	if (import->json.active)
		salvage(import, 0);
	import->json.active = false;
}
