# SPDX-License-Identifier: MIT
$(eval $(call unit-test,daemon,\
	tests/daemon/concurrency_test.cpp \
	tests/daemon/device_test.cpp \
	tests/daemon/options_test.cpp \
	tests/daemon/process.cpp \
	tests/daemon/providers_test.cpp \
	tests/daemon/race_test.cpp \
	tests/daemon/rate_limit_test.cpp \
	tests/daemon/server_test.cpp,\
	worker acceld vhost engine wire cpu vulkan fault mock provider tosa,$(spdlog-flags),\
	-lspdlog -lfmt))

# The tests run the program that was built beside them.
$(O)/tests/daemon/daemon_test: | $(O)/host/daemon/virtio-acceld
