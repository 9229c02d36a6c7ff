#!/bin/bash
# SPDX-License-Identifier: MIT
# run.sh VMLINUZ FUZZ_SECONDS PROGRAM...: runs kselftest programs under the debug kernel, and
# those that move data once more with all DMA bounced.
set -uo pipefail
here=$(dirname "$0")
. "$here/../tally.sh"

vm=build/host/vm/accel-vm
logs=build/debug-kernel
# What any of its checkers writes, whether as a bug, a warning or a note.
complaints='BUG:|WARNING:|Oops|Call Trace:|general protection|UBSAN:|KASAN:|ODEBUG:|DMA-API:'
complaints+='|kmemleak:|refcount_t:|possible.*deadlock|suspicious RCU|sleeping function'
complaints+='|blocked for more than|soft lockup|workqueue lockup|detected stalls|turn(ed|ing) off'

# boot NAME KERNEL-PARAMETERS FUZZ_SECONDS PROGRAM...
boot() {
	local name=$1 append=$2 seconds=$3 log=$logs/${1// /-} start=$SECONDS program complaint
	local add=(--add "$here/guest.sh=/guest.sh")
	shift 3
	for program in "$@"; do add+=(--add "$program=/selftests/${program##*/}"); done
	if ! "$vm" -q --kernel "$kernel" --provider mock --smp 2 --memory 1024 \
		--timeout $((1200 + seconds)) --console "$log.console" --append "$append" \
		"${add[@]}" -- sh /guest.sh "$seconds" >"$log.ktap" 2>"$log.err"; then
		fail "$name: guest" "$(tail -1 "$log.err")"
	fi
	count_ktap "$name" "$log.ktap"
	if [ ! -s "$log.console" ]; then
		fail "$name: kernel log" "there is none"
	elif complaint=$(grep -m1 -aE "$complaints" "$log.console"); then
		fail "$name: kernel log" "${complaint%$'\r'} ($log.console)"
	else
		pass "$name: the kernel has nothing to complain of"
	fi
	printf 'guest    %s (%d s)\n' "$name" $((SECONDS - start))
}

kernel=$1 seconds=$2
shift 2
moving_data=()
for program in "$@"; do
	case ${program##*/} in transfer | submit | fuzz_ioctl) moving_data+=("$program") ;; esac
done

mkdir -p "$logs"
boot "debug kernel" "" "$seconds" "$@"
# What is bounced is only counted if that is asked for.
boot "swiotlb" swiotlb=force,track_hiwater 1 "${moving_data[@]}"
closing
