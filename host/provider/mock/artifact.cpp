// SPDX-License-Identifier: MIT
#include "provider/mock/artifact.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mock {

namespace {

struct Layout {
    std::array<std::uint8_t, 4> magic;
    std::uint8_t version_major;
    std::uint8_t version_minor;
    std::uint8_t operation;
    std::uint8_t binding_abi;
    std::array<std::uint8_t, 4> first_slot;
    std::array<std::uint8_t, 4> second_slot;
    std::uint8_t operand;
    std::array<std::uint8_t, 7> reserved;
};
static_assert(sizeof(Layout) == kArtifactBytes);

constexpr std::array<std::uint8_t, 4> kMagic{'V', 'A', 'M', 'K'};
constexpr std::uint32_t kNoSlot = 0xFFFFFFFF;

constexpr std::uint32_t load(const std::array<std::uint8_t, 4>& le) {
    return le[0] | std::uint32_t{le[1]} << 8 | std::uint32_t{le[2]} << 16 |
           std::uint32_t{le[3]} << 24;
}

constexpr std::array<std::uint8_t, 4> store(std::uint32_t value) {
    return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
            static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
}

bool consistent(const Artifact& artifact) {
    const bool has_operand =
        artifact.operation == Operation::Fill || artifact.operation == Operation::Xor;
    if (!has_operand && artifact.operand != std::byte{0}) return false;
    if (artifact.operation == Operation::Copy) return artifact.first_slot != artifact.second_slot;
    return artifact.second_slot == kNoSlot;
}

}  // namespace

provider::Result<Artifact> decode(std::span<const std::byte, kArtifactBytes> bytes) {
    using provider::ErrorKind;
    Layout raw{};
    std::memcpy(&raw, bytes.data(), sizeof raw);
    if (raw.magic != kMagic) return std::unexpected(ErrorKind::InvalidArgument);
    if (raw.version_major != 1 || raw.version_minor != 0 || raw.binding_abi != 1)
        return std::unexpected(ErrorKind::Incompatible);
    if (std::ranges::any_of(raw.reserved, [](auto byte) { return byte != 0; }))
        return std::unexpected(ErrorKind::InvalidArgument);
    if (raw.operation > static_cast<std::uint8_t>(Operation::Xor))
        return std::unexpected(ErrorKind::Unsupported);
    const Artifact artifact{
        .operation = static_cast<Operation>(raw.operation),
        .first_slot = load(raw.first_slot),
        .second_slot = load(raw.second_slot),
        .operand = std::byte{raw.operand},
    };
    if (!consistent(artifact)) return std::unexpected(ErrorKind::InvalidArgument);
    return artifact;
}

std::array<std::byte, kArtifactBytes> encode(const Artifact& artifact) {
    return std::bit_cast<std::array<std::byte, kArtifactBytes>>(Layout{
        .magic = kMagic,
        .version_major = 1,
        .version_minor = 0,
        .operation = static_cast<std::uint8_t>(artifact.operation),
        .binding_abi = 1,
        .first_slot = store(artifact.first_slot),
        .second_slot = store(artifact.second_slot),
        .operand = std::to_integer<std::uint8_t>(artifact.operand),
        .reserved = {},
    });
}

bool accepts(const Artifact& artifact, std::span<const provider::Binding> bindings) {
    using provider::Access;
    const auto single = [&](auto allowed) {
        return bindings.size() == 1 && bindings[0].slot == artifact.first_slot &&
               allowed(bindings[0].access);
    };
    switch (artifact.operation) {
        case Operation::Barrier:
            return single([](Access) { return true; });
        case Operation::Fill:
            return single([](Access a) { return a == Access::Write; });
        case Operation::Xor:
            return single([](Access a) { return a == Access::ReadWrite; });
        case Operation::Copy:
            break;
    }
    if (bindings.size() != 2 || bindings[0].bytes != bindings[1].bytes) return false;
    const bool source_first = artifact.first_slot < artifact.second_slot;
    const auto& source = bindings[source_first ? 0 : 1];
    const auto& target = bindings[source_first ? 1 : 0];
    return source.slot == artifact.first_slot && source.access == Access::Read &&
           target.slot == artifact.second_slot && target.access == Access::Write;
}

}  // namespace mock
