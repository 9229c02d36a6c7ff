// SPDX-License-Identifier: MIT
//
// Random access to the pieces of a chain as one sequence of bytes. No allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bytes.hpp"

namespace wire {

// Byte is `const std::byte` for the readable side of a chain, `std::byte` for the
// writable one.
template <class Byte>
class Pieces {
 public:
    explicit Pieces(std::span<const std::span<Byte>> pieces) : pieces_(pieces) {
        for (const auto& piece : pieces_)
            size_ += piece.size();
    }

    // Cannot wrap: the pieces are disjoint ranges of one address space, or repeat
    // ranges at most as often as a chain has descriptors.
    [[nodiscard]] std::uint64_t size() const { return size_; }

    [[nodiscard]] bool contains(std::uint64_t offset, std::uint64_t bytes) const {
        return offset <= size_ && bytes <= size_ - offset;
    }

    // Calls visit(part, done) for the parts of [offset, offset + bytes), in order;
    // `done` counts the bytes before the part. The range is within size().
    template <class Visit>
    void for_each(std::uint64_t offset, std::uint64_t bytes, Visit visit) {
        seek(offset);
        std::uint64_t done = 0;
        for (std::size_t i = index_; done < bytes; ++i) {
            const std::uint64_t skip = done == 0 ? offset - base_ : 0;
            const auto rest = pieces_[i].subspan(static_cast<std::size_t>(skip));
            const auto part = rest.first(
                static_cast<std::size_t>(rest.size() < bytes - done ? rest.size() : bytes - done));
            visit(part, static_cast<std::size_t>(done));
            done += part.size();
        }
    }

 private:
    // Transfers walk forwards: resuming at the last piece keeps a streamed frame
    // linear in its number of pieces.
    void seek(std::uint64_t offset) {
        if (offset < base_) {
            index_ = 0;
            base_ = 0;
        }
        while (index_ < pieces_.size() && offset - base_ >= pieces_[index_].size()) {
            base_ += pieces_[index_++].size();
        }
    }

    std::span<const std::span<Byte>> pieces_;
    std::uint64_t size_ = 0;
    std::size_t index_ = 0;   // the piece that a walk resumes at
    std::uint64_t base_ = 0;  // the offset of its first byte
};

class Reader : public Pieces<const std::byte> {
 public:
    using Pieces::Pieces;

    void read(std::uint64_t offset, std::span<std::byte> to) {
        for_each(offset, to.size(), [to](std::span<const std::byte> part, std::size_t done) {
            std::memcpy(to.data() + done, part.data(), part.size());
        });
    }

    template <Packed T>
    [[nodiscard]] T load(std::uint64_t offset) {
        T value;
        read(offset, bytes_of(value));
        return value;
    }
};

class Writer : public Pieces<std::byte> {
 public:
    using Pieces::Pieces;

    void write(std::uint64_t offset, std::span<const std::byte> from) {
        for_each(offset, from.size(), [from](std::span<std::byte> part, std::size_t done) {
            std::memcpy(part.data(), from.data() + done, part.size());
        });
    }
};

}  // namespace wire
