// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "provider/error.hpp"

namespace provider {

// Bulk bytes cross the contract through these two ports. The bytes behind them
// may lie in several pieces, and may be written by the guest at any time: what a
// provider parses, it first copies out, once.
//
// Ports are lent for the duration of a call and must not be kept.
class ByteSource {
 public:
    virtual ~ByteSource() = default;

    [[nodiscard]] virtual std::uint64_t size() const = 0;

    // Copies bytes [offset, offset + to.size()) into `to`. OutOfBounds when the
    // range does not fit, DeviceLost when the bytes are gone.
    [[nodiscard]] virtual Result<void> read(std::uint64_t offset, std::span<std::byte> to) = 0;
};

class ByteSink {
 public:
    virtual ~ByteSink() = default;

    [[nodiscard]] virtual std::uint64_t size() const = 0;

    // Copies `from` to bytes [offset, offset + from.size()). Errors as for read().
    [[nodiscard]] virtual Result<void> write(std::uint64_t offset,
                                             std::span<const std::byte> from) = 0;
};

// Bytes in one piece of memory.
class SpanSource final : public ByteSource {
 public:
    explicit SpanSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> to) override {
        if (offset > bytes_.size() || to.size() > bytes_.size() - offset)
            return std::unexpected(ErrorKind::OutOfBounds);
        std::ranges::copy(bytes_.subspan(offset, to.size()), to.begin());
        return {};
    }

 private:
    std::span<const std::byte> bytes_;
};

class SpanSink final : public ByteSink {
 public:
    explicit SpanSink(std::span<std::byte> bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] Result<void> write(std::uint64_t offset,
                                     std::span<const std::byte> from) override {
        if (offset > bytes_.size() || from.size() > bytes_.size() - offset)
            return std::unexpected(ErrorKind::OutOfBounds);
        std::ranges::copy(from, bytes_.subspan(offset).begin());
        return {};
    }

 private:
    std::span<std::byte> bytes_;
};

}  // namespace provider
