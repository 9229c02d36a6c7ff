# SPDX-License-Identifier: MIT
# A program of the guest, linked statically as the kselftests are.
build/selftests/survivor.o: tests/containment/survivor.c
	@mkdir -p $(@D)
	$(call say,cc,$<)
	@$(CC) $(kselftest-cflags) -std=gnu11 -c -o $@ $<

build/selftests/survivor: build/selftests/survivor.o build/selftests/vaccel_util.o
	$(call say,link,$@)
	@$(CC) -static -o $@ $^

-include $(wildcard build/selftests/survivor.d)
