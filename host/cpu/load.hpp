// SPDX-License-Identifier: MIT
#pragma once

#include "cpu/objects.hpp"

namespace cpu {

// Copies the artifact once, plans it, and keeps no more than both `desc` and the
// options allow. May throw std::bad_alloc.
[[nodiscard]] provider::Result<std::unique_ptr<ProgramObject>> load(
    ContextObject& context, const provider::ProgramDesc& desc, provider::ByteSource& source,
    const Options& options);

}  // namespace cpu
