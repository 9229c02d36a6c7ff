// SPDX-License-Identifier: MIT
#include "vulkan/code.hpp"

#include <algorithm>

namespace vulkan {
namespace {

// kEveryCode: made by build.mk, which says what there is. Of one kernel, the smaller first.
#include "vulkan/code.inc"

}  // namespace

std::span<const Code> every_code() {
    return kEveryCode;
}

std::size_t code_for(const Variant& variant) {
    const auto fits = [&](const Code& code) {
        return code.most.kernel == variant.kernel && code.most.stages >= variant.stages &&
               code.most.transcendental >= variant.transcendental &&
               code.most.feature == variant.feature;
    };
    return static_cast<std::size_t>(std::ranges::find_if(kEveryCode, fits) - kEveryCode);
}

}  // namespace vulkan
