# SPDX-License-Identifier: MIT

stalled := build/tests/faults/stalled
build/tests/faults/stalled.o: tests/faults/stalled.c | build/linux-scripts/.unpacked
	@mkdir -p $(@D)
	$(call say,cc,$<)
	@$(CC) $(kselftest-cflags) -D_GNU_SOURCE -Iselftests -c -o $@ $<

$(stalled): build/tests/faults/stalled.o build/selftests/vaccel_util.o
	$(call say,link,$@)
	@$(CC) -static -o $@ $^

-include build/tests/faults/stalled.d
