// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "accel/buffer.hpp"
#include "accel/program.hpp"
#include "accel/queue.hpp"

namespace accel {

// What isolates one set of objects on the device from others. It lives until the
// Context and everything made from it are gone, in whichever order.
//
// Threads: may be used by several at once.
class ACCEL_API Context {
 public:
    Context(Context&&) noexcept = default;
    Context& operator=(Context&&) noexcept = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() = default;

    // The contents start as zero.
    //   EOPNOTSUPP  the device does not have the domain
    //   ENOSPC      too large, or too many
    [[nodiscard]] Result<Buffer> create_buffer(const BufferDesc& desc) const noexcept;

    // Compiles where there is something to compile, so it may take long.
    //   EOPNOTSUPP  the provider does not run this program, or not this format
    //   ENOEXEC     the provider does not have the target
    //   EINVAL      the program is malformed
    //   ENOSPC      too large, too many, or resident_bytes is not enough
    [[nodiscard]] Result<Program> load_program(const Artifact& artifact) const noexcept;

    [[nodiscard]] Result<Queue> create_queue() const noexcept;

 private:
    friend class Device;
    explicit Context(std::shared_ptr<const detail::Handle> handle) noexcept;

    [[nodiscard]] std::uint32_t id() const noexcept { return handle_ ? handle_->id() : 0; }
    [[nodiscard]] Result<void> call(unsigned long request, void* argument,
                                    const char* operation) const noexcept;

    std::shared_ptr<const detail::Handle> handle_;
};

}  // namespace accel
