// SPDX-License-Identifier: MIT
#include "accel/syncobj.hpp"

#include <cerrno>
#include <utility>

#include "file.hpp"
#include "uapi.hpp"

namespace accel {

using detail::Handle;
using detail::user_address;

Syncobj::Syncobj(Handle handle) noexcept : handle_(std::move(handle)) {}

Result<Syncobj> Syncobj::create(const std::shared_ptr<detail::File>& file) noexcept {
    drm_syncobj_create arg{};
    return file->ioctl(DRM_IOCTL_SYNCOBJ_CREATE, &arg, "syncobj_create").transform([&] {
        return Syncobj(Handle(file, Handle::Kind::Syncobj, arg.handle));
    });
}

Result<bool> Syncobj::wait(Deadline deadline, std::uint64_t point) const noexcept {
    const std::uint32_t handle = handle_.id();
    drm_syncobj_timeline_wait arg{};
    arg.handles = user_address(&handle);
    arg.points = user_address(&point);
    arg.timeout_nsec = deadline.time_since_epoch().count();
    arg.count_handles = 1;
    arg.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
    const auto done = handle_.call(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &arg, "syncobj_wait");
    if (done) return true;
    if (done.error().code == ETIME) return false;
    return std::unexpected(done.error());
}

Result<void> Syncobj::signal(std::uint64_t point) noexcept {
    const char* operation = "syncobj_signal";
    const std::uint32_t handle = handle_.id();
    if (point == 0) {
        drm_syncobj_array arg{.handles = user_address(&handle), .count_handles = 1, .pad = 0};
        return handle_.call(DRM_IOCTL_SYNCOBJ_SIGNAL, &arg, operation);
    }
    drm_syncobj_timeline_array arg{.handles = user_address(&handle),
                                   .points = user_address(&point),
                                   .count_handles = 1,
                                   .flags = 0};
    return handle_.call(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &arg, operation);
}

Result<std::uint64_t> Syncobj::value() const noexcept {
    const std::uint32_t handle = handle_.id();
    std::uint64_t point = 0;
    drm_syncobj_timeline_array arg{.handles = user_address(&handle),
                                   .points = user_address(&point),
                                   .count_handles = 1,
                                   .flags = 0};
    return handle_.call(DRM_IOCTL_SYNCOBJ_QUERY, &arg, "syncobj_value").transform([&point] {
        return point;
    });
}

Result<void> Syncobj::notify(int eventfd, std::uint64_t point) const noexcept {
    drm_syncobj_eventfd arg{};
    arg.handle = handle_.id();
    arg.point = point;
    arg.fd = eventfd;
    return handle_.call(DRM_IOCTL_SYNCOBJ_EVENTFD, &arg, "syncobj_notify");
}

Result<void> Syncobj::copy_fence(const Syncobj& from, std::uint64_t from_point, std::uint64_t point,
                                 const char* operation) noexcept {
    drm_syncobj_transfer arg{};
    arg.src_handle = from.handle_.id();
    arg.dst_handle = handle_.id();
    arg.src_point = from_point;
    arg.dst_point = point;
    return handle_.call(DRM_IOCTL_SYNCOBJ_TRANSFER, &arg, operation);
}

// Linux 6.12 exchanges sync_files with whole syncobjs only, so a point goes through one.
Result<Descriptor> Syncobj::export_sync_file(std::uint64_t point) const noexcept {
    const char* operation = "syncobj_export";
    if (handle_.id() == 0) return std::unexpected(Error{EBADF, operation});
    if (point != 0) {
        auto whole = create(handle_.file());
        if (!whole) return std::unexpected(whole.error());
        if (const auto done = whole->copy_fence(*this, point, 0, operation); !done)
            return std::unexpected(done.error());
        return whole->export_sync_file();
    }
    drm_syncobj_handle arg{};
    arg.handle = handle_.id();
    arg.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
    arg.fd = -1;
    return handle_.call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &arg, operation).transform([&] {
        return Descriptor(handle_.file()->kernel(), arg.fd);
    });
}

Result<void> Syncobj::import_sync_file(int fd, std::uint64_t point) noexcept {
    const char* operation = "syncobj_import";
    if (handle_.id() == 0) return std::unexpected(Error{EBADF, operation});
    if (point != 0) {
        auto whole = create(handle_.file());
        if (!whole) return std::unexpected(whole.error());
        if (auto done = whole->import_sync_file(fd); !done) return done;
        return copy_fence(*whole, 0, point, operation);
    }
    drm_syncobj_handle arg{};
    arg.handle = handle_.id();
    arg.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE;
    arg.fd = fd;
    return handle_.call(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &arg, operation);
}

}  // namespace accel
