/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iotriage: which device is slow, who drives it, and why. */
#include "conf.h"
#include "explain.h"
#include "monitor.h"
#include "process.h"
#include "profile.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static int print_and_end(enum options_result what)
{
	if (what == OPTIONS_HELP)
		options_print_help();
	else
		puts("iotriage " PACKAGE_VERSION);
	return printed();
}

static int dump_config(const struct options *options)
{
	struct conf *conf = NULL;
	int status = conf_open(&conf, options->config);

	if (status == EXIT_DONE) {
		conf_tell(conf);
		conf_print(conf);
		status = printed();
	}
	conf_close(conf);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	int status = EXIT_USAGE;

	/* only how characters are encoded: numbers and sorting are the same everywhere */
	(void)setlocale(LC_CTYPE, "");
	process_prepare();
	if (argc > 1 && strcmp(argv[1], "explain") == 0)
		return explain_run(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "profile") == 0)
		return profile_run(argc - 1, argv + 1);
	enum options_result result = options_parse(&options, argc, argv);
	if (result == OPTIONS_RUN)
		status = options.dump_config ? dump_config(&options) : monitor_run(&options);
	else if (result != OPTIONS_WRONG)
		status = print_and_end(result);
	options_release(&options);
	return status;
}
