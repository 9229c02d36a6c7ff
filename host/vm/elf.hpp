// SPDX-License-Identifier: MIT
// The little of ELF that accel-vm needs, read from untrusted bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vm {

// The dynamic loader a program asks for (PT_INTERP); nothing for a static program
// or for bytes that are no 64-bit little-endian ELF file.
std::optional<std::string> program_interpreter(std::string_view file);

// One value of a kernel module's .modinfo section ("depends", "vermagic").
std::optional<std::string> module_info(std::string_view file, std::string_view key);

}  // namespace vm
