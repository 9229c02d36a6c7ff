#!/bin/bash
# SPDX-License-Identifier: MIT
#
# hardware.sh BUILD [--double]: the XDNA provider on an NPU: its conformance, the corpus, the
# benchmark. On the double of XRT it only shows that these work.
# Without an NPU it is skipped, with VIRTIO_ACCEL_XDNA_REQUIRE_HARDWARE=1 it fails. Kernels
# come from where XDNA_CATALOGUE, XDNA_COMPILER and XDNA_CACHE say (docs/providers/xdna.md).
set -uo pipefail
. "$(dirname "$0")/../tally.sh"

bench=("$1/tests/bench/xdna_bench" "${@:2}")
what="XDNA on an NPU"

required=${VIRTIO_ACCEL_XDNA_REQUIRE_HARDWARE:-0}
case $required in
0 | 1) ;;
*)
	fail "$what" "VIRTIO_ACCEL_XDNA_REQUIRE_HARDWARE is neither 0 nor 1: $required"
	closing
	exit
	;;
esac

npu=$("${bench[@]}" --probe)
status=$?
if [ $status -eq 77 ] && [ "$required" = 0 ]; then
	skip "$what" "$npu"
	closing
	exit
elif [ $status -ne 0 ]; then
	fail "$what" "${npu:-exit status $status}"
	closing
	exit
fi
echo "$npu"

# run_check NAME COMMAND...: its output is for the reader, its exit status counts.
run_check() {
	local name=$1
	shift
	if "$@"; then pass "$name"; else fail "$name" "exit status $?"; fi
}

[ -z "${XDNA_CATALOGUE:-}" ] || bench+=(--catalogue "$XDNA_CATALOGUE")
[ -z "${XDNA_COMPILER:-}" ] || bench+=(--compiler "$XDNA_COMPILER")
[ -z "${XDNA_CACHE:-}" ] || bench+=(--cache "$XDNA_CACHE")

# What does not end must not hold the other checks up. A kernel may have to be compiled.
run_check "XDNA conformance" timeout 1800 "${bench[@]}" --conformance
run_check "XDNA corpus" timeout 1800 "${bench[@]}" --corpus
run_check "XDNA benchmark" timeout 1800 "${bench[@]}"
closing
