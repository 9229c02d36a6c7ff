// SPDX-License-Identifier: MIT
//
// The canonical vectors of protocol 1.0 (protocol.md, appendix A).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/config.hpp"
#include "wire/status.hpp"

namespace golden {

// Of every vector, and of the objects in them.
inline constexpr std::uint64_t kRequestId = 0x0102030405060708;
inline constexpr std::uint64_t kContext = 0x1112131415161718;
inline constexpr std::uint64_t kBuffer = 0x2122232425262728;
inline constexpr std::uint64_t kProgram = 0x3132333435363738;
inline constexpr std::uint64_t kQueue = 0x4142434445464748;
inline constexpr std::uint64_t kEvent = 0x5152535455565758;

struct ConfigVector {
    std::string_view name;
    std::string_view hex;
    wire::Config value;
    std::optional<wire::ConfigError> refused;
};
[[nodiscard]] std::span<const ConfigVector> configs();

struct RequestVector {
    std::string_view name;
    std::string_view hex;
    std::uint16_t opcode;
};
[[nodiscard]] std::span<const RequestVector> requests();

// `opcode` is the command's that is answered, READ_BUFFER for four bytes.
struct ResponseVector {
    std::string_view name;
    std::string_view hex;
    std::uint16_t opcode;
    wire::Status status;
};
[[nodiscard]] std::span<const ResponseVector> responses();

// Requests that no driver should send; without a status the chain is unusable.
struct BadRequest {
    std::string_view name;
    std::string_view hex;
    std::optional<wire::Status> answer;
};
[[nodiscard]] std::span<const BadRequest> bad_requests();

// Responses that 1.0 has no meaning for.
inline constexpr std::string_view kUnknownStatus = "34120000000000000807060504030201";
inline constexpr std::string_view kUnknownEventState =
    "00000000080000000807060504030201ffff000000000000";

}  // namespace golden
