// SPDX-License-Identifier: MIT
#include "vulkan/code.hpp"

#include <algorithm>

namespace vulkan {
namespace {

constexpr std::uint32_t kElementwise1[] = {
#include "vulkan/elementwise_1.inc"
};
constexpr std::uint32_t kElementwise2[] = {
#include "vulkan/elementwise_2.inc"
};
constexpr std::uint32_t kElementwise4[] = {
#include "vulkan/elementwise_4.inc"
};
constexpr std::uint32_t kElementwise6[] = {
#include "vulkan/elementwise_6.inc"
};
constexpr std::uint32_t kElementwiseTranscendental1[] = {
#include "vulkan/elementwise_transcendental_1.inc"
};
constexpr std::uint32_t kElementwiseTranscendental2[] = {
#include "vulkan/elementwise_transcendental_2.inc"
};
constexpr std::uint32_t kElementwiseTranscendental4[] = {
#include "vulkan/elementwise_transcendental_4.inc"
};
constexpr std::uint32_t kElementwiseTranscendental6[] = {
#include "vulkan/elementwise_transcendental_6.inc"
};
constexpr std::uint32_t kMove[] = {
#include "vulkan/move.inc"
};
constexpr std::uint32_t kConcat[] = {
#include "vulkan/concat.inc"
};
constexpr std::uint32_t kGemm0[] = {
#include "vulkan/gemm_0.inc"
};
constexpr std::uint32_t kGemm1[] = {
#include "vulkan/gemm_1.inc"
};
constexpr std::uint32_t kGemm3[] = {
#include "vulkan/gemm_3.inc"
};
constexpr std::uint32_t kGemm6[] = {
#include "vulkan/gemm_6.inc"
};
constexpr std::uint32_t kGemmTranscendental1[] = {
#include "vulkan/gemm_transcendental_1.inc"
};
constexpr std::uint32_t kGemmTranscendental3[] = {
#include "vulkan/gemm_transcendental_3.inc"
};
constexpr std::uint32_t kGemmTranscendental6[] = {
#include "vulkan/gemm_transcendental_6.inc"
};
constexpr std::uint32_t kGemmDot0[] = {
#include "vulkan/gemm_dot_0.inc"
};
constexpr std::uint32_t kGemmDot1[] = {
#include "vulkan/gemm_dot_1.inc"
};
constexpr std::uint32_t kGemmDot3[] = {
#include "vulkan/gemm_dot_3.inc"
};
constexpr std::uint32_t kGemmDot6[] = {
#include "vulkan/gemm_dot_6.inc"
};
constexpr std::uint32_t kGemmDotTranscendental1[] = {
#include "vulkan/gemm_dot_transcendental_1.inc"
};
constexpr std::uint32_t kGemmDotTranscendental3[] = {
#include "vulkan/gemm_dot_transcendental_3.inc"
};
constexpr std::uint32_t kGemmDotTranscendental6[] = {
#include "vulkan/gemm_dot_transcendental_6.inc"
};
constexpr std::uint32_t kGemv0[] = {
#include "vulkan/gemv_0.inc"
};
constexpr std::uint32_t kGemv1[] = {
#include "vulkan/gemv_1.inc"
};
constexpr std::uint32_t kGemv3[] = {
#include "vulkan/gemv_3.inc"
};
constexpr std::uint32_t kGemv6[] = {
#include "vulkan/gemv_6.inc"
};
constexpr std::uint32_t kGemvTranscendental1[] = {
#include "vulkan/gemv_transcendental_1.inc"
};
constexpr std::uint32_t kGemvTranscendental3[] = {
#include "vulkan/gemv_transcendental_3.inc"
};
constexpr std::uint32_t kGemvTranscendental6[] = {
#include "vulkan/gemv_transcendental_6.inc"
};
constexpr std::uint32_t kDepthwise0[] = {
#include "vulkan/depthwise_0.inc"
};
constexpr std::uint32_t kDepthwise1[] = {
#include "vulkan/depthwise_1.inc"
};
constexpr std::uint32_t kDepthwise3[] = {
#include "vulkan/depthwise_3.inc"
};
constexpr std::uint32_t kDepthwiseTranscendental1[] = {
#include "vulkan/depthwise_transcendental_1.inc"
};
constexpr std::uint32_t kDepthwiseTranscendental3[] = {
#include "vulkan/depthwise_transcendental_3.inc"
};
constexpr std::uint32_t kPool0[] = {
#include "vulkan/pool_0.inc"
};
constexpr std::uint32_t kPool1[] = {
#include "vulkan/pool_1.inc"
};
constexpr std::uint32_t kPool3[] = {
#include "vulkan/pool_3.inc"
};
constexpr std::uint32_t kPoolTranscendental1[] = {
#include "vulkan/pool_transcendental_1.inc"
};
constexpr std::uint32_t kPoolTranscendental3[] = {
#include "vulkan/pool_transcendental_3.inc"
};
constexpr std::uint32_t kReduce0[] = {
#include "vulkan/reduce_0.inc"
};
constexpr std::uint32_t kReduce1[] = {
#include "vulkan/reduce_1.inc"
};
constexpr std::uint32_t kReduce3[] = {
#include "vulkan/reduce_3.inc"
};
constexpr std::uint32_t kReduce6[] = {
#include "vulkan/reduce_6.inc"
};
constexpr std::uint32_t kReduceTranscendental1[] = {
#include "vulkan/reduce_transcendental_1.inc"
};
constexpr std::uint32_t kReduceTranscendental3[] = {
#include "vulkan/reduce_transcendental_3.inc"
};
constexpr std::uint32_t kReduceTranscendental6[] = {
#include "vulkan/reduce_transcendental_6.inc"
};
constexpr std::uint32_t kGather[] = {
#include "vulkan/gather.inc"
};
constexpr std::uint32_t kResize[] = {
#include "vulkan/resize.inc"
};

// Of one kernel, the smaller first.
constexpr Code kEveryCode[] = {
    {{Kernel::Elementwise, 1, false}, kElementwise1},
    {{Kernel::Elementwise, 2, false}, kElementwise2},
    {{Kernel::Elementwise, 4, false}, kElementwise4},
    {{Kernel::Elementwise, 6, false}, kElementwise6},
    {{Kernel::Elementwise, 1, true}, kElementwiseTranscendental1},
    {{Kernel::Elementwise, 2, true}, kElementwiseTranscendental2},
    {{Kernel::Elementwise, 4, true}, kElementwiseTranscendental4},
    {{Kernel::Elementwise, 6, true}, kElementwiseTranscendental6},
    {{Kernel::Move, 0, false}, kMove},
    {{Kernel::Concat, 0, false}, kConcat},
    {{Kernel::Depthwise, 0, false}, kDepthwise0},
    {{Kernel::Depthwise, 1, false}, kDepthwise1},
    {{Kernel::Depthwise, 3, false}, kDepthwise3},
    {{Kernel::Depthwise, 1, true}, kDepthwiseTranscendental1},
    {{Kernel::Depthwise, 3, true}, kDepthwiseTranscendental3},
    {{Kernel::Pool, 0, false}, kPool0},
    {{Kernel::Pool, 1, false}, kPool1},
    {{Kernel::Pool, 3, false}, kPool3},
    {{Kernel::Pool, 1, true}, kPoolTranscendental1},
    {{Kernel::Pool, 3, true}, kPoolTranscendental3},
    {{Kernel::Reduce, 0, false}, kReduce0},
    {{Kernel::Reduce, 1, false}, kReduce1},
    {{Kernel::Reduce, 3, false}, kReduce3},
    {{Kernel::Reduce, 6, false}, kReduce6},
    {{Kernel::Reduce, 1, true}, kReduceTranscendental1},
    {{Kernel::Reduce, 3, true}, kReduceTranscendental3},
    {{Kernel::Reduce, 6, true}, kReduceTranscendental6},
    {{Kernel::Gather, 0, false}, kGather},
    {{Kernel::Resize, 0, false}, kResize},
    {{Kernel::Gemm, 0, false}, kGemm0},
    {{Kernel::Gemm, 1, false}, kGemm1},
    {{Kernel::Gemm, 3, false}, kGemm3},
    {{Kernel::Gemm, 6, false}, kGemm6},
    {{Kernel::Gemm, 1, true}, kGemmTranscendental1},
    {{Kernel::Gemm, 3, true}, kGemmTranscendental3},
    {{Kernel::Gemm, 6, true}, kGemmTranscendental6},
    {{Kernel::Gemm, 0, false, true}, kGemmDot0},
    {{Kernel::Gemm, 1, false, true}, kGemmDot1},
    {{Kernel::Gemm, 3, false, true}, kGemmDot3},
    {{Kernel::Gemm, 6, false, true}, kGemmDot6},
    {{Kernel::Gemm, 1, true, true}, kGemmDotTranscendental1},
    {{Kernel::Gemm, 3, true, true}, kGemmDotTranscendental3},
    {{Kernel::Gemm, 6, true, true}, kGemmDotTranscendental6},
    {{Kernel::Gemv, 0, false}, kGemv0},
    {{Kernel::Gemv, 1, false}, kGemv1},
    {{Kernel::Gemv, 3, false}, kGemv3},
    {{Kernel::Gemv, 6, false}, kGemv6},
    {{Kernel::Gemv, 1, true}, kGemvTranscendental1},
    {{Kernel::Gemv, 3, true}, kGemvTranscendental3},
    {{Kernel::Gemv, 6, true}, kGemvTranscendental6},
};

}  // namespace

std::span<const Code> every_code() {
    return kEveryCode;
}

std::size_t code_for(const Variant& variant) {
    const auto fits = [&](const Code& code) {
        return code.most.kernel == variant.kernel && code.most.stages >= variant.stages &&
               code.most.transcendental >= variant.transcendental &&
               code.most.integer_dot == variant.integer_dot;
    };
    return static_cast<std::size_t>(std::ranges::find_if(kEveryCode, fits) - kEveryCode);
}

}  // namespace vulkan
