# SPDX-License-Identifier: MIT
$(eval $(call library,wire,\
	host/wire/config.cpp \
	host/wire/opcode.cpp \
	host/wire/request.cpp \
	host/wire/response.cpp \
	host/wire/status.cpp,\
	-Ihost))
