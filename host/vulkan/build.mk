# SPDX-License-Identifier: MIT
# The Vulkan provider. Programs that use it link with -ldl and nothing of Vulkan's.

vulkan-shaders := $(addprefix $(O)/gen/vulkan/,move.inc add.inc clamp.inc matmul.inc)

# SPIR-V as the words of an array, valid by the judgement of spirv-val. Compiled for 1.2, the
# size of a workgroup is the builtin, which every device takes; for 1.3 it would be LocalSizeId,
# which is only for those with maintenance4.
$(vulkan-shaders): $(O)/gen/vulkan/%.inc: host/vulkan/shaders/%.comp host/vulkan/shaders/common.glsl
	@mkdir -p $(@D)
	$(call say,glslc,$<)
	@glslc --target-env=vulkan1.2 -Werror -o $(@:.inc=.spv) $<
	@spirv-val --target-env vulkan1.3 $(@:.inc=.spv)
	@glslc --target-env=vulkan1.2 -Werror -mfmt=num -o $@ $<

# Vulkan's structures are meant to be filled in part, the rest zero.
vulkan-flags := -Ihost -DVK_NO_PROTOTYPES -Wno-missing-field-initializers

$(eval $(call library,vulkan,$(addprefix host/vulkan/,api.cpp arena.cpp commands.cpp context.cpp \
	device.cpp executable.cpp instance.cpp kernels.cpp lower.cpp pipeline_cache.cpp provider.cpp ring.cpp \
	schedule.cpp select.cpp storage.cpp submit.cpp transfer.cpp),$(vulkan-flags)))

$(O)/host/vulkan/kernels.o: $(vulkan-shaders)
$(O)/host/vulkan/lower.o: | $(O)/gen/tosa_generated.h
