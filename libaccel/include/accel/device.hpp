// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "accel/context.hpp"
#include "accel/kernel.hpp"
#include "accel/syncobj.hpp"

namespace accel {

// Other values are possible.
enum class DeviceClass : std::uint16_t { Other = 0, Npu = 1, Gpu = 2, Dsp = 3 };

enum class Capability : std::uint64_t {
    HostVisibleMemory = 1U << 0,  // Domain::Host
    DeviceLocalMemory = 1U << 1,  // Domain::Device
    EventCancellation = 1U << 2,  // Event::cancel
    SharedMemory = 1U << 5,       // Domain::Shared
};

// Constant while the device is open.
struct DeviceInfo {
    std::array<std::uint8_t, 16> uuid{};  // of the accelerator
    std::uint16_t protocol_major = 0;
    std::uint16_t protocol_minor = 0;
    DeviceClass device_class = DeviceClass::Other;
    std::uint32_t vendor_id = 0;  // 0: unspecified
    std::uint32_t device_id = 0;  // 0: unspecified
    std::uint64_t capabilities = 0;
    std::uint32_t max_contexts = 0;
    std::uint32_t max_buffers_per_context = 0;
    std::uint32_t max_programs_per_context = 0;
    std::uint32_t max_queues_per_context = 0;
    std::uint32_t max_events_per_context = 0;
    std::uint32_t max_bindings_per_submission = 0;
    std::uint64_t max_buffer_bytes = 0;
    std::uint64_t max_artifact_bytes = 0;
    // The longest SubmitOptions::timeout of work that signals syncs. Zero: the driver has
    // neither these nor notifications.
    std::chrono::nanoseconds max_fence_timeout{};

    [[nodiscard]] bool has(Capability capability) const {
        return (capabilities & static_cast<std::uint64_t>(capability)) != 0;
    }
};

// An open accelerator. The file stays open until the Device and everything made from
// it are gone.
//
// Threads: may be used by several at once.
class ACCEL_API Device {
 public:
    Device(Device&&) noexcept = default;
    Device& operator=(Device&&) noexcept = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    ~Device() = default;

    // Opens one node, or the first /dev/accel/accelN of a virtio-accel device.
    //   ENODEV  not a virtio-accel device; there is none
    // `kernel` must outlive the device and everything made from it.
    [[nodiscard]] static Result<Device> open(const std::string& path,
                                             Kernel& kernel = system_kernel()) noexcept;
    [[nodiscard]] static Result<Device> open(Kernel& kernel = system_kernel()) noexcept;

    [[nodiscard]] Result<DeviceInfo> info() const noexcept;
    [[nodiscard]] Result<Context> create_context() const noexcept;

    //   EOPNOTSUPP  the driver has no syncobjs
    [[nodiscard]] Result<Syncobj> create_syncobj() const noexcept;

    // Waits for at least one notification, stores as many as there are and fit, in the order
    // in which the events ended, and returns how many. 0: the deadline passed. Threads that
    // read at the same time share them out.
    //   EINVAL  `into` is empty
    [[nodiscard]] Result<std::size_t> read_notifications(std::span<Notification> into,
                                                         Deadline deadline) const noexcept;

    // For poll(2): readable when there are notifications. It stays the device's.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] std::string_view path() const noexcept;

 private:
    explicit Device(std::shared_ptr<detail::File> file) noexcept;

    std::shared_ptr<detail::File> file_;
};

}  // namespace accel
