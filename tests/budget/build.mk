# SPDX-License-Identifier: MIT
$(eval $(call unit-test,budget,\
	tests/budget/allocations.cpp \
	tests/budget/engine_test.cpp \
	tests/budget/wire_test.cpp,\
	test-driver vhost engine wire mock))
