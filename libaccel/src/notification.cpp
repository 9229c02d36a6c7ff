// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "accel/device.hpp"
#include "file.hpp"
#include "uapi.hpp"

namespace accel {

namespace {

constexpr const char* kOperation = "notifications_read";

// What a file can have unread at most, see docs/uapi.md.
constexpr std::size_t kMaxUnread = 4096 / sizeof(drm_virtio_accel_event_done);

// The notifications among the DRM events of one read, each of which says how long it is.
Result<std::size_t> parse(std::span<const std::byte> bytes, std::span<Notification> into) noexcept {
    std::size_t count = 0;
    while (!bytes.empty()) {
        drm_virtio_accel_event_done done{};
        std::memcpy(&done, bytes.data(), std::min(bytes.size(), sizeof done));
        if (done.base.length < sizeof done.base || done.base.length > bytes.size())
            return std::unexpected(Error{EIO, kOperation});
        if (done.base.type == DRM_VIRTIO_ACCEL_EVENT_DONE && done.base.length >= sizeof done)
            into[count++] = {.cookie = done.user_data,
                             .state = {.phase = static_cast<EventState::Phase>(done.state),
                                       .status = static_cast<Status>(done.status)}};
        bytes = bytes.subspan(done.base.length);
    }
    return count;
}

}  // namespace

Result<std::size_t> Device::read_notifications(std::span<Notification> into,
                                               Deadline deadline) const noexcept {
    if (!file_) return std::unexpected(Error{EBADF, kOperation});
    if (into.empty()) return std::unexpected(Error{EINVAL, kOperation});
    alignas(drm_virtio_accel_event_done)
        std::array<std::byte, kMaxUnread * sizeof(drm_virtio_accel_event_done)>
            memory;
    const auto room = std::span(memory).first(std::min(into.size(), kMaxUnread) *
                                              sizeof(drm_virtio_accel_event_done));
    for (;;) {
        const auto bytes = file_->read(room, kOperation);
        if (!bytes) return std::unexpected(bytes.error());
        const auto count = parse(room.first(*bytes), into);
        if (!count || *count > 0) return count;
        const auto more = file_->wait_readable(deadline, kOperation);
        if (!more) return std::unexpected(more.error());
        if (!*more) return 0;
    }
}

}  // namespace accel
