# SPDX-License-Identifier: MIT

$(eval $(call unit-test,cpu,$(addprefix tests/cpu/,arena_test.cpp job_test.cpp numeric_test.cpp \
	provider_test.cpp),cpu provider tosa,))

$(tests/cpu/cpu_test-objects): | $(O)/gen/tosa_generated.h
