# SPDX-License-Identifier: MIT
# The programs that test the driver in a guest, linked statically: the guest has
# no C library. They do not depend on SAN=. Some are also built for 32 bits.

kselftests := $(addprefix build/selftests/,ioctl_abi lifetime transfer user_memory wait submit \
	sync sync_abi sync_loss notify unbind fairness stress races fail_nth fuzz_ioctl operator)
kselftests-32 := $(addprefix build/selftests/,ioctl_abi_32 transfer_32 wait_32 submit_32)
# For a device that is lost again and again.
kselftests-lost := build/selftests/recovery
# Makes sense with tests/hostile only.
hostile-selftest := build/selftests/hostile

CC := $(if $(shell command -v ccache),ccache )gcc
kselftest-cflags := -O2 -g -Wall -Wextra -Werror -MMD -MP -Iuapi -isystem /usr/include/drm \
	-std=gnu11 -isystem build/kselftest

build/selftests/%.o: selftests/%.c | build/linux-scripts/.unpacked
	@mkdir -p $(@D)
	$(call say,cc,$<)
	@$(CC) $(kselftest-cflags) -c -o $@ $<

build/selftests/%_32.o: selftests/%.c | build/linux-scripts/.unpacked
	@mkdir -p $(@D)
	$(call say,cc -m32,$<)
	@$(CC) -m32 $(kselftest-cflags) -c -o $@ $<

# Not a test: see tests/bench/guest_bench.sh.
guest-bench := build/selftests/bench

$(kselftests) $(kselftests-lost) $(hostile-selftest) $(guest-bench): build/selftests/%: \
		build/selftests/%.o build/selftests/memory.o build/selftests/vaccel_util.o
	$(call say,link,$@)
	@$(CC) -static -o $@ $^
build/selftests/fuzz_ioctl: $(addprefix build/selftests/,fuzz_step.o fuzz_calls.o)
$(hostile-selftest): build/selftests/hostile_calls.o

$(kselftests-32): build/selftests/%: build/selftests/%.o build/selftests/memory_32.o \
		build/selftests/vaccel_util_32.o
	$(call say,link,$@)
	@$(CC) -m32 -static -o $@ $^

.PHONY: selftests
selftests: $(kselftests) $(kselftests-32) $(kselftests-lost) $(hostile-selftest)
all: selftests

-include $(wildcard build/selftests/*.d)
