# SPDX-License-Identifier: MIT
# The numerical corpus, and the program that wrote what is checked in of it.

$(eval $(call unit-test,corpus,$(addprefix tests/corpus/,case.cpp compare.cpp corpus_test.cpp),\
	cpu vulkan xdna provider tosa,$(vulkan-flags),-ldl))

$(eval $(call program,tests/corpus/make,tests/corpus/case.cpp tests/corpus/make.cpp \
	$(wildcard tests/corpus/*_cases.cpp),networks tosa,-Ihost -Itests))

$(tests/corpus/corpus_test-objects) $(tests/corpus/make-objects): | $(O)/gen/tosa_generated.h

corpus: $(O)/tests/corpus/make
	@VIRTIO_ACCEL_TOSA_FIXTURE_OUT=tests/corpus/data $<
	@python3 -B tests/corpus/oracle tests/corpus/data
