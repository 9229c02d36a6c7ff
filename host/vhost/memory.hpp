// SPDX-License-Identifier: MIT
//
// The guest's memory as the front end shares it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "vhost/fault_guard.hpp"
#include "vhost/protocol.hpp"

namespace vhost {

using base::UniqueFd;

// One range of a file in our address space.
class Mapping {
 public:
    // Maps bytes [offset, offset + size), which the file must have.
    [[nodiscard]] static std::expected<Mapping, std::string> create(const UniqueFd& fd,
                                                                    std::uint64_t offset,
                                                                    std::uint64_t size);

    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    Mapping(Mapping&& other) noexcept
        : mapped_(std::exchange(other.mapped_, {})),
          wanted_(other.wanted_),
          guard_(std::move(other.guard_)) {}
    Mapping& operator=(Mapping&&) = delete;
    ~Mapping();

    [[nodiscard]] std::span<std::byte> bytes() const { return wanted_; }
    // The file was shortened, or has no room, where somebody has looked since.
    [[nodiscard]] bool lost() const { return guard_->tripped(); }

 private:
    Mapping(std::span<std::byte> mapped, std::span<std::byte> wanted)
        : mapped_(mapped), wanted_(wanted), guard_(std::make_unique<FaultGuard>(mapped)) {}

    std::span<std::byte> mapped_;  // whole pages
    std::span<std::byte> wanted_;
    std::unique_ptr<FaultGuard> guard_;
};

// An immutable set of regions. A change makes a new set, and every user of the old
// one keeps what it reads mapped. Regions overlap in neither address space.
class Memory {
 public:
    using Shared = std::shared_ptr<const Memory>;

    [[nodiscard]] static Shared none() { return std::make_shared<const Memory>(); }

    [[nodiscard]] std::expected<Shared, std::string> with(const RegionDesc& region,
                                                          const UniqueFd& fd) const;
    // The region with these guest and user addresses and this size.
    [[nodiscard]] std::expected<Shared, std::string> without(const RegionDesc& region) const;

    // Appends the pieces that [guest, guest + length) lies in; a range may cross from
    // one region into the next. False, with `pieces` unspecified, when a byte is not
    // there.
    template <class Byte>
    [[nodiscard]] bool translate(std::uint64_t guest, std::uint64_t length,
                                 std::vector<std::span<Byte>>& pieces) const {
        while (length > 0) {
            const auto piece = piece_at(guest, length);
            if (piece.empty()) return false;
            pieces.push_back(piece);
            guest += piece.size();
            length -= piece.size();
        }
        return true;
    }

    // [user, user + length) when one region has all of it, else null: rings are found
    // by the front end's addresses.
    [[nodiscard]] std::byte* at_user(std::uint64_t user, std::uint64_t length) const;

    [[nodiscard]] std::size_t regions() const { return regions_.size(); }
    [[nodiscard]] bool lost() const;
    // Looks where a file that was shortened ends first, so that lost() knows.
    void probe() const;

 private:
    struct Region {
        RegionDesc desc;
        std::shared_ptr<const Mapping> mapping;
    };

    // As much of [guest, guest + length) as lies in the region of `guest`.
    [[nodiscard]] std::span<std::byte> piece_at(std::uint64_t guest, std::uint64_t length) const;

    std::vector<Region> regions_;  // by guest address
};

}  // namespace vhost
