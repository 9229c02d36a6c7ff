#!/bin/bash
# SPDX-License-Identifier: MIT
# install.sh: what `make install` puts in place of the daemon works from there, and its units
# and descriptions are what systemd and the managers of VMMs take.
set -uo pipefail
. "$(dirname "$0")/../tally.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage
prefix=$scratch/usr

# check NAME COMMAND...: passes if the command succeeds.
check() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then
		pass "$name"
	else
		printf '%s\n' "$output"
		fail "$name"
	fi
}

put() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s install-daemon "$@"; }

# With the library for XRT where there was one to build with.
files() {
	diff <(cd "$stage" && find . -type f ! -name libvirtio-accel-xrt.so | sort) - <<-'END'
		./usr/local/bin/virtio-acceld
		./usr/local/lib/systemd/system/virtio-acceld.service
		./usr/local/lib/systemd/system/virtio-acceld.socket
		./usr/local/lib/systemd/system/virtio-acceld@.service
		./usr/local/lib/systemd/system/virtio-acceld@.socket
		./usr/local/libexec/virtio-accel/virtio-accel-worker
		./usr/local/libexec/virtio-accel/virtio-accel-xdna-store
		./usr/local/share/doc/virtio-accel/daemon.md
		./usr/local/share/doc/virtio-accel/virtio-acceld.toml
		./usr/local/share/qemu/vhost-user/50-virtio-accel.json
	END
}

filled() { ! grep -rn '@[a-z]*@' "$prefix/lib" "$prefix/share/qemu"; }

# Until a front end could come, which takes the worker.
serves() {
	local line status
	coproc daemon { exec "$stage/usr/local/bin/virtio-acceld" --provider mock \
		--socket-path "$scratch/socket" 2>&1; }
	local pid=$daemon_PID
	while read -r line && [[ $line != *"listening on"* ]]; do echo "$line"; done <&"${daemon[0]}"
	kill -TERM "$pid"
	wait "$pid"
	status=$?
	[[ $line == *"listening on $scratch/socket" ]] && [ "$status" -eq 0 ]
}

# By systemd's own tool, whose socket a front end asks for the features of the device.
activated() {
	local line
	coproc daemon { exec systemd-socket-activate --listen="$scratch/activated" \
		"$prefix/bin/virtio-acceld" --provider mock --once 2>&1; }
	local pid=$daemon_PID
	while read -r line && [[ $line != "Listening on"* ]]; do echo "$line"; done <&"${daemon[0]}"
	python3 - "$scratch/activated" <<-'END' && wait "$pid"
		import socket, struct, sys
		front_end = socket.socket(socket.AF_UNIX)
		front_end.connect(sys.argv[1])
		front_end.sendall(struct.pack("<III", 1, 1, 0))
		reply = front_end.recv(20, socket.MSG_WAITALL)
		assert struct.unpack("<IIIQ", reply)[:3] == (1, 5, 8), reply
	END
}

# It only warns of what it does not know.
verified() { ! systemd-analyze verify --man=no "$prefix"/lib/systemd/system/virtio-acceld{,@}.* 2>&1 | grep .; }

# What a unit starts, with the example for its configuration.
starts() {
	local unit=$prefix/lib/systemd/system/$1 words
	read -ra words < <(sed -n "s|^ExecStart=||;s|/etc/virtio-acceld/$2.toml|docs/virtio-acceld.toml|p" "$unit")
	[ "${words[0]}" = "$prefix/bin/virtio-acceld" ] && "${words[@]}" --version
}

described() {
	python3 - "$prefix" <<-'END'
		import json, subprocess, sys
		seen = json.load(open(sys.argv[1] + "/share/qemu/vhost-user/50-virtio-accel.json"))
		asked = subprocess.check_output([seen["binary"], "--print-capabilities"])
		assert seen["type"] == json.loads(asked)["type"], seen
		assert seen["binary"] == sys.argv[1] + "/bin/virtio-acceld", seen
		assert isinstance(seen["description"], str)
	END
}

check "make install-daemon with a DESTDIR" put DESTDIR="$stage"
check "make install-daemon with a PREFIX" put PREFIX="$prefix"
check "every file is where it belongs, and no other" files
check "no blank is left in a file" filled
check "the installed daemon finds its worker" serves
if command -v systemd-analyze >/dev/null; then
	check "systemd takes the units" verified
else
	skip "systemd takes the units" "systemd-analyze is not installed"
fi
if command -v systemd-socket-activate >/dev/null; then
	check "systemd starts the daemon when a front end comes" activated
else
	skip "systemd starts the daemon when a front end comes" "it is not installed"
fi
check "the daemon takes what its unit starts" starts virtio-acceld.service default
check "the daemon takes what its template starts" starts virtio-acceld@.service %i
check "the daemon is what its description says" described
closing
