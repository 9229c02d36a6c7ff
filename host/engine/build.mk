# SPDX-License-Identifier: MIT
$(eval $(call library,engine,\
	host/engine/buffer.cpp \
	host/engine/context.cpp \
	host/engine/device.cpp \
	host/engine/engine.cpp \
	host/engine/event.cpp \
	host/engine/program.cpp \
	host/engine/queue.cpp \
	host/engine/reset.cpp,\
	-Ihost))
