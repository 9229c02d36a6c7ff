# SPDX-License-Identifier: MIT
$(eval $(call library,ctl,\
	host/ctl/client.cpp \
	host/ctl/table.cpp,\
	-Ihost))

$(eval $(call program,host/ctl/acceld-ctl,host/ctl/main.cpp,ctl,-Ihost))

all: $(O)/host/ctl/acceld-ctl
