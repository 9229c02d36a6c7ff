// SPDX-License-Identifier: MIT
//
// Writes the attribute table of any operator: the fields that it has, as these say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tosa/graph_builder.hpp"

namespace tosa::test {

struct Fields {
    std::int32_t axis = 0;
    NanMode nan_mode = NanMode::Propagate;
    // Lists and names are absent, rather than empty, where they have no value.
    std::optional<Dims> kernel{}, stride{}, pad{}, dilation{}, out_pad{}, perms{};
    DType acc_type = DType::Unknown;
    bool local_bound = false, inverse = false, round = false;
    std::vector<std::byte> min_val{}, max_val{};
    std::uint32_t mode = 1;           // of RESIZE: 1 nearest, 2 bilinear
    std::uint32_t rounding_mode = 1;  // 1 single, 2 inexact, 3 double
    bool scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false;
    Text operator_name{}, domain_name{};
    std::vector<std::byte> implementation_attrs{};
    Text then_graph{}, else_graph{}, cond_graph{}, body_graph{};
};

// For GraphBuilder::op(). In attributes.cpp, because it takes long to compile.
[[nodiscard]] Attribute attribute(Op op, Fields fields);

}  // namespace tosa::test
