#!/bin/bash
# SPDX-License-Identifier: MIT
# e2e.sh: models through guest, driver, device and provider with their numbers asserted, then
# everything that can be missing or break around a guest. Needs a build of all.
set -uo pipefail
here=$(dirname "$0")
. "$here/../tally.sh"

vm=build/host/vm/accel-vm
logs=build/e2e
mkdir -p "$logs"

# accel-vm's temporary files go here, so that what it leaves behind shows.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch

files=("$here"/digits/{digits.tosa,images.npy,labels.npy,predictions.npy}
	"$here"/fixtures/*.{tosa,npy,bin})

# What a provider needs to be told on a machine without an accelerator.
provider_options() {
	case $1 in
	vulkan) echo "--provider vulkan ${VULKAN_DEVICE:+--device $VULKAN_DEVICE}" ;;
	*) echo "--provider $1" ;;
	esac
}

# check_models PROVIDER
check_models() {
	local name="e2e, $1" log=$logs/$1 add=() file start=$SECONDS
	for file in "${files[@]}"; do add+=(--add "$file=/models/${file##*/}"); done
	# shellcheck disable=SC2046
	if ! "$vm" -q $(provider_options "$1") --timeout 300 --console "$log.console" \
		--add build/libaccel/accelctl "${add[@]}" --add "$here/in_guest.sh" \
		-- sh -c 'cd /models; echo "# program in_guest.sh"; sh /bin/in_guest.sh; echo "# status $?"' \
		>"$log.ktap" 2>"$log.err"; then
		fail "$name: guest" "$(tail -1 "$log.err")"
	fi
	count_ktap "$name" "$log.ktap"
	printf 'e2e      %s (%d s)\n' "$1" $((SECONDS - start))
}

# leaves_nothing NAME: no temporary file, no process that knows of one.
leaves_nothing() {
	local left
	left=$(ls -A "$scratch"; grep -la -e "$scratch/accel-vm" /proc/[0-9]*/cmdline 2>/dev/null)
	[ -z "$left" ] && pass "$1, and leaves nothing behind" || fail "$1 left behind" "$left"
}

# ends NAME STATUS WORDS COMMAND...: this status, and the words in a single line of error.
ends() {
	local name=$1 status=$2 words=$3
	shift 3
	"$@" >"$logs/out" 2>"$logs/err"
	ended "$name" "$status" "$words" $?
}

ended() { # NAME STATUS WORDS ACTUAL-STATUS
	if [ "$4" -eq "$2" ] && [ "$(wc -l <"$logs/err")" -eq 1 ] && grep -qF -e "$3" "$logs/err"; then
		leaves_nothing "$1"
	else
		fail "$1" "status $4: $(cat "$logs/err")"
	fi
}

# while_running NAME WORDS ACTION: does ACTION to accel-vm's process once the guest runs.
while_running() {
	local name=$1 words=$2 action=$3 pid line
	mkfifo "$logs/fifo"
	"$vm" -q -- sh -c 'echo up; sleep 1000' >"$logs/fifo" 2>"$logs/err" &
	pid=$!
	read -r line <"$logs/fifo"
	rm "$logs/fifo"
	[ "$line" = up ] || fail "$name" "the guest did not come up: $(cat "$logs/err")"
	$action $pid
	wait $pid
	ended "$name" 125 "$words" $?
}

kill_daemon() { kill -KILL "$(pgrep -P "$1" -x virtio-acceld)"; }

for provider in cpu vulkan; do check_models $provider; done

ends "a command's status is accel-vm's" 7 "words on standard error" \
	"$vm" -q -- sh -c 'echo words on standard error >&2; exit 7'
ends "a guest that panics" 125 "Kernel panic" "$vm" -q -- sh -c 'echo c >/proc/sysrq-trigger'
ends "a guest that does not end" 125 "not done after 8 s" "$vm" -q --timeout 8 -- sleep 1000
ends "no daemon at the socket" 125 "no daemon at nowhere" "$vm" -q --socket nowhere -- true
ends "a daemon that does not start" 125 "no-such-daemon: not found" "$vm" -q --daemon no-such-daemon -- true
ends "a provider that does not exist" 125 "nonsense" "$vm" -q --provider nonsense -- true
ends "no kernel" 125 "none: No such file" "$vm" -q --kernel none -- true
ends "a kernel that is none" 125 "not an x86 kernel image" "$vm" -q --kernel Makefile -- true
ends "no module" 125 "none.ko: No such file" "$vm" -q --module none.ko -- true
cp "$here/fixtures/not-tosa.bin" "$logs/text.ko"
ends "a module that is none" 125 "not a kernel module" "$vm" -q --module "$logs/text.ko" -- true
ends "nothing to add" 125 "none: No such file" "$vm" -q --add none -- true
ends "nothing to fetch" 125 "no file /none" "$vm" -q --fetch "/none=$scratch/none" -- true
if compgen -G '/dev/accel/accel*' >/dev/null; then
	skip "no NPU" "this machine has an accelerator"
else
	ends "no NPU" 125 "xdna" "$vm" -q --provider xdna -- true
fi
while_running "a run that is terminated" "interrupted" "kill -TERM"
while_running "a daemon that dies" "the daemon ended while the guest ran" kill_daemon
closing
