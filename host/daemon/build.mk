# SPDX-License-Identifier: MIT
spdlog-flags := -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL

$(eval $(call library,acceld,\
	host/daemon/board.cpp \
	host/daemon/fd_passing.cpp \
	host/daemon/guest_log.cpp \
	host/daemon/guest_process.cpp \
	host/daemon/listener.cpp \
	host/daemon/lost_device.cpp \
	host/daemon/options.cpp \
	host/daemon/session.cpp \
	host/daemon/setup.cpp \
	host/daemon/signals.cpp \
	host/daemon/supervisor.cpp \
	host/daemon/worker_process.cpp,\
	-Ihost $(spdlog-flags)))

# No engine and no provider: what can crash or hang is in the worker.
$(eval $(call program,host/daemon/virtio-acceld,\
	host/daemon/main.cpp,\
	acceld sandbox vhost wire fault,\
	-Ihost $(spdlog-flags),\
	-lspdlog -lfmt -lseccomp))
$(O)/host/daemon/virtio-acceld: | $(O)/host/worker/virtio-accel-worker
