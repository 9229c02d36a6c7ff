// SPDX-License-Identifier: MIT
//
// A case of the corpus on a provider.
#pragma once

#include "corpus/case.hpp"
#include "cpu/rig.hpp"

namespace corpus {

inline const std::vector<Case>& cases() {
    static const auto read = read_cases("tests/corpus/data");
    REQUIRE_MESSAGE(read.has_value(), read.error());
    return *read;
}

// Whether the provider took the program. What it takes it has to compute as expected. The
// provider's slots are whole units, so many bytes.
inline bool check(const Case& each, const cpu::test::Rig& rig, std::size_t unit = 1) {
    INFO(each.name);
    const auto padded = [&](std::size_t bytes) { return (bytes + unit - 1) / unit * unit; };
    auto program = rig.try_load(each.program, cpu::test::kNoCeiling, each.target);
    if (!program) {
        const provider::ErrorKind why = program.error().kind;
        CHECK(
            (why == provider::ErrorKind::Unsupported || why == provider::ErrorKind::Incompatible));
        return false;
    }
    std::vector<Bytes> inputs;
    std::vector<std::uint64_t> output_bytes;
    for (const Tensor& input : each.inputs) {
        inputs.push_back(input.data);
        inputs.back().resize(padded(input.data.size()));
    }
    for (const Tensor& output : each.outputs)
        output_bytes.push_back(padded(output.data.size()));
    auto outputs = rig.run(std::move(*program), inputs, output_bytes);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        outputs[i].resize(each.outputs[i].data.size());
        CHECK(difference(each.outputs[i], outputs[i], each.tolerance) == "");
    }
    return true;
}

}  // namespace corpus
