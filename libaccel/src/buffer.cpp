// SPDX-License-Identifier: MIT
#include "accel/buffer.hpp"

#include <cerrno>
#include <utility>

#include "uapi.hpp"

namespace accel {

static_assert(static_cast<std::uint32_t>(Domain::Shared) == DRM_VIRTIO_ACCEL_DOMAIN_SHARED);
static_assert(static_cast<std::uint32_t>(Usage::MutableState) ==
              DRM_VIRTIO_ACCEL_USAGE_MUTABLE_STATE);

namespace {

template <class Byte>
Result<std::size_t> transfer(const detail::Handle& handle, unsigned long request,
                             std::uint64_t offset, std::span<Byte> memory,
                             const char* operation) noexcept {
    if (memory.empty()) return std::unexpected(Error{EINVAL, operation});
    drm_virtio_accel_buf_transfer arg{.handle = handle.id(),
                                      .flags = 0,
                                      .offset = offset,
                                      .size = memory.size(),
                                      .addr = detail::user_address(memory.data()),
                                      .done = 0};
    return handle.call(request, &arg, operation).transform([&arg] {
        return static_cast<std::size_t>(arg.done);
    });
}

}  // namespace

Buffer::Buffer(detail::Handle handle, std::uint64_t size) noexcept
    : handle_(std::move(handle)), size_(size) {}

Result<std::size_t> Buffer::write(std::uint64_t offset, std::span<const std::byte> from) noexcept {
    return transfer(handle_, DRM_IOCTL_VIRTIO_ACCEL_BUF_WRITE, offset, from, "buffer_write");
}

Result<std::size_t> Buffer::read(std::uint64_t offset, std::span<std::byte> to) const noexcept {
    return transfer(handle_, DRM_IOCTL_VIRTIO_ACCEL_BUF_READ, offset, to, "buffer_read");
}

}  // namespace accel
