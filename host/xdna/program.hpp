// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "xdna/binary.hpp"
#include "xdna/context_pool.hpp"
#include "xdna/objects.hpp"
#include "xdna/xdna.hpp"

namespace xdna {

// The binary that a program asks for, or is. May take a compiler's time, and throw bad_alloc.
[[nodiscard]] Result<Binary> find_binary(const provider::ProgramDesc& desc,
                                         provider::ByteSource& source, const Options& options);

// May throw bad_alloc.
[[nodiscard]] Result<std::shared_ptr<Kernel>> load_kernel(const Npu& npu, ContextPool& pool,
                                                          std::shared_ptr<Quarantine> quarantine,
                                                          const Binary& binary);

}  // namespace xdna
