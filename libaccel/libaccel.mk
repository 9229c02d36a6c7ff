# SPDX-License-Identifier: MIT
# libaccel, as a shared library and as an archive, and accelctl, which holds the archive.

drm-cppflags := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libdrm))
accel-sources := $(addprefix libaccel/src/,\
	buffer.cpp context.cpp device.cpp error.cpp event.cpp file.cpp handle.cpp kernel.cpp \
	notification.cpp program.cpp queue.cpp status.cpp syncobj.cpp)
accel-soname := libaccel.so.0

$(eval $(call library,accel,$(accel-sources),-Ilibaccel/include -Ilibaccel/src $(drm-cppflags)))

$(O)/$(accel-soname): $(accel-objects)
	$(call say,link,$@)
	@$(CXX) -shared -Wl,-soname,$(accel-soname) -Wl,-z,defs $(LDFLAGS) -o $@ $^

accelctl-sources := $(addprefix libaccel/tools/,\
	bench.cpp dtype.cpp execute.cpp file_io.cpp info.cpp labels.cpp model.cpp npy.cpp open.cpp \
	run.cpp selftest.cpp tosa_program.cpp)
accelctl-cppflags := -Ilibaccel/include -Ilibaccel/tools -DFMT_HEADER_ONLY $(drm-cppflags)

$(eval $(call library,accelctl,$(accelctl-sources),$(accelctl-cppflags)))
$(eval $(call program,libaccel/accelctl,libaccel/tools/main.cpp,accelctl accel,$(accelctl-cppflags)))
$(accelctl-objects): | $(O)/gen/tosa_generated.h

all: $(O)/$(accel-soname) $(O)/libaccel/accelctl

PREFIX ?= /usr/local
libdir := $(DESTDIR)$(PREFIX)/lib

.PHONY: install-libaccel
install: install-libaccel
install-libaccel: $(O)/$(accel-soname) $(O)/libaccel.a $(O)/libaccel/accelctl
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(O)/libaccel/accelctl
	install -D -m 755 -t $(libdir) $(O)/$(accel-soname)
	ln -sf $(accel-soname) $(libdir)/libaccel.so
	install -D -m 644 -t $(libdir) $(O)/libaccel.a
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include/accel libaccel/include/accel/*.hpp
	install -d $(libdir)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' libaccel/libaccel.pc.in > $(libdir)/pkgconfig/libaccel.pc
