// SPDX-License-Identifier: MIT
#include "tosa/tiers.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tosa/analysed.hpp"

using namespace tosa;
using namespace tosa::test;

namespace {

std::vector<const Descriptor*> every_tier() {
    std::vector<const Descriptor*> tiers{&cpu_tier()};
    for (const Descriptor& tier : vulkan_tiers())
        tiers.push_back(&tier);
    for (const Descriptor& tier : xdna_tiers())
        tiers.push_back(&tier);
    return tiers;
}

bool admitted(const Descriptor& tier, const GraphBuilder& graph) {
    return admits(tier, analysed(graph, tier.target).graph).has_value();
}

GraphBuilder binary(Op op, DType type) {
    GraphBuilder graph;
    graph.input("a", {2}, type).input("b", {2}, type).output("out", {2}, type);
    return graph.op(op, {"a", "b"}, {"out"});
}

GraphBuilder unary(Op op, DType in, DType out) {
    GraphBuilder graph;
    graph.input("in", {2}, in).output("out", {2}, out);
    return graph.op(op, {"in"}, {"out"});
}

GraphBuilder multiply(DType type) {
    GraphBuilder graph;
    graph.input("a", {2}, type).output("out", {2}, type);
    graph.constant("shift", {1}, bytes_of<std::int8_t>({0}), DType::Int8);
    return graph.op(Op::Mul, {"a", "a", "shift"}, {"out"});
}

GraphBuilder matmul(DType in, DType out, std::vector<std::byte> zero_point) {
    GraphBuilder graph;
    graph.input("a", {1, 2, 2}, in).input("b", {1, 2, 2}, in).output("out", {1, 2, 2}, out);
    graph.constant("zp", {1}, std::move(zero_point), in);
    return graph.op(Op::MatMul, {"a", "b", "zp", "zp"}, {"out"});
}

GraphBuilder max_pool(NanMode mode, std::int32_t pad) {
    GraphBuilder graph;
    graph.input("in", {1, 2, 2, 1}, DType::Bf16).output("out", {1, 2, 2, 1}, DType::Bf16);
    return graph.op(Op::MaxPool2d, {"in"}, {"out"}, [=](flatbuffers::FlatBufferBuilder& builder) {
        const auto window = builder.CreateVector(Dims{1, 1});
        const auto padding = builder.CreateVector(Dims{0, pad, 0, 0});
        return fbs::CreateMaxPool2dAttribute(builder, window, window, padding,
                                             static_cast<fbs::NanPropagationMode>(mode))
            .Union();
    });
}

}  // namespace

TEST_CASE("each tier has a target of its own, and lists nothing twice") {
    std::vector<Target> targets;
    for (const Descriptor* tier : every_tier()) {
        CAPTURE(describe(tier->target));
        CHECK(decode_target(encode_target(tier->target)) == tier->target);
        targets.push_back(tier->target);
        CHECK(std::ranges::adjacent_find(tier->operators, std::ranges::greater_equal{},
                                         &OperatorCapability::op) == tier->operators.end());
        std::set<DType> types;
        for (const TypeCapability& type : tier->types)
            CHECK(types.insert(type.type).second);
    }
    for (std::size_t i = 0; i < targets.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            CHECK_FALSE(targets[i] == targets[j]);
}

TEST_CASE("the identities of the tiers are the known ones") {
    const auto words = [](const Descriptor& tier) {
        const TargetWords all = encode_target(tier.target);
        return std::vector(all.begin() + 5, all.begin() + 9);
    };
    using Words = std::vector<std::uint32_t>;
    CHECK(words(vulkan_tiers()[0]) == Words{2, 1, 0, 0});
    CHECK(words(vulkan_tiers()[1]) == Words{2, 1, 0x18, 0});
    CHECK(words(vulkan_tiers()[2]) == Words{1, 1, 0x200, 0});
    CHECK(words(xdna_tiers()[0]) == Words{2, 1, 0x4, 0});
    CHECK(words(xdna_tiers()[1]) == Words{2, 1, 0x1C, 0});
    CHECK(words(xdna_tiers()[2]) == Words{1, 1, 0, 0});
}

TEST_CASE("the CPU takes every operator but CUSTOM") {
    const Descriptor& cpu = cpu_tier();
    for (std::uint32_t op = 1; op <= kLastStableOp; ++op) {
        const auto row =
            std::ranges::find(cpu.operators, static_cast<Op>(op), &OperatorCapability::op);
        CAPTURE(name(static_cast<Op>(op)));
        CHECK((row != cpu.operators.end()) == (static_cast<Op>(op) != Op::Custom));
    }
    CHECK(admitted(cpu, binary(Op::IntDiv, DType::Int32)));
    CHECK(admitted(cpu, binary(Op::ArithmeticRightShift, DType::Int16)));
    CHECK(admitted(cpu, multiply(DType::Int32)));
    CHECK(admitted(cpu, binary(Op::Pow, DType::Bf16)));
}

TEST_CASE("the float tier of Vulkan") {
    const Descriptor& tier = vulkan_tiers()[0];
    for (const DType type : {DType::Fp32, DType::Fp16}) {
        CHECK(admitted(tier, binary(Op::Pow, type)));
        CHECK(admitted(tier, multiply(type)));
    }
    CHECK(admitted(tier, unary(Op::LogicalNot, DType::Bool, DType::Bool)));
    CHECK(admitted(tier, unary(Op::Identity, DType::Int32, DType::Int32)));
    CHECK_FALSE(admitted(tier, multiply(DType::Int32)));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Int8, DType::Int8)));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Bf16, DType::Bf16)));
    CHECK(admitted(tier, unary(Op::Cast, DType::Fp32, DType::Fp16)));
    CHECK(admitted(tier, matmul(DType::Fp32, DType::Fp32, bytes_of({0.0F}))));
    CHECK_FALSE(admitted(tier, matmul(DType::Fp32, DType::Fp32, bytes_of({1.0F}))));
}

TEST_CASE("the integer tier of Vulkan") {
    const Descriptor& tier = vulkan_tiers()[2];
    CHECK(admitted(tier, multiply(DType::Int32)));
    CHECK(admitted(tier, unary(Op::Identity, DType::Int8, DType::Int8)));
    CHECK(admitted(tier, binary(Op::ArithmeticRightShift, DType::Int32)));
    CHECK(admitted(tier, matmul(DType::Int8, DType::Int32, bytes_of<std::int8_t>({3}))));
    CHECK_FALSE(admitted(tier, binary(Op::IntDiv, DType::Int32)));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Int16, DType::Int16)));
}

TEST_CASE("the FP8 tier of Vulkan") {
    const Descriptor& tier = vulkan_tiers()[1];
    CHECK(admitted(tier, unary(Op::Cast, DType::Fp32, DType::Fp8E4M3)));
    CHECK(admitted(tier, unary(Op::Cast, DType::Fp8E5M2, DType::Fp16)));
    CHECK(admitted(tier, unary(Op::Argmax, DType::Fp8E5M2, DType::Int32)));
    CHECK(admitted(tier, matmul(DType::Fp8E4M3, DType::Fp16, bytes_of<std::uint8_t>({0}))));
    CHECK_FALSE(admitted(tier, binary(Op::Add, DType::Fp32)));
    CHECK_FALSE(admitted(tier, binary(Op::Pow, DType::Fp32)));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Int32, DType::Int32)));
}

TEST_CASE("the BF16 tier of XDNA") {
    const Descriptor& tier = xdna_tiers()[0];
    CHECK(admitted(tier, unary(Op::Identity, DType::Bf16, DType::Bf16)));
    CHECK(admitted(tier, matmul(DType::Bf16, DType::Fp32, bytes_of<std::uint16_t>({0}))));
    CHECK_FALSE(admitted(tier, matmul(DType::Bf16, DType::Fp32, bytes_of<std::uint16_t>({1}))));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Fp32, DType::Fp32)));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Fp16, DType::Fp16)));
    CHECK(admitted(tier, max_pool(NanMode::Propagate, 0)));
    CHECK_FALSE(admitted(tier, max_pool(NanMode::Ignore, 0)));
    CHECK_FALSE(admitted(tier, max_pool(NanMode::Propagate, 1)));
}

TEST_CASE("the FP8 storage tier of XDNA") {
    const Descriptor& tier = xdna_tiers()[1];
    CHECK(admitted(tier, unary(Op::Cast, DType::Fp8E4M3, DType::Bf16)));
    CHECK(admitted(tier, unary(Op::Cast, DType::Fp8E5M2, DType::Bf16)));
    CHECK_FALSE(admitted(tier, unary(Op::Cast, DType::Bf16, DType::Fp8E4M3)));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Fp8E4M3, DType::Bf16)));

    GraphBuilder fused;
    fused.input("a", {1, 2, 2}, DType::Fp8E4M3).input("b", {1, 2, 2}, DType::Fp8E4M3);
    fused.tensor("wide_a", {1, 2, 2}, DType::Bf16).tensor("wide_b", {1, 2, 2}, DType::Bf16);
    fused.output("out", {1, 2, 2}, DType::Fp32);
    fused.op(Op::Cast, {"a"}, {"wide_a"}).op(Op::Cast, {"b"}, {"wide_b"});
    fused.constant("zp", {1}, bytes_of<std::uint16_t>({0}), DType::Bf16);
    fused.op(Op::MatMul, {"wide_a", "wide_b", "zp", "zp"}, {"out"});
    CHECK(admitted(tier, fused));
}

TEST_CASE("the integer tier of XDNA") {
    const Descriptor& tier = xdna_tiers()[2];
    CHECK(admitted(tier, unary(Op::Identity, DType::Int8, DType::Int8)));
    CHECK(admitted(tier, matmul(DType::Int8, DType::Int32, bytes_of<std::int8_t>({5}))));
    CHECK_FALSE(admitted(tier, binary(Op::Add, DType::Int32)));
    CHECK_FALSE(admitted(tier, unary(Op::Identity, DType::Int16, DType::Int16)));

    GraphBuilder rescale;
    rescale.input("in", {2}, DType::Int32).output("out", {2}, DType::Int8);
    rescale.constant("multiplier", {1}, bytes_of<std::int32_t>({1}), DType::Int32);
    rescale.constant("shift", {1}, bytes_of<std::int8_t>({2}), DType::Int8);
    rescale.constant("in_zp", {1}, bytes_of<std::int32_t>({0}), DType::Int32);
    rescale.constant("out_zp", {1}, bytes_of<std::int8_t>({3}), DType::Int8);
    rescale.op(Op::Rescale, {"in", "multiplier", "shift", "in_zp", "out_zp"}, {"out"});
    CHECK(admitted(tier, rescale));
}
