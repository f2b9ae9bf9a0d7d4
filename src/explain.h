/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins an importer, the rules and a writer: iotriage explain. */
#ifndef IOTRIAGE_EXPLAIN_H
#define IOTRIAGE_EXPLAIN_H

/* argv[0] is "explain". An exit status; what went wrong has been said. */
int explain_run(int argc, char **argv);

#endif
