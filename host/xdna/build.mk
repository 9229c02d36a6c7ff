# SPDX-License-Identifier: MIT
# The XDNA provider. Only host/xdna/xrt, a library of its own, knows XRT.

# The library and who opens it must be of the same contract.
xdna-contract := -DXDNA_CONTRACT=$(shell cat host/xdna/hardware.hpp host/xdna/xrt/entry.hpp \
	host/provider/error.hpp | cksum | cut -d ' ' -f 1)U

$(eval $(call library,xdna,$(wildcard host/xdna/*.cpp),-Ihost $(xdna-contract)))

$(xdna-objects): | $(O)/gen/tosa_generated.h
xdna-ldlibs := -ldl

# It is no part of any program: programs look for it (plugin.cpp). A folder of the compiler's
# own must not be named to it.
ifeq ($(shell pkg-config --exists xrt && echo yes),yes)
xdna-xrt := $(O)/host/xdna/xrt/libvirtio-accel-xrt.so
xdna-xrt-flags := $(patsubst -I%,-isystem %,\
	$(filter-out -I/usr/./include,$(shell pkg-config --cflags xrt)))
$(eval $(call library,xdna-xrt,$(wildcard host/xdna/xrt/*.cpp),\
	-Ihost $(xdna-contract) $(xdna-xrt-flags)))
$(xdna-xrt): $(xdna-xrt-objects) host/xdna/xrt/exports.map
	$(call say,link,$@)
	@$(CXX) $(LDFLAGS) -shared -Wl,--version-script=host/xdna/xrt/exports.map -o $@ \
		$(xdna-xrt-objects) $(shell pkg-config --libs xrt)

$(O)/host/worker/virtio-accel-worker: | $(xdna-xrt)

# Beside the worker.
.PHONY: install-xdna-xrt
install-daemon: install-xdna-xrt
install-xdna-xrt: $(xdna-xrt)
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/virtio-accel $<
endif
