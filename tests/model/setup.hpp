// SPDX-License-Identifier: MIT
//
// A device small enough that random commands reach each of its limits.
#pragma once

#include <cstdint>

#include "engine/policy.hpp"
#include "provider/provider.hpp"
#include "wire/config.hpp"

namespace model {

struct Setup {
    std::uint64_t capabilities = 0x27;

    friend bool operator==(const Setup&, const Setup&) = default;
};

inline constexpr wire::Config kConfig{.max_request_bytes = 256, .max_response_bytes = 128};
inline constexpr engine::Policy kPolicy{.max_buffer_bytes = 640, .max_program_bytes = 256};

// 200 bytes of artifact fit no frame: the device advertises 160.
[[nodiscard]] constexpr provider::DeviceInfo device_info(const Setup& setup) {
    return {
        .uuid = {'s', 'c', 'h', 'e', 'd', 'u', 'l', 'e'},
        .device_class = provider::DeviceClass::Npu,
        .vendor_id = 0x01020304,
        .device_id = 0x05060708,
        .capabilities = setup.capabilities,
        .max_contexts = 3,
        .max_buffers_per_context = 4,
        .max_programs_per_context = 3,
        .max_queues_per_context = 2,
        .max_events_per_context = 4,
        .max_bindings_per_submission = 4,
        .max_buffer_bytes = 256,
        .max_artifact_bytes = 200,
    };
}

}  // namespace model
