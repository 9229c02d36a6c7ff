// SPDX-License-Identifier: MIT
//
// Files whose contents somebody else chose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"

namespace xdna {

// For an operator, who may see paths.
template <class T>
using Opened = std::expected<T, std::string>;

[[nodiscard]] std::unexpected<std::string> failure(const std::filesystem::path& path, int error);

[[nodiscard]] Opened<base::UniqueFd> open_directory(const std::filesystem::path& path);
// Which is made if there is none. Nobody else can write to it, or read it.
[[nodiscard]] Opened<base::UniqueFd> open_private_directory(const std::filesystem::path& path);

enum class Links : std::uint8_t { Follow, Refuse };

// A regular file of `directory`, of at most so many bytes. The error is an errno: EINVAL
// where it is no such file, EFBIG where it is larger.
[[nodiscard]] std::expected<std::vector<std::byte>, int> read_file(const base::UniqueFd& directory,
                                                                   const std::string& name,
                                                                   std::uint64_t most,
                                                                   Links links = Links::Refuse);
// A file that is not there yet, which is on the disk then, and not readable by others.
[[nodiscard]] bool write_file(const base::UniqueFd& directory, const std::string& name,
                              std::span<const std::byte> bytes);

}  // namespace xdna
