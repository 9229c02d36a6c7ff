#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gpu.sh: the Vulkan provider on a machine with a GPU, in under ten minutes: its conformance,
# the corpus, its tests, then the benchmark.
#
#   --device NAME       the device whose name contains NAME (default: the first that is a GPU)
#   --allow-software    take a software device where there is no GPU
#   --no-build          run what is in build/ already, made on another machine
#   --quick             a benchmark that is only tried out
#   --results FOLDER    where logs and numbers go (default: build/gpu)
#
# Needs no build root. What the machine lacks is told by name, at once.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
. tests/tally.sh # pass, fail, closing

device=${VULKAN_DEVICE:-} software="" build=1 quick=() results=build/gpu
usage() {
	sed -n '4,12s/^# \{0,1\}//p' "tests/bench/${0##*/}" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	--device) device=${2?"$1 takes a name"}; shift ;;
	--allow-software) software=1 ;;
	--no-build) build="" ;;
	--quick) quick=(--quick) ;;
	--results) results=${2?"$1 takes a folder"}; shift ;;
	*) usage ;;
	esac
	shift
done

limit=570 # seconds in all
programs=(build/tests/conformance/conformance build/tests/corpus/corpus_test
	build/tests/vulkan/vulkan_test build/tests/bench/vulkan_bench)

missing=()
need() { missing+=("$1"); } # WHAT, and for a package its Debian name

need_to_build() {
	local tool header
	for tool in g++:g++ make:make flatc:flatbuffers-compiler glslc:glslc spirv-val:spirv-tools; do
		command -v "${tool%%:*}" >/dev/null || need "the program ${tool%%:*} (${tool##*:})"
	done
	command -v g++ >/dev/null || return
	[ "$(g++ -dumpversion | cut -d. -f1)" -ge 14 ] || need "g++ 14 or newer, for C++23"
	for header in vulkan/vulkan.h:libvulkan-dev hwy/highway.h:libhwy-dev \
		doctest/doctest.h:doctest-dev CLI/CLI.hpp:libcli11-dev \
		nlohmann/json.hpp:nlohmann-json3-dev flatbuffers/flatbuffers.h:libflatbuffers-dev \
		seccomp.h:libseccomp-dev; do
		echo "#if !__has_include(<${header%%:*}>)
#error
#endif" | g++ -E -x c++ - >/dev/null 2>&1 || need "the header ${header%%:*} (${header##*:})"
	done
}

# Programs from elsewhere, and what they are linked with.
need_programs() {
	local program line
	for program in "${programs[@]}"; do
		[ -x "$program" ] || need "the program $program, which --no-build takes as it is"
	done
	while IFS= read -r line; do need "${line#"${line%%[![:space:]]*}"}"; done < <(
		ldd "${programs[@]}" 2>&1 | grep 'not found' | sort -u)
}

# manifests KIND: the loader's search path for drivers (icd.d) or layers (explicit_layer.d).
manifests() {
	local folder
	for folder in /etc /usr/local/etc /usr/local/share /usr/share "$HOME/.local/share"; do
		find "$folder/vulkan/$1" -name '*.json' 2>/dev/null || :
	done
}

need_vulkan() {
	local drivers=${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-$(manifests icd.d)}}
	ldconfig -p | grep -F libvulkan.so.1 >/dev/null || need "the Vulkan loader libvulkan.so.1 (libvulkan1)"
	if [ -z "$drivers" ]; then
		need "a Vulkan driver (ICD): no manifest in vulkan/icd.d"
	elif [ -z "$software" ]; then
		# Mesa brings manifests for hardware that need not be there.
		tr ':' '\n' <<<"$drivers" | grep -viE '(lvp|lavapipe|swrast|swiftshader)[^/]*$' >/dev/null ||
			need "a Vulkan driver (ICD) for a GPU: there is only software, which --allow-software takes"
		compgen -G '/dev/dri/renderD*' >/dev/null || compgen -G '/dev/nvidia[0-9]*' >/dev/null ||
			need "a GPU: neither /dev/dri/renderD* nor /dev/nvidia*; --allow-software does without"
	fi
	[ -n "${VK_LAYER_PATH:-}${VK_ADD_LAYER_PATH:-}" ] ||
		manifests explicit_layer.d | grep -i khronos_validation >/dev/null ||
		need "the layer VK_LAYER_KHRONOS_validation, under which the tests run (vulkan-validationlayers)"
}

# step NAME COMMAND...: within the time that is left, with its output in a file.
step() {
	local name=$1 start=$SECONDS status
	shift
	timeout $((limit > SECONDS ? limit - SECONDS : 1)) "$@" >"$results/$name.log" 2>&1
	status=$?
	case $status in
	0) pass "$name ($((SECONDS - start)) s)" ;;
	124) fail "$name" "the $limit s of all were over" ;;
	*) fail "$name" "exit status $status; see $results/$name.log" ;;
	esac
	return $status
}

# The device to use, as a line of devices.tsv: the first that is usable and has $device in its
# name, or that is of the wanted kind.
choose_device() {
	awk -F'\t' -v name="$device" -v software="$software" '
		$4 != "" || index($1, name) == 0 { next }
		$2 != "cpu" && gpu == "" { gpu = $0 }
		$2 == "cpu" && cpu == "" { cpu = $0 }
		END { print gpu != "" ? gpu : software ? cpu : "" }' "$results/devices.tsv"
}

about() {
	printf 'device    %s, %s\ndriver    %s\n' "$device" "$kind" "$driver"
	printf 'kernel    %s\n' "$(uname -srm)"
	printf 'processor %s, %d\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)"
	printf 'commit    %s\n' "$(git -c safe.directory="$PWD" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)"
	printf 'date      %s\n' "$(date -u +%Y-%m-%dT%H:%MZ)"
}

if [ -n "$build" ]; then need_to_build; else need_programs; fi
need_vulkan
if [ ${#missing[@]} -gt 0 ]; then
	printf 'gpu.sh: missing: %s\n' "${missing[@]}" >&2
	exit 1
fi

mkdir -p "$results" || exit 1
export VIRTIO_ACCEL_IN_ROOT=1 VIRTIO_ACCEL_VULKAN_REQUIRE_DEVICE=1
if [ -n "$build" ]; then
	step build make -j"$(nproc)" "${programs[@]}" || { closing; exit 1; }
fi
build/tests/bench/vulkan_bench --list >"$results/devices.tsv" 2>"$results/devices.err"
IFS=$'\t' read -r name kind driver _ < <(choose_device)
if [ -z "$name" ]; then
	fail "device" "${device:+none is named $device: }$(paste -sd ';' "$results"/devices.{tsv,err})"
	closing
	exit 1
fi
device=$name
export VULKAN_DEVICE=$device
about | tee "$results/about.txt"

step conformance tests/conformance.sh build/tests/conformance/conformance vulkan
step corpus build/tests/corpus/corpus_test
step tests build/tests/vulkan/vulkan_test
step benchmark build/tests/bench/vulkan_bench --device "$device" "${quick[@]}" --json "$results/benchmark.json"
cat "$results/benchmark.log"
closing | tee -a "$results/about.txt"
