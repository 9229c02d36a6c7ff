# SPDX-License-Identifier: MIT
$(eval $(call unit-test,fault,\
	tests/fault/fault_test.cpp \
	tests/fault/script_test.cpp,\
	fault mock provider))
