// SPDX-License-Identifier: MIT
//
// One case of the numerical corpus (providers.md 6): a program, what goes in, what has to
// come out, and how near. The same files are read for every provider.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "corpus/compare.hpp"
#include "tosa/target.hpp"

namespace corpus {

struct Case {
    std::string name;
    tosa::Target target;
    Bytes program;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    Tolerance tolerance;
};

// FOLDER/corpus.json lists the cases, whose programs lie beside it. The error names the
// file and what is wrong with it.
[[nodiscard]] std::expected<std::vector<Case>, std::string> read_cases(
    const std::filesystem::path& folder);
void write_cases(const std::filesystem::path& folder, const std::vector<Case>& cases);

}  // namespace corpus
