/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The AIO lines of /proc/slabinfo. */
#include "parse.h"

void slabinfo_parse(const char *p, size_t n, struct aio_snapshot *aio)
{
	const struct {
		const char *name;
		struct slab_count *slab;
	} caches[] = {
		{"kioctx", &aio->kioctx},
		{"kiocb", &aio->kiocb},
		{"aio_kiocb", &aio->kiocb},
		{"io_kiocb", &aio->io_kiocb},
	};
	struct text text = {p, p + n}, line, word;
	uint64_t active, total;

	while (text_line(&text, &line)) {
		if (!text_word(&line, &word))
			continue;
		for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
			struct text rest = line, number;
			if (!text_is(word, caches[i].name) || !text_word(&rest, &number) ||
			    !text_u64(number, &active) || !text_word(&rest, &number) ||
			    !text_u64(number, &total))
				continue;
			*caches[i].slab = (struct slab_count){SLAB_COUNTED, active, total};
		}
	}
}
