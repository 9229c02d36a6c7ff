# SPDX-License-Identifier: MIT
$(eval $(call program,tests/bench/engine_bench,\
	tests/bench/engine_bench.cpp tests/budget/allocations.cpp,\
	test-driver vhost engine wire mock,\
	-Ihost -Itests))

.PHONY: bench-engine
bench-engine: $(O)/tests/bench/engine_bench
	@$<
