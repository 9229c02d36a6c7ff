// SPDX-License-Identifier: MIT
#include "tosa/types.hpp"
#include "tosa_generated.h"

namespace tosa {

static_assert(static_cast<std::uint32_t>(fbs::Op::MAX) == kLastStableOp);
static_assert(static_cast<std::uint32_t>(fbs::Attribute::MAX) == kLastStableOp);
static_assert(static_cast<std::uint32_t>(fbs::DType::MAX) ==
              static_cast<std::uint32_t>(DType::Fp8E5M2));

std::string_view name(Op op) {
    const std::string_view text = fbs::EnumNameOp(static_cast<fbs::Op>(op));
    return text.empty() || static_cast<std::uint32_t>(op) == 0 ? "?" : text;
}

std::string_view name(DType type) {
    const std::string_view text = fbs::EnumNameDType(static_cast<fbs::DType>(type));
    return text.empty() || type == DType::Unknown ? "?" : text;
}

}  // namespace tosa
