# SPDX-License-Identifier: MIT
$(eval $(call unit-test,virtqueue,\
	tests/virtqueue/case_order_test.cpp \
	tests/virtqueue/case_test.cpp \
	tests/virtqueue/contents_test.cpp \
	tests/virtqueue/epoch_test.cpp \
	tests/virtqueue/hostile_test.cpp \
	tests/virtqueue/object_test.cpp \
	tests/virtqueue/rig.cpp \
	tests/virtqueue/split_test.cpp,\
	test-driver fault mock vhost engine wire cpu vulkan provider tosa,$(vulkan-flags),-ldl))
