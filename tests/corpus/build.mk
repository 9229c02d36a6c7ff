# SPDX-License-Identifier: MIT
# The numerical corpus, and the program that wrote what is checked in of it.

$(eval $(call unit-test,corpus,$(addprefix tests/corpus/,case.cpp compare.cpp corpus_test.cpp),cpu vulkan \
	provider tosa,$(vulkan-flags),-ldl))

$(eval $(call program,tests/corpus/make,$(addprefix tests/corpus/,case.cpp float_cases.cpp make.cpp \
	storage_cases.cpp),tosa,-Ihost -Itests))

$(tests/corpus/corpus_test-objects) $(tests/corpus/make-objects): | $(O)/gen/tosa_generated.h

corpus: $(O)/tests/corpus/make
	@VIRTIO_ACCEL_TOSA_FIXTURE_OUT=tests/corpus/data $<
