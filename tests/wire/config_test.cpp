// SPDX-License-Identifier: MIT
#include "wire/config.hpp"

#include <doctest/doctest.h>

using wire::Config;
using wire::ConfigError;

TEST_SUITE_BEGIN("wire/config");

TEST_CASE("the canonical configurations encode and decode to the byte") {
    constexpr std::array<unsigned char, 16> minimum{1,  0, 0, 0, 1,    0, 2, 0,
                                                    97, 0, 0, 0, 0x5C, 0, 0, 0};
    constexpr std::array<unsigned char, 16> maximum{1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const Config small{
        .max_chain_descriptors = 2, .max_request_bytes = 97, .max_response_bytes = 92};
    const Config large{};
    CHECK(wire::encode(small) == std::bit_cast<std::array<std::byte, 16>>(minimum));
    CHECK(wire::encode(large) == std::bit_cast<std::array<std::byte, 16>>(maximum));
    CHECK(wire::decode_config(wire::encode(small)) == small);
    CHECK(wire::decode_config(wire::encode(large)) == large);
}

TEST_CASE("each rule, on both sides of its boundary") {
    const auto broken = [](auto change) {
        Config config{};
        change(config);
        return wire::check(config);
    };
    CHECK(broken([](auto& c) { c.protocol_major = 2; }) == ConfigError::Version);
    CHECK_FALSE(broken([](auto& c) { c.protocol_minor = 65535; }));
    CHECK(broken([](auto& c) { c.command_queue_count = 2; }) == ConfigError::CommandQueueCount);
    CHECK(broken([](auto& c) { c.max_chain_descriptors = 1; }) ==
          ConfigError::ChainDescriptorLimit);
    CHECK_FALSE(broken([](auto& c) { c.max_chain_descriptors = 2; }));
    CHECK(broken([](auto& c) { c.max_chain_descriptors = 257; }) ==
          ConfigError::ChainDescriptorLimit);
    CHECK(broken([](auto& c) { c.max_request_bytes = 96; }) == ConfigError::RequestByteLimit);
    CHECK_FALSE(broken([](auto& c) { c.max_request_bytes = 97; }));
    CHECK(broken([](auto& c) { c.max_request_bytes = (16U << 20) + 1; }) ==
          ConfigError::RequestByteLimit);
    CHECK(broken([](auto& c) { c.max_response_bytes = 91; }) == ConfigError::ResponseByteLimit);
    CHECK_FALSE(broken([](auto& c) { c.max_response_bytes = 92; }));
    CHECK(broken([](auto& c) { c.max_response_bytes = (16U << 20) + 1; }) ==
          ConfigError::ResponseByteLimit);
}

TEST_SUITE_END();
