// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "accel/buffer.hpp"
#include "accel/event.hpp"
#include "accel/program.hpp"
#include "accel/syncobj.hpp"

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

struct SubmitOptions {
    // From admission by the device; zero is no limit. With `signal` it must be from 1 ns to
    // DeviceInfo::max_fence_timeout.
    std::chrono::nanoseconds timeout{};
    // The device is asked when all of these have signalled. If it refuses then, or one of
    // them has failed, the event says so.
    std::span<const Sync> wait_for{};
    // These signal when the event has ended, however it ends.
    std::span<const Sync> signal{};
    // Then Device::read_notifications() returns this.
    std::optional<std::uint64_t> notify{};
    // The event ends by itself, if the context lives so long, and is not returned.
    bool detach = false;
};

struct Submission {
    Event event;                    // names nothing if the submission was detached
    Status admission = Status::Ok;  // otherwise: why the device cannot say if it took the work
};

// An execution queue.
class ACCEL_API Queue {
 public:
    // Hands work to the device. When the device cannot say whether it took the work, the
    // call succeeds: the event is real and holds the objects, and `admission` has the reason.
    //   EINVAL     no bindings or too many, a null pointer, an object of another context, a
    //              syncobj of another device, too many syncs, a sync to wait for without a
    //              fence, a timeout out of its range
    //   EBUSY      the device has no room now
    //   ENOSPC     too many pending events
    //   ENOMEM     too many notifications are unread or to come
    //   ECANCELED  the context has work that could not be stopped
    [[nodiscard]] Result<Submission> submit(const Program& program,
                                            std::span<const Binding> bindings,
                                            const SubmitOptions& options = {}) const noexcept;

 private:
    friend class Context;
    explicit Queue(detail::Handle handle) noexcept;
    struct Packed;
    [[nodiscard]] Result<void> accept(const detail::Handle& object) const noexcept;

    detail::Handle handle_;
};

}  // namespace accel
