# SPDX-License-Identifier: MIT

libaccel-test-sources := $(addprefix tests/libaccel/,\
	bench_test.cpp buffer_test.cpp device_test.cpp event_test.cpp info_test.cpp labels_test.cpp model_test.cpp \
	npy_test.cpp object_test.cpp run_test.cpp selftest_test.cpp session_test.cpp submit_test.cpp \
	submit_sync_test.cpp syncobj_test.cpp \
	fake_buffers.cpp fake_fence.cpp fake_file.cpp fake_kernel.cpp fake_submit.cpp tosa_device.cpp)

$(eval $(call unit-test,libaccel,$(libaccel-test-sources),accelctl accel,$(accelctl-cppflags)))
$(tests/libaccel/libaccel_test-objects): | $(O)/gen/tosa_generated.h
