# SPDX-License-Identifier: MIT
# A program of its own: it replaces operator new.

$(eval $(call unit-test,tosa_memory,tests/tosa_memory/exhaustion_test.cpp,tosa,))

$(tests/tosa_memory/tosa_memory_test-objects): | $(O)/gen/tosa_generated.h
