// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "outcome.hpp"

namespace accelctl {

// A whole file, of at most `limit` bytes.
[[nodiscard]] Outcome<std::vector<std::byte>> read_file(const std::string& path,
                                                        std::uint64_t limit);

// A file that appears under its name, whole, when it is committed, and never if it
// is not.
class PendingFile {
 public:
    [[nodiscard]] static Outcome<PendingFile> write(const std::string& path,
                                                    std::span<const std::byte> contents);
    PendingFile(PendingFile&& other) noexcept;
    PendingFile& operator=(PendingFile&&) = delete;
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;
    ~PendingFile();

    [[nodiscard]] Outcome<void> commit();

 private:
    PendingFile(std::string path, std::string temporary);

    std::string path_;
    std::string temporary_;  // empty once there is none
};

}  // namespace accelctl
