// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "xdna/hardware.hpp"
#include "xdna/xrt/native.hpp"

namespace xdna::native_xrt {

class MappedMemory final : public Memory {
 public:
    MappedMemory(xrt::bo buffer, std::span<std::byte> bytes)
        : buffer_(std::move(buffer)), bytes_(bytes) {}

    [[nodiscard]] std::span<std::byte> bytes() const override { return bytes_; }
    [[nodiscard]] Result<void> to_device(std::uint64_t offset, std::uint64_t bytes) override {
        return sync(XCL_BO_SYNC_BO_TO_DEVICE, offset, bytes);
    }
    [[nodiscard]] Result<void> from_device(std::uint64_t offset, std::uint64_t bytes) override {
        return sync(XCL_BO_SYNC_BO_FROM_DEVICE, offset, bytes);
    }

    [[nodiscard]] const xrt::bo& buffer() const { return buffer_; }

 private:
    [[nodiscard]] Result<void> sync(xclBOSyncDirection direction, std::uint64_t offset,
                                    std::uint64_t bytes);

    xrt::bo buffer_;
    std::span<std::byte> bytes_;
};

class Device final : public Npu {
 public:
    Device(xrt::device device, NpuDescription description)
        : device_(std::move(device)), description_(std::move(description)) {}

    [[nodiscard]] const NpuDescription& description() const override { return description_; }
    [[nodiscard]] std::uint64_t binding_alignment() const override;
    [[nodiscard]] Result<std::shared_ptr<Memory>> allocate(std::uint64_t bytes) override;
    [[nodiscard]] Result<std::shared_ptr<Context>> create_context(
        std::span<const std::byte> xclbin) override;

 private:
    [[nodiscard]] Error refusal(const Failure& failure) const;
    // Whether XRT may be given it. May throw bad_alloc.
    [[nodiscard]] bool may_keep(const xrt::uuid& id, std::uint64_t bytes);

    xrt::device device_;
    const NpuDescription description_;
    std::mutex mutex_;
    // What XRT keeps of xclbins. Guarded by the mutex, as the next:
    std::map<xrt::uuid, std::uint64_t> kept_;
    std::uint64_t kept_bytes_ = 0;
};

}  // namespace xdna::native_xrt
