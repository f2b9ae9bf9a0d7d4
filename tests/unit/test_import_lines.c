/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first stages of the importer: clean lines, words and numbers, columns. */
#include "import/field.h"
#include "import/line.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct word word_of(const char *text)
{
	return (struct word){.p = text, .n = strlen(text)};
}

/* ---- cleaning ---- */

static void check_clean(const char *from, const char *expected)
{
	size_t n = strlen(from);
	char *to = malloc(n + 1); /* exactly: a write behind it is seen by the sanitizer */

	assert_non_null(to);
	size_t length = line_clean(to, from, n);
	to[length] = '\0';
	assert_string_equal(to, expected);
	/* what is not dirty is left alone by cleaning */
	if (!line_is_dirty(from, n))
		assert_string_equal(from, expected);
	free(to);
}

static void test_cleaning(void **state)
{
	(void)state;
	check_clean("sda 1.00", "sda 1.00");
	check_clean("> sda 1.00", "sda 1.00");
	check_clean(">> > sda", "sda");
	check_clean("JD> sda", "sda");
	check_clean("  > sda", "sda");
	check_clean("<KEY> sda", "<KEY> sda");
	check_clean("\033[1;32msda\033[0m 1.00\033[K", "sda 1.00");
	check_clean("\033]0;title\asda", "sda");
	check_clean("\033[1", "");
	check_clean("\033", "");
	check_clean("sdb\ba", "sda");
	check_clean("\b\bsda", "sda");
	check_clean("sda\xc2\xa0"
		    "1",
		    "sda 1");
	check_clean("sda\xe2\x80\xaf"
		    "1",
		    "sda 1");
	check_clean("\xef\xbb\xbfsda", "sda");
	check_clean("\xe2\x88\x92"
		    "5",
		    "-5");
	check_clean("sda\xa0"
		    "1",
		    "sda 1");
	check_clean("s\xffz \xc3\xa9 \xc3", "s?z \xc3\xa9 ?");
	check_clean("a\001b", "a b");
	check_clean("<pre>sda&nbsp;1.00</pre>", "sda 1.00");
	check_clean("&gt; sda 1.00<br/>", "sda 1.00 ");
	check_clean("<preset> a&b", "<preset> a&b");
	check_clean("r\\_await 1\\%", "r_await 1%");
}

static void test_pages(void **state)
{
	(void)state;
	check_clean("&gt; &gt; sda&nbsp;1", "sda 1");
	check_clean("sda 1<br />", "sda 1 ");
	check_clean("<PRE>sda", "sda");
	check_clean("<font color=red>sda</font>", "sda");
	check_clean("<td>sda</td>", " sda ");
	check_clean("<cut>", "<cut>");
	check_clean("<p", "<p");
	check_clean("<", "<");
	check_clean("</", "</");
	check_clean("<>", "<>");
	check_clean("&", "&");
	check_clean("a && b &lt;c", "a && b <c");
	check_clean("avgrq\\-sz \\%util \\\\W9\\P \\", "avgrq-sz %util \\\\W9\\P \\");
	check_clean("\xe2\x94\x82"
		    "sda\xe2\x95\x91",
		    " sda ");
	check_clean("# sda", " sda");
	check_clean("#sda", "sda");
	check_clean("> # sda", " sda");
	check_clean("## sda", "## sda");
	check_clean("// sda", " sda");
	check_clean("/dev/sda", "/dev/sda");
	check_clean(" * sda", " sda");
	check_clean("*** ***", "*** ***");
	check_clean("#", "#");
}

static void test_quoted_printable(void **state)
{
	(void)state;
	check_clean("fs.aio-nr =3D 5", "fs.aio-nr = 5");
	check_clean("fs.aio-nr=20480", "fs.aio-nr=20480");
	check_clean("sda=20", "sda ");
	check_clean("sda=C2=A0"
		    "1",
		    "sda 1");
	check_clean("count=10", "count=10");
	check_clean("x=3", "x=3");

	char line[80];
	memset(line, '1', sizeof(line));
	line[79] = '=';
	assert_true(line_is_continued(line, 80));
	assert_false(line_is_continued(line + 40, 40)); /* short: it is no broken line */
	line[78] = '=';
	assert_false(line_is_continued(line, 80)); /* a rule of equals signs */
}

/* ---- numbers ---- */

static void check_number(enum decimals decimals, const char *text, enum word_kind kind,
			 double number, char suffix)
{
	struct number_style style = {.decimals = decimals};
	struct word word = word_of(text);

	word_read(&word, &style);
	if (word.kind != kind ||
	    (kind == WORD_NUMBER && (word.number < number - 1e-9 * (1 + fabs(number)) ||
				     word.number > number + 1e-9 * (1 + fabs(number)))) ||
	    (kind != WORD_TEXT && word.suffix != suffix))
		fail_msg("\"%s\": kind %d, number %.9g, suffix %d", text, word.kind, word.number,
			 word.suffix);
}

static void test_numbers(void **state)
{
	const enum decimals any = DECIMALS_UNKNOWN;

	(void)state;
	check_number(any, "0.00", WORD_NUMBER, 0, 0);
	check_number(any, "12.5", WORD_NUMBER, 12.5, 0);
	check_number(any, "330,40", WORD_NUMBER, 330.4, 0);
	check_number(any, "9683204258164,84", WORD_NUMBER, 9683204258164.84, 0);
	check_number(any, "18446744073709551615", WORD_NUMBER, 18446744073709551615.0, 0);
	check_number(any, "1,234.50", WORD_NUMBER, 1234.5, 0);
	check_number(any, "1.234,50", WORD_NUMBER, 1234.5, 0);
	check_number(any, "1,234,567", WORD_NUMBER, 1234567, 0);
	check_number(any, "1,234", WORD_UNKNOWN, 0, 0);
	check_number(DECIMALS_COMMA, "1,234", WORD_NUMBER, 1.234, 0);
	check_number(DECIMALS_POINT, "1,234", WORD_NUMBER, 1234, 0);
	check_number(DECIMALS_BOTH, "1,234", WORD_UNKNOWN, 0, 0);
	check_number(any, "1.234", WORD_NUMBER, 1.234, 0);
	check_number(any, "0.", WORD_UNKNOWN, 0, 0); /* torn */
	check_number(any, "-", WORD_UNKNOWN, 0, 0);
	check_number(any, "nan", WORD_UNKNOWN, 0, 0);
	check_number(any, "9.2S", WORD_NUMBER, 9.2, 'S');
	check_number(any, "1.3M", WORD_NUMBER, 1.3, 'M');
	check_number(any, "3.5%", WORD_NUMBER, 3.5, '%');
	check_number(any, "sda", WORD_TEXT, 0, 0);
	check_number(any, "4.13.0-38", WORD_TEXT, 0, 0);
	check_number(any, "0x10", WORD_TEXT, 0, 0);
	check_number(any, "1e9", WORD_TEXT, 0, 0);
	check_number(any, "12:30", WORD_TEXT, 0, 0);
	check_number(any, "-5.5", WORD_NUMBER, -5.5, 0);
}

static void test_clocks(void **state)
{
	const char *const yes[] = {"18:43:45", "6:43:45", "06.43.45",
				   "06\xe6\x99\x82"
				   "43\xe5\x88\x86"
				   "54\xe7\xa7\x92"};
	const char *const no[] = {"sda",  "05/18/18",  "2018-09-05", "12:30",
				  "1.00", "123:45:67", "",           "10.0.0.1"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		struct word word = word_of(yes[i]);
		if (!word_is_clock(&word))
			fail_msg("%s is a clock", yes[i]);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		struct word word = word_of(no[i]);
		if (word_is_clock(&word))
			fail_msg("%s is no clock", no[i]);
	}
}

static void test_words(void **state)
{
	struct number_style style = {0};
	struct line *line = calloc(1, sizeof(*line));
	char many[4 * LINE_WORDS_MAX];

	(void)state;
	assert_non_null(line);
	line->p = "a\tbc | 1.00  x";
	line->n = strlen(line->p);
	line_words(line, &style);
	assert_int_equal(line->nword, 4);
	assert_int_equal(line->numbers, 1);
	assert_int_equal(line->word[0].end, 1);
	assert_int_equal(line->word[1].end, 10); /* a tab goes to the next eighth column */
	assert_true(word_is(&line->word[3], "x"));
	assert_false(line->overfull);
	for (size_t i = 0; i < sizeof(many); i += 2)
		memcpy(many + i, "1 ", 2);
	line->p = many;
	line->n = sizeof(many);
	line_words(line, &style);
	assert_int_equal(line->nword, LINE_WORDS_MAX);
	assert_true(line->overfull);
	free(line);
}

/* ---- columns ---- */

static double figure(const char *heading, const char *text)
{
	struct number_style style = {0};
	struct word name = word_of(heading), word = word_of(text);
	const struct heading *found = heading_find(&name);

	assert_non_null(found);
	word_read(&word, &style);
	return value_or(heading_value(found, &word), -1);
}

static void test_headings(void **state)
{
	(void)state;
	assert_true(figure("rkB/s", "100.00") == 100);
	assert_true(figure("rMB/s", "1.50") == 1536);
	assert_true(figure("rsec/s", "8.00") == 4);
	assert_true(figure("rkB/s", "1.5M") == 1536);
	assert_true(figure("rMB/s", "9.0k") == 9); /* the letter counts, not the heading */
	assert_true(figure("wkB/s", "512B") == 0.5);
	assert_true(figure("await", "9.5S") == 9500);
	assert_true(figure("%util", "3.5%") == 3.5);
	assert_true(figure("r/s", "1.2k") == 1200);
	assert_true(figure("r/s", "5%") == -1);
	assert_true(figure("r/s", "1,234") == -1);

	const char *const unknown[] = {"", "rkB", "r/", "zork/s", "%utilx", "R/S"};
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		struct word word = word_of(unknown[i]);
		assert_null(heading_find(&word));
	}
}

static void test_derived(void **state)
{
	struct value field[FIELDS];
	struct device_row row = {0};

	(void)state;
	fields_clear(field);
	field[FIELD_R] = value_of(100);
	field[FIELD_W] = value_of(300);
	field[FIELD_R_AWAIT] = value_of(2);
	field[FIELD_W_AWAIT] = value_of(6);
	field[FIELD_UTIL] = value_of(80);
	field[FIELD_AVGQU_SZ] = value_of(2);
	field[FIELD_RKB] = value_of(400);
	field[FIELD_WKB] = value_of(1200);
	fields_row(&row, field, 2, true);
	assert_true(row.await.n == 5 && row.svctm.n == 2 && row.qwait.n == 3 &&
		    row.wait_pct.n == 60);
	assert_true(row.depth.n == 2.5 && row.avgrq_sz.n == 8 && row.areq_sz.n == 4 &&
		    row.ios == 800);
	assert_false(value_known(row.f) || value_known(row.d_await) || value_known(row.avserv));

	/* averages over nothing, and averages of which it is not known over how many */
	field[FIELD_R] = value_of(0);
	field[FIELD_R_AWAIT] = value_of(0);
	fields_row(&row, field, 0, true);
	assert_int_equal(row.r_await.why, ABSENT_IDLE);
	assert_true(row.await.n == 6);
	field[FIELD_R] = value_absent(ABSENT_UNSUPPORTED);
	fields_row(&row, field, 0, true);
	assert_int_equal(row.r_await.why, ABSENT_UNSUPPORTED);
	assert_false(value_known(row.await) || value_known(row.svctm) || value_known(row.avgrq_sz));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cleaning),         cmocka_unit_test(test_pages),
	    cmocka_unit_test(test_quoted_printable), cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_clocks),           cmocka_unit_test(test_words),
	    cmocka_unit_test(test_headings),         cmocka_unit_test(test_derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
