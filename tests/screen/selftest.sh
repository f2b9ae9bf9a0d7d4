#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every step of ptyscreen must be able to fail as well as to hold. Builds the driver
# and a child of its own with $CC and $CFLAGS, unless $PTYSCREEN and $PTYCHILD name them.

set -u
unset UPDATE_GOLDEN PTY_LC_ALL

here=$(dirname "$0")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
count=0
failed=0

# shellcheck disable=SC2046,SC2086
build() {
	packages=$1
	shift
	${CC:-cc} -std=c11 -D_GNU_SOURCE ${CFLAGS:--O1 -g} "$@" $(pkg-config --cflags --libs $packages) -lutil
}

if [ -z "${PTYSCREEN:-}" ]; then
	PTYSCREEN=$tmp/ptyscreen
	build vterm -o "$PTYSCREEN" "$here"/pty*.c || exit 1
fi
if [ -z "${PTYCHILD:-}" ]; then
	PTYCHILD=$tmp/child
	build ncursesw -o "$PTYCHILD" "$here/selftest_child.c" || exit 1
fi

# report OK NAME
report() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		sed 's/^/# /' "$tmp/err"
	fi
}

# drive STEPS [ARGS...]: STEPS are parted by ";"; the command is the child unless given
drive() {
	printf '%s\n' "$1" | tr ';' '\n' >"$tmp/steps"
	shift
	[ $# -gt 0 ] || set -- "$PTYCHILD"
	"$PTYSCREEN" -s 40x10 -w "${wait:-5}" ${option:+"$option"} "$tmp/steps" -- "$@" \
		>"$tmp/out" 2>"$tmp/err"
}

# holds NAME STEPS [COMMAND...]
holds() {
	name=$1
	shift
	drive "$@"
	report $? "$name"
}

# fails NAME LINE TEXT STEPS [COMMAND...]: with status 1, at LINE, saying TEXT (a grep pattern)
fails() {
	name=$1 want="^ptyscreen: $tmp/steps:$2: .*$3"
	shift 3
	wait=0.6
	drive "$@"
	[ $? -eq 1 ] && [ "$(grep -c '^ptyscreen: ' "$tmp/err")" -eq 1 ] &&
		grep -q "$want" "$tmp/err"
	report $? "$name fails"
	wait=
}

# wrong NAME STEPS: status 2, nothing started
wrong() {
	drive "$2" touch "$tmp/started"
	[ $? -eq 2 ] && [ ! -e "$tmp/started" ]
	report $? "$1 is a wrong script"
}

try_golden() {
	UPDATE_GOLDEN=1 drive 'see plain;expect a.golden;key q;exit 0'
	report $? 'expect writes a golden file'
	[ "$(wc -l <"$tmp/a.golden")" -eq 10 ] &&
		grep -qx "$(printf 'wide 漢字 e\314\201 |')" "$tmp/a.golden" &&
		grep -qx '────────────' "$tmp/a.golden" && ! grep -q ' $' "$tmp/a.golden"
	report $? 'a golden file has all rows as UTF-8, without trailing blanks'
	holds 'expect' 'expect a.golden;key q;exit 0;restored'
	PTY_LC_ALL=C drive 'see plain;see ^────────────$;key q;exit 0'
	report $? 'lines are UTF-8 in the C locale too'
	sed 's/plain/plane/' "$tmp/a.golden" >"$tmp/b.golden"
	fails 'expect of another text' 2 '1 rows differ, within' 'see plain;expect b.golden'
	grep -q '^   7 - |plane' "$tmp/err" && grep -q '^   7 + |plain' "$tmp/err" &&
		grep -q '^           ^$' "$tmp/err"
	report $? 'the difference is shown with a caret'
	sed '$d' "$tmp/a.golden" >"$tmp/b.golden"
	fails 'expect of too few rows' 2 '(9 rows)' 'see plain;expect b.golden'
	fails 'expect of a file that is not' 1 'No such file' 'expect c.golden'
	fails 'expect after the end' 3 'exited with status 0' 'key q;exit 0;expect a.golden'
}

try_screen() {
	holds 'size at the top' 'size 30x8;see child 30x8 key none;key q;exit 0'
	holds 'size later' 'see 40x10;size 60x20;see child 60x20;size 1x1;size 50x9;see 50x9'
	holds 'named keys' 'see none;key <Up>;see KEY_UP;key <PgDn>;see NPAGE;key <F10>;see F\(10'
	holds 'escapes' 'see none;key \x41;see key A;key \t;see \^I;key <Esc>;key z;see key z'
	holds 'a < that is no name' 'see none;key <;see key <$'
	fails 'key after the end' 4 'exited with status 0' 'see plain;key q;exit 0;key x'
	fails 'see' 1 'no row matches, within' 'see nonesuch'
	fails 'see after the end' 2 'the child exited with status 0' 'key q;see nonesuch'
	holds 'gone' 'see key none;key x;gone key none'
	fails 'gone' 2 'a row still matches' 'see plain;gone plain'
	holds 'attr' 'attr hot red;attr hot bold;attr warm yellow;attr bar reverse;attr plain plain'
	fails 'attr red' 1 'foreground 3' 'attr warm red'
	fails 'attr yellow' 1 'foreground 1.*bold' 'attr hot yellow'
	fails 'attr bold' 1 'is not bold' 'attr warm bold'
	fails 'attr reverse' 1 'is not reverse' 'attr plain reverse'
	fails 'attr plain' 1 'reverse' 'attr bar plain'
	fails 'attr of no row' 1 'no row matches' 'attr nonesuch red'
	drive 'see plain;dump' && grep -q '^   7 |plain' "$tmp/out"
	report $? 'dump'
}

try_signals() {
	holds 'stopped and restored' \
		'see plain;signal TSTP;stopped;restored;gone plain;signal CONT;see plain;key x;see y x'
	fails 'stopped' 2 'does not stop' 'see plain;stopped'
	holds 'exit signal' 'see plain;key !;exit signal SIGSEGV'
	holds 'signal' 'see plain;signal KILL;exit signal SIGKILL'
	fails 'signal after the end' 3 'exited with status 0' 'key q;exit 0;signal SIGTERM'
	fails 'exit of another signal' 3 'by SIGKILL' 'see plain;signal KILL;exit signal TERM'
	fails 'exit of a signal, having exited' 3 'status 0' 'see plain;key q;exit signal TERM'
	holds 'exit status' 'see plain;key 3;exit 3'
	fails 'exit of another status' 3 'exited with status 3' 'see plain;key 3;exit 0'
	fails 'exit of a running child' 2 'is running' 'see plain;exit 0'
	fails 'exit of a command that is not' 1 'status 127' 'exit 0' "$tmp/nonesuch"
	fails 'restored while running' 2 'is running' 'see plain;restored'
	fails 'restored after a dirty exit' 4 'termios differs' 'see plain;key 3;exit 3;restored'
	fails 'restored with the alternate screen' 2 'alternate' 'exit 0;restored' \
		printf '\033[?1049h'
	fails 'restored without a cursor' 2 'cursor' 'exit 0;restored' printf '\033[?25l'
	fails 'restored with the mouse' 2 'mouse' 'exit 0;restored' printf '\033[?1000h'
	holds 'the mouse' 'see plain;mouse off;key m;see key m;key q;exit 0;restored'
	holds 'mouse on' 'mouse on;exit 0' printf '\033[?1000h'
	fails 'no mouse' 2 'it is off' 'see plain;mouse on'
	holds 'noescape' 'exit 0;see ^text;noescape' echo text
	fails 'noescape' 2 'ESC' 'see plain;noescape'
}

try_close() {
	holds 'close' 'see plain;close;exit nonzero'
	grep -q 'killed by SIGHUP, 0\.[01].* of CPU' "$tmp/out"
	report $? 'the CPU time is told'
	holds 'close, SIGHUP ignored' 'ignorehup;see plain;close;exit nonzero'
	grep -q 'exited with status 1,' "$tmp/out"
	report $? 'ignorehup'
	option=-c
	holds '-c' 'ignorehup;see plain'
	option=
	fails 'close with a child that spins' 4 'is running after 2 s' \
		'ignorehup;see plain;close;exit nonzero' "$PTYCHILD" spin
	fails 'exit nonzero of 0' 3 'status 0' 'see plain;key q;exit nonzero'
	fails 'exit nonzero of a crash' 3 'SIGSEGV' 'see plain;key !;exit nonzero'
	# shellcheck disable=SC2016 # for the child's shell
	fails 'exit nonzero with much CPU' 2 's of CPU, more' 'see go;exit nonzero' sh -c \
		'echo go; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 1'
	fails 'size after close' 3 'closed' 'see plain;close;size 10x10'
	fails 'close after the end' 3 'status 0' 'key q;exit 0;close'
}

try_random() {
	holds 'random' 'see plain;random 300 7 d3!;key q;exit 0;restored'
	holds 'random, size from before' 'see plain;random 20 1 d3!q;key x;see child 40x10'
	fails 'random on a child that crashes' 2 'SIGSEGV after' 'see plain;random 900 1 d3'
	grep -qE '^the last of them: .* !( |$)' "$tmp/err" # keys on their way come after it
	report $? 'its last keys are told'
	fails 'random on a child that fails' 2 'exited with status 3' 'see plain;random 900 1 d!'
	fails 'random on a deaf child' 2 'does not read' 'see plain;random 900 1 3!'
}

try_usage() {
	wrong 'an unknown step' 'frobnicate'
	wrong 'a script of comments' '# nothing;size 10x10'
	wrong 'a regex that is none' 'see ('
	wrong 'an unknown key' 'key <Dwon>'
	wrong 'an unknown escape' 'key \q'
	wrong 'a size of nothing' 'size 0x5'
	wrong 'an unknown signal' 'signal SIGFOO'
	wrong 'an unknown look' 'attr x purple'
	wrong 'a late ignorehup' 'see x;ignorehup'
	wrong 'random without a seed' 'random 5'
	wrong 'exit of no status' 'exit 300'
	"$PTYSCREEN" -s 5 - -- true </dev/null 2>"$tmp/err"
	[ $? -eq 2 ]
	report $? 'a wrong option is usage'
	"$PTYSCREEN" - true </dev/null 2>"$tmp/err"
	[ $? -eq 2 ]
	report $? 'no -- is usage'
}

# gone_soon: none of the processes noted in pids lives
gone_soon() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		# shellcheck disable=SC2046
		kill -0 $(cat "$tmp/pids") 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# shellcheck disable=SC2016 # for the child's shell
try_leftovers() {
	stay='trap "" HUP TERM; sleep 60 & echo $! >"$0"; echo $$ >>"$0"; echo go; wait'
	drive 'see go' sh -c "$stay" "$tmp/pids" && [ "$(wc -l <"$tmp/pids")" -eq 2 ] && gone_soon
	report $? 'no child is left behind'
	printf 'see go\nsee never\n' >"$tmp/steps"
	"$PTYSCREEN" -w 60 "$tmp/steps" -- sh -c "$stay" "$tmp/pids" 2>"$tmp/err" &
	sleep 0.5
	# shellcheck disable=SC2046
	kill -0 $(cat "$tmp/pids") && kill "$!"
	wait "$!"
	[ $? -gt 128 ] && gone_soon
	report $? 'nor by a driver that is killed'
}

# shellcheck disable=SC2016 # for the child's shell
try_environment() {
	LINES=3 COLUMNS=3 LANGUAGE=de TERM=vt52 TZ=CET drive \
		'see ^xterm-256color C.UTF-8 UTC$;see ^none none none$;exit 0' sh -c \
		'echo "$TERM $LC_ALL $TZ"; echo "${LINES-none} ${COLUMNS-none} ${LANGUAGE-none}"'
	report $? 'the environment is pinned'
	PTY_LC_ALL=C NO_COLOR=1 drive 'see ^C 1$' sh -c 'echo "$LC_ALL $NO_COLOR"'
	report $? 'PTY_LC_ALL and NO_COLOR reach the child'
}

try_golden
try_screen
try_signals
try_close
try_random
try_usage
try_leftovers
try_environment
echo "1..$count"
[ "$failed" -eq 0 ]
