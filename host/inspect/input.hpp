// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

namespace inspect {

// The contents of a file, at an address that a graph can borrow them from.
class Input {
 public:
    [[nodiscard]] static std::expected<Input, std::string> read(const std::string& path);

    [[nodiscard]] std::span<const std::byte> bytes() const {
        return std::as_bytes(std::span(words_)).first(size_);
    }

 private:
    std::vector<std::uint64_t> words_;
    std::size_t size_ = 0;
};

}  // namespace inspect
