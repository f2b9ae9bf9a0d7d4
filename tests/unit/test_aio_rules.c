/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about asynchronous I/O.
 */
#include "world.h"

static int aio_severity(struct aio_row aio, struct numbers is, const char *rule, const char *says)
{
	struct world world;
	const struct finding *finding;
	int severity;

	world_start(&world, 1);
	world_add(&world, "sda", is);
	world.frame.aio = aio;
	world_tick(&world);
	finding = found(&world, "system", rule);
	severity = finding ? (int)finding->severity : NO;
	if (finding && !strstr(finding->text, says))
		fail_msg("\"%s\" is not in: %s", says, finding->text);
	world_end(&world);
	return severity;
}

static struct aio_row aio_slots(double nr, double max)
{
	const struct slab_value unread = {.state = SLAB_UNREAD};

	return (struct aio_row){.aio_nr = value_of(nr),
				.aio_max_nr = value_of(max),
				.kioctx = unread,
				.kiocb = unread,
				.io_kiocb = unread};
}

static void test_aio_exhausted(void **state)
{
	static const struct {
		double nr, max;
		int severity;
		const char *says;
	} cases[] = {
	    {65000, 65536, WARN, "65000 of 65536 AIO slots are reserved (99.2 % of fs.aio-max-nr)"},
	    {39322, 65536, NO, ""},
	    {2561, 65536, NO, ""},
	    {62260, 65536, WARN, ""},
	    {62259, 65536, NO, ""},
	    {65536, 65536, CRIT, ""},
	    {81920, 65536, CRIT, "125.0 %"},
	    {0, 0, NO, ""},
	    {5, 0, NO, ""},
	    {9223372036854775808.0, 65536, CRIT, "9223372036854775808 of 65536"},
	};
	struct aio_row unknown = aio_slots(65536, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(aio_severity(aio_slots(cases[i].nr, cases[i].max), FINE,
					      "aio-exhausted", cases[i].says),
				 cases[i].severity);
	unknown.aio_max_nr = value_absent(ABSENT_DENIED);
	assert_int_equal(aio_severity(unknown, FINE, "aio-exhausted", ""), NO);
}

#define COUNTED(a, t)                                                                              \
	{                                                                                          \
		{(a), PRESENT}, {(t), PRESENT}, SLAB_COUNTED                                       \
	}
#define SHARED(a)                                                                                  \
	{                                                                                          \
		{(a), PRESENT}, {(a), PRESENT}, SLAB_SHARED                                        \
	}
#define WITHOUT(state)                                                                             \
	{                                                                                          \
		{0, ABSENT_MERGED}, {0, ABSENT_MERGED}, (state)                                    \
	}
#define SLOTS(n)                                                                                   \
	.aio_nr = {(n), PRESENT}, .aio_max_nr = {65536, PRESENT}, .aio_pct = {                     \
		0, PRESENT                                                                         \
	}

static void test_aio_unused(void **state)
{
	static const struct {
		struct aio_row aio; /* aio-nr, kioctx, kiocb, io_kiocb */
		int severity;
		const char *says;
	} cases[] = {
	    {{SLOTS(512), COUNTED(35, 84), COUNTED(0, 0), WITHOUT(SLAB_UNAVAILABLE)},
	     INFO,
	     "contexts exist but nothing is in flight in them (kiocb 0 of 0, aio-nr 512 of 65536, "
	     "kioctx 35 of 84) while sda"},
	    {{SLOTS(0), COUNTED(0, 0), COUNTED(0, 0), WITHOUT(SLAB_UNAVAILABLE)},
	     INFO,
	     "No AIO context"},
	    {{SLOTS(512), COUNTED(35, 84), COUNTED(165, 165), WITHOUT(SLAB_UNAVAILABLE)}, NO, ""},
	    /* whole slabs count as active for a while after AIO has ended */
	    {{SLOTS(0), COUNTED(28, 28), COUNTED(125, 125), COUNTED(0, 0)}, NO, ""},
	    /* a shared count is no evidence, aio-nr is */
	    {{SLOTS(0), SHARED(28), SHARED(28), COUNTED(0, 0)}, INFO, "unknown (counted with"},
	    {{SLOTS(512), SHARED(0), SHARED(0), COUNTED(0, 0)}, NO, ""},
	    {{SLOTS(0), SHARED(28), WITHOUT(SLAB_MERGED), WITHOUT(SLAB_UNAVAILABLE)},
	     INFO,
	     "merged"},
	    {{SLOTS(0), SHARED(28), WITHOUT(SLAB_MERGED), WITHOUT(SLAB_MERGED)}, NO, ""},
	    {{SLOTS(0), SHARED(28), WITHOUT(SLAB_MERGED), COUNTED(64, 64)}, NO, ""},
	    {{SLOTS(0), WITHOUT(SLAB_DENIED), WITHOUT(SLAB_DENIED), WITHOUT(SLAB_DENIED)}, NO, ""},
	    {{SLOTS(0), WITHOUT(SLAB_UNREAD), WITHOUT(SLAB_UNREAD), WITHOUT(SLAB_UNREAD)}, NO, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int severity = aio_severity(cases[i].aio, SERIAL, "aio-unused", cases[i].says);

		if (severity != cases[i].severity)
			fail_msg("case %zu: %d", i, severity);
		/* never without serial work */
		assert_int_equal(aio_severity(cases[i].aio, DEEP, "aio-unused", ""), NO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_aio_exhausted),
	    cmocka_unit_test(test_aio_unused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
