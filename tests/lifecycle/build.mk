# SPDX-License-Identifier: MIT
# Programs of the guest, linked statically as the kselftests are.
lifecycle-programs := $(addprefix build/selftests/lifecycle/,client kexec)

build/selftests/lifecycle/%.o: tests/lifecycle/%.c
	@mkdir -p $(@D)
	$(call say,cc,$<)
	@$(CC) $(kselftest-cflags) -std=gnu11 -pthread -c -o $@ $<

$(lifecycle-programs): build/selftests/lifecycle/%: build/selftests/lifecycle/%.o \
		build/selftests/vaccel_util.o
	$(call say,link,$@)
	@$(CC) -static -pthread -o $@ $^

-include $(wildcard build/selftests/lifecycle/*.d)

# LIVES=quick is what `make check` does: a few rounds, and not every configuration.
check-lifecycle: $(guest-parts) $(lifecycle-programs) $(kselftests)
	@tests/lifecycle/lifecycle.sh $(guest-kernels)
