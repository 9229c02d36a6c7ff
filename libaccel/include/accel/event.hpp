// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "accel/handle.hpp"
#include "accel/status.hpp"

namespace accel {

// A point on CLOCK_MONOTONIC. One in the past makes a wait a poll; max() is never.
using Deadline = std::chrono::steady_clock::time_point;

struct EventState {
    enum class Phase : std::uint32_t { Pending = 0, Complete = 1, Failed = 2, Cancelled = 3 };

    Phase phase = Phase::Pending;
    Status status = Status::Ok;  // why it failed

    friend bool operator==(const EventState&, const EventState&) = default;
};

inline constexpr std::size_t kMaxWaitEvents = 64;

// How the event of a submission with SubmitOptions::notify has ended.
struct Notification {
    std::uint64_t cookie = 0;  // what `notify` was
    EventState state;

    friend bool operator==(const Notification&, const Notification&) = default;
};

// The fate of a submission. While it is pending it holds the execution queue, the program
// and the buffers of the submission, and the buffers cannot be transferred. Whoever has
// learnt that it has ended, from wait(), a notification or a syncobj, can transfer them.
//
// Destroying an Event that is pending detaches it: it ends by itself.
//
// Threads: as for Buffer; destroy() is for one thread.
class ACCEL_API Event {
 public:
    // Waits until the event has ended. Still pending: the deadline passed.
    [[nodiscard]] Result<EventState> wait(Deadline deadline) const noexcept;

    // Asks the device to stop. The event ends later, and may yet complete.
    //   EBUSY       it has ended already
    //   EOPNOTSUPP  the device cannot cancel
    [[nodiscard]] Result<void> cancel() const noexcept;

    // Forgets how it ended. EBUSY while it is pending; then nothing changes.
    [[nodiscard]] Result<void> destroy() noexcept;

    // Waits until one event, or every event, has ended, and stores the states of all.
    // Too many still pending: the deadline passed.
    //   EINVAL  no events, more than kMaxWaitEvents, events of different devices, or
    //           not exactly one state for each event
    [[nodiscard]] static Result<void> wait_any(std::span<const Event> events, Deadline deadline,
                                               std::span<EventState> states) noexcept;
    [[nodiscard]] static Result<void> wait_all(std::span<const Event> events, Deadline deadline,
                                               std::span<EventState> states) noexcept;

 private:
    friend class Queue;
    explicit Event(detail::Handle handle) noexcept;
    static Result<void> wait_for(std::span<const Event> events, Deadline deadline, bool all,
                                 std::span<EventState> states) noexcept;

    detail::Handle handle_;
};

}  // namespace accel
