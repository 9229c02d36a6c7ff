# SPDX-License-Identifier: MIT
$(eval $(call library,inspect,\
	host/inspect/dump.cpp \
	host/inspect/input.cpp \
	host/inspect/stats.cpp,\
	-Ihost))

$(eval $(call program,host/inspect/accel-tosa,host/inspect/main.cpp,inspect tosa,-Ihost))

all: $(O)/host/inspect/accel-tosa
