/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file each call of some processes goes to: iotriage profile. */
#ifndef IOTRIAGE_PROFILE_RUN_H
#define IOTRIAGE_PROFILE_RUN_H

/* argv[0] is "profile". An exit status; what went wrong has been said. */
int profile_run(int argc, char **argv);

#endif
