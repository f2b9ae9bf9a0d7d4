/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in kernel text. */
#include "parse.h"

bool text_u64(struct text word, uint64_t *number)
{
	const char *p = word.p;
	bool minus = p < word.end && *p == '-';
	uint64_t n = 0;

	p += minus;
	if (p >= word.end)
		return false;
	for (; p < word.end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		unsigned digit = (unsigned)(*p - '0');
		n = n > (UINT64_MAX - digit) / 10 ? UINT64_MAX : n * 10 + digit;
	}
	*number = minus ? 0 - n : n;
	return true;
}
