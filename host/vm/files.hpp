// SPDX-License-Identifier: MIT
// Descriptors, whole files and the private directory of one run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_fd.hpp"
#include "vm/failure.hpp"

namespace vm {

using base::UniqueFd;

Result<std::string> read_file(const std::filesystem::path& path);
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

// All bytes up to the end of a descriptor that blocks; nothing with errno set on an error.
std::optional<std::string> read_all(int fd);

// Writes all bytes to a descriptor that blocks; false with errno set if it cannot.
bool write_all(int fd, std::string_view bytes);

// A new directory that only this user can enter, removed with all it holds.
class TemporaryDirectory {
 public:
    static Result<TemporaryDirectory> make();

    TemporaryDirectory(TemporaryDirectory&& other) noexcept
        : path_(std::exchange(other.path_, {})) {}
    TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
    explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}

    std::filesystem::path path_;
};

}  // namespace vm
