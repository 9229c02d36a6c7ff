// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <utility>

#include "base/unique_fd.hpp"

namespace xdna {

// A private directory for one run of a program that may leave anything in it.
class WorkDirectory {
 public:
    // In `parent`. The error is an errno.
    [[nodiscard]] static std::expected<WorkDirectory, int> make(
        const std::filesystem::path& parent);
    // Those of processes that were killed.
    static void remove_stale(const std::filesystem::path& parent);

    WorkDirectory(WorkDirectory&&) = default;
    WorkDirectory& operator=(WorkDirectory&&) = delete;
    // With all that is in it: nobody works in it any more.
    ~WorkDirectory();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] const base::UniqueFd& fd() const { return fd_; }

 private:
    WorkDirectory(std::filesystem::path path, base::UniqueFd fd)
        : path_(std::move(path)), fd_(std::move(fd)) {}

    std::filesystem::path path_;
    base::UniqueFd fd_;  // locked as long as it is in use
};

// Whether there is more below a directory, which somebody works in, than there may be; or
// more than can be counted, because it is too deep or closed.
[[nodiscard]] bool holds_more(const base::UniqueFd& directory, std::uint64_t bytes,
                              std::uint64_t files);

}  // namespace xdna
