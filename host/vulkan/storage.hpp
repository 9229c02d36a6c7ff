// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vulkan/device.hpp"

namespace vulkan {

// What a submission in flight holds of a buffer: readers share, a writer excludes. Not
// locked: calls that may overlap never concern the same object, and what an undestroyed
// event holds is the event's.
class Gate {
 public:
    [[nodiscard]] bool can_share() const { return !writer_; }
    [[nodiscard]] bool can_exclude() const { return !writer_ && readers_ == 0; }
    void hold(bool exclusive) { exclusive ? void(writer_ = true) : void(++readers_); }
    void release(bool exclusive) { exclusive ? void(writer_ = false) : void(--readers_); }

 private:
    std::uint32_t readers_ = 0;
    bool writer_ = false;
};

// One VkBuffer on an allocation of its own, bound at its start. There is no
// suballocator: the advertised limits keep the number of allocations below the 4096
// that every device allows, and what is freed is really gone (docs/adr/0009).
class Storage {
 public:
    // Rounded up to words. Mapped contents are zero, others are undefined.
    [[nodiscard]] static Result<std::shared_ptr<Storage>> allocate(std::shared_ptr<Device> device,
                                                                   MemoryDomain domain,
                                                                   std::uint64_t bytes);

    [[nodiscard]] VkBuffer buffer() const { return buffer_.get(); }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] std::uint64_t allocation_bytes() const { return allocation_bytes_; }
    // As the device sees it, or if that cannot be asked, as the mapping has it, or if there
    // is none, as the device promises.
    [[nodiscard]] std::uint64_t alignment() const { return alignment_; }
    [[nodiscard]] const MemoryChoice& memory() const { return memory_choice_; }
    [[nodiscard]] std::span<std::byte> mapped() const { return mapped_; }  // empty: not mapped

    Gate gate;

 private:
    explicit Storage(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    [[nodiscard]] Result<void> bind(MemoryChoice choice, std::uint64_t bytes);
    [[nodiscard]] Result<void> map();

    std::shared_ptr<Device> device_;
    MemoryChoice memory_choice_;
    Handle<VkDeviceMemory> memory_;  // outlives the buffer bound to it; freeing it unmaps it
    Handle<VkBuffer> buffer_;
    std::uint64_t bytes_ = 0;
    std::uint64_t allocation_bytes_ = 0;
    std::uint64_t alignment_ = 1;
    std::span<std::byte> mapped_;
};

}  // namespace vulkan
