// SPDX-License-Identifier: MIT
#include "xdna/binary.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>

namespace xdna {

namespace {

using provider::ErrorKind;
using provider::Result;

constexpr std::size_t kMostSlots = 256;
constexpr std::size_t kMostEntryBytes = 255;
constexpr std::string_view kXclbinMagic = "xclbin2";

// What everything else follows, each integer little-endian: a size of eight bytes for each
// slot, the entry's name, the xclbin, the instructions.
struct Header {
    std::uint32_t magic = std::byteswap(kBinaryFormat);
    std::uint32_t version = kContainerVersion;
    std::uint32_t instruction_abi = kInstructionAbi;
    std::uint32_t generation = kGeneration;
    std::uint32_t inputs = 0;
    std::uint32_t outputs = 0;
    std::uint32_t entry_bytes = 0;
    std::uint32_t instructions = 0;
    std::uint64_t xclbin_bytes = 0;
};
static_assert(sizeof(Header) == 40 && std::has_unique_object_representations_v<Header>);
static_assert(std::endian::native == std::endian::little, "integers are copied as they lie");

void append(std::vector<std::byte>& to, const auto& from) {
    const auto bytes = std::as_bytes(std::span(from));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

// Of bytes whose number was checked.
class Reader {
 public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::span<const std::byte> take(std::size_t bytes) {
        const auto taken = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return taken;
    }
    template <std::unsigned_integral T>
    std::vector<T> integers(std::size_t count) {
        std::vector<T> values(count);
        if (count != 0)
            std::memcpy(values.data(), take(count * sizeof(T)).data(), count * sizeof(T));
        return values;
    }

 private:
    std::span<const std::byte> rest_;
};

// Of each count alone, so that their sum cannot overflow.
bool plausible(const Header& header) {
    return header.inputs >= 1 && header.outputs >= 1 && header.inputs <= kMostSlots &&
           header.outputs <= kMostSlots - header.inputs && header.entry_bytes >= 1 &&
           header.entry_bytes <= kMostEntryBytes && header.instructions >= 1 &&
           header.xclbin_bytes <= kBinaryBytes;
}

std::uint64_t total(const Header& header) {
    return sizeof(Header) + std::uint64_t{header.inputs + header.outputs} * sizeof(std::uint64_t) +
           header.entry_bytes + header.xclbin_bytes +
           std::uint64_t{header.instructions} * sizeof(std::uint32_t);
}

// The array's DMA moves words of four bytes. Buffers are far smaller than 2^63, and so is
// what sums of them may come to.
bool is_slot(std::uint64_t bytes) {
    return bytes != 0 && bytes % 4 == 0 && bytes <= std::numeric_limits<std::uint64_t>::max() >> 9;
}

bool is_name(std::string_view entry) {
    return std::ranges::all_of(entry, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

std::vector<std::byte> to_container(const Binary& binary) {
    const Header header{.inputs = static_cast<std::uint32_t>(binary.inputs.size()),
                        .outputs = static_cast<std::uint32_t>(binary.outputs.size()),
                        .entry_bytes = static_cast<std::uint32_t>(binary.entry.size()),
                        .instructions = static_cast<std::uint32_t>(binary.instructions.size()),
                        .xclbin_bytes = binary.xclbin.size()};
    std::vector<std::byte> bytes;
    append(bytes, std::span(&header, 1));
    append(bytes, binary.inputs);
    append(bytes, binary.outputs);
    append(bytes, binary.entry);
    append(bytes, binary.xclbin);
    append(bytes, binary.instructions);
    return bytes;
}

Result<Binary> from_container(std::span<const std::byte> bytes) {
    const std::unexpected<provider::Error> malformed(ErrorKind::InvalidArgument);
    if (bytes.size() < sizeof(Header) || bytes.size() > kBinaryBytes) return malformed;
    Reader reader(bytes);
    Header header;
    std::memcpy(&header, reader.take(sizeof(Header)).data(), sizeof(Header));
    if (header.magic != Header{}.magic) return malformed;
    if (header.version != kContainerVersion || header.instruction_abi != kInstructionAbi ||
        header.generation != kGeneration)
        return std::unexpected(ErrorKind::Incompatible);
    if (!plausible(header) || bytes.size() != total(header)) return malformed;

    Binary binary;
    binary.inputs = reader.integers<std::uint64_t>(header.inputs);
    binary.outputs = reader.integers<std::uint64_t>(header.outputs);
    const auto entry = reader.take(header.entry_bytes);
    binary.entry.assign(reinterpret_cast<const char*>(entry.data()), entry.size());
    const auto xclbin = reader.take(header.xclbin_bytes);
    binary.xclbin.assign(xclbin.begin(), xclbin.end());
    binary.instructions = reader.integers<std::uint32_t>(header.instructions);

    const std::string_view start(reinterpret_cast<const char*>(xclbin.data()),
                                 std::min(xclbin.size(), kXclbinMagic.size()));
    if (!std::ranges::all_of(binary.inputs, is_slot) ||
        !std::ranges::all_of(binary.outputs, is_slot) || !is_name(binary.entry) ||
        start != kXclbinMagic)
        return malformed;
    return binary;
}

}  // namespace xdna
