# SPDX-License-Identifier: MIT
$(eval $(call unit-test,budget,\
	tests/budget/allocations.cpp \
	tests/budget/engine_test.cpp \
	tests/budget/tosa_test.cpp \
	tests/budget/wire_test.cpp,\
	test-driver vhost engine wire mock tosa))

$(tests/budget/budget_test-objects): | $(O)/gen/tosa_generated.h
