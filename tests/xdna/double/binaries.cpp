// SPDX-License-Identifier: MIT
#include "xdna/double/binaries.hpp"

#include <cstring>
#include <string_view>

namespace xrt_double {
namespace {

// The layout of XRT's axlf, which xclbin.cpp holds against its header.
constexpr std::size_t kHeaderBytes = 496;
constexpr std::size_t kLengthAt = 304;
constexpr std::size_t kUuidAt = 416;
constexpr std::string_view kMagic("xclbin2\0", 8);
constexpr std::string_view kMark = "XRT double: ";

constexpr std::uint32_t kInstructions = 0x4C425544;  // "DUBL"

// FNV-1a.
std::uint64_t hash(std::string_view text) {
    std::uint64_t value = 0xCBF29CE484222325;
    for (const char c : text)
        value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return value;
}

}  // namespace

std::vector<std::byte> xclbin(const xdna::Spec& spec) {
    const std::string text = std::string(kMark) + xdna::to_text(spec);
    std::vector<std::byte> out(kHeaderBytes + text.size());
    const std::uint64_t length = out.size(), id = hash(text);
    std::memcpy(out.data(), kMagic.data(), kMagic.size());
    std::memcpy(out.data() + kLengthAt, &length, sizeof length);
    std::memcpy(out.data() + kUuidAt, &id, sizeof id);
    std::memcpy(out.data() + kHeaderBytes, text.data(), text.size());
    return out;
}

std::vector<std::uint32_t> instructions(const xdna::Spec& spec) {
    const std::string text = xdna::to_text(spec);
    const std::uint64_t id = hash(text);
    std::vector<std::uint32_t> out{kInstructions, static_cast<std::uint32_t>(text.size()),
                                   static_cast<std::uint32_t>(id),
                                   static_cast<std::uint32_t>(id >> 32)};
    for (const char c : text)
        out.push_back(static_cast<unsigned char>(c));
    return out;
}

xdna::Binary binary(const xdna::Spec& spec) {
    xdna::Binary out{.entry = kEntry,
                     .inputs = {},
                     .outputs = {},
                     .xclbin = xclbin(spec),
                     .instructions = instructions(spec)};
    for (const provider::Slot& slot : xdna::slots(spec))
        (slot.access == provider::Access::Read ? out.inputs : out.outputs).push_back(slot.bytes);
    return out;
}

std::optional<xdna::Spec> spec_of(std::span<const std::byte> bytes) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (all.size() < kHeaderBytes || !all.substr(kHeaderBytes).starts_with(kMark))
        return std::nullopt;
    auto spec = xdna::from_text(all.substr(kHeaderBytes + kMark.size()));
    if (!spec) return std::nullopt;
    const auto whole = xclbin(*spec);
    if (whole.size() != bytes.size() || std::memcmp(whole.data(), bytes.data(), whole.size()) != 0)
        return std::nullopt;
    return spec;
}

}  // namespace xrt_double
