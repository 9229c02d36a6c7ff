// SPDX-License-Identifier: MIT
//
// The bulk part of a frame, as the provider sees it.
#pragma once

#include <cstdint>

#include "provider/bindings.hpp"
#include "provider/bytes.hpp"
#include "wire/frame.hpp"

namespace engine {

// Bytes [base, base + bytes) of a frame, which the frame is known to hold.
class FrameSource final : public provider::ByteSource {
 public:
    FrameSource(wire::Reader& frame, std::uint64_t base, std::uint64_t bytes)
        : frame_(frame), base_(base), bytes_(bytes) {}

    [[nodiscard]] std::uint64_t size() const override { return bytes_; }

    [[nodiscard]] provider::Result<void> read(std::uint64_t offset,
                                              std::span<std::byte> to) override {
        if (!provider::within(offset, to.size(), bytes_))
            return std::unexpected(provider::ErrorKind::OutOfBounds);
        frame_.read(base_ + offset, to);
        return {};
    }

 private:
    wire::Reader& frame_;
    std::uint64_t base_;
    std::uint64_t bytes_;
};

class FrameSink final : public provider::ByteSink {
 public:
    FrameSink(wire::Writer& frame, std::uint64_t base, std::uint64_t bytes)
        : frame_(frame), base_(base), bytes_(bytes) {}

    [[nodiscard]] std::uint64_t size() const override { return bytes_; }

    [[nodiscard]] provider::Result<void> write(std::uint64_t offset,
                                               std::span<const std::byte> from) override {
        if (!provider::within(offset, from.size(), bytes_))
            return std::unexpected(provider::ErrorKind::OutOfBounds);
        frame_.write(base_ + offset, from);
        return {};
    }

 private:
    wire::Writer& frame_;
    std::uint64_t base_;
    std::uint64_t bytes_;
};

}  // namespace engine
