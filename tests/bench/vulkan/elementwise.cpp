// SPDX-License-Identifier: MIT
//
// What only moves bytes, or computes so little that moving them is what takes the time.
#include <array>
#include <format>

#include "bench/vulkan/graph.hpp"
#include "tosa/number.hpp"

namespace vulkan::bench {
namespace {

using enum tosa::DType;

constexpr tosa::Target kFloat = tosa::kFloatTarget;
constexpr tosa::Target kFp8{.profiles = tosa::kProfileFloat,
                            .extensions = tosa::kExtensionFp8E4M3 | tosa::kExtensionFp8E5M2};

tosa::Target target_of(DType type) {
    return type == Fp8E4M3 || type == Fp8E5M2 ? kFp8 : kFloat;
}

// From -1/2 to 1/2.
Attribute clamp(DType type) {
    tosa::test::Fields fields;
    const auto bound = [&](double value) {
        Tensor one = zero_tensor(type, {1});
        tosa::write_float(type, one.data.data(), 0, value);
        return one.data;
    };
    fields.min_val = bound(-0.5);
    fields.max_val = bound(0.5);
    return tosa::test::attribute(Op::Clamp, fields);
}

Case copy(DType type, const Dims& shape) {
    return Graph(target_of(type)).input(type, shape).output(Op::Identity, {"in0"}, type, shape);
}

Case add(DType type, const Dims& shape) {
    return Graph(kFloat)
        .input(type, shape)
        .input(type, shape)
        .output(Op::Add, {"in0", "in1"}, type, shape);
}

Case clamp_case(DType type, const Dims& shape) {
    return Graph(kFloat).input(type, shape).output(Op::Clamp, {"in0"}, type, shape, clamp(type));
}

// As bytes it counts as if nothing between its operators went through memory.
Case chain(DType type, const Dims& shape) {
    return Graph(kFloat)
        .input(type, shape)
        .input(type, shape)
        .step(Op::Add, {"in0", "in1"}, "sum", type, shape)
        .step(Op::Clamp, {"sum"}, "bounded", type, shape, clamp(type))
        .step(Op::Add, {"bounded", "in1"}, "again", type, shape)
        .output(Op::Clamp, {"again"}, type, shape, clamp(type));
}

Case cast(DType from, DType to, const Dims& shape) {
    return Graph(target_of(from) == kFloat ? target_of(to) : kFp8)
        .input(from, shape)
        .output(Op::Cast, {"in0"}, to, shape);
}

Case transpose(DType type, const Dims& shape) {
    tosa::test::Fields fields;
    fields.perms = Dims{0, 2, 1};
    return Graph(target_of(type))
        .input(type, shape)
        .output(Op::Transpose, {"in0"}, type, {shape[0], shape[2], shape[1]},
                tosa::test::attribute(Op::Transpose, fields));
}

// Of each line.
Case reduce_sum(DType type, const Dims& shape) {
    return Graph(target_of(type))
        .input(type, shape)
        .output(Op::ReduceSum, {"in0"}, type, {shape[0], 1},
                tosa::test::attribute(Op::ReduceSum, {.axis = 1}));
}

}  // namespace

std::vector<Recipe> elementwise_recipes(const Scale& scale) {
    const Dims line{scale.elements};
    const Dims images{scale.elements >> 20, 1 << 10, 1 << 10};
    std::vector<Recipe> all;
    const auto add_recipe = [&](std::string name, auto make) {
        all.push_back({std::move(name), [=] {
                           Case made = make();
                           made.moves_bytes = true;
                           return made;
                       }});
    };
    const auto for_types = [&](const char* name, Case (*make)(DType, const Dims&),
                               std::initializer_list<DType> types, const Dims& shape) {
        for (const DType type : types)
            add_recipe(std::format("{} {}", name, tosa::name(type)),
                       [=] { return make(type, shape); });
    };
    for_types("IDENTITY", copy, {Fp32, Fp16, Fp8E4M3}, line);
    for_types("ADD", add, {Fp32, Fp16}, line);
    for_types("CLAMP", clamp_case, {Fp32, Fp16}, line);
    for_types("ADD CLAMP ADD CLAMP", chain, {Fp32, Fp16}, line);
    for (const auto& [from, to] :
         {std::pair{Fp32, Fp16}, {Fp16, Fp32}, {Fp32, Fp8E4M3}, {Fp16, Fp8E4M3}, {Fp8E4M3, Fp16}})
        add_recipe(std::format("CAST {} to {}", tosa::name(from), tosa::name(to)),
                   [=] { return cast(from, to, line); });
    for_types("TRANSPOSE", transpose, {Fp32, Fp16, Fp8E4M3}, images);
    for_types("REDUCE_SUM of 8 lines", reduce_sum, {Fp32, Fp16}, {8, scale.elements / 8});
    for_types("REDUCE_SUM of 1024 lines", reduce_sum, {Fp32}, {1024, scale.elements / 1024});
    return all;
}

}  // namespace vulkan::bench
