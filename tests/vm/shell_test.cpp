// SPDX-License-Identifier: MIT
#include "vm/shell.hpp"

#include <doctest/doctest.h>

#include "vm/process.hpp"

namespace {

TEST_SUITE_BEGIN("vm/shell");

TEST_CASE("a word without any meaning to a shell stays as it is") {
    CHECK(vm::shell_line({"-device", "a,b=/c_d:e"}) == "-device a,b=/c_d:e");
}

TEST_CASE("a shell reads every word back") {
    const std::vector<std::string> words{"", " ", "a'b", "$HOME", "*", "\n", "#", "~", "a\\b"};
    std::string expected;
    for (const auto& word : words)
        expected += word + "|";

    CHECK(vm::output_of({"sh", "-c", "printf '%s|' " + vm::shell_line(words)}).value() == expected);
}

TEST_SUITE_END();

}  // namespace
