// SPDX-License-Identifier: MIT
//
// The layout of a split ring (virtio 1.3, 2.7), with neither indirect descriptors
// nor event indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "vhost/memory.hpp"

namespace vhost {

// One entry of the descriptor table.
struct Descriptor {
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    std::uint16_t flags = 0;
    std::uint16_t next = 0;
};
static_assert(sizeof(Descriptor) == 16);

inline constexpr std::uint16_t kDescriptorNext = 1;
inline constexpr std::uint16_t kDescriptorWrite = 2;
inline constexpr std::uint16_t kDescriptorIndirect = 4;
inline constexpr std::uint16_t kAvailableNoInterrupt = 1;
inline constexpr std::uint16_t kUsedNoNotify = 1;

// By the front end's addresses.
struct RingAddresses {
    std::uint64_t descriptors = 0;
    std::uint64_t available = 0;
    std::uint64_t used = 0;
};

// The three parts of a ring in guest memory, which stays mapped as long as this
// lives. Every field is loaded or stored once per call, atomically, since the guest
// may change it at any time. Flags and indices are sequentially consistent: to settle
// who notifies whom, each side stores one and then looks at the other's, and one of
// the two must see what the other stored.
class RingView {
 public:
    // Nothing unless each part is aligned and lies in one region.
    [[nodiscard]] static std::optional<RingView> locate(Memory::Shared memory, std::uint16_t size,
                                                        const RingAddresses& addresses);

    [[nodiscard]] std::uint16_t size() const { return size_; }
    [[nodiscard]] const Memory& memory() const { return *memory_; }
    [[nodiscard]] const Memory::Shared& shared_memory() const { return memory_; }

    [[nodiscard]] Descriptor descriptor(std::uint16_t index) const;
    [[nodiscard]] std::uint16_t available_flags() const;
    [[nodiscard]] std::uint16_t available_index() const;
    [[nodiscard]] std::uint16_t available_head(std::uint16_t position) const;

    void set_used_flags(std::uint16_t flags) const;
    [[nodiscard]] std::uint16_t used_index() const;
    void set_used_index(std::uint16_t index) const;
    void set_used_element(std::uint16_t position, std::uint32_t head, std::uint32_t length) const;
    // No element has been written since the guest cleared the ring.
    [[nodiscard]] bool used_elements_clear() const;

 private:
    RingView() = default;

    Memory::Shared memory_;
    std::byte* descriptors_ = nullptr;
    std::byte* available_ = nullptr;
    std::byte* used_ = nullptr;
    std::uint16_t size_ = 0;
};

}  // namespace vhost
