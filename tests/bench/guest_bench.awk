# SPDX-License-Identifier: MIT
# Ratios and goals out of what selftests/bench measured.

# The best, when something was measured more than once.
function best(name,    i, least) {
	least = value[name, 1]
	for (i = 2; i <= count[name]; i++)
		if (value[name, i] < least)
			least = value[name, i]
	return least
}

function verdict(met) { return met ? "met" : "missed" }

function size_name(bytes) {
	return bytes < 2 ^ 20 ? bytes / 1024 " KiB" : bytes / 2 ^ 20 " MiB"
}

{ value[$1, ++count[$1]] = $2 + 0 }
$1 ~ /^memcpy_/ && count[$1] == 1 { sizes[++nsizes] = substr($1, 8) + 0 }

END {
	bare = best("bare")
	trip = best("round_trip")
	printf "command round trip      %8.1f us  %.2f of a bare virtqueue (%.1f us); goal 1.15: %s\n",
		trip / 1000, trip / bare, bare / 1000, verdict(trip <= 1.15 * bare)
	job = best("submit_wait_destroy")
	printf "submit, wait, destroy   %8.1f us  %.2f bare round trips; it needs 4\n",
		job / 1000, job / bare

	print "\ntransfer                     us      GB/s  of memcpy    goal 0.50"
	for (i = 1; i <= nsizes; i++) {
		copy = best("memcpy_" sizes[i])
		printf "memcpy       %9s %9.1f %8.2f\n", size_name(sizes[i]), copy / 1000, sizes[i] / copy
		for (way = 1; way <= 4; way++) {
			name = (way % 2 ? "write_" : "read_") (way <= 2 ? "staged" : "pinned")
			took = best(name "_" sizes[i])
			printf "%-12s %9s %9.1f %8.2f      %.2f    %s\n", name, size_name(sizes[i]),
				took / 1000, sizes[i] / took, copy / took, verdict(2 * copy >= took)
		}
	}

	busy = 100 * best("wait_busy") / best("wait_took")
	idle = 100 * best("idle_busy") / best("idle_took")
	printf "\nprocessor time of the guest while a thread waits for a job of 1 s: %.2f %% of one processor, idle %.2f %%: %.2f %% more; goal 1: %s\n",
		busy, idle, busy - idle, verdict(busy - idle < 1)
}
