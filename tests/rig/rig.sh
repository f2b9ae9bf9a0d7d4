#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A block device whose service time and concurrency are known: slowdisk, and a
# loop device with direct I/O over its file. See README.md.
set -u
# shellcheck source=/dev/null
. "$(dirname "$0")/fuse.sh"

usage() {
	cat <<-'END'
	Usage: rig.sh [-b BUILDDIR] COMMAND
	  up DIR [service_us [slots [size_mib]]]   prints the loop device
	  set DIR NAME VALUE   service_us, slots, flush_us, stall
	  get DIR              the state and the counters
	  down DIR
	  probe                exit status 0 if this works here, else 77
	The server: $SLOWDISK, else slowdisk in BUILDDIR/tests/rig, BUILDDIR or beside this script.
	END
}

# The loop devices over $1/disk, read from sysfs alone.
loops() {
	for file in /sys/block/loop*/loop/backing_file; do
		{ read -r backing <"$file"; } 2>/dev/null || continue
		[ "$backing" = "$1/disk" ] || continue
		name=${file#/sys/block/}
		printf '/dev/%s\n' "${name%%/*}"
	done
}

# Those of the loop devices given that are attached, to a rig's file; without
# its mount the name is no more than "/disk".
attached() {
	for loop; do
		{ read -r backing <"/sys/block/${loop#/dev/}/loop/backing_file"; } 2>/dev/null &&
			[ "${backing##*/}" = disk ] && printf '%s\n' "$loop"
	done
}

write_ctl() {
	printf '%s\n' "$2" >"$1/ctl"
}

detach() {
	for loop; do
		awk -v dev="$loop" '{
			for (i = 7; i <= NF && $i != "-"; i++)
				;
			if ($(i + 2) == dev)
				print $5
		}' /proc/self/mountinfo | while read -r on; do
			umount -l "$on"
		done
		losetup -d "$loop"
	done
}

up() {
	dir=$(absolute "$1") || exit 1
	server=$(tool slowdisk "${SLOWDISK:-}" "$build") || die "no slowdisk: set SLOWDISK"
	! mounted "$dir" slowdisk >/dev/null || die "$dir: a rig is up there"
	mkdir -p "$dir" || exit 1
	"$server" -s "${2:-6000}" -n "${3:-1}" -m "${4:-64}" "$dir" || die "$server: cannot start"
	# Attaching reads the partition table and udev may look in: at full speed.
	write_ctl "$dir" "service_us 0" || { down "$dir"; exit 1; }
	loop=$(losetup --find --show --direct-io=on "$dir/disk") || { down "$dir"; exit 1; }
	sys=/sys/block/${loop#/dev/}
	if [ "$(cat "$sys/loop/dio")" != 1 ]; then
		down "$dir"
		die "$loop: no direct I/O"
	fi
	# One block request is one FUSE request, a MiB at most.
	[ "$(cat "$sys/queue/max_sectors_kb")" -le 1024 ] ||
		echo 1024 >"$sys/queue/max_sectors_kb" || { down "$dir"; exit 1; }
	write_ctl "$dir" "service_us ${2:-6000}" || { down "$dir"; exit 1; }
	printf '%s\n' "$loop"
}

# What waits is let through first, so that the loop device goes without errors;
# where that fails the server is taken from under it.
# shellcheck disable=SC2086 # lists of device names
down() {
	dir=$(absolute "$1") || exit 1
	devices=$(loops "$dir" | tr '\n' ' ')
	if mounted "$dir" slowdisk >/dev/null &&
		limit 2 write_ctl "$dir" 'stall 0
service_us 0
flush_us 0' 2>/dev/null; then
		limit 3 detach $devices
	fi
	take_down "$dir" slowdisk
	tries=60
	while left=$(attached $devices) && [ -n "$left" ]; do
		[ "$tries" -gt 0 ] || die "$left: still in use"
		[ $((tries % 20)) -ne 0 ] || limit 1 detach $left 2>/dev/null
		tries=$((tries - 1))
		sleep 0.05
	done
	! mounted "$dir" slowdisk >/dev/null || die "$dir: still mounted"
}

no() {
	echo "rig: cannot run here: $*"
	exit 77
}

probe() {
	why=$(no_fuse) && no "$why"
	[ -c /dev/loop-control ] || no "no /dev/loop-control"
	command -v losetup >/dev/null || no "no losetup"
	losetup --find >/dev/null 2>&1 || no "no free loop device"
	server=$(tool slowdisk "${SLOWDISK:-}" "$build") || no "no slowdisk: set SLOWDISK"
	tmp=$(mktemp -d) || no "no temporary directory"
	why=$( (up "$tmp/d" 0) 2>&1)
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
up:[2-5])
	shift
	up "$@"
	;;
set:4)
	dir=$(absolute "$2") || exit 1
	mounted "$dir" slowdisk >/dev/null || die "$dir: no rig"
	limit 5 write_ctl "$dir" "$3 $4" 2>/dev/null || die "cannot set $3 $4"
	;;
get:2)
	dir=$(absolute "$2") || exit 1
	mounted "$dir" slowdisk >/dev/null || die "$dir: no rig"
	limit 5 cat "$dir/ctl"
	;;
down:2) down "$2" ;;
probe:1) probe ;;
-h:1 | --help:1) usage ;;
*)
	usage >&2
	exit 2
	;;
esac
