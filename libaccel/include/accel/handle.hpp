// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "accel/error.hpp"

namespace accel::detail {

class File;

// A kernel handle and what it lives in: the open file and, unless it is a context or a
// syncobj, its context. Handle numbers are reused by the kernel, so a handle must never
// outlive its context: it shares it.
class ACCEL_API Handle {
 public:
    enum class Kind : std::uint8_t { Context, Buffer, Program, Queue, Event, Syncobj };

    Handle() = default;
    Handle(std::shared_ptr<File> file, Kind kind, std::uint32_t id) noexcept;
    Handle(std::shared_ptr<const Handle> context, Kind kind, std::uint32_t id) noexcept;
    Handle(Handle&& other) noexcept;
    Handle& operator=(Handle&& other) noexcept;
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle();  // releases it; an event that is pending is detached

    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }  // 0: none
    [[nodiscard]] const std::shared_ptr<File>& file() const noexcept { return file_; }
    [[nodiscard]] const std::shared_ptr<const Handle>& context() const noexcept { return context_; }
    [[nodiscard]] bool same_file(const Handle& other) const noexcept {
        return file_ == other.file_;
    }

    // One ioctl on the file. EBADF, without a system call, if there is no handle.
    [[nodiscard]] Result<void> call(unsigned long request, void* argument,
                                    const char* operation) const noexcept;

    // For a handle that the kernel has released already.
    void forget() noexcept;

 private:
    void swap(Handle& other) noexcept;

    std::shared_ptr<File> file_;
    std::shared_ptr<const Handle> context_;
    Kind kind_ = Kind::Context;
    std::uint32_t id_ = 0;
};

}  // namespace accel::detail
