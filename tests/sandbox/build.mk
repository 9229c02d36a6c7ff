# SPDX-License-Identifier: MIT
$(eval $(call unit-test,sandbox,\
	tests/sandbox/files_test.cpp \
	tests/sandbox/filter_test.cpp \
	tests/sandbox/in_child.cpp \
	tests/sandbox/privileges_test.cpp \
	tests/sandbox/process_test.cpp,\
	sandbox,,-lseccomp))
