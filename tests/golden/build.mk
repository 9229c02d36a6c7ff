# SPDX-License-Identifier: MIT
$(eval $(call unit-test,golden,\
	tests/golden/data/scenarios.cpp \
	tests/golden/data/vectors.cpp \
	tests/golden/layout_test.cpp \
	tests/golden/manifest_test.cpp \
	tests/golden/scenario_test.cpp \
	tests/golden/stage.cpp \
	tests/golden/vector_test.cpp,\
	test-driver fault mock vhost engine wire))

# The header is C first of all.
$(O)/tests/golden/layout.o: tests/golden/layout.c tests/golden/data/layout.inc \
		uapi/linux/virtio_accel.h
	@mkdir -p $(@D)
	$(call say,cc,$<)
	@$(CC) -std=c11 -pedantic -Wall -Wextra -Werror -Iuapi -c -o $@ $<

$(O)/tests/golden/golden_test: | $(O)/tests/golden/layout.o
