// SPDX-License-Identifier: MIT
//
// Byte ports whose bytes lie in two pieces, as those of a guest do.
#pragma once

#include <algorithm>
#include <span>

#include "conformance/target.hpp"

namespace conformance {

class TwoPieces {
 public:
    explicit TwoPieces(const Bytes& bytes)
        : first_(bytes.begin(), bytes.begin() + middle(bytes)),
          second_(bytes.begin() + middle(bytes), bytes.end()) {}

    [[nodiscard]] std::uint64_t size() const { return first_.size() + second_.size(); }
    [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t bytes) const {
        return offset <= size() && bytes <= size() - offset;
    }
    [[nodiscard]] std::byte& at(std::uint64_t offset) {
        return offset < first_.size() ? first_[offset] : second_[offset - first_.size()];
    }

 private:
    // Where no alignment can be.
    static std::ptrdiff_t middle(const Bytes& bytes) {
        return static_cast<std::ptrdiff_t>(bytes.size() / 2 | (bytes.size() > 1 ? 1 : 0));
    }
    Bytes first_;
    Bytes second_;
};

class Source final : public provider::ByteSource {
 public:
    explicit Source(const Bytes& bytes) : bytes_(bytes) {}

    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] provider::Result<void> read(std::uint64_t offset,
                                              std::span<std::byte> to) override {
        if (!bytes_.holds(offset, to.size()))
            return std::unexpected(provider::ErrorKind::OutOfBounds);
        for (std::byte& byte : to)
            byte = bytes_.at(offset++);
        return {};
    }

 private:
    TwoPieces bytes_;
};

class Sink final : public provider::ByteSink {
 public:
    explicit Sink(std::size_t size) : bytes_(Bytes(size)) {}

    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    [[nodiscard]] provider::Result<void> write(std::uint64_t offset,
                                               std::span<const std::byte> from) override {
        if (!bytes_.holds(offset, from.size()))
            return std::unexpected(provider::ErrorKind::OutOfBounds);
        for (const std::byte byte : from)
            bytes_.at(offset++) = byte;
        return {};
    }
    [[nodiscard]] Bytes contents() {
        Bytes all(size());
        for (std::uint64_t i = 0; i < size(); ++i)
            all[i] = bytes_.at(i);
        return all;
    }

 private:
    TwoPieces bytes_;
};

// Says how long it is, and counts who reads it nevertheless.
class Unreadable final : public provider::ByteSource {
 public:
    explicit Unreadable(std::uint64_t size) : size_(size) {}

    [[nodiscard]] std::uint64_t size() const override { return size_; }
    [[nodiscard]] provider::Result<void> read(std::uint64_t, std::span<std::byte>) override {
        ++reads_;
        return std::unexpected(provider::ErrorKind::External);
    }
    [[nodiscard]] int reads() const { return reads_; }

 private:
    std::uint64_t size_;
    int reads_ = 0;
};

}  // namespace conformance
