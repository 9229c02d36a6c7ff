// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace wire {

inline constexpr std::size_t kConfigBytes = 16;

// The device configuration space (protocol.md 1.3).
struct Config {
    std::uint16_t protocol_major = 1;
    std::uint16_t protocol_minor = 0;
    std::uint16_t command_queue_count = 1;
    std::uint16_t max_chain_descriptors = 256;
    std::uint32_t max_request_bytes = 16U << 20;
    std::uint32_t max_response_bytes = 16U << 20;

    friend bool operator==(const Config&, const Config&) = default;
};

enum class ConfigError : std::uint8_t {
    Version,
    CommandQueueCount,
    ChainDescriptorLimit,
    RequestByteLimit,
    ResponseByteLimit,
};
[[nodiscard]] std::string_view name(ConfigError error);

// The first rule that `config` breaks, in the order of protocol.md 2.3.
[[nodiscard]] std::optional<ConfigError> check(const Config& config);

[[nodiscard]] std::array<std::byte, kConfigBytes> encode(const Config& config);
[[nodiscard]] Config decode_config(std::span<const std::byte, kConfigBytes> bytes);

}  // namespace wire
