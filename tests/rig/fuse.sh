# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What rig.sh and stuck.sh share. Nothing here waits for a filesystem of theirs
# without an end, and nothing is remembered on disk: mountinfo has the server's
# PID (the source is KIND:PID) and the connection's number (the device's minor).

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# The absolute name of directory $1, without touching the directory itself:
# it may be a mount that does not answer.
absolute() {
	case $1 in
	*[!A-Za-z0-9_./+,:@%-]* | '') die "'$1': plain names only, please" ;;
	esac
	name=${1%"${1##*[!/]}"}
	case $name in
	*/*) parent=${name%/*}/ ;;
	*) parent=./ ;;
	esac
	case ${name##*/} in
	'' | . | ..) die "'$1': name the directory itself" ;;
	esac
	parent=$(cd "$parent" && pwd -P) || exit 1
	printf '%s/%s\n' "${parent%/}" "${name##*/}"
}

# The tool $1: the file $2 where that is set, else in the build directory $3,
# else beside this script.
tool() {
	if [ -n "$2" ]; then
		printf '%s\n' "$2"
		return
	fi
	for dir in ${3:+"$3/tests/rig" "$3"} "$(dirname "$0")"; do
		[ -x "$dir/$1" ] || continue
		printf '%s\n' "$dir/$1"
		return
	done
	return 1
}

# "minor source" of what is mounted on $1 as fuse.$2, the topmost.
mounted() {
	awk -v dir="$1" -v type="fuse.$2" '
		$5 == dir {
			for (i = 7; i <= NF && $i != "-"; i++)
				;
			if ($(i + 1) == type) {
				split($3, number, ":")
				found = number[2] " " $(i + 2)
			}
		}
		END { if (found) print found; else exit 1 }
	' /proc/self/mountinfo
}

# limit SECONDS COMMAND...: its status, or 124 when it has not ended by then; it
# may go on in the background, because a process in D state cannot be waited for.
limit() {
	ticks=$(($1 * 20))
	shift
	"$@" &
	child=$!
	while kill -0 "$child" 2>/dev/null; do
		if [ "$ticks" -le 0 ]; then
			kill -9 "$child" 2>/dev/null
			return 124
		fi
		ticks=$((ticks - 1))
		sleep 0.05
	done
	wait "$child"
}

# Break connection $1 off: whoever waits for it gets an error. In a mount
# namespace of its own, so that fusectl need not be mounted and does not stay.
# shellcheck disable=SC2016 # $1 is the inner shell's
abort_connection() {
	unshare -m sh -c '
		cd /sys/fs/fuse/connections || exit 1
		if [ ! -e "$1/abort" ]; then
			mount -t fusectl fusectl /sys/fs/fuse/connections || exit 1
			cd /sys/fs/fuse/connections || exit 1
		fi
		[ ! -e "$1/abort" ] || echo 1 >"$1/abort"
	' sh "$1"
}

# Whether process $1 goes by the name $2 and has not ended. Its status can be
# read while it is stuck inside execve; its stat cannot.
is_process() {
	[ -n "$1" ] && awk -v name="$2" '
		$1 == "Name:" { named = $2 == name }
		$1 == "State:" { ended = $2 == "Z" || $2 == "X" }
		END { exit !(named && !ended) }
	' "/proc/$1/status" 2>/dev/null
}

# wait_gone SECONDS PID NAME
wait_gone() {
	left=$(($1 * 20))
	while is_process "$2" "$3"; do
		[ "$left" -gt 0 ] || return 1
		left=$((left - 1))
		sleep 0.05
	done
}

# Take away the server of kind $2 on $1, by the first means that works: ask,
# abort, kill, unmount.
take_down() {
	while found=$(mounted "$1" "$2"); do
		minor=${found%% *}
		server=${found##*:}
		is_process "$server" "$2" && kill -TERM "$server"
		if ! wait_gone 2 "$server" "$2"; then
			abort_connection "$minor"
			kill -KILL "$server" 2>/dev/null
			wait_gone 2 "$server" "$2"
		fi
		mounted "$1" "$2" >/dev/null || break
		abort_connection "$minor"
		umount -l -i "$1" || return 1
	done
}

# Why FUSE cannot be used here, if so, on standard output.
no_fuse() {
	if [ "$(id -u)" -ne 0 ]; then
		echo "needs root"
	elif [ ! -c /dev/fuse ]; then
		echo "no /dev/fuse"
	elif ! (: <>/dev/fuse) 2>/dev/null; then
		echo "/dev/fuse cannot be opened"
	else
		return 1
	fi
}
