#!/bin/sh
# SPDX-License-Identifier: MIT
# pauses.sh ROUNDS: the machine is stopped and goes on, ROUNDS times, while a client is blocked in
# the driver and others work. The device must not take that for a reset: what the blocked one has
# stays, and the host finds objects at no reset.
rounds=$1
. /common.sh
echo "# program pauses"

pauses() {
	start hold || return 1
	i=0
	while [ $i -lt "$rounds" ]; do
		echo "# qmp stop"
		client use || { echo "# round $i"; return 1; }
		i=$((i + 1))
	done
	kill -0 $pid && kill -9 $pid && settle
}

pauses && echo "ok 1 a machine that is stopped $rounds times" || echo "not ok 1 after a stop"
echo 1..1
echo "# status 0"
