# SPDX-License-Identifier: MIT
$(eval $(call unit-test,inspect,tests/inspect/accel_tosa_test.cpp tests/inspect/inspect_test.cpp,\
	inspect tosa,))

$(tests/inspect/inspect_test-objects): | $(O)/gen/tosa_generated.h
$(O)/tests/inspect/inspect_test: | $(O)/host/inspect/accel-tosa
