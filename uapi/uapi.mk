# SPDX-License-Identifier: MIT
# The FlatBuffers schema of a TOSA artifact, as C++ accessors.

$(O)/gen/tosa_generated.h: uapi/tosa/tosa.fbs
	@mkdir -p $(@D)
	$(call say,flatc,$<)
	@flatc --cpp --scoped-enums -o $(@D) $<
