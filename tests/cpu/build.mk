# SPDX-License-Identifier: MIT

$(eval $(call unit-test,cpu,$(wildcard tests/cpu/*.cpp),cpu provider tosa,))

$(tests/cpu/cpu_test-objects): | $(O)/gen/tosa_generated.h
