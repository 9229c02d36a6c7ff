#!/bin/bash
# SPDX-License-Identifier: MIT
# guest.sh KERNEL... -- PROGRAM...: runs kselftest programs in a guest of each kernel.
#
# The mock provider serves all of them; those that need no particular provider also run on
# the embedded CPU provider. What then is skipped for want of the mock is not counted again.
# Programs for 32 bits, *_32, run in the first guest only.
set -uo pipefail
here=$(dirname "$0")
. "$here/tally.sh"
. "$here/console.sh"

vm=build/host/vm/accel-vm
logs=build/guest
needs_mock='the host does not run the mock provider'

kernels=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	kernels+=("$1")
	shift
done
shift
add=() add_32=()
for program in "$@"; do
	case $program in
	*_32) add_32+=(--add "$program=/selftests/${program##*/}") ;;
	*) add+=(--add "$program=/selftests/${program##*/}") ;;
	esac
done
[ $# -gt 0 ] || fail "kselftests" "there are none"

# Ends with the driver's removal, which must find nothing in use.
in_guest='
for program in /selftests/*; do
	echo "# program $program"
	$program 2>&1
	echo "# status $?"
done
echo "# program rmmod"; echo 1..1
rmmod virtio_accel && echo "ok 1 the driver can be removed" || echo "not ok 1 the driver can be removed"
echo "# status 0"'

mkdir -p "$logs"
for kernel in "${kernels[@]}"; do
	for provider in mock cpu; do
		name="$kernel, $provider"
		log=$logs/${kernel##*/}-$provider
		start=$SECONDS
		if ! "$vm" -q --kernel "$kernel" --provider "$provider" --smp 2 --timeout 600 \
			--console "$log.console" "${add[@]}" "${add_32[@]}" -- sh -c "$in_guest" >"$log.ktap" 2>"$log.err"; then
			fail "$name: guest" "$(tail -1 "$log.err")"
		fi
		add_32=()
		before=$((passed + failed + skipped))
		count_ktap "$name" "$log.ktap" "$needs_mock"
		# On the mock, nothing may be passed over for want of it.
		if [ "$provider" = mock ] && grep -q "$needs_mock" "$log.ktap"; then
			fail "$name: provider" "it is not the mock that the tests know"
		fi
		check_console "$name" "$log.console"
		printf 'guest    %s: %d results (%d s)\n' "$name" \
			$((passed + failed + skipped - before)) $((SECONDS - start))
	done
done
closing
