# SPDX-License-Identifier: MIT
# The programs that test the driver in a guest, linked statically: the guest has
# no C library. They do not depend on SAN=.

kselftests := $(addprefix build/selftests/,ioctl_abi lifetime transfer wait submit)

CC := $(if $(shell command -v ccache),ccache )gcc
kselftest-cflags := -O2 -g -Wall -Wextra -Werror -MMD -MP -Iuapi -isystem /usr/include/drm

build/selftests/%.o: selftests/%.c | build/linux-scripts/.unpacked
	@mkdir -p $(@D)
	$(call say,cc,$<)
	@$(CC) $(kselftest-cflags) -std=gnu11 -isystem build/kselftest -c -o $@ $<

$(kselftests): build/selftests/%: build/selftests/%.o build/selftests/vaccel_util.o
	$(call say,link,$@)
	@$(CC) -static -o $@ $^

# The uapi header is for strict C11 and C++ alike.
uapi-header-checks := build/selftests/uapi_header.c11.o build/selftests/uapi_header.cxx.o
build/selftests/uapi_header.c11.o: uapi-language := -x c -std=c11
build/selftests/uapi_header.cxx.o: uapi-language := -x c++ -std=c++11
$(uapi-header-checks): selftests/uapi_header.c
	@mkdir -p $(@D)
	$(call say,cc,$@)
	@$(CC) $(uapi-language) -pedantic $(kselftest-cflags) -c -o $@ $<

.PHONY: selftests
selftests: $(kselftests) $(uapi-header-checks)
all: selftests

-include $(wildcard build/selftests/*.d)
