// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "accel/descriptor.hpp"
#include "accel/event.hpp"

namespace accel {

// A DRM syncobj: a place for a fence, or a timeline with a fence at each of its points,
// which grow from 1. Point 0 everywhere stands for the syncobj itself: its only fence, or
// the last point of its timeline.
//
// A fence signals once, also if that whose end it stands for has failed.
//
// Threads: may be used by several at once. Moving and destroying are for one thread.
class ACCEL_API Syncobj {
 public:
    // Waits until the point has signalled; it need not have a fence yet. False: the
    // deadline passed.
    [[nodiscard]] Result<bool> wait(Deadline deadline, std::uint64_t point = 0) const noexcept;

    // Signals the point, and on a timeline with it all before it.
    [[nodiscard]] Result<void> signal(std::uint64_t point = 0) noexcept;

    // The last point of the timeline that has signalled.
    [[nodiscard]] Result<std::uint64_t> value() const noexcept;

    // Adds 1 to the eventfd as soon as the point has signalled.
    [[nodiscard]] Result<void> notify(int eventfd, std::uint64_t point = 0) const noexcept;

    // The fence of the point as a sync_file, for poll(2), other drivers and processes.
    //   EINVAL  it has no fence
    [[nodiscard]] Result<Descriptor> export_sync_file(std::uint64_t point = 0) const noexcept;

    // The fence of a sync_file, whoever made it, becomes that of the point.
    [[nodiscard]] Result<void> import_sync_file(int fd, std::uint64_t point = 0) noexcept;

 private:
    friend class Device;
    friend class Queue;
    explicit Syncobj(detail::Handle handle) noexcept;
    static Result<Syncobj> create(const std::shared_ptr<detail::File>& file) noexcept;
    [[nodiscard]] Result<void> copy_fence(const Syncobj& from, std::uint64_t from_point,
                                          std::uint64_t point, const char* operation) noexcept;

    detail::Handle handle_;
};

// A syncobj, or a point of its timeline.
struct Sync {
    const Syncobj* syncobj = nullptr;
    std::uint64_t point = 0;
};

}  // namespace accel
