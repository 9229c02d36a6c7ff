// SPDX-License-Identifier: MIT
#include "tosa/capability.hpp"

#include <string>

#include "tosa/analysed.hpp"

using namespace tosa;
using namespace tosa::test;

namespace {

constexpr TypeCapability kTypes[] = {
    {DType::Fp32, kRoleAll},
    {DType::Int32, kRoleAll},
    {DType::Int8, kRoleConstant, true},
    {DType::Fp16, kRoleInput},
    {DType::Bf16, kRoleOutput},
    {DType::Int16, kRoleAll & ~kRoleIntermediate},
    {DType::Bool, kRoleAll & ~kRoleConstant},
};

constexpr OperatorCapability kOperators[] = {
    {Op::MatMul, kZeroZeroPoints},
    {Op::MaxPool2d, kPropagatingNan},
    {Op::Conv2d, kZeroPadding},
    {Op::Maximum, kPropagatingNan},
    {Op::Minimum},
    {Op::Mul, kZeroShift},
    {Op::Pow},
    {Op::Negate, kConstantParameters},
    {Op::Const},
    {Op::Identity},
    {Op::Add},
};

constexpr Descriptor kDescriptor{
    .target = kDynamic,
    .types = kTypes,
    .operators = kOperators,
    .envelope = {.conditions = kConditionBit<PowDomain> | kConditionBit<Int32MultiplyInRange>},
};

constexpr std::string_view kPlace = "region 'main', block 'entry': ";

// Less the place, where there is one.
std::string reason(const GraphBuilder& graph, const Descriptor& descriptor = kDescriptor) {
    const auto admitted = admits(descriptor, analysed(graph, kDynamic).graph);
    if (admitted) return "";
    return admitted.error().starts_with(kPlace) ? admitted.error().substr(kPlace.size())
                                                : admitted.error();
}

std::string maximum(Op op, NanMode mode) {
    GraphBuilder graph;
    graph.input("in", {2}).output("out", {2});
    graph.op(op, {"in", "in"}, {"out"}, [mode](flatbuffers::FlatBufferBuilder& builder) {
        return fbs::CreateMaximumAttribute(builder, static_cast<fbs::NanPropagationMode>(mode))
            .Union();
    });
    return reason(graph);
}

std::string convolution(const Dims& pad) {
    GraphBuilder graph;
    graph.input("in", {1, 2, 2, 1}).input("weight", {1, 1, 1, 1}).output("out", {1, 2, 2, 1});
    graph.constant("bias", {1}, bytes_of({0.0F})).constant("zp", {1}, bytes_of({0.0F}));
    graph.op(Op::Conv2d, {"in", "weight", "bias", "zp", "zp"}, {"out"},
             [pad](flatbuffers::FlatBufferBuilder& builder) {
                 return fbs::CreateConv2dAttribute(builder, builder.CreateVector(pad)).Union();
             });
    return reason(graph);
}

std::string matmul(float zero_point) {
    GraphBuilder graph;
    graph.input("a", {1, 2, 2}).input("b", {1, 2, 2}).output("out", {1, 2, 2});
    graph.matmul("a", "b", "out");
    graph.find("out_bzp").data = bytes_of({zero_point});
    return reason(graph);
}

std::string multiply(std::int8_t shift) {
    GraphBuilder graph;
    graph.input("in", {2}, DType::Int32).output("out", {2}, DType::Int32);
    graph.constant("shift", {1}, bytes_of({shift}), DType::Int8);
    graph.op(Op::Mul, {"in", "in", "shift"}, {"out"});
    return reason(graph);
}

// in -> IDENTITY -> mid -> IDENTITY -> out, each of its own type.
std::string chain(DType in, DType mid, DType out) {
    GraphBuilder graph;
    graph.input("in", {2}, in).tensor("mid", {2}, mid).output("out", {2}, out);
    graph.op(Op::Identity, {"in"}, {"mid"}).op(Op::Identity, {"mid"}, {"out"});
    return reason(graph);
}

}  // namespace

TEST_CASE("a descriptor is for graphs of its target") {
    Descriptor other = kDescriptor;
    other.target = kFloatTarget;
    CHECK(reason(identity()) == "");
    CHECK(reason(identity(), other) ==
          "the graph is for " + describe(kDynamic) + ", not for " + describe(kFloatTarget));
}

TEST_CASE("an operator that is not listed is outside") {
    GraphBuilder graph;
    graph.input("in", {2}).tensor("mid", {2}).output("out", {2});
    graph.op(Op::Identity, {"in"}, {"mid"}).op(Op::Exp, {"mid"}, {"out"});
    CHECK(reason(graph) == "operator 1 (EXP): the operator is not supported");
}

TEST_CASE("NaN modes are held where the descriptor says so") {
    CHECK(maximum(Op::Maximum, NanMode::Propagate) == "");
    CHECK(maximum(Op::Maximum, NanMode::Ignore) ==
          "operator 0 (MAXIMUM): only the NaN mode PROPAGATE is supported");
    CHECK(maximum(Op::Minimum, NanMode::Ignore) == "");
}

TEST_CASE("padding is held to zero where the descriptor says so") {
    CHECK(convolution({0, 0, 0, 0}) == "");
    for (const Dims& pad : {Dims{1, 0, 0, 0}, Dims{0, 0, 0, 1}})
        CHECK(convolution(pad) == "operator 2 (CONV2D): padding is not supported");
}

TEST_CASE("zero points and shifts are held to zero where the descriptor says so") {
    CHECK(matmul(0) == "");
    CHECK(matmul(-0.0F) == "");
    CHECK(matmul(1) == "operator 2 (MATMUL): input 3, 'out_bzp', is not a constant zero");
    CHECK(multiply(0) == "");
    CHECK(multiply(1) == "operator 1 (MUL): input 2, 'shift', is not a constant zero");
}

TEST_CASE("parameters are constants where the descriptor says so") {
    GraphBuilder graph;
    graph.input("in", {2}).input("zp", {1}).output("out", {2});
    graph.op(Op::Negate, {"in", "zp", "zp"}, {"out"});
    CHECK(reason(graph) == "operator 0 (NEGATE): input 1 is no constant");
    // What must be zero must be a constant, too.
    graph = {};
    graph.input("in", {2}, DType::Int32).input("shift", {1}, DType::Int8);
    graph.output("out", {2}, DType::Int32).op(Op::Mul, {"in", "in", "shift"}, {"out"});
    CHECK(reason(graph) == "operator 0 (MUL): input 2, 'shift', is not a constant zero");
}

TEST_CASE("each type has its roles") {
    using enum DType;
    CHECK(chain(Fp32, Fp32, Fp32) == "");
    CHECK(chain(Fp16, Fp32, Bf16) == "");
    CHECK(chain(Int16, Fp32, Int16) == "");
    CHECK(chain(Bf16, Fp32, Fp32) ==
          "'in' is of type BF16, which is not supported for a block input");
    CHECK(chain(Fp32, Int16, Fp32) ==
          "'mid' is of type INT16, which is not supported for an intermediate result");
    CHECK(chain(Fp32, Fp32, Fp16) ==
          "'out' is of type FP16, which is not supported for a block output");
    CHECK(chain(Fp8E4M3, Fp32, Fp32) ==
          "'in' is of type FP8E4M3, which is not supported for a block input");

    GraphBuilder graph;
    graph.constant("one", {1}, bytes_of<std::uint8_t>({1}), Bool).output("out", {1}, Bool);
    graph.op(Op::Identity, {"one"}, {"out"});
    CHECK(reason(graph) == "'one' is of type BOOL, which is not supported for a constant");
}

TEST_CASE("a value has all of its roles") {
    GraphBuilder graph;
    graph.input("in", {2}, DType::Fp16);
    graph.outputs = {"in"};
    CHECK(reason(graph) == "'in' is of type FP16, which is not supported for a block output");

    graph = {};
    graph.constant("one", {1}, bytes_of<std::int16_t>({1}), DType::Bf16);
    graph.outputs = {"one"};
    CHECK(reason(graph) == "'one' is of type BF16, which is not supported for a constant");
}

TEST_CASE("a type for parameters only serves no other input") {
    CHECK(multiply(0) == "");
    GraphBuilder graph;
    graph.constant("one", {1}, bytes_of<std::int8_t>({1}), DType::Int8).output("out", {1});
    graph.op(Op::Identity, {"one"}, {"out"});
    CHECK(reason(graph) ==
          "operator 1 (IDENTITY): 'one' is a constant of type INT8, which is supported for "
          "parameters only");
}

TEST_CASE("conditions that the envelope does not have are outside") {
    GraphBuilder graph;
    graph.input("in", {2}).tensor("mid", {2}).output("out", {2});
    graph.op(Op::Identity, {"in"}, {"mid"}).op(Op::Pow, {"mid", "mid"}, {"out"});
    CHECK(reason(graph) == "");
    Descriptor strict = kDescriptor;
    strict.envelope.conditions = kConditionBit<Int32MultiplyInRange>;
    CHECK(reason(graph, strict) ==
          "operator 1 (POW): its operands must satisfy a condition at run time");
    CHECK(strict.runtime_conditions() == RuntimeConditions::AdvisoryOnly);
    strict.envelope.conditions = 0;
    CHECK(strict.runtime_conditions() == RuntimeConditions::None);
}

TEST_CASE("a graph has as many regions and blocks as the envelope has") {
    Descriptor wide = kDescriptor;
    wide.envelope.max_blocks = 2;
    GraphBuilder graph = identity();
    graph.add_block("other", identity());
    CHECK(reason(graph) == "2 blocks, where 1 are supported");
    CHECK(reason(graph, wide) == "");
    // A block's inputs and outputs are the program's in the first block only.
    GraphBuilder inner;
    inner.input("in", {2}, DType::Fp16).output("out", {2}, DType::Fp32);
    inner.op(Op::Identity, {"in"}, {"out"});
    graph = identity().add_block("other", inner);
    CHECK(reason(graph, wide) ==
          "'in' is of type FP16, which is not supported for an intermediate result");

    graph = identity().add_region("other", identity());
    CHECK(reason(graph, wide) == "2 regions, where 1 are supported");
    wide.envelope.max_regions = 2;
    CHECK(reason(graph, wide) == "");
}
