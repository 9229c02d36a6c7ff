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

// The arrays of an ioctl argument. What makes them allocates.
struct Queue::Packed {
    static Result<std::vector<drm_virtio_accel_binding>> bindings(const Queue& queue,
                                                                  std::span<const Binding> from) {
        std::vector<drm_virtio_accel_binding> entries;
        entries.reserve(from.size());
        for (const Binding& binding : from) {
            if (binding.buffer == nullptr) return std::unexpected(Error{EINVAL, kSubmit});
            const auto& buffer = binding.buffer->handle_;
            if (auto ok = queue.accept(buffer); !ok) return std::unexpected(ok.error());
            entries.push_back({.buffer = buffer.id(),
                               .slot = binding.slot,
                               .access = static_cast<std::uint32_t>(binding.access),
                               .flags = 0,
                               .offset = binding.offset,
                               .size = binding.size});
        }
        return entries;
    }

    static Result<std::vector<drm_virtio_accel_sync>> syncs(const Queue& queue,
                                                            std::span<const Sync> from) {
        std::vector<drm_virtio_accel_sync> entries;
        entries.reserve(from.size());
        for (const Sync& sync : from) {
            if (sync.syncobj == nullptr) return std::unexpected(Error{EINVAL, kSubmit});
            const auto& syncobj = sync.syncobj->handle_;
            if (syncobj.id() == 0) return std::unexpected(Error{EBADF, kSubmit});
            if (!syncobj.same_file(queue.handle_)) return std::unexpected(Error{EINVAL, kSubmit});
            entries.push_back({.handle = syncobj.id(), .flags = 0, .point = sync.point});
        }
        return entries;
    }
};

Result<Submission> Queue::submit(const Program& program, std::span<const Binding> bindings,
                                 const SubmitOptions& options) const noexcept {
    if (bindings.empty() || bindings.size() > DRM_VIRTIO_ACCEL_MAX_BINDINGS ||
        options.wait_for.size() > DRM_VIRTIO_ACCEL_MAX_SYNCS ||
        options.signal.size() > DRM_VIRTIO_ACCEL_MAX_SYNCS || options.timeout.count() < 0)
        return std::unexpected(Error{EINVAL, kSubmit});
    if (handle_.id() == 0) return std::unexpected(Error{EBADF, kSubmit});
    if (auto ok = accept(program.handle_); !ok) return std::unexpected(ok.error());

    return detail::guarded(kSubmit, [&]() -> Result<Submission> {
        const auto entries = Packed::bindings(*this, bindings);
        if (!entries) return std::unexpected(entries.error());
        const auto in = Packed::syncs(*this, options.wait_for);
        if (!in) return std::unexpected(in.error());
        const auto out = Packed::syncs(*this, options.signal);
        if (!out) return std::unexpected(out.error());

        drm_virtio_accel_submit arg{};
        arg.queue = handle_.id();
        arg.program = program.handle_.id();
        arg.bindings = detail::user_address(entries->data());
        arg.binding_count = static_cast<std::uint32_t>(entries->size());
        arg.binding_stride = sizeof(drm_virtio_accel_binding);
        arg.timeout_ns = static_cast<std::uint64_t>(options.timeout.count());
        arg.flags = (options.notify ? DRM_VIRTIO_ACCEL_SUBMIT_NOTIFY : 0U) |
                    (options.detach ? DRM_VIRTIO_ACCEL_SUBMIT_DETACH : 0U);
        arg.user_data = options.notify.value_or(0);
        if (!in->empty() || !out->empty()) arg.sync_stride = sizeof(drm_virtio_accel_sync);
        arg.in_syncs = detail::user_address(in->data());
        arg.in_sync_count = static_cast<std::uint32_t>(in->size());
        arg.out_syncs = detail::user_address(out->data());
        arg.out_sync_count = static_cast<std::uint32_t>(out->size());
        const auto done = handle_.call(DRM_IOCTL_VIRTIO_ACCEL_SUBMIT, &arg, kSubmit);
        if (!done) return std::unexpected(done.error());
        return Submission{Event({handle_.context(), detail::Handle::Kind::Event, arg.event}),
                          static_cast<Status>(arg.status)};
    });
}

}  // namespace accel
