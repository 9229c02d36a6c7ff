# SPDX-License-Identifier: MIT
# The Vulkan provider. Programs that use it link with -ldl and nothing of Vulkan's.

# SPIR-V as the words of an array, valid by the judgement of spirv-val. Of version 1.3, a
# workgroup's size that is a specialization constant needs no feature of the device.
# $(call shader,NAME,SOURCE,DEFINITIONS,{VARIANT})
glslc := glslc --target-env=vulkan1.2 --target-spv=spv1.3 -Werror
define shader
$(O)/gen/vulkan/$(1).inc: host/vulkan/shaders/$(2).comp \
		$(wildcard host/vulkan/shaders/*.glsl host/vulkan/shaders/*.inc)
	@mkdir -p $$(@D)
	$$(call say,glslc,$(1))
	@$(glslc) $(3) -o $$(@:.inc=.spv) $$<
	@spirv-val --target-env vulkan1.3 $$(@:.inc=.spv)
	@$(glslc) $(3) -mfmt=num -o $$@ $$<
vulkan-shaders += $(O)/gen/vulkan/$(1).inc
vulkan-codes += '{$(4), $(1)},'
endef
comma := ,
$(foreach k,move:Move concat:Concat gather:Gather resize:Resize,$(eval \
	$(call shader,$(firstword $(subst :, ,$k)),$(firstword $(subst :, ,$k)),,\
		{Kernel::$(lastword $(subst :, ,$k))})))

# Kernels that end in a chain are built for several lengths of it (shaders/chain.glsl), the
# smaller first. $(call chained,NAME,SOURCE,KERNEL,STAGES,FEATURE,DEFINITIONS)
chained = $(foreach t,0 1,$(foreach n,$(if $(filter 1,$t),$(filter-out 0,$(4)),$(4)),$(eval \
	$(call shader,$(1)$(if $(filter 1,$t),_transcendental)_$n,$(2),\
		$(6) -DSTAGES=$n -DTRANSCENDENTAL=$t,\
		{Kernel::$(3)$(comma) $n$(comma) $t$(comma) Feature::$(5)}))))
$(call chained,elementwise,elementwise,Elementwise,1 2 4 6,None)
$(call chained,depthwise,depthwise,Depthwise,0 1 3,None)
$(call chained,pool,pool,Pool,0 1 3,None)
$(call chained,reduce,reduce,Reduce,0 1 3 6,None,-DSUBGROUPS=0)
$(call chained,reduce_subgroups,reduce,Reduce,0 1 3 6,FullSubgroups,-DSUBGROUPS=1)
$(call chained,gemm,gemm,Gemm,0 1 3 6,None,-DDOT=0)
$(call chained,gemm_dot,gemm,Gemm,0 1 3 6,IntegerDot,-DDOT=1)
$(call chained,gemv,gemv,Gemv,0 1 3 6,None)
$(call chained,matrices_half,matrices,HalfMatrices,0 1 3 6,FullSubgroups,-DBYTES=0)
$(call chained,matrices_byte,matrices,ByteMatrices,0 1 3 6,FullSubgroups,-DBYTES=1)

# All of them, as code.cpp includes them.
vulkan-code := $(O)/gen/vulkan/code.inc
$(vulkan-code): $(vulkan-shaders) host/vulkan/build.mk
	@for inc in $(notdir $(vulkan-shaders:.inc=)); do \
		printf 'constexpr std::uint32_t %s[] = {\n#include "vulkan/%s.inc"\n};\n' $$inc $$inc; \
	done > $@
	@printf '%s\n' 'constexpr Code kEveryCode[] = {' $(vulkan-codes) '};' >> $@

# Vulkan's structures are meant to be filled in part, the rest zero.
vulkan-flags := -Ihost -DVK_NO_PROTOTYPES -Wno-missing-field-initializers

$(eval $(call library,vulkan,$(wildcard host/vulkan/*.cpp),$(vulkan-flags)))

$(O)/host/vulkan/code.o: $(vulkan-code)
$(patsubst %.cpp,$(O)/%.o,$(wildcard host/vulkan/lower*.cpp) host/vulkan/known_answers.cpp): \
	| $(O)/gen/tosa_generated.h
