# SPDX-License-Identifier: MIT
$(eval $(call program,host/xdna/tool/accel-xdna,\
	host/xdna/tool/main.cpp,\
	inspect xdna-store xdna-store-client xdna provider tosa,\
	-Ihost))
$(host/xdna/tool/accel-xdna-objects): | $(O)/gen/tosa_generated.h

all: $(O)/host/xdna/tool/accel-xdna

.PHONY: install-accel-xdna
install: install-accel-xdna
install-accel-xdna: $(O)/host/xdna/tool/accel-xdna
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $<
