# SPDX-License-Identifier: MIT
$(eval $(call library,worker,\
	host/worker/device.cpp \
	host/worker/device_files.cpp \
	host/worker/pool.cpp \
	host/worker/providers.cpp \
	host/worker/server.cpp,\
	-Ihost $(spdlog-flags)))

$(eval $(call program,host/worker/virtio-accel-worker,\
	host/worker/main.cpp,\
	worker acceld sandbox vhost engine wire cpu vulkan fault mock provider tosa,\
	-Ihost $(spdlog-flags),\
	-lspdlog -lfmt -lseccomp))
