// SPDX-License-Identifier: MIT
//
// Descriptor chains in memory that rests: what is taken from a ring is what a plain reading
// of protocol.md 3.1 finds there.
#include <optional>
#include <vector>

#include "fuzz/guest.hpp"
#include "vhost/descriptor_chain.hpp"

namespace {

// The guest's addresses 0..16K, in two regions that touch there and nowhere else, and a
// table of descriptors at the start.
constexpr std::size_t kRegion = 0x2000;
constexpr std::uint64_t kUser = 0x10000;

struct Pieces {
    std::vector<std::byte*> readable;  // each byte
    std::vector<std::byte*> writable;

    friend bool operator==(const Pieces&, const Pieces&) = default;
};

// Nothing for a chain that is not legal.
std::optional<Pieces> read_plainly(std::span<std::byte> memory, std::size_t size, std::size_t head,
                                   std::size_t limit) {
    std::vector<vhost::Descriptor> chain;
    for (std::size_t index = head;;) {
        if (index >= size || chain.size() == std::min(size, limit)) return std::nullopt;
        auto& descriptor = chain.emplace_back();
        std::memcpy(&descriptor, memory.data() + index * sizeof descriptor, sizeof descriptor);
        if ((descriptor.flags & 1) == 0) break;
        index = descriptor.next;
    }
    Pieces pieces;
    for (const vhost::Descriptor& d : chain) {
        const bool write = (d.flags & 2) != 0;
        if (d.flags > 3 || d.length == 0 || d.address > memory.size() ||
            d.length > memory.size() - d.address || (!write && !pieces.writable.empty()))
            return std::nullopt;
        auto& bytes = write ? pieces.writable : pieces.readable;
        for (std::size_t i = 0; i < d.length; ++i)
            bytes.push_back(memory.data() + d.address + i);
    }
    if (pieces.readable.empty() || pieces.writable.empty()) return std::nullopt;
    return pieces;
}

vhost::Memory::Shared memory(const fuzz::GuestFile& guest) {
    auto memory = vhost::Memory::none();
    for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{kRegion}}) {
        auto more = memory->with(
            {.guest = start, .size = kRegion, .user = kUser + 8 * start, .offset = start},
            guest.file());
        fuzz::require(more.has_value(), "a region can be mapped");
        memory = *std::move(more);
    }
    return memory;
}

// The transport's view is another mapping of the same file: what is told apart by address here
// is told apart by place in the file there.
Pieces places(const wire::Chain& chain, const fuzz::GuestFile& guest, const vhost::Memory& memory) {
    Pieces pieces;
    const auto add = [&](std::vector<std::byte*>& to, auto piece) {
        for (auto& byte : piece) {
            bool found = false;
            for (const std::size_t start : {std::size_t{0}, kRegion}) {
                const std::byte* base = memory.at_user(kUser + 8 * start, kRegion);
                if (&byte < base || &byte >= base + kRegion) continue;
                to.push_back(guest.bytes().data() + start + (&byte - base));
                found = true;
            }
            fuzz::require(found, "a chain's bytes are the guest's");
        }
    };
    for (const auto piece : chain.readable)
        add(pieces.readable, piece);
    for (const auto piece : chain.writable)
        add(pieces.writable, piece);
    return pieces;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::GuestFile guest(2 * kRegion);
    static const vhost::Memory::Shared shared = memory(guest);
    fuzz::Input input(data, size);
    const auto ring_size = static_cast<std::uint16_t>(1U << input.take<std::uint8_t>() % 5);
    const auto limit = static_cast<std::uint16_t>(2 + input.take<std::uint8_t>() % 8);
    std::ranges::fill(guest.bytes().first(64 * sizeof(vhost::Descriptor)), std::byte{0});
    std::ranges::copy(input.take_bytes(64 * sizeof(vhost::Descriptor)), guest.bytes().begin());

    // The other two parts of the ring are out of the way.
    const auto view = vhost::RingView::locate(
        shared, ring_size,
        {.descriptors = kUser, .available = kUser + 0x1000, .used = kUser + 0x1800});
    fuzz::require(view.has_value(), "the ring is in memory");
    vhost::DescriptorChain chain;
    for (std::uint16_t head = 0; head < ring_size; ++head) {
        chain.load(*view, head, limit);
        const auto expected = read_plainly(guest.bytes(), ring_size, head, limit);
        fuzz::require(chain.defect().has_value() != expected.has_value(),
                      "a chain is legal or defective");
        if (!expected) continue;
        fuzz::require(places(chain.pieces(), guest, *shared) == *expected,
                      "a chain's pieces, byte for byte");
        fuzz::require(chain.writable_bytes() == expected->writable.size(), "its writable bytes");
    }
    return 0;
}
