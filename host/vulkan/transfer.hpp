// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "provider/bytes.hpp"
#include "vulkan/commands.hpp"
#include "vulkan/storage.hpp"

namespace vulkan {

// Moves bytes between a port and a buffer: straight through the mapping where there is
// one, else in segments through a staging buffer, waiting for each. Ranges are the
// caller's to check, in bytes of any alignment.
class Transfer {
 public:
    // `staged`: whether buffers without a mapping will come.
    [[nodiscard]] static Result<Transfer> create(const std::shared_ptr<Device>& device,
                                                 CommandPool& pool, bool staged);

    [[nodiscard]] Result<void> zero(Storage& to);
    [[nodiscard]] Result<void> write(Storage& to, std::uint64_t offset,
                                     provider::ByteSource& source);
    [[nodiscard]] Result<void> read(Storage& from, std::uint64_t offset, provider::ByteSink& sink);

 private:
    struct Staging {
        Commands commands;
        std::shared_ptr<Storage> segment;
    };

    Transfer(Device& device, std::unique_ptr<Staging> staging)
        : device_(&device), staging_(std::move(staging)) {}
    template <class Record>
    [[nodiscard]] Result<void> run(Record record);
    [[nodiscard]] Result<void> copy(VkBuffer from, VkBuffer to, const VkBufferCopy& range);

    Device* device_;
    std::unique_ptr<Staging> staging_;  // null: every buffer is mapped
};

}  // namespace vulkan
