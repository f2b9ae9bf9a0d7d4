/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file is called, of what the kernel told of it. */
#ifndef TRACE_PROFILE_PATH_H
#define TRACE_PROFILE_PATH_H

#include "profile.h"

#include <stddef.h>

/* More than a path of the kernel's can be. */
enum { PROFILE_TEXT_MAX = 2 * PROFILE_PATH_MAX };

/* Clean UTF-8: what is none, and control characters, become "?". Its length. */
size_t profile_path_text(char text[PROFILE_TEXT_MAX], const struct profile_name *name);

#endif
