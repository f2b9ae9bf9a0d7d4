/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keys do, one function each. The table in keys.c says which key.
 */
#ifndef IOTRIAGE_SCREEN_ACTION_H
#define IOTRIAGE_SCREEN_ACTION_H

#include "state.h"

enum screen_event action_overview(struct screen *screen);
enum screen_event action_devices(struct screen *screen);
enum screen_event action_tasks(struct screen *screen);
enum screen_event action_aio(struct screen *screen);
enum screen_event action_files(struct screen *screen);
enum screen_event action_findings(struct screen *screen);
enum screen_event action_next_view(struct screen *screen);
enum screen_event action_previous_view(struct screen *screen);
enum screen_event action_choose(struct screen *screen);
enum screen_event action_details(struct screen *screen);
enum screen_event action_finding_subject(struct screen *screen);
enum screen_event action_totals(struct screen *screen);
enum screen_event action_up(struct screen *screen);
enum screen_event action_down(struct screen *screen);
enum screen_event action_page_up(struct screen *screen);
enum screen_event action_page_down(struct screen *screen);
enum screen_event action_home(struct screen *screen);
enum screen_event action_end(struct screen *screen);
enum screen_event action_focus_before(struct screen *screen);
enum screen_event action_focus_next(struct screen *screen);
enum screen_event action_zoom(struct screen *screen);
enum screen_event action_menu(struct screen *screen);
enum screen_event action_sort_left(struct screen *screen);
enum screen_event action_sort_right(struct screen *screen);
enum screen_event action_reverse(struct screen *screen);
enum screen_event action_filter(struct screen *screen);
enum screen_event action_user(struct screen *screen);
enum screen_event action_active(struct screen *screen);
enum screen_event action_unused(struct screen *screen);
enum screen_event action_tree(struct screen *screen);
enum screen_event action_command(struct screen *screen);
enum screen_event action_threads(struct screen *screen);
enum screen_event action_processes(struct screen *screen);
enum screen_event action_peaks(struct screen *screen);
enum screen_event action_pause(struct screen *screen);
enum screen_event action_slower(struct screen *screen);
enum screen_event action_faster(struct screen *screen);
enum screen_event action_repaint(struct screen *screen);
enum screen_event action_help(struct screen *screen);
enum screen_event action_back(struct screen *screen);
enum screen_event action_quit(struct screen *screen);

#endif
