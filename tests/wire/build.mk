# SPDX-License-Identifier: MIT
$(eval $(call unit-test,wire,\
	tests/wire/config_test.cpp \
	tests/wire/frame_test.cpp \
	tests/wire/request_test.cpp,\
	wire))
