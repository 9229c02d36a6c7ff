// SPDX-License-Identifier: MIT
#include "vm/shell.hpp"

namespace vm {

std::string shell_word(std::string_view word) {
    constexpr std::string_view kSafe =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";
    if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos)
        return std::string(word);
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
    std::string line;
    for (const auto& word : words)
        line += (line.empty() ? "" : " ") + shell_word(word);
    return line;
}

}  // namespace vm
