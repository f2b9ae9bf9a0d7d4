/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of what is wrong. */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

void complain(const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f || (unsigned char)*p >= 0x80)
			*p = '?';
	fprintf(stderr, "iotriage: %s\n", line);
}

int printed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	complain("stdout: cannot be written to");
	return EXIT_FAILED;
}
