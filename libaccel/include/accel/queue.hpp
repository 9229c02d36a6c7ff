// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "accel/buffer.hpp"
#include "accel/event.hpp"
#include "accel/program.hpp"

namespace accel {

enum class Access : std::uint32_t { Read = 1, Write = 2, ReadWrite = 3 };

// A range of a buffer, bound to a slot of the program.
struct Binding {
    const Buffer* buffer = nullptr;
    std::uint32_t slot = 0;  // unique within the submission
    Access access = Access::Read;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  // bytes, not zero
};

struct Submission {
    Event event;
    Status admission = Status::Ok;  // otherwise: why the device cannot say if it took the work
};

// An execution queue.
class ACCEL_API Queue {
 public:
    // Hands work to the device. `timeout` runs from admission; zero is no limit. When
    // the device cannot say whether it took the work, the call succeeds: the event is
    // real and holds the objects, and `admission` has the reason.
    //   EINVAL  no bindings or too many, a null buffer, an object of another context,
    //           a negative timeout
    //   EBUSY   the device has no room now
    //   ENOSPC  too many events that are not destroyed
    [[nodiscard]] Result<Submission> submit(const Program& program,
                                            std::span<const Binding> bindings,
                                            std::chrono::nanoseconds timeout) const noexcept;

 private:
    friend class Context;
    explicit Queue(detail::Handle handle) noexcept;
    [[nodiscard]] Result<void> accept(const detail::Handle& object) const noexcept;

    detail::Handle handle_;
};

}  // namespace accel
