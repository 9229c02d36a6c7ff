# SPDX-License-Identifier: MIT
# Where compiled kernels come from. What serves a guest links the client alone.
$(eval $(call library,xdna-store-client,\
	host/xdna/store/channel.cpp \
	host/xdna/store/client.cpp,\
	-Ihost))

$(eval $(call library,xdna-store,\
	host/xdna/store/bounded_process.cpp \
	host/xdna/store/cache.cpp \
	host/xdna/store/compiler.cpp \
	host/xdna/store/confinement.cpp \
	host/xdna/store/contract.cpp \
	host/xdna/store/direct.cpp \
	host/xdna/store/files.cpp \
	host/xdna/store/jobs.cpp \
	host/xdna/store/key.cpp \
	host/xdna/store/server.cpp \
	host/xdna/store/work_directory.cpp,\
	-Ihost))
xdna-store-ldlibs := -lmd -lseccomp

$(eval $(call program,host/xdna/store/virtio-accel-xdna-store,\
	host/xdna/store/main.cpp,\
	xdna-store xdna-store-client xdna provider tosa sandbox,\
	-Ihost,\
	-lseccomp))

.PHONY: install-aie-compiler
install: install-aie-compiler
install-aie-compiler:
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/virtio-accel/aie host/xdna/store/aie/aie-compiler.py
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/libexec/virtio-accel/aie host/xdna/store/aie/kernels.hpp
