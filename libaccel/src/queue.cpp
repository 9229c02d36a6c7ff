// SPDX-License-Identifier: MIT
#include "accel/queue.hpp"

#include <cerrno>
#include <utility>
#include <vector>

#include "guarded.hpp"
#include "uapi.hpp"

namespace accel {

static_assert(static_cast<std::uint32_t>(Access::ReadWrite) == DRM_VIRTIO_ACCEL_ACCESS_READ_WRITE);

namespace {
constexpr const char* kSubmit = "queue_submit";
}

Queue::Queue(detail::Handle handle) noexcept : handle_(std::move(handle)) {}

// A handle number of another file or context could name anything in this one.
Result<void> Queue::accept(const detail::Handle& object) const noexcept {
    if (object.id() == 0) return std::unexpected(Error{EBADF, kSubmit});
    if (object.context() != handle_.context()) return std::unexpected(Error{EINVAL, kSubmit});
    return {};
}

Result<Submission> Queue::submit(const Program& program, std::span<const Binding> bindings,
                                 std::chrono::nanoseconds timeout) const noexcept {
    if (bindings.empty() || bindings.size() > DRM_VIRTIO_ACCEL_MAX_BINDINGS || timeout.count() < 0)
        return std::unexpected(Error{EINVAL, kSubmit});
    if (handle_.id() == 0) return std::unexpected(Error{EBADF, kSubmit});
    if (auto ok = accept(program.handle_); !ok) return std::unexpected(ok.error());

    return detail::guarded(kSubmit, [&]() -> Result<Submission> {
        std::vector<drm_virtio_accel_binding> entries;
        entries.reserve(bindings.size());
        for (const Binding& binding : bindings) {
            if (binding.buffer == nullptr) return std::unexpected(Error{EINVAL, kSubmit});
            if (auto ok = accept(binding.buffer->handle_); !ok) return std::unexpected(ok.error());
            entries.push_back({.buffer = binding.buffer->handle_.id(),
                               .slot = binding.slot,
                               .access = static_cast<std::uint32_t>(binding.access),
                               .flags = 0,
                               .offset = binding.offset,
                               .size = binding.size});
        }

        drm_virtio_accel_submit arg{};
        arg.queue = handle_.id();
        arg.program = program.handle_.id();
        arg.bindings = detail::user_address(entries.data());
        arg.binding_count = static_cast<std::uint32_t>(entries.size());
        arg.binding_stride = sizeof(drm_virtio_accel_binding);
        arg.timeout_ns = static_cast<std::uint64_t>(timeout.count());
        const auto done = handle_.call(DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &arg, kSubmit);
        if (!done) return std::unexpected(done.error());
        return Submission{Event({handle_.context(), detail::Handle::Kind::Event, arg.event}),
                          static_cast<Status>(arg.status)};
    });
}

}  // namespace accel
