// SPDX-License-Identifier: MIT
// The guest's kernel and the modules it needs, as Debian installs them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vm/failure.hpp"

namespace vm {

struct Kernel {
    std::filesystem::path image;
    std::string release;  // `uname -r`
};

// "newest" and "lts" are chosen among the images in `boot`; anything else is a path.
Result<Kernel> find_kernel(const std::string& which, const std::filesystem::path& boot);

// The release that an x86 kernel image says it is (boot protocol, kernel_version).
Result<std::string> kernel_release(std::string_view image);

// The files that provide `names` (separated by commas) and all that they depend on,
// each after what it needs. `directory` is /lib/modules/RELEASE; names of modules that are built
// into the kernel give no file. Without names, the kernel need not be installed.
Result<std::vector<std::filesystem::path>> modules_for(std::string_view names,
                                                       const std::filesystem::path& directory);

// A module's bytes, decompressed (with xz) if its name says so.
Result<std::string> read_module(const std::filesystem::path& file);

}  // namespace vm
