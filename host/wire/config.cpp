// SPDX-License-Identifier: MIT
#include "wire/config.hpp"

#include <bit>

#include "linux/virtio_accel.h"
#include "wire/bytes.hpp"

namespace wire {

static_assert(sizeof(virtio_accel_config) == kConfigBytes);

std::string_view name(ConfigError error) {
    switch (error) {
        case ConfigError::Version:
            return "Version";
        case ConfigError::CommandQueueCount:
            return "CommandQueueCount";
        case ConfigError::ChainDescriptorLimit:
            return "ChainDescriptorLimit";
        case ConfigError::RequestByteLimit:
            return "RequestByteLimit";
        case ConfigError::ResponseByteLimit:
            return "ResponseByteLimit";
    }
    return "?";
}

std::optional<ConfigError> check(const Config& config) {
    const auto within = [](std::uint32_t value, std::uint32_t low, std::uint32_t high) {
        return low <= value && value <= high;
    };
    if (config.protocol_major != VIRTIO_ACCEL_VERSION_MAJOR) return ConfigError::Version;
    if (config.command_queue_count != VIRTIO_ACCEL_VQ_COUNT) return ConfigError::CommandQueueCount;
    if (!within(config.max_chain_descriptors, VIRTIO_ACCEL_MIN_CHAIN_DESCRIPTORS,
                VIRTIO_ACCEL_MAX_CHAIN_DESCRIPTORS))
        return ConfigError::ChainDescriptorLimit;
    if (!within(config.max_request_bytes, VIRTIO_ACCEL_MIN_REQUEST_BYTES,
                VIRTIO_ACCEL_MAX_REQUEST_BYTES))
        return ConfigError::RequestByteLimit;
    if (!within(config.max_response_bytes, VIRTIO_ACCEL_MIN_RESPONSE_BYTES,
                VIRTIO_ACCEL_MAX_RESPONSE_BYTES))
        return ConfigError::ResponseByteLimit;
    return std::nullopt;
}

std::array<std::byte, kConfigBytes> encode(const Config& config) {
    return to_bytes(virtio_accel_config{
        .protocol_major = le(config.protocol_major),
        .protocol_minor = le(config.protocol_minor),
        .command_queue_count = le(config.command_queue_count),
        .max_chain_descriptors = le(config.max_chain_descriptors),
        .max_request_bytes = le(config.max_request_bytes),
        .max_response_bytes = le(config.max_response_bytes),
    });
}

Config decode_config(std::span<const std::byte, kConfigBytes> bytes) {
    virtio_accel_config raw;
    std::memcpy(&raw, bytes.data(), sizeof raw);
    return {
        .protocol_major = le(raw.protocol_major),
        .protocol_minor = le(raw.protocol_minor),
        .command_queue_count = le(raw.command_queue_count),
        .max_chain_descriptors = le(raw.max_chain_descriptors),
        .max_request_bytes = le(raw.max_request_bytes),
        .max_response_bytes = le(raw.max_response_bytes),
    };
}

}  // namespace wire
