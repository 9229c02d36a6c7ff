# SPDX-License-Identifier: MIT
$(eval $(call library,sandbox,\
	host/sandbox/calls.cpp \
	host/sandbox/files.cpp \
	host/sandbox/filter.cpp \
	host/sandbox/privileges.cpp \
	host/sandbox/sandbox.cpp,\
	-Ihost))
