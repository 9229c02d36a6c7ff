# SPDX-License-Identifier: MIT
spdlog-flags := -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL

$(eval $(call library,acceld,\
	host/daemon/device.cpp \
	host/daemon/guest_log.cpp \
	host/daemon/listener.cpp \
	host/daemon/options.cpp \
	host/daemon/providers.cpp \
	host/daemon/server.cpp \
	host/daemon/workers.cpp,\
	-Ihost $(spdlog-flags)))

$(eval $(call program,host/daemon/virtio-acceld,\
	host/daemon/main.cpp,\
	acceld vhost engine wire cpu vulkan fault mock provider tosa,\
	-Ihost $(spdlog-flags),\
	-lspdlog -lfmt))
