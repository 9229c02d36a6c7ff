# SPDX-License-Identifier: MIT
$(eval $(call unit-test,engine,\
	tests/engine/concurrency_test.cpp \
	tests/engine/frame_test.cpp \
	tests/engine/object_test.cpp \
	tests/engine/policy_test.cpp \
	tests/engine/provider_test.cpp \
	tests/engine/reset_test.cpp,\
	mock engine wire))
