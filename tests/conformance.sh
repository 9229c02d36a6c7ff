#!/bin/bash
# SPDX-License-Identifier: MIT
# conformance.sh PROGRAM PROVIDER...: the conformance suite on each provider, case by case.
set -uo pipefail
. "$(dirname "$0")/tally.sh"

program=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
started_with "$program"

for provider in "$@"; do
	# A provider whose events do not end must not hold the other checks up.
	timeout 300 "${run[@]}" "$program" "$provider" >"$log"
	status=$?
	while IFS= read -r line; do
		printf '%s\n' "$line"
		case $line in
		"ok "*) passed=$((passed + 1)) ;;
		"skip "*) skipped=$((skipped + 1)) ;;
		"FAILED "*) failed=$((failed + 1)) ;;
		esac
	done <"$log"
	# 1 is a failure that a line told of.
	[ $status -le 1 ] || fail "$provider: the suite did not reach its end" "exit status $status"
done
closing
