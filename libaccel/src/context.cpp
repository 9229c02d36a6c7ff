// SPDX-License-Identifier: MIT
#include "accel/context.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "uapi.hpp"

namespace accel {

using detail::Handle;

static_assert(std::tuple_size_v<decltype(Artifact::target)> == DRM_VIRTIO_ACCEL_TARGET_WORDS);

Context::Context(std::shared_ptr<const Handle> handle) noexcept : handle_(std::move(handle)) {}

Result<void> Context::call(unsigned long request, void* argument,
                           const char* operation) const noexcept {
    if (!handle_) return std::unexpected(Error{EBADF, operation});
    return handle_->call(request, argument, operation);
}

Result<Buffer> Context::create_buffer(const BufferDesc& desc) const noexcept {
    drm_virtio_accel_buf_create arg{};
    arg.ctx = id();
    arg.domain = static_cast<std::uint32_t>(desc.domain);
    arg.usage = static_cast<std::uint32_t>(desc.usage);
    arg.size = desc.size;
    arg.alignment = desc.alignment;
    return call(DRM_IOCTL_VIRTIO_ACCEL_BUF_CREATE, &arg, "buffer_create").transform([&] {
        return Buffer(Handle(handle_, Handle::Kind::Buffer, arg.handle), desc.size);
    });
}

Result<Program> Context::load_program(const Artifact& artifact) const noexcept {
    drm_virtio_accel_prog_load arg{};
    arg.ctx = id();
    arg.format = artifact.format;
    std::ranges::copy(artifact.target, arg.target);
    arg.artifact_addr = detail::user_address(artifact.bytes.data());
    arg.artifact_size = artifact.bytes.size();
    arg.resident_bytes = artifact.resident_bytes;
    return call(DRM_IOCTL_VIRTIO_ACCEL_PROG_LOAD, &arg, "program_load").transform([&] {
        return Program(Handle(handle_, Handle::Kind::Program, arg.handle));
    });
}

Result<Queue> Context::create_queue() const noexcept {
    drm_virtio_accel_queue_create arg{};
    arg.ctx = id();
    return call(DRM_IOCTL_VIRTIO_ACCEL_QUEUE_CREATE, &arg, "queue_create").transform([&] {
        return Queue(Handle(handle_, Handle::Kind::Queue, arg.handle));
    });
}

}  // namespace accel
