# SPDX-License-Identifier: MIT
# Programs of the guest, linked statically as the kselftests are.
lifecycle-programs := $(addprefix build/selftests/lifecycle/,client kexec)

build/selftests/lifecycle/%.o: tests/lifecycle/%.c
	@mkdir -p $(@D)
	$(call say,cc,$<)
	@$(CC) $(kselftest-cflags) -std=gnu11 -pthread -c -o $@ $<

build/selftests/lifecycle/client: build/selftests/lifecycle/absent.o build/selftests/vaccel_util.o
$(lifecycle-programs): %: %.o
	$(call say,link,$@)
	@$(CC) -static -pthread -o $@ $^

-include $(wildcard build/selftests/lifecycle/*.d)
