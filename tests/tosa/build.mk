# SPDX-License-Identifier: MIT

$(eval $(call unit-test,tosa,$(addprefix tests/tosa/,fixture_test.cpp hostile_test.cpp operator_test.cpp \
	order_test.cpp structure_test.cpp target_test.cpp),tosa,))

$(tests/tosa/tosa_test-objects): | $(O)/gen/tosa_generated.h
