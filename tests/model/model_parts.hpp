// SPDX-License-Identifier: MIT
//
// What the parts of the model share.
#pragma once

#include <algorithm>

#include "model/model.hpp"

namespace model {

using engine::Health;

// A request behind its header.
struct Model::Payload {
    std::span<const std::byte> bytes;
    std::uint16_t opcode;

    [[nodiscard]] std::uint64_t load(std::size_t at, std::size_t width) const {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width; ++i)
            value |= std::to_integer<std::uint64_t>(bytes[at + i]) << 8 * i;
        return value;
    }
    [[nodiscard]] std::uint64_t u64(std::size_t at) const { return load(at, 8); }
    [[nodiscard]] std::uint32_t u32(std::size_t at) const {
        return static_cast<std::uint32_t>(load(at, 4));
    }
    [[nodiscard]] bool zero(std::size_t at, std::size_t count) const {
        return std::ranges::all_of(bytes.subspan(at, count),
                                   [](std::byte byte) { return byte == std::byte{0}; });
    }
    [[nodiscard]] std::size_t size() const { return bytes.size(); }
};

// What a SUBMIT says, in slot order.
struct Model::Command {
    std::uint64_t queue = 0;
    std::uint64_t program = 0;
    std::uint64_t timeout = 0;
    std::vector<Use> uses;
};

// Of a check: a status, and the bytes of the largest payload that success could have. Of a
// command: a status and the payload itself.
struct Model::Result {
    Status status = Status::Ok;
    std::uint64_t largest = 0;
    Bytes payload{};

    Result(Status s) : status(s) {}  // NOLINT(google-explicit-constructor)
    [[nodiscard]] static Result up_to(std::uint64_t bytes) {
        Result result(Status::Ok);
        result.largest = bytes;
        return result;
    }
    [[nodiscard]] static Result number(std::uint64_t value, Status status = Status::Ok) {
        Result result(status);
        for (int i = 0; i < 8; ++i)
            result.payload.push_back(static_cast<std::byte>(value >> 8 * i));
        return result;
    }
};

}  // namespace model
