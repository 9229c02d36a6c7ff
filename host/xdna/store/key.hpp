// SPDX-License-Identifier: MIT
//
// What a kernel's file is named by: SHA-256, in hexadecimal, over all that its contents
// depend on.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "xdna/spec.hpp"

namespace xdna {

[[nodiscard]] std::string sha256(std::span<const std::byte> bytes);

// Who makes kernels, as it was found to be.
struct Toolchain {
    std::string versions;  // of all its parts, in one line
    std::string helper;    // the hash of the program that drives it
    friend bool operator==(const Toolchain&, const Toolchain&) = default;
};

// Of kernels that an operator vouches for, whoever made them.
[[nodiscard]] std::string catalogue_key(const Spec& spec);
[[nodiscard]] std::string cache_key(const Spec& spec, const Toolchain& toolchain);

[[nodiscard]] std::string file_name(const std::string& key);

}  // namespace xdna
