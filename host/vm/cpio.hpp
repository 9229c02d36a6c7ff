// SPDX-License-Identifier: MIT
// The "newc" cpio format: what the kernel unpacks as its initramfs, and what the
// guest sends its results back in (kernel documentation, buffer-format.rst).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "vm/failure.hpp"

namespace vm {

// Builds an archive. Paths are absolute guest paths; the directories above a file
// are added before it, once each.
class CpioWriter {
 public:
    void add_file(std::string_view path, std::string_view bytes, bool executable);
    void add_directory(std::string_view path);

    // The whole archive. The writer is spent afterwards.
    std::string finish() &&;

 private:
    void add_entry(std::string_view name, std::uint32_t mode, std::string_view bytes);
    void pad();

    std::string archive_;
    std::set<std::string, std::less<>> directories_;
    std::uint32_t inodes_ = 0;
};

struct CpioEntry {
    std::string name;  // as stored, without a leading "./"
    std::string_view bytes;
};

// The regular files of an archive, which may come from a hostile guest. The entries
// borrow from `archive`.
Result<std::vector<CpioEntry>> read_cpio(std::string_view archive);

}  // namespace vm
