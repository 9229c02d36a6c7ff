// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"
#include "xdna/binary.hpp"
#include "xdna/spec.hpp"
#include "xdna/store/files.hpp"

namespace xdna {

// A directory of kernels that an operator has filled, and nobody here writes to.
class Catalogue {
 public:
    [[nodiscard]] static Opened<Catalogue> open(const std::filesystem::path& path);

    // Nothing as well for what is no kernel of the spec.
    [[nodiscard]] std::optional<Binary> get(const std::string& key, const Spec& spec) const;

 private:
    explicit Catalogue(base::UniqueFd directory) : directory_(std::move(directory)) {}
    base::UniqueFd directory_;
};

// A private directory of kernels that were made here. Several processes may share one.
class Cache {
 public:
    static constexpr std::uint64_t kMostBytes = 2ULL << 30;

    [[nodiscard]] static Opened<Cache> open(const std::filesystem::path& path,
                                            std::uint64_t most_bytes = kMostBytes);

    // What is no kernel of the spec is removed.
    [[nodiscard]] std::optional<Binary> get(const std::string& key, const Spec& spec) const;
    // The oldest files make room. False if it was not kept.
    [[nodiscard]] bool put(const std::string& key, const Binary& binary) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
    Cache(std::filesystem::path path, base::UniqueFd directory, std::uint64_t most_bytes)
        : path_(std::move(path)), directory_(std::move(directory)), most_bytes_(most_bytes) {}

    void make_room_for(std::uint64_t bytes) const;

    std::filesystem::path path_;
    base::UniqueFd directory_;
    std::uint64_t most_bytes_;
};

}  // namespace xdna
