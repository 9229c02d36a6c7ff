# SPDX-License-Identifier: MIT

vm-sources := $(addprefix host/vm/,backend.cpp cpio.cpp elf.cpp files.cpp guest.cpp \
	initramfs.cpp kernel.cpp monitor.cpp options.cpp process.cpp qemu.cpp shell.cpp)

$(eval $(call library,vm,$(vm-sources),-Ihost))
$(eval $(call program,host/vm/accel-vm,host/vm/main.cpp,vm,-Ihost))

all: $(O)/host/vm/accel-vm
