# SPDX-License-Identifier: MIT

$(eval $(call unit-test,tosa,$(wildcard tests/tosa/*.cpp),tosa tosa-mutator,))

$(tests/tosa/tosa_test-objects): | $(O)/gen/tosa_generated.h
