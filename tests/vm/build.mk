# SPDX-License-Identifier: MIT

$(eval $(call unit-test,vm,$(addprefix tests/vm/,backend_test.cpp cpio_test.cpp elf_test.cpp \
	kernel_test.cpp monitor_test.cpp options_test.cpp process_test.cpp qemu_test.cpp \
	shell_test.cpp),vm))
