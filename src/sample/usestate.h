/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of processes' files and mappings: inside the module of uses.h. */
#ifndef IOTRIAGE_SAMPLE_USESTATE_H
#define IOTRIAGE_SAMPLE_USESTATE_H

#include "helper.h"
#include "iotriage/uses.h"
#include "look.h"
#include "usemode.h"
#include "useplace.h"

enum {
	USES_BUCKETS = 4096,
	KEPT_MAX = 4096,      /* files of a process whose positions are kept */
	KEPT_IN_ALL = 262144, /* and of all together */
	ROWS_MAX = 32768,     /* rows of the watched process's files */
	PATHS_MAX = 8 << 20,  /* bytes of their paths */
	PLACES_SEEN = 16,     /* mounts and devices of a process that are counted */
	PICKS_MAX = 64,       /* files of a process that are told of one by one */
	PICKS_IN_ALL = 16384, /* and of all together */
	PICK_PATH = 160       /* of a longer path its end */
};

/* An open file that may be on a device. */
struct use_file {
	int32_t fd, mnt_id;
	uint64_t inode, position;
};

/* An open file that tells how its process does I/O. */
struct use_pick {
	int32_t fd, mnt_id;
	uint64_t inode, position;
	int64_t read_ns; /* the position was */
	uint32_t flags;
	unsigned rank;        /* the higher the more it tells */
	double read_kib;      /* by the process, then */
	struct value pos_kb, pos_share; /* between the last two readings */
	const struct use_place *place; /* NULL: unknown */
	char path[PICK_PATH];
};

struct use_ring {
	int32_t fd;
	bool known, rated; /* tails were read once; twice */
	uint64_t inode;
	uint32_t sq_tail, cq_tail;
	int64_t read_ns; /* the tails were */
	double sq, cq;   /* per second, between the last two readings */
};

/* How many files point to a place, and how many do so with evidence of I/O. */
struct use_tally {
	struct use_place *place;
	unsigned files, telling;
};

/* What one look found, or has found so far. */
struct use_look {
	bool storage;     /* files were looked at, not only rings and counts */
	bool some;        /* only some descriptors that were known before were */
	int maps_error, files_error;
	struct use_seen seen;
	size_t all;
	struct use_tally tally[PLACES_SEEN];
	size_t ntally;
	char ioprio[12];
};

enum use_turn { TURN_NONE, TURN_URGENT, TURN_ROUND, TURNS };

/* A process. */
struct use {
	struct use *next;  /* in its bucket */
	struct use *later; /* in the line of those to be looked at */
	int32_t pid;
	uint64_t start_ticks;
	char comm[COMM_MAX]; /* of the program that all below is of; "": not known */
	unsigned long frame; /* the last one it was in */
	enum use_turn turn; /* the line it stands in */
	unsigned wants;     /* of the look it waits for */
	unsigned looks;     /* at all of it, that came to their end */
	enum absent why;    /* of all of it: ABSENT_NEW until a look has ended */
	bool gone;
	int64_t looked_ns, stored_ns; /* the last look, and the last with LOOK_STORAGE */
	int64_t cost_ns;              /* time of a CPU that one took */
	char late_in;                 /* its state when it was late */
	pid_t late_helper;            /* which may hang on */
	int64_t retry_ns;             /* late or denied: not before then */
	int64_t tick; /* the sample's time when it was last asked about, */
	int64_t whole_tick; /* and when about all of it */
	struct use_look *found;
	struct use_file *file; /* ascending fd */
	size_t nfile, file_cap;
	struct use_ring *ring; /* found->seen.rings has the count of all */
	size_t nring, ring_cap;
	struct use_pick *pick; /* the highest rank first */
	struct file_use *pick_use; /* what rows point to, one for each */
	size_t npick, pick_cap;
	int64_t limits_ns; /* its limits were read; 0: they were not */
	int64_t sample_ns; /* of the sample that faults are of */
	bool of_threads;
	uint64_t faults;
	struct value fault_rate;
	int64_t buffered_ns, mapped_ns; /* when that was last so */
	struct task_use use;            /* what rows point to */
};

/* A look under way. */
struct use_lane {
	struct use *of; /* NULL: none */
	bool forgotten; /* its answer is of no use any more */
	struct look_question question;
	int64_t cost_ns; /* time of a CPU so far */
	struct use_look look;
	struct use_ring ring[LOOK_RINGS_MAX];
	size_t nring;
	struct use_file *file;
	size_t nfile, file_cap;
	struct use_pick pick[PICKS_MAX];
	size_t npick;
	double read_kib; /* by the process, beside the positions; NAN: not known */
	bool limits_read;
	struct limit_list limits;
};

/* The watched process's files, as one look found them. */
struct watched_file {
	struct file_row row;
	struct use_place *place;
	uint64_t inode;
	uint32_t flags;
	int32_t mnt_id;
	int64_t read_ns;
	size_t path_at;
};

struct watched_files {
	struct watched_file *file;
	size_t n, cap;
	char *path;
	size_t npath, path_cap;
	struct file_counts counts;
	char head[4096], tail[4096]; /* of the sheet */
};

struct use_watch {
	int32_t pid; /* 0: none */
	uint64_t start_ticks;
	bool files, sheet;
	struct use *of;
	int64_t asked_for; /* the sample's time of the tick that asked last */
	enum absent state;
	bool ready; /* next is complete, and comes on show with the next attach */
	struct watched_files now, next;
	struct file_row *row;
	size_t nrow, row_cap;
	char text[8192]; /* the sheet */
};

struct use_line {
	struct use *first, *last;
};

struct uses {
	bool story;
	struct helper helper;
	char root[PATH_MAX];
	struct use *bucket[USES_BUCKETS];
	size_t nuse, nliving, nkept, npicked; /* all, those of the newest frame, files of all */
	unsigned long frame;                  /* number of the newest one */
	int32_t own_pid;                      /* this program's; 0: not among those looked at */
	struct use_places places;
	struct use_line line[TURNS];
	struct use_lane lane[LOOK_LANES];     /* the second is the watched process's */
	unsigned flight[LOOK_LANES], nflight; /* lanes with a question, the oldest first */
	struct use_watch watch;
	int64_t budget_ns, budget_at_ns; /* time of a CPU the helper may take now */
	int64_t frame_ns;                /* a story's clock */
	int32_t round_pid;               /* where the round over all processes is */
	int64_t asked_walk;              /* whose tasks have been asked about, */
	bool asked_all;                  /* those of the round, too */
	bool all_aio, round_done;
	/* rows where processes begin that may be asked about */
	uint32_t *maybe;
	size_t nmaybe, maybe_cap;
	int64_t maybe_walk; /* of this walk */
	bool maybe_all;     /* those of the round, too */
	bool no_context; /* anywhere: no slot is reserved */
	bool news, unattached; /* that was not told yet; that is in no frame yet */
	int64_t told_ns;       /* news was told of */
	struct aio_row *aio;
	size_t naio, aio_cap;
};

enum { LANE_ANY, LANE_WATCH };

/* Now, or the story's time. */
int64_t uses_now_ns(const struct uses *uses);

/* The rows of one process, which stand together. */
struct use_group {
	size_t first, end;
	const struct task_sample
	    *sample; /* of the process or its main thread; NULL: none to look at */
	bool active, on_show, blocked, of_threads;
	int64_t ran_ns; /* the newest of its rows */
	bool waits;     /* some of it is in D */
	uint64_t faults;
	struct use_rates rates;
};

/* The group that begins at row i. */
struct use_group group_at(const struct frame *frame, size_t i);

/* The walk that a frame's tasks are of. */
int64_t walk_of(const struct frame *frame);

struct use *uses_find(const struct uses *uses, int32_t pid, uint64_t start_ticks);

/* The round over all processes comes by it. */
bool uses_round_due(const struct use *use, const struct use_group *group, int64_t now);

/* Another program runs in the process: nothing is known of it, and nothing under way is of use. */
void uses_drop(struct uses *uses, struct use *use);

/* ---- looks under way ---- */

void lanes_open(struct uses *uses);

/* Somebody waits for it: the helper may work for a while without a pause. */
void lanes_hurry(struct uses *uses);

/* The process takes its turn; where it has one already only what is wanted may change. */
void uses_line_up(struct uses *uses, struct use *use, enum use_turn turn, unsigned wants);

/* Something new is known. */
void uses_note(struct uses *uses);

/* It is being looked at, or watched. */
bool uses_in_lane(const struct uses *uses, const struct use *use);

/* Begins a look in a lane that is free. */
void lane_start(struct uses *uses, unsigned n, struct use *use, unsigned wants);

/* What is found by the look under way is of no use any more. */
void lane_forget(struct uses *uses, unsigned n);

/* Goes on with what is under way, and begins what waits, as far as there is time for it. */
void lanes_go_on(struct uses *uses);

/* A story has time: returns when everything is answered. */
void lanes_await_all(struct uses *uses);

/* ---- a look's answers ---- */

void look_begin(struct use_lane *lane);
void look_take(struct uses *uses, struct use_lane *lane, const struct look_answer *answer);
void look_end(struct uses *uses, struct use_lane *lane);

/* ---- the files that tell most of a process ---- */

/* before: where the position was in the look before; NULL: not known. */
void picks_offer(struct use_lane *lane, const struct look_file *record,
		 const struct use_file *before, const struct use_place *place, int64_t read_ns);

/* A look at some descriptors: where the position is now. */
void picks_renew(struct use_lane *lane, const struct look_file *record, int64_t read_ns);

/* The end of a look at all files. */
void picks_keep(struct uses *uses, struct use_lane *lane);
void picks_drop(struct uses *uses, struct use *use);
void picks_release(struct use *use);

/*
 * Those that are read directly: their positions are looked at at every tick. How
 * many there are, at most LOOK_MOVING_MAX; fd may be NULL.
 */
size_t picks_moving(const struct use *use, int32_t *fd);

void picks_attach(struct use *use);

/* ---- the watched process ---- */

void watch_begin(struct use_watch *watch);
void watch_take(struct uses *uses, const struct look_file *record, int64_t read_ns);
void watch_end(struct use_watch *watch);
void watch_attach(struct uses *uses, struct frame *frame);
void watch_release(struct use_watch *watch);

#endif
