# SPDX-License-Identifier: MIT
# A guest driver in userspace, for tests of everything behind the ring. Programs that
# use it link with: test-driver vhost engine wire.
$(eval $(call library,test-driver,\
	tests/driver/device.cpp \
	tests/driver/guest.cpp \
	tests/driver/ring.cpp \
	tests/driver/ring_memory.cpp \
	tests/driver/shared_memory.cpp \
	tests/driver/validator.cpp,\
	-Ihost -Itests))

$(eval $(call unit-test,driver,\
	tests/budget/allocations.cpp \
	tests/driver/device_test.cpp \
	tests/driver/ring_test.cpp \
	tests/driver/validator_test.cpp,\
	test-driver mock vhost engine wire))
