// SPDX-License-Identifier: MIT
#include "accel/device.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "file.hpp"
#include "guarded.hpp"
#include "uapi.hpp"

namespace accel {

namespace {

constexpr std::string_view kDriver = "virtio_accel";
constexpr unsigned kMaxNodes = 256;  // minors of the accel subsystem

Result<bool> driven_by_virtio_accel(const detail::File& file) noexcept {
    std::array<char, 32> driver{};
    drm_version version{};
    version.name = driver.data();
    version.name_len = driver.size();
    // The kernel copies what fits and stores the whole length.
    return file.ioctl(DRM_IOCTL_VERSION, &version, "device_open").transform([&] {
        return version.name_len == kDriver.size() &&
               std::string_view(driver.data(), kDriver.size()) == kDriver;
    });
}

DeviceInfo to_info(const drm_virtio_accel_device_info& from) noexcept {
    DeviceInfo info{
        .uuid = {},
        .protocol_major = from.protocol_major,
        .protocol_minor = from.protocol_minor,
        .device_class = static_cast<DeviceClass>(from.device_class),
        .vendor_id = from.vendor_id,
        .device_id = from.device_id,
        .capabilities = from.capabilities,
        .max_contexts = from.max_contexts,
        .max_buffers_per_context = from.max_buffers_per_context,
        .max_programs_per_context = from.max_programs_per_context,
        .max_queues_per_context = from.max_queues_per_context,
        .max_events_per_context = from.max_events_per_context,
        .max_bindings_per_submission = from.max_bindings_per_submission,
        .max_buffer_bytes = from.max_buffer_bytes,
        .max_artifact_bytes = from.max_artifact_bytes,
        .max_fence_timeout =
            std::chrono::nanoseconds(static_cast<std::int64_t>(from.max_fence_timeout_ns)),
    };
    static_assert(sizeof(info.uuid) == sizeof(from.uuid));
    std::memcpy(info.uuid.data(), from.uuid, info.uuid.size());
    return info;
}

}  // namespace

Device::Device(std::shared_ptr<detail::File> file) noexcept : file_(std::move(file)) {}

Result<Device> Device::open(const std::string& path, Kernel& kernel) noexcept {
    return detail::File::open(path, kernel).and_then([](auto file) -> Result<Device> {
        const auto ours = driven_by_virtio_accel(*file);
        if (!ours) return std::unexpected(ours.error());
        if (!*ours) return std::unexpected(Error{ENODEV, "device_open"});
        return Device(std::move(file));
    });
}

Result<Device> Device::open(Kernel& kernel) noexcept {
    return detail::guarded("device_open", [&]() -> Result<Device> {
        Error why{ENODEV, "device_open"};
        for (unsigned node = 0; node < kMaxNodes; ++node) {
            auto device = open("/dev/accel/accel" + std::to_string(node), kernel);
            if (device) return device;
            // That a node is missing or another driver's says less than, say, EACCES.
            if (device.error().code != ENOENT && device.error().code != ENODEV)
                why = device.error();
        }
        return std::unexpected(why);
    });
}

Result<DeviceInfo> Device::info() const noexcept {
    if (!file_) return std::unexpected(Error{EBADF, "device_info"});
    drm_virtio_accel_device_info info{};
    drm_virtio_accel_dev_query query{.type = DRM_VIRTIO_ACCEL_QUERY_DEVICE_INFO,
                                     .size = sizeof info,
                                     .pointer = detail::user_address(&info)};
    return file_->ioctl(DRM_IOCTL_VIRTIO_ACCEL_DEV_QUERY, &query, "device_info").transform([&] {
        return to_info(info);
    });
}

Result<Context> Device::create_context() const noexcept {
    const char* operation = "context_create";
    if (!file_) return std::unexpected(Error{EBADF, operation});
    drm_virtio_accel_ctx_create arg{};
    const auto done = file_->ioctl(DRM_IOCTL_VIRTIO_ACCEL_CTX_CREATE, &arg, operation);
    if (!done) return std::unexpected(done.error());
    detail::Handle handle(file_, detail::Handle::Kind::Context, arg.handle);
    return detail::guarded(operation, [&]() -> Result<Context> {
        return Context(std::make_shared<const detail::Handle>(std::move(handle)));
    });
}

Result<Syncobj> Device::create_syncobj() const noexcept {
    if (!file_) return std::unexpected(Error{EBADF, "syncobj_create"});
    return Syncobj::create(file_);
}

int Device::fd() const noexcept {
    return file_ ? file_->fd() : -1;
}

std::string_view Device::path() const noexcept {
    return file_ ? std::string_view(file_->path()) : std::string_view();
}

}  // namespace accel
