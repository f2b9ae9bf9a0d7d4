/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices as a tree: what hangs where, in what order, and what cannot be.
 */
#include "bytes.h"

#include "iotriage/choice.h"

enum { STACK_MAX = 16 };

/* Devices as "name" or "name<lower<lower", in the kernel's order; sd?N is a partition. */
struct stack {
	struct device_info info[STACK_MAX];
	char lower[STACK_MAX][4][DEVICE_NAME_MAX];
	struct device_row row[STACK_MAX];
	struct frame frame;
};

static void stack_add(struct stack *stack, const char *text, double reads)
{
	size_t i = stack->frame.ndevice++;
	struct device_info *info = &stack->info[i];
	const char *at = text + strcspn(text, "<");

	assert_true(i < STACK_MAX);
	snprintf(info->name, sizeof(info->name), "%.*s", (int)(at - text), text);
	if (strncmp(info->name, "sd", 2) == 0 && info->name[3]) {
		info->class = DEVICE_PARTITION;
		snprintf(info->parent, sizeof(info->parent), "%.3s", text);
	}
	info->lower = stack->lower[i];
	for (; *at; at += 1 + strcspn(at + 1, "<"))
		snprintf(info->lower[info->nlower++], DEVICE_NAME_MAX, "%.*s",
			 (int)strcspn(at + 1, "<"), at + 1);
	stack->row[i] = (struct device_row){
	    .name = info->name, .info = info, .used = true, .r = value_of(reads), .verdict = ""};
	stack->frame.device = stack->row;
}

/* The tree as "0sda 1sda1 2dm-0": how deep, and the name. */
static void stack_chosen(const struct stack *stack, const struct choice *choice,
			 const char *expected)
{
	struct rows rows = {0};
	char text[400] = "";

	assert_int_equal(rows_choose(&rows, &device_table, choice, &stack->frame), 0);
	for (size_t i = 0; i < rows.n; i++)
		sprintf(text + strlen(text), "%s%u%s", i ? " " : "", rows.depth[i],
			((struct device_row *)rows.row[i])->name);
	assert_string_equal(text, expected);
	rows_release(&rows);
}

#define STACK(...)                                                                                 \
	stack_of((const char *const[]){__VA_ARGS__, NULL})

/* Reads are 1, 2, 3 ... in the order given. */
static struct stack *stack_of(const char *const *texts)
{
	static struct stack stack;

	memset(&stack, 0, sizeof(stack));
	for (size_t i = 0; texts[i]; i++)
		stack_add(&stack, texts[i], (double)i + 1);
	return &stack;
}

static void test_tree(void **state)
{
	const struct choice tree = {.tree = true};

	(void)state;
	stack_chosen(STACK("dm-0<sda3", "dm-1<sda3", "sda", "sda1", "sda2", "sda3"), &tree,
		     "0sda 1sda1 1sda2 1sda3 2dm-0 2dm-1");
	/* md on two disks: once, under the first of its members in the kernel's order */
	stack_chosen(STACK("md0<sdb1<sda1", "sda", "sda1", "sdb", "sdb1"), &tree,
		     "0sda 1sda1 2md0 0sdb 1sdb1");
	stack_chosen(STACK("dm-0<md0", "loop0<dm-0", "md0<sda<sdb", "sda", "sdb"), &tree,
		     "0sda 1md0 2dm-0 3loop0 0sdb");
	/* what they stand on is not there */
	stack_chosen(STACK("dm-0<sdz1", "sda", "sdb1"), &tree, "0dm-0 0sda 0sdb1");
	stack_chosen(STACK("md0<sdz1<sdb", "sda", "sdb"), &tree, "0sda 0sdb 1md0");
}

static void test_tree_order(void **state)
{
	const struct column *reads = column_find(&device_table, "r/s");
	const struct choice most = {.tree = true, .sort = reads, .descending = true};
	struct choice two = most;

	(void)state;
	stack_chosen(STACK("dm-0<sda1", "dm-1<sda1", "sda", "sda1", "sda2", "sdb"), &most,
		     "0sdb 0sda 1sda2 1sda1 2dm-1 2dm-0");
	/* whose first member it is does not depend on who is busier */
	stack_chosen(STACK("md0<sda<sdb", "sda", "sdb"), &most, "0sdb 0sda 1md0");
	two.top = 2;
	stack_chosen(STACK("dm-0<sda1", "sda", "sda1"), &two, "0sda 1sda1");
}

static void test_tree_filtered(void **state)
{
	char *globs[] = {"dm-*", "md*", "sdb1"};
	struct choice some = {.tree = true, .glob = globs, .nglob = 2};

	(void)state;
	stack_chosen(STACK("dm-0<md0", "md0<sda1<sdb1", "sda", "sda1", "sdb", "sdb1"), &some,
		     "0md0 1dm-0");
	/* the first member that is shown */
	some.nglob = 3;
	stack_chosen(STACK("dm-0<md0", "md0<sda1<sdb1", "sda", "sda1", "sdb", "sdb1"), &some,
		     "0sdb1 1md0 2dm-0");
}

/* What cannot be, is cut: each device is there once. */
static void test_tree_damaged(void **state)
{
	const struct choice tree = {.tree = true};
	struct rows rows = {0};

	(void)state;
	stack_chosen(STACK("dm-0<dm-0"), &tree, "0dm-0");
	stack_chosen(STACK("dm-0<dm-1", "dm-1<dm-0"), &tree, "0dm-0 1dm-1");
	stack_chosen(STACK("dm-0<dm-2", "dm-1<dm-0", "dm-2<dm-1", "sda"), &tree,
		     "0dm-0 1dm-1 2dm-2 0sda");
	const struct stack *deep =
	    STACK("dm-0", "dm-1<dm-0", "dm-2<dm-1", "dm-3<dm-2", "dm-4<dm-3", "dm-5<dm-4",
		  "dm-6<dm-5", "dm-7<dm-6", "dm-8<dm-7", "dm-9<dm-8", "dm-10<dm-9");
	stack_chosen(deep, &tree,
		     "0dm-0 1dm-1 2dm-2 3dm-3 4dm-4 5dm-5 6dm-6 7dm-7 8dm-8 0dm-9 1dm-10");
	/* any lower at all, in any order */
	uint32_t seed = 11;
	for (int round = 0; round < 20000; round++) {
		static struct stack stack;
		memset(&stack, 0, sizeof(stack));
		for (unsigned i = 0; i < STACK_MAX; i++) {
			char text[64];
			snprintf(text, sizeof(text), "dm-%u<dm-%u<dm-%u", i, die(&seed) % 20,
				 die(&seed) % 20);
			stack_add(&stack, text, die(&seed) % 5);
		}
		assert_int_equal(rows_choose(&rows, &device_table, &tree, &stack.frame), 0);
		assert_int_equal(rows.n, STACK_MAX);
		unsigned seen = 0;
		for (size_t i = 0; i < rows.n; i++) {
			seen |= 1u << ((struct device_row *)rows.row[i] - stack.row);
			assert_true(rows.depth[i] <= (i ? rows.depth[i - 1] + 1 : 0) &&
				    rows.depth[i] <= TREE_DEPTH);
		}
		assert_int_equal(seen, (1u << STACK_MAX) - 1);
	}
	rows_release(&rows);
}

/* An order kept from before: siblings keep it, what is new comes last among them. */
static void test_tree_again(void **state)
{
	const struct stack *stack = STACK("dm-0<sda1", "dm-1<sda1", "sda", "sda1", "sdb");
	struct rows rows = {0};
	char names[100] = "";

	(void)state;
	assert_int_equal(
	    rows_choose(&rows, &device_table, &(struct choice){.tree = true}, &stack->frame), 0);
	void *kept[] = {(void *)&stack->row[4], (void *)&stack->row[2], (void *)&stack->row[3],
			(void *)&stack->row[1], (void *)&stack->row[0]};
	memcpy(rows.row, kept, sizeof(kept));
	rows_as_tree(&rows);
	for (size_t i = 0; i < rows.n; i++)
		sprintf(names + strlen(names), " %u%s", rows.depth[i],
			((struct device_row *)rows.row[i])->name);
	assert_string_equal(names, " 0sdb 0sda 1sda1 2dm-1 2dm-0");
	rows_release(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tree),          cmocka_unit_test(test_tree_order),
	    cmocka_unit_test(test_tree_filtered), cmocka_unit_test(test_tree_damaged),
	    cmocka_unit_test(test_tree_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
