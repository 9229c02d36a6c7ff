// SPDX-License-Identifier: MIT
#include "vulkan/chain.hpp"

#include <algorithm>

namespace vulkan {
namespace {

using shader::kChainInputs;

// Where `input` is among the inputs of `chain`, appended if need be.
std::uint32_t find_or_add(Chain& chain, const ChainInput& input) {
    const auto same = std::ranges::find_if(chain.inputs, [&](const ChainInput& other) {
        return input.tensor == other.tensor && input.find == other.find &&
               input.immediate == other.immediate && input.strides == other.strides;
    });
    const auto at = static_cast<std::uint32_t>(same - chain.inputs.begin());
    if (same == chain.inputs.end()) chain.inputs.push_back(input);
    return at;
}

}  // namespace

bool Chain::strided() const {
    return std::ranges::contains(inputs, shader::kStrided, &ChainInput::find);
}

bool Chain::computed() const {
    return std::ranges::contains(inputs, shader::kComputed, &ChainInput::find);
}

std::optional<std::uint32_t> Chain::input_of(TensorId tensor) const {
    const auto found = std::ranges::find(inputs, tensor, &ChainInput::tensor);
    if (found == inputs.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - inputs.begin());
}

std::optional<Chain> fused(const Chain& first, const Chain& second, TensorId link) {
    if (first.count != second.count || (first.computed() && second.computed()) ||
        (first.strided() && second.strided() && first.dims != second.dims))
        return std::nullopt;

    Chain made = first;
    if (second.strided()) made.dims = second.dims;
    const auto stages_before = static_cast<std::uint32_t>(first.stages.size());
    const std::uint32_t result = stages_before == 0 ? 0 : kChainInputs + stages_before - 1;

    std::vector<std::uint32_t> moved;
    for (const ChainInput& input : second.inputs) {
        if (input.tensor != link)
            moved.push_back(find_or_add(made, input));
        else if (input.find == shader::kLinear)
            moved.push_back(result);
        else
            return std::nullopt;
    }
    for (Stage stage : second.stages) {
        for (std::uint32_t& value : stage.values)
            value = value < kChainInputs ? (value < moved.size() ? moved[value] : 0)
                                         : value + stages_before;
        made.stages.push_back(stage);
    }
    if (second.stages.empty() && moved[0] != result) return std::nullopt;
    if (made.inputs.size() > kChainInputs || made.stages.size() > shader::kChainStages)
        return std::nullopt;
    return made;
}

}  // namespace vulkan
