// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "fake_file.hpp"

namespace fake {

std::shared_ptr<File::Buffer> File::find_buffer(std::uint32_t handle) {
    const auto found = buffers_.find(handle);
    return found == buffers_.end() ? nullptr : found->second;
}

bool File::held(const Buffer& buffer) const {
    return std::ranges::any_of(submissions_, [&](const auto& submission) {
        return std::ranges::any_of(submission->buffers,
                                   [&](const auto& bound) { return bound.get() == &buffer; });
    });
}

int File::buf_create(drm_virtio_accel_buf_create& arg) {
    if (find<Context>(arg.ctx) == nullptr) return ENOENT;
    if (arg.flags != 0 || arg.pad != 0 || arg.size == 0 || !std::has_single_bit(arg.alignment) ||
        arg.usage == 0 || (arg.usage & ~0x1FU) != 0)
        return EINVAL;
    using enum accel::Capability;
    switch (arg.domain) {
        case DRM_VIRTIO_ACCEL_DOMAIN_HOST:
            if (!device_.info.has(HostVisibleMemory)) return EOPNOTSUPP;
            break;
        case DRM_VIRTIO_ACCEL_DOMAIN_DEVICE:
            if (!device_.info.has(DeviceLocalMemory)) return EOPNOTSUPP;
            break;
        case DRM_VIRTIO_ACCEL_DOMAIN_SHARED:
            if (!device_.info.has(SharedMemory)) return EOPNOTSUPP;
            break;
        default:
            return EINVAL;
    }
    if (arg.size > device_.info.max_buffer_bytes ||
        buffers_.size() == device_.info.max_buffers_per_context)
        return ENOSPC;

    arg.handle = lowest_free(buffers_);
    buffers_[arg.handle] =
        std::make_shared<Buffer>(arg.ctx, arg.usage, std::vector<std::byte>(arg.size));
    return 0;
}

int File::buf_close(const drm_gem_close& arg) {
    // The core answers EINVAL, not ENOENT, for a handle that is not there.
    return buffers_.erase(arg.handle) == 1 ? 0 : EINVAL;
}

int File::buf_transfer(drm_virtio_accel_buf_transfer& arg, bool write) {
    const auto buffer = find_buffer(arg.handle);
    if (!buffer || buffer->context == 0) return ENOENT;
    if (arg.flags != 0 || arg.size == 0) return EINVAL;
    if (held(*buffer)) return EBUSY;
    if (const int error = check_range(arg.offset, arg.size, buffer->bytes.size())) return error;
    const std::uint32_t need =
        write ? DRM_VIRTIO_ACCEL_USAGE_TRANSFER_DST : DRM_VIRTIO_ACCEL_USAGE_TRANSFER_SRC;
    if ((buffer->usage & need) == 0) return EPERM;

    arg.done = std::min<std::uint64_t>(arg.size, device_.longest_transfer);
    std::byte* inside = buffer->bytes.data() + arg.offset;
    auto* outside = user_pointer<std::byte>(arg.addr);
    std::memcpy(write ? inside : outside, write ? outside : inside, arg.done);
    return 0;
}

}  // namespace fake
