# SPDX-License-Identifier: MIT
spdlog-flags := -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL

$(eval $(call library,acceld,\
	host/daemon/board.cpp \
	host/daemon/config_file.cpp \
	host/daemon/control.cpp \
	host/daemon/fd_passing.cpp \
	host/daemon/guest_log.cpp \
	host/daemon/guest_process.cpp \
	host/daemon/http.cpp \
	host/daemon/listener.cpp \
	host/daemon/log.cpp \
	host/daemon/lost_device.cpp \
	host/daemon/metrics.cpp \
	host/daemon/options.cpp \
	host/daemon/order.cpp \
	host/daemon/programs.cpp \
	host/daemon/provider_options.cpp \
	host/daemon/session.cpp \
	host/daemon/setup.cpp \
	host/daemon/signals.cpp \
	host/daemon/sockets.cpp \
	host/daemon/statistics.cpp \
	host/daemon/store_process.cpp \
	host/daemon/supervisor.cpp \
	host/daemon/systemd.cpp \
	host/daemon/worker_process.cpp,\
	-Ihost $(spdlog-flags)))

# No engine and no provider: what can crash or hang is in the worker.
$(eval $(call program,host/daemon/virtio-acceld,\
	host/daemon/main.cpp,\
	acceld sandbox vhost wire fault,\
	-Ihost $(spdlog-flags),\
	-lspdlog -lfmt -lseccomp))
daemon-parts := $(O)/host/worker/virtio-accel-worker $(O)/host/xdna/store/virtio-accel-xdna-store
$(O)/host/daemon/virtio-acceld: | $(daemon-parts)

# $(call fill,FILE,TO[,UNIT,NAME]): installs a file of host/daemon/install with its blanks filled
fill = sed -e 's|@bindir@|$(PREFIX)/bin|' -e 's|@docdir@|$(PREFIX)/$(docdir)|' \
	-e 's|@unit@|$(3)|' -e 's|@name@|$(4)|' host/daemon/install/$(1) | \
	install -D -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/$(2)
docdir := share/doc/virtio-accel
unitdir := lib/systemd/system

# The others go where virtio-acceld looks for them.
.PHONY: install-daemon
install: install-daemon
install-daemon: $(O)/host/daemon/virtio-acceld $(daemon-parts)
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin $(O)/host/daemon/virtio-acceld
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/virtio-accel $(daemon-parts)
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/$(docdir) docs/daemon.md docs/virtio-acceld.toml
	$(foreach kind,service socket,\
		$(call fill,virtio-acceld.$(kind),$(unitdir)/virtio-acceld.$(kind),virtio-acceld,default); \
		$(call fill,virtio-acceld.$(kind),$(unitdir)/virtio-acceld@.$(kind),virtio-acceld@%i,%i);)
	$(call fill,50-virtio-accel.json,share/qemu/vhost-user/50-virtio-accel.json)
