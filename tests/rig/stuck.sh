#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process stuck on a filesystem that does not answer. See README.md. While it
# is up in mode flush, ps and its like hang on the whole machine: keep it short.
set -u
# shellcheck source=/dev/null
. "$(dirname "$0")/fuse.sh"

usage() {
	cat <<-'END'
	Usage: stuck.sh [-b BUILDDIR] COMMAND
	  up DIR [MODE]   prints the PID
	     flush  stuck inside execve, the exec lock held (default)
	     read   stuck in read(2)
	     direct the same, with direct I/O
	     open   stuck in open(2)
	     write  stuck inside mmap, the memory map's lock held
	  down DIR
	  probe           exit status 0 if this works here, else 77
	The programs: $STUCKFS and $STUCKEXEC, else in BUILDDIR/tests/rig, BUILDDIR or beside this
	script. All ends by itself after $STUCK_SECONDS (default 60).
	END
}

note() {
	printf '%s\n' "$2" >"$1/held"
}

up() {
	dir=$(absolute "$1") || exit 1
	mode=${2:-flush} op=${2:-flush} direct=
	case $mode in
	flush | open) how="exec" ;;
	read) how="read" ;;
	direct) how="read" op="read" direct=-d ;;
	write) how="map" ;;
	*)
		usage >&2
		exit 2
		;;
	esac
	server=$(tool stuckfs "${STUCKFS:-}" "$build") || die "no stuckfs: set STUCKFS"
	victim=$(tool stuckexec "${STUCKEXEC:-}" "$build") || die "no stuckexec: set STUCKEXEC"
	! mounted "$dir" stuckfs >/dev/null || die "$dir: one is up there"
	mkdir -p "$dir" || exit 1
	"$server" $direct -t "${STUCK_SECONDS:-60}" -o "$op" "$dir" || exit 1
	"$victim" -m "$how" "$dir/hang" </dev/null >/dev/null 2>&1 &
	pid=$!
	tries=100
	while ! { note "$dir" "stuck $pid" && limit 2 cat "$dir/held" | grep -q "^$op "; }; do
		tries=$((tries - 1))
		if [ "$tries" -eq 0 ] || ! kill -0 "$pid" 2>/dev/null; then
			down "$dir"
			die "the process did not get stuck"
		fi
		sleep 0.05
	done
	printf '%s\n' "$pid"
}

# A process that waits for an answer in flush cannot even be killed: it has to
# be marked as killed first and let go then.
down() {
	dir=$(absolute "$1") || exit 1
	found=$(mounted "$dir" stuckfs) || return 0
	pid=$(limit 2 cat "$dir/held" | sed -n 's/^stuck //p')
	! is_process "$pid" stuckexec || kill -KILL "$pid"
	abort_connection "${found%% *}"
	take_down "$dir" stuckfs
	{ wait_gone 3 "$pid" stuckexec && wait_gone 3 "$pid" true; } || die "process $pid is still there"
	! mounted "$dir" stuckfs >/dev/null || die "$dir: still mounted"
}

no() {
	echo "stuck: cannot run here: $*"
	exit 77
}

probe() {
	why=$(no_fuse) && no "$why"
	tool stuckfs "${STUCKFS:-}" "$build" >/dev/null || no "no stuckfs: set STUCKFS"
	tool stuckexec "${STUCKEXEC:-}" "$build" >/dev/null || no "no stuckexec: set STUCKEXEC"
	tmp=$(mktemp -d) || no "no temporary directory"
	why=$( (up "$tmp/d" open) 2>&1)
	status=$?
	(down "$tmp/d") >/dev/null 2>&1
	rmdir "$tmp/d" "$tmp" 2>/dev/null
	[ "$status" -eq 0 ] || no "${why:-the server does not start}"
}

build=
if [ "${1:-}" = -b ] && [ $# -ge 2 ]; then
	build=$2
	shift 2
fi
case ${1:-}:$# in
up:[23])
	shift
	up "$@"
	;;
down:2) down "$2" ;;
probe:1) probe ;;
-h:1 | --help:1) usage ;;
*)
	usage >&2
	exit 2
	;;
esac
