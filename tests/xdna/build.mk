# SPDX-License-Identifier: MIT
$(eval $(call unit-test,xdna,$(wildcard tests/xdna/*.cpp) \
	tests/tosa/attributes.cpp tests/tosa/single_operator.cpp,xdna provider tosa,))

$(tests/xdna/xdna_test-objects): | $(O)/gen/tosa_generated.h
