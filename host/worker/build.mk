# SPDX-License-Identifier: MIT
$(eval $(call library,worker,\
	host/worker/device.cpp \
	host/worker/device_files.cpp \
	host/worker/pool.cpp \
	host/worker/providers.cpp \
	host/worker/server.cpp,\
	-Ihost $(spdlog-flags)))

# Where this is missing, so is the library that the XDNA provider opens.
xrt-version := $(shell pkg-config --modversion xrt 2>/dev/null)
$(O)/host/worker/providers.o: CPPFLAGS += $(if $(xrt-version),-DVIRTIO_ACCEL_XRT='"$(xrt-version)"')

$(eval $(call program,host/worker/virtio-accel-worker,\
	host/worker/main.cpp,\
	worker acceld sandbox vhost engine wire cpu vulkan xdna xdna-store-client lane \
	fault mock provider tosa,\
	-Ihost $(spdlog-flags),\
	-lspdlog -lfmt -lseccomp))
