/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a settings file: what is a setting, what is none, what a change leaves.
 */
#include "bytes.h"

#include "settings_lines.h"

static struct settings_lines lines_of(const char *text, size_t n)
{
	struct settings_lines lines = {0};
	struct exact bytes = exact_bytes(text, n);

	assert_int_equal(settings_lines_add(&lines, bytes.p, n), 0);
	free(bytes.p);
	return lines;
}

static const char *get(const struct settings_lines *lines, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < lines->n; i++)
		if (lines->line[i].name && strcmp(lines->line[i].name, name) == 0)
			value = lines->line[i].value;
	return value;
}

/* All lines are kept as they came. */
static void assert_kept(const struct settings_lines *lines, const char *text, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < lines->n; i++) {
		const struct settings_line *line = &lines->line[i];

		assert_true(at + line->n <= n);
		assert_memory_equal(line->text, text + at, line->n);
		at += line->n;
		assert_true(at == n || text[at] == '\n');
		at += at < n;
	}
	assert_int_equal(at, n);
}

static void test_names_and_values(void **state)
{
	static const char text[] =
	    "# comment = no\n\n \t \ncolumns.tasks = pid, user ,command \n\tmouse=no\nempty =\n"
	    "a = b = c # no comment\r\nmouse = yes";
	static const struct {
		const char *name, *value;
	} all[] = {{NULL, NULL},
		   {NULL, NULL},
		   {NULL, NULL},
		   {"columns.tasks", "pid, user ,command"},
		   {"mouse", "no"},
		   {"empty", ""},
		   {"a", "b = c # no comment"},
		   {"mouse", "yes"}};
	struct settings_lines lines = lines_of(text, strlen(text));

	(void)state;
	assert_int_equal(lines.n, 8);
	for (size_t i = 0; i < 8; i++) {
		if (!all[i].name) {
			assert_null(lines.line[i].name);
			continue;
		}
		assert_string_equal(lines.line[i].name, all[i].name);
		assert_string_equal(lines.line[i].value, all[i].value);
	}
	assert_string_equal(get(&lines, "mouse"), "yes"); /* the last one */
	assert_null(get(&lines, "columns"));
	assert_null(get(&lines, "# comment"));
	assert_kept(&lines, text, strlen(text));
	settings_lines_release(&lines);
	lines = lines_of("", 0);
	assert_int_equal(lines.n, 0);
	lines = lines_of("\n", 1);
	assert_int_equal(lines.n, 1);
	settings_lines_release(&lines);
}

static void test_what_is_no_setting(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} cases[] = {{"nonsense", 8}, {"= 1", 3},    {" \t= 1", 5}, {"a = \0 2", 7},
		     {"\0", 1},       {"\0 = 1", 5}, {"=", 1},      {"\xff\xfe", 2}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings_lines lines = lines_of(cases[i].text, cases[i].n);

		assert_int_equal(lines.n, 1);
		assert_string_equal(lines.line[0].name, "");
		assert_kept(&lines, cases[i].text, cases[i].n);
		settings_lines_release(&lines);
	}
}

static void test_a_change(void **state)
{
	static const char text[] = "a = 1\n\nb=2 \nnonsense\na = 3";
	static const char after[] = "a = 1\n\nb=2 \nnonsense\na = 4\nc = 5 6";
	struct settings_lines lines = lines_of(text, strlen(text));

	(void)state;
	assert_int_equal(settings_lines_set(&lines, "a", "4"), 0);
	assert_int_equal(settings_lines_set(&lines, "c", "5 6"), 0);
	assert_kept(&lines, after, strlen(after));
	assert_string_equal(get(&lines, "a"), "4");
	assert_string_equal(get(&lines, "c"), "5 6");
	settings_lines_release(&lines);
}

/* Any bytes: each line is kept, and is a setting, a comment or neither. */
static void test_random_bytes(void **state)
{
	static const char sample[] =
	    "# one\nmouse = yes\n\ncolumns.tasks = pid,user\n = \nx=y=z\r\n";
	uint32_t seed = 31337;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct exact text = exact_spoiled(sample, &seed);
		struct settings_lines lines = lines_of(text.p, text.n);

		assert_kept(&lines, text.p, text.n);
		for (size_t j = 0; j < lines.n; j++)
			assert_true(!lines.line[j].name == !lines.line[j].value);
		settings_lines_release(&lines);
		free(text.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_and_values),
	    cmocka_unit_test(test_what_is_no_setting),
	    cmocka_unit_test(test_a_change),
	    cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests_name("settings lines", tests, NULL, NULL) != 0;
}
