/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tracing counted of asynchronous I/O, into the rows of the AIO table. */
#ifndef IOTRIAGE_FRAME_AIO_ACTIVITY_H
#define IOTRIAGE_FRAME_AIO_ACTIVITY_H

#include "iotriage/frame.h"

/* before and now: readings at any two times; before NULL: none. Rows come and go: call it when
 * they have changed. */
void aio_activity_attach(struct frame *frame, const struct aio_activity *before,
                         const struct aio_activity *now);

#endif
