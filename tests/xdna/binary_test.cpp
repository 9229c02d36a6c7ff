// SPDX-License-Identifier: MIT
#include "xdna/binary.hpp"

#include <string_view>

#include <doctest/doctest.h>

namespace {

using provider::ErrorKind;
using xdna::Binary;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

Binary good() {
    return {.entry = "MLIR_AIE",
            .inputs = {8, 12},
            .outputs = {16},
            .xclbin = bytes_of("xclbin2 and what follows"),
            .instructions = {1, 0x01020304}};
}

// Of what the container of a binary is refused as; Busy if it is not.
ErrorKind refusal(const Bytes& container) {
    const auto parsed = xdna::from_container(container);
    return parsed ? ErrorKind::Busy : parsed.error().kind;
}
ErrorKind refusal_of(const Binary& binary) {
    return refusal(xdna::to_container(binary));
}

Bytes with(Bytes container, std::size_t place, unsigned value) {
    container.at(place) = static_cast<std::byte>(value);
    return container;
}

constexpr std::size_t kSlotTable = 40;

TEST_CASE("A container gives back the binary that was put into it") {
    Binary binary = good();
    CHECK(xdna::from_container(xdna::to_container(binary)) == binary);
    binary.inputs.assign(255, 4);
    binary.entry = "x";
    CHECK(xdna::from_container(xdna::to_container(binary)) == binary);
}

TEST_CASE("A container has the layout that its documentation gives") {
    const Bytes expected = bytes_of(std::string_view(
        "XRTN\1\0\0\0\1\0\0\0\2\0\0\0"       // version, instructions for XRT, AIE2P
        "\2\0\0\0\1\0\0\0\10\0\0\0\2\0\0\0"  // inputs, outputs, bytes of the entry, instructions
        "\30\0\0\0\0\0\0\0"                  // bytes of the xclbin
        "\10\0\0\0\0\0\0\0\14\0\0\0\0\0\0\0\20\0\0\0\0\0\0\0"
        "MLIR_AIExclbin2 and what follows"
        "\1\0\0\0\4\3\2\1",
        40 + 24 + 32 + 8));
    CHECK(xdna::to_container(good()) == expected);
    REQUIRE(expected.size() > kSlotTable);
}

TEST_CASE("Bytes that end too early or too late are refused, wherever they end") {
    Bytes container = xdna::to_container(good());
    for (std::size_t size = 0; size < container.size(); ++size) {
        CAPTURE(size);
        CHECK(refusal({container.begin(), container.begin() + static_cast<std::ptrdiff_t>(size)}) ==
              ErrorKind::InvalidArgument);
    }
    container.push_back({});
    CHECK(refusal(container) == ErrorKind::InvalidArgument);
}

TEST_CASE("Any one flipped bit is refused, or is one of a value that is free") {
    const Bytes container = xdna::to_container(good());
    for (std::size_t bit = 0; bit < container.size() * 8; ++bit) {
        CAPTURE(bit);
        Bytes flipped = container;
        flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        const auto parsed = xdna::from_container(flipped);
        const std::size_t place = bit / 8;
        if (place < 4) {
            CHECK(parsed.error().kind == ErrorKind::InvalidArgument);
        } else if (place < 16) {
            CHECK(parsed.error().kind == ErrorKind::Incompatible);
        } else if (place < kSlotTable) {  // counts: the total length gives them away
            CHECK(parsed.error().kind == ErrorKind::InvalidArgument);
        } else if (parsed) {
            CHECK(*parsed != good());
            CHECK(xdna::to_container(*parsed) == flipped);
        } else {
            CHECK(parsed.error().kind == ErrorKind::InvalidArgument);
        }
    }
}

TEST_CASE("Another runtime's container, and other versions and arrays, are not loaded") {
    const Bytes container = xdna::to_container(good());
    CHECK(refusal(with(container, 2, 'D')) == ErrorKind::InvalidArgument);
    CHECK(refusal(bytes_of("XDNP")) == ErrorKind::InvalidArgument);
    CHECK(refusal(with(container, 4, 2)) == ErrorKind::Incompatible);
    CHECK(refusal(with(container, 8, 0)) == ErrorKind::Incompatible);
    CHECK(refusal(with(container, 12, 1)) == ErrorKind::Incompatible);
}

TEST_CASE("A binary that no kernel can be is refused") {
    const auto refused = [](auto change) {
        Binary binary = good();
        change(binary);
        return refusal_of(binary) == ErrorKind::InvalidArgument;
    };
    CHECK_FALSE(refused([](Binary&) {}));
    CHECK(refused([](Binary& b) { b.inputs.clear(); }));
    CHECK(refused([](Binary& b) { b.outputs.clear(); }));
    CHECK(refused([](Binary& b) { b.inputs.assign(256, 4); }));
    CHECK(refused([](Binary& b) { b.outputs.assign(255, 4); }));
    CHECK_FALSE(refused([](Binary& b) { b.outputs.assign(254, 4); }));
    for (const std::uint64_t size : {0ULL, 2ULL, 5ULL, ~3ULL, 1ULL << 63U}) {
        CAPTURE(size);
        CHECK(refused([&](Binary& b) { b.inputs[1] = size; }));
        CHECK(refused([&](Binary& b) { b.outputs[0] = size; }));
    }
    CHECK(refused([](Binary& b) { b.entry.clear(); }));
    CHECK(refused([](Binary& b) { b.entry.assign(256, 'x'); }));
    CHECK_FALSE(refused([](Binary& b) { b.entry.assign(255, 'x'); }));
    for (const char* entry : {"a b", "a\nb", "a\x7f", "\xc3\xa4"})
        CHECK(refused([&](Binary& b) { b.entry = entry; }));
    CHECK(refused([](Binary& b) { b.entry[3] = '\0'; }));
    CHECK(refused([](Binary& b) { b.instructions.clear(); }));
    CHECK(refused([](Binary& b) { b.xclbin.clear(); }));
    CHECK(refused([](Binary& b) { b.xclbin.resize(6); }));
    CHECK(refused([](Binary& b) { b.xclbin[6] = std::byte{'1'}; }));
    CHECK_FALSE(refused([](Binary& b) { b.xclbin.resize(7); }));
}

TEST_CASE("Counts whose sum would overflow are refused before anything is made of them") {
    const Bytes container = xdna::to_container(good());
    const auto ones = [&](std::size_t place, std::size_t count) {
        Bytes changed = container;
        std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(place), count, std::byte{0xFF});
        return changed;
    };
    CHECK(refusal(ones(16, 4)) == ErrorKind::InvalidArgument);
    CHECK(refusal(ones(16, 8)) == ErrorKind::InvalidArgument);
    CHECK(refusal(ones(24, 4)) == ErrorKind::InvalidArgument);
    CHECK(refusal(ones(28, 4)) == ErrorKind::InvalidArgument);
    CHECK(refusal(ones(32, 8)) == ErrorKind::InvalidArgument);
    CHECK(refusal(ones(16, 24)) == ErrorKind::InvalidArgument);
    // Three slots, modulo 2^32.
    CHECK(refusal(with(ones(16, 4), 20, 4)) == ErrorKind::InvalidArgument);
    CHECK(refusal(with(with(ones(20, 4), 20, 0xFC), 16, 7)) == ErrorKind::InvalidArgument);
}

TEST_CASE("A container has a largest size") {
    Binary binary = good();
    const std::size_t others = xdna::to_container(binary).size() - binary.xclbin.size();
    binary.xclbin.resize(xdna::kBinaryBytes - others);
    CHECK(refusal_of(binary) == ErrorKind::Busy);
    binary.xclbin.push_back({});
    CHECK(refusal_of(binary) == ErrorKind::InvalidArgument);
}

}  // namespace
