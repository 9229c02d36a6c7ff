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
shared=$logs/shared
rm -rf "$shared"
mkdir "$shared"

files=("$here"/digits/{digits.tosa,images.npy,labels.npy,predictions.npy}
	"$here"/digits-cnn/*.{tosa,npy}
	"$here"/fixtures/*.{tosa,npy,bin} tests/corpus/data/matmul-int8.tosa)

# What a provider needs to be told on a machine without an accelerator.
provider_options() {
	case $1 in
	vulkan) echo "--provider vulkan ${VULKAN_DEVICE:+--device $VULKAN_DEVICE}" ;;
	*) echo "--provider $1" ;;
	esac
}

# in_guest PROVIDER SCRIPT OPTION...: runs the script beside the models, on such a device.
in_guest() {
	local provider=$1 script=$2 name="e2e, $1" log=$logs/$1 add=() file start=$SECONDS guest
	shift 2
	guest="cd /models; echo '# program $script'; sh /bin/$script; echo \"# status \$?\""
	for file in "${files[@]}"; do add+=(--add "$file=/models/${file##*/}"); done
	if ! "$vm" -q "$@" --timeout 300 --console "$log.console" \
		--add build/libaccel/accelctl "${add[@]}" --add "$here/ktap.sh=/bin/ktap.sh" --add "$here/$script=/bin/$script" \
		-- sh -c "$guest" >"$log.ktap" 2>"$log.err"; then
		fail "$name: guest" "$(tail -1 "$log.err")"
	fi
	count_ktap "$name" "$log.ktap"
	printf 'e2e      %s (%d s)\n' "$provider" $((SECONDS - start))
}

# check_models PROVIDER
check_models() {
	# shellcheck disable=SC2046
	in_guest "$1" in_guest.sh $(provider_options "$1")
}

# The XDNA provider where there is no NPU: on a double of XRT, which computes by itself what
# its compiler was asked for. What it shows is everything around an NPU, and no NPU.
check_xdna() {
	local double=$PWD/build/tests/xdna/double daemon=$logs/xdna-acceld log=$logs/xdna.daemon
	local words="provider: xdna, XRT double: no NPU at "
	if [ ! -e "$double/libxrt_coreutil.so.2" ]; then
		skip "e2e, xdna" "this build has no XRT"
		return
	fi
	mkdir -m 700 "$scratch/kernels"
	rm -f "$log"
	cat >"$daemon" <<-END
		#!/bin/sh
		LD_LIBRARY_PATH='$double' exec '$PWD/build/host/daemon/virtio-acceld' --provider xdna \
			--xdna-compiler '$PWD/build/tests/daemon/double-compiler' \
			--xdna-cache '$scratch/kernels' --log-file '$PWD/$log' "\$@"
	END
	chmod +x "$daemon"
	in_guest xdna in_guest_xdna.sh --daemon "$daemon"
	grep -qF -e "$words" "$log" && pass "the log names the double" || fail "the log names the double" "$(cat "$log")"
	rm -r "$scratch/kernels"
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

# One guest shows all of it: two devices, directories of the host, a status.
on_both_devices='
cd /models
for i in 0 1; do
	accelctl run matmul-fp32.tosa --device /dev/accel/accel$i --input lhs=matmul-fp32.lhs.npy \
		--input rhs=matmul-fp32.rhs.npy --output output=/out/$i.npy >/dev/null || exit 1
done
mount -o remount,rw /models
touch new 2>/dev/null && exit 2
echo words on standard error >&2
exit 7'

check_both_devices() {
	local i expected
	expected=$(tail -c 16 "$here/fixtures/matmul-fp32.expected.npy" | od -A n -t x4)
	for i in 0 1; do
		if [ "$(tail -c 16 "$shared/$i.npy" | od -A n -t x4)" = "$expected" ]; then
			pass "device $i of two runs a program, and the guest writes to a shared directory"
		else
			fail "device $i of two" "$(od -A d -t f4 "$shared/$i.npy" 2>&1 | tail -3)"
		fi
	done
}

check_shell() {
	local status
	printf 'test -c /dev/accel/accel0 && tty && exit 9\n' |
		script -qec "$vm -q --timeout 120" /dev/null >"$logs/shell" 2>&1
	status=$?
	if [ $status -eq 9 ] && grep -q '^/dev/hvc0' "$logs/shell"; then
		leaves_nothing "a shell on the terminal has the device and a status"
	else
		fail "a shell on the terminal" "status $status: $(tail -1 "$logs/shell")"
	fi
}

kill_daemon() { kill -KILL "$(pgrep -P "$1" -x virtio-acceld)"; }

for provider in cpu vulkan; do check_models $provider; done
check_xdna

ends "a command's status is accel-vm's" 7 "words on standard error" "$vm" -q --devices 2 \
	--share "$here/fixtures=/models" --share-writable "$shared=/out" \
	--add build/libaccel/accelctl -- sh -c "$on_both_devices"
check_both_devices
ends "a guest that panics" 125 "Kernel panic" "$vm" -q -- sh -c 'echo c >/proc/sysrq-trigger'
ends "a guest that does not end" 125 "not done after 8 s" "$vm" -q --timeout 8 \
	--console "$logs/endless.console" -- sleep 1000
where="of a guest that does not end, its messages say where it is"
grep -q 'RIP=' "$logs/endless.console" && pass "$where" || fail "$where"
ends "no daemon at the socket" 125 "no daemon at nowhere" "$vm" -q --socket nowhere -- true
ends "a daemon that does not start" 125 "no-such-daemon: not found" "$vm" -q --daemon no-such-daemon -- true
ends "a provider that does not exist" 125 "nonsense" "$vm" -q --provider nonsense -- true
ends "no kernel" 125 "none: No such file" "$vm" -q --kernel none -- true
ends "a kernel that is none" 125 "not an x86 kernel image" "$vm" -q --kernel Makefile -- true
ends "no module" 125 "none.ko: No such file" "$vm" -q --module none.ko -- true
cp "$here/fixtures/not-tosa.bin" "$logs/text.ko"
ends "a module that is none" 125 "not a kernel module" "$vm" -q --module "$logs/text.ko" -- true
ends "nothing to add" 125 "none: No such file" "$vm" -q --add none -- true
ends "nothing to share" 125 "none: not a directory" "$vm" -q --share none -- true
ends "nothing to fetch" 125 "no file /none" "$vm" -q --fetch "/none=$scratch/none" -- true
check_shell
if compgen -G '/dev/accel/accel*' >/dev/null; then
	skip "no NPU" "this machine has an accelerator"
else
	ends "no NPU" 125 "xdna" "$vm" -q --provider xdna -- true
fi
while_running "a run that is terminated" "interrupted" "kill -TERM"
while_running "a daemon that dies" "the daemon ended while the guest ran" kill_daemon
closing
