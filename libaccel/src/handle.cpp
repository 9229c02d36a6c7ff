// SPDX-License-Identifier: MIT
#include "accel/handle.hpp"

#include <cerrno>
#include <utility>

#include "file.hpp"
#include "uapi.hpp"

namespace accel::detail {

Handle::Handle(std::shared_ptr<File> file, Kind kind, std::uint32_t id) noexcept
    : file_(std::move(file)), kind_(kind), id_(id) {}

Handle::Handle(std::shared_ptr<const Handle> context, Kind kind, std::uint32_t id) noexcept
    : file_(context->file_), context_(std::move(context)), kind_(kind), id_(id) {}

Handle::Handle(Handle&& other) noexcept {
    swap(other);
}

Handle& Handle::operator=(Handle&& other) noexcept {
    Handle(std::move(other)).swap(*this);
    return *this;
}

Handle::~Handle() {
    if (id_ == 0) return;
    const auto release = [this](unsigned long request, auto argument) {
        // The file's end releases what this could not, and a destructor has nobody to tell.
        (void)file_->ioctl(request, &argument, "release");
    };
    switch (kind_) {
        case Kind::Context:
            release(DRM_IOCTL_VIRTIO_ACCEL_CTX_DESTROY, drm_virtio_accel_ctx_destroy{id_, 0});
            break;
        case Kind::Buffer:
            release(DRM_IOCTL_GEM_CLOSE, drm_gem_close{id_, 0});
            break;
        case Kind::Program:
            release(DRM_IOCTL_VIRTIO_ACCEL_PROG_UNLOAD, drm_virtio_accel_prog_unload{id_, 0});
            break;
        case Kind::Queue:
            release(DRM_IOCTL_VIRTIO_ACCEL_QUEUE_DESTROY, drm_virtio_accel_queue_destroy{id_, 0});
            break;
        case Kind::Event:
            release(DRM_IOCTL_VIRTIO_ACCEL_EVENT_DESTROY,
                    drm_virtio_accel_event_destroy{id_, DRM_VIRTIO_ACCEL_DESTROY_DETACH});
            break;
        case Kind::Syncobj:
            release(DRM_IOCTL_SYNCOBJ_DESTROY, drm_syncobj_destroy{id_, 0});
            break;
    }
}

Result<void> Handle::call(unsigned long request, void* argument,
                          const char* operation) const noexcept {
    if (id_ == 0) return std::unexpected(Error{EBADF, operation});
    return file_->ioctl(request, argument, operation);
}

void Handle::forget() noexcept {
    id_ = 0;
    context_.reset();
    file_.reset();
}

void Handle::swap(Handle& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(context_, other.context_);
    std::swap(kind_, other.kind_);
    std::swap(id_, other.id_);
}

}  // namespace accel::detail
