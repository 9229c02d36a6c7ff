# SPDX-License-Identifier: MIT
# The Vulkan provider. Programs that use it link with -ldl and nothing of Vulkan's.

# Kernels that end in a chain are built for several lengths of it (shaders/chain.glsl).
# $(call chained,SOURCE,STAGES...): their names, with and without transcendental stages
chained = $(foreach n,$(2),$(1)_$n $(if $(filter-out 0,$n),$(1)_transcendental_$n))
vulkan-chained := elementwise gemm gemv depthwise pool reduce
vulkan-plain := $(filter-out $(vulkan-chained),$(basename $(notdir $(wildcard host/vulkan/shaders/*.comp))))
vulkan-kernels := $(vulkan-plain) $(call chained,elementwise,1 2 4 6) \
	$(foreach k,gemm gemm_dot gemv reduce,$(call chained,$k,0 1 3 6)) \
	$(foreach k,depthwise pool,$(call chained,$k,0 1 3))
vulkan-shaders := $(vulkan-kernels:%=$(O)/gen/vulkan/%.inc)

# SPIR-V as the words of an array, valid by the judgement of spirv-val. Of version 1.3, a
# workgroup's size that is a specialization constant needs no feature of the device.
# $(call shader,KERNEL,SOURCE,DEFINITIONS)
glslc := glslc --target-env=vulkan1.2 --target-spv=spv1.3 -Werror
define shader
$(O)/gen/vulkan/$(1).inc: host/vulkan/shaders/$(2).comp \
		$(wildcard host/vulkan/shaders/*.glsl host/vulkan/shaders/*.inc)
	@mkdir -p $$(@D)
	$$(call say,glslc,$(1))
	@$(glslc) $(3) -o $$(@:.inc=.spv) $$<
	@spirv-val --target-env vulkan1.3 $$(@:.inc=.spv)
	@$(glslc) $(3) -mfmt=num -o $$@ $$<
endef
$(foreach k,$(vulkan-plain),$(eval $(call shader,$k,$k)))
# $(call chained-shaders,KERNEL,SOURCE,DEFINITIONS)
chained-shaders = $(foreach n,0 1 2 3 4 6,\
	$(eval $(call shader,$(1)_$n,$(2),$(3) -DSTAGES=$n -DTRANSCENDENTAL=0)) \
	$(eval $(call shader,$(1)_transcendental_$n,$(2),$(3) -DSTAGES=$n -DTRANSCENDENTAL=1)))
$(foreach k,$(vulkan-chained),$(call chained-shaders,$k,$k,-DDOT=0))
$(call chained-shaders,gemm_dot,gemm,-DDOT=1)

# Vulkan's structures are meant to be filled in part, the rest zero.
vulkan-flags := -Ihost -DVK_NO_PROTOTYPES -Wno-missing-field-initializers

$(eval $(call library,vulkan,$(wildcard host/vulkan/*.cpp),$(vulkan-flags)))

$(O)/host/vulkan/code.o: $(vulkan-shaders)
$(patsubst %.cpp,$(O)/%.o,$(wildcard host/vulkan/lower*.cpp) host/vulkan/known_answers.cpp): \
	| $(O)/gen/tosa_generated.h
