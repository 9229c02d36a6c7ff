// SPDX-License-Identifier: MIT
#include "accel/event.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include "uapi.hpp"

namespace accel {

static_assert(kMaxWaitEvents == DRM_VIRTIO_ACCEL_MAX_WAIT_EVENTS);
static_assert(static_cast<std::uint32_t>(EventState::Phase::Cancelled) ==
              DRM_VIRTIO_ACCEL_EVENT_CANCELLED);
static_assert(Deadline::period::den == std::nano::den, "deadlines are passed on as nanoseconds");

Event::Event(detail::Handle handle) noexcept : handle_(std::move(handle)) {}

Result<EventState> Event::wait(Deadline deadline) const noexcept {
    EventState state;
    return wait_for({this, 1}, deadline, false, {&state, 1}).transform([&state] { return state; });
}

Result<void> Event::cancel() const noexcept {
    drm_virtio_accel_event_cancel arg{.handle = handle_.id(), .pad = 0};
    return handle_.call(DRM_IOCTL_VIRTIO_ACCEL_EVENT_CANCEL, &arg, "event_cancel");
}

Result<void> Event::destroy() noexcept {
    drm_virtio_accel_event_destroy arg{.handle = handle_.id(), .flags = 0};
    return handle_.call(DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY, &arg, "event_destroy")
        .transform([this] { handle_.forget(); });
}

Result<void> Event::wait_any(std::span<const Event> events, Deadline deadline,
                             std::span<EventState> states) noexcept {
    return wait_for(events, deadline, false, states);
}

Result<void> Event::wait_all(std::span<const Event> events, Deadline deadline,
                             std::span<EventState> states) noexcept {
    return wait_for(events, deadline, true, states);
}

Result<void> Event::wait_for(std::span<const Event> events, Deadline deadline, bool all,
                             std::span<EventState> states) noexcept {
    const char* operation = "event_wait";
    if (events.empty() || events.size() > kMaxWaitEvents || states.size() != events.size())
        return std::unexpected(Error{EINVAL, operation});

    std::array<drm_virtio_accel_event, kMaxWaitEvents> entries{};
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto& handle = events[i].handle_;
        if (handle.id() == 0) return std::unexpected(Error{EBADF, operation});
        if (!handle.same_file(events.front().handle_))
            return std::unexpected(Error{EINVAL, operation});
        entries[i].handle = handle.id();
    }

    drm_virtio_accel_event_wait arg{.events = detail::user_address(entries.data()),
                                    .count = static_cast<std::uint32_t>(events.size()),
                                    .flags = all ? DRM_VIRTIO_ACCEL_WAIT_ALL : 0U,
                                    .deadline_ns = deadline.time_since_epoch().count()};
    const auto done =
        events.front().handle_.call(DRM_IOCTL_VIRTIO_ACCEL_EVENT_WAIT, &arg, operation);
    // The states are valid when the deadline passed, and say so.
    if (!done && done.error().code != ETIME) return done;
    for (std::size_t i = 0; i < events.size(); ++i)
        states[i] = {.phase = static_cast<EventState::Phase>(entries[i].state),
                     .status = static_cast<Status>(entries[i].status)};
    return {};
}

}  // namespace accel
