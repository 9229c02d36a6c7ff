// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "linux/virtio_accel.h"
#include "wire/bytes.hpp"
#include "wire/status.hpp"

namespace engine {

// What a command answers: a status, and a payload that is either held here or was
// streamed into the response behind the place of its header.
class Reply {
 public:
    Reply(wire::Status status) : status_(status) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] static Reply id(std::uint64_t id, wire::Status status = wire::Status::Ok) {
        return with(virtio_accel_object{.object_id = wire::le(id)}, status);
    }

    template <wire::Packed T>
    [[nodiscard]] static Reply with(const T& payload, wire::Status status = wire::Status::Ok) {
        static_assert(sizeof(T) <= kInlineBytes);
        Reply reply(status);
        const auto bytes = wire::to_bytes(payload);
        std::copy(bytes.begin(), bytes.end(), reply.inline_.begin());
        reply.inline_bytes_ = sizeof(T);
        return reply;
    }

    // Not an answer yet: the command waits for the provider call that the context is
    // busy with.
    [[nodiscard]] static Reply wait_for(std::uint32_t context) {
        Reply reply(wire::Status::Busy);
        reply.awaited_ = context;
        return reply;
    }

    [[nodiscard]] static Reply streamed(std::uint32_t bytes) {
        Reply reply(wire::Status::Ok);
        reply.streamed_bytes_ = bytes;
        return reply;
    }

    [[nodiscard]] const std::optional<std::uint32_t>& awaited_context() const { return awaited_; }
    [[nodiscard]] wire::Status status() const { return status_; }
    [[nodiscard]] std::span<const std::byte> inline_payload() const {
        return std::span(inline_).first(inline_bytes_);
    }
    [[nodiscard]] std::uint32_t payload_bytes() const { return inline_bytes_ + streamed_bytes_; }

 private:
    static constexpr std::size_t kInlineBytes = sizeof(virtio_accel_device_info);

    wire::Status status_;
    std::optional<std::uint32_t> awaited_;
    std::uint32_t inline_bytes_ = 0;
    std::uint32_t streamed_bytes_ = 0;
    std::array<std::byte, kInlineBytes> inline_{};
};

}  // namespace engine
