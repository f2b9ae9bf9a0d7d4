/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text: plain for files, fitted to a width for the screen. */
#include "iotriage/column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double power10[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

enum { MAX_PRECISION = 9 };

/* As most are. */
static size_t zero(char buf[NUMBER_MAX], unsigned precision)
{
	static const char zeros[] = "0.000000000";
	size_t n = precision ? 2 + precision : 1;

	memcpy(buf, zeros, sizeof(zeros));
	buf[n] = '\0';
	return n;
}

/* How many digits u has, at least so many. */
static unsigned count_digits(uint64_t u, unsigned least)
{
	uint64_t end = (uint64_t)power10[least - 1] * 10; /* the least number that has more */
	unsigned n = least;

	for (; u >= end && n < 19; end *= 10)
		n++;
	return n;
}

/* Written backwards; `minus` is kept only where a digit other than 0 is left. */
static size_t decimal(char buf[NUMBER_MAX], uint64_t u, unsigned precision, bool minus)
{
	unsigned digits = count_digits(u, precision + 1);
	size_t n = (minus && u) + digits + (precision > 0);
	char *p = buf + n;

	*p = '\0';
	for (unsigned i = 0; i < digits; i++, u /= 10) {
		if (i == precision && precision > 0)
			*--p = '.';
		*--p = (char)('0' + u % 10);
	}
	if (p > buf)
		*--p = '-';
	return n;
}

size_t number_plain(char buf[NUMBER_MAX], double n, unsigned precision)
{
	if (precision > MAX_PRECISION)
		precision = MAX_PRECISION;
	if (n == 0)
		return zero(buf, precision);
	buf[0] = '\0';
	if (!isfinite(n))
		return 0;
	if (fabs(n) >= 9e18 / power10[precision])
		return (size_t)snprintf(buf, NUMBER_MAX, fabs(n) < 1e20 ? "%.0f" : "%.6e", n);
	return decimal(buf, (uint64_t)llrint(fabs(n) * power10[precision]), precision, n < 0);
}

/* n with as many of `precision` decimals as leave room for `suffix`; 0: does not fit. */
static size_t try_fit(char buf[NUMBER_MAX], double n, unsigned width, unsigned precision, char suffix)
{
	for (int p = (int)precision; p >= 0; p--) {
		size_t len = number_plain(buf, n, (unsigned)p);
		if (len == 0 || len + (suffix != '\0') > width)
			continue;
		if (suffix) {
			buf[len++] = suffix;
			buf[len] = '\0';
		}
		return len;
	}
	return 0;
}

/* The first entry of suffix is none; each further one stands for `step` times more. */
static size_t fit_scaled(char buf[NUMBER_MAX], struct value v, unsigned width, unsigned precision,
                         const char *suffix, size_t nsuffix, double step)
{
	double n = v.n;

	if (width >= NUMBER_MAX)
		width = NUMBER_MAX - 1;
	if (width > 0 && v.why == PRESENT && isfinite(n)) {
		for (size_t i = 0; i < nsuffix; i++, n /= step) {
			size_t len = try_fit(buf, n, width, i ? 1 : precision, suffix[i]);
			if (len > 0)
				return len;
		}
	}
	if (width == 0) {
		buf[0] = '\0';
		return 0;
	}
	return (size_t)snprintf(buf, NUMBER_MAX, "%s", v.why == PRESENT ? ">" : "-");
}

size_t number_fit(char buf[NUMBER_MAX], struct value v, unsigned width, unsigned precision)
{
	static const char suffix[] = "\0KMGTPEZY";

	return fit_scaled(buf, v, width, precision, suffix, sizeof(suffix) - 1, 1000);
}

size_t kib_fit(char buf[NUMBER_MAX], struct value kib, unsigned width, unsigned precision)
{
	static const char suffix[] = "\0MGTPEZY";

	return fit_scaled(buf, kib, width, precision, suffix, sizeof(suffix) - 1, 1024);
}

size_t size_fit(char buf[NUMBER_MAX], struct value kib)
{
	static const char suffix[] = "KMGTPEZY";
	double n = kib.n;
	unsigned i = 0;

	if (kib.why != PRESENT || !isfinite(n))
		return (size_t)snprintf(buf, NUMBER_MAX, "-");
	for (; fabs(n) >= 999.5 && i + 1 < sizeof(suffix) - 1; i++)
		n /= 1024;
	if (fabs(n) < 0.05)
		return (size_t)snprintf(buf, NUMBER_MAX, "0");
	if (try_fit(buf, n, fabs(n) < 9.95 ? 4 : 5, fabs(n) < 9.95 ? 1 : 0, suffix[i]) == 0)
		snprintf(buf, NUMBER_MAX, ">");
	return strlen(buf);
}
