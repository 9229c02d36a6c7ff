// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vm {

// A word as a POSIX shell reads it back: as it is if that is safe, else in quotes.
std::string shell_word(std::string_view word);

// A command as a line for the shell.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace vm
