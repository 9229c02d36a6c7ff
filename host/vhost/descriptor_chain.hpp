// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vhost/ring_view.hpp"
#include "wire/chain.hpp"

namespace vhost {

// Why a chain is completed with used length 0 (protocol.md 3.1).
enum class ChainDefect : std::uint8_t {
    IndexOutOfRange,
    Loop,
    UnknownFlag,
    Indirect,
    Unmapped,
    TooFewDescriptors,
    TooManyDescriptors,
    ZeroLength,
    ReadableAfterWritable,
    MissingDirection,
};
[[nodiscard]] std::string_view name(ChainDefect defect);

// One chain taken from a ring, as pieces of guest memory, which stays mapped with it.
// Loading the next chain reuses the storage.
class DescriptorChain {
 public:
    // Walks the chain at `head` once, over no more than `limit` descriptors. `head` is
    // inside the ring.
    void load(const RingView& ring, std::uint16_t head, std::uint16_t limit);

    // Lets go of guest memory, which would otherwise stay mapped until the next load().
    void unmap();

    [[nodiscard]] std::uint16_t head() const { return head_; }
    // With a defect there are no pieces to be used.
    [[nodiscard]] std::optional<ChainDefect> defect() const { return defect_; }
    [[nodiscard]] wire::Chain pieces() const { return {readable_, writable_}; }
    [[nodiscard]] std::uint64_t writable_bytes() const { return writable_bytes_; }

 private:
    [[nodiscard]] std::optional<ChainDefect> walk(const RingView& ring, std::uint16_t limit);
    [[nodiscard]] std::optional<ChainDefect> add(const Descriptor& descriptor);

    Memory::Shared memory_;
    std::vector<std::span<const std::byte>> readable_;
    std::vector<std::span<std::byte>> writable_;
    std::uint64_t writable_bytes_ = 0;
    std::uint16_t head_ = 0;
    std::optional<ChainDefect> defect_;
};

}  // namespace vhost
