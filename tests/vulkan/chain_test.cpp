// SPDX-License-Identifier: MIT
//
// Elementwise operators joined into one kernel.
#include <cmath>
#include <random>

#include "cpu/random_builder.hpp"
#include "vulkan/oracle.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

constexpr Grid kGrid{
    .elements = 17, .workgroup = 256, .edge = 16, .max_groups = 65535, .max_range = 1U << 20};

// A chain of one stage from whole tensors.
Chain stage(std::initializer_list<TensorId> tensors, std::uint32_t op = shader::kAdd) {
    Chain chain{.count = 12};
    Stage made{.op = op};
    for (const TensorId id : tensors) {
        made.values[chain.inputs.size()] = static_cast<std::uint32_t>(chain.inputs.size());
        chain.inputs.push_back({.tensor = id});
    }
    chain.stages = {made};
    return chain;
}

// Input `at` is broadcast from the last dimension of the extents.
Chain broadcast(Chain chain, std::size_t at, Extents dims) {
    chain.dims = dims;
    chain.inputs[at].find = shader::kStrided;
    chain.inputs[at].strides = {0, 0, 0, 0, 0, 1};
    return chain;
}

Lowering lowered(const GraphBuilder& builder) {
    const auto file = builder.file();
    const auto graph = tosa::build_graph(file, tosa::kEveryTarget);
    REQUIRE_MESSAGE(graph.has_value(), graph.error().message);
    auto made = lower(*graph, kGrid);
    REQUIRE(made);
    return std::move(*made);
}

// Elementwise operators of mixed types on tensors of one shape and of what broadcasts to it.
class Generator : private cpu::test::RandomBuilder {
 public:
    using RandomBuilder::RandomBuilder;

    cpu::test::RandomGraph generate() && {
        constexpr std::array kSteps{
            &Generator::arithmetic, &Generator::unary, &Generator::select,  &Generator::compare,
            &Generator::clamp,      &Generator::cast,  &Generator::integer, &Generator::arithmetic};
        const std::uint64_t steps = 10 + below(31);
        for (std::uint64_t i = 0; i < steps; ++i)
            (this->*kSteps.at(below(kSteps.size())))();
        // Every binding is an element of the array: what does not fit is not asked for.
        for (const Known& value : known_)
            if (!value.read && made_.outputs.size() < 5) give_out(value);
        for (std::size_t i = 0; i < made_.inputs.size(); ++i)
            normalise(made_.graph.find(made_.graph.inputs[i]).type, made_.inputs[i]);
        for (auto& tensor : made_.graph.tensors)
            normalise(tensor.type, tensor.data);
        return std::move(made_);
    }

 private:
    // A device may flush subnormal FP32.
    static void normalise(std::uint32_t type, Bytes& data) {
        if (type != static_cast<std::uint32_t>(DType::Fp32)) return;
        for (std::size_t i = 0; i < data.size() / 4; ++i)
            if (std::fpclassify(tosa::read_float(DType::Fp32, data.data(), i)) == FP_NORMAL &&
                std::abs(tosa::read_float(DType::Fp32, data.data(), i)) < 0x1p-126)
                tosa::write_float(DType::Fp32, data.data(), i, 0.25);
    }

    using Known = cpu::test::Known;
    using Grade = cpu::test::Grade;

    static constexpr std::array kFloatTypes{DType::Fp32, DType::Fp16};
    static constexpr std::array kNumberTypes{DType::Fp32, DType::Fp16, DType::Int32};
    static constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Int32, DType::Int8,
                                       DType::Bool};

    // Another operand: one that is there and broadcasts, or else a new one; as an input only
    // while there is room.
    Known other(DType type, const Dims& dims) {
        for (Known& value : known_)
            if (value.type == type && value.dims == dims && value.grade <= Grade::Exact && flip()) {
                value.read = true;
                return value;
            }
        Dims smaller = dims;
        for (std::int32_t& extent : smaller)
            if (below(4) == 0) extent = 1;
        return fresh_operand(type, smaller);
    }
    Known fresh_operand(DType type, const Dims& dims) {
        return made_.inputs.size() < 8 && flip() ? input(type, dims, false)
                                                 : constant(type, dims, false);
    }
    template <std::size_t n>
    Known some(const std::array<DType, n>& types) {
        std::vector<Known*> fit;
        for (Known& value : known_)
            if (value.grade <= Grade::Exact && std::ranges::contains(types, value.type))
                fit.push_back(&value);
        if (fit.empty() || below(8) == 0) {
            constexpr std::array kShapes{1, 3, 5};
            const Dims dims{kShapes.at(below(3)), 1 + static_cast<std::int32_t>(below(3)), 5};
            Known made = fresh_operand(type_among(types), dims);
            known_.push_back(made);
            return made;
        }
        Known& chosen = *fit[below(fit.size())];
        chosen.read = true;
        return chosen;
    }
    void made(Op op, const Names& names, DType type, const Dims& dims, const Fields& fields = {}) {
        result(op, names, type, dims, Grade::Exact, fields);
    }

    void arithmetic() {
        constexpr std::array kOps{Op::Add, Op::Sub, Op::Mul, Op::Maximum, Op::Minimum};
        const Known a = some(kNumberTypes);
        const Op op = kOps.at(below(kOps.size()));
        Names names{a.name, other(a.type, a.dims).name};
        if (op == Op::Mul)
            names.push_back(
                scalar(DType::Int8, a.type == DType::Int32 ? std::int64_t(below(40)) : 0));
        made(op, names, a.type, a.dims, {.nan_mode = nan_mode()});
    }
    // Also rough ones, which then only end a chain: what follows could not be compared.
    void unary() {
        constexpr std::array kExact{Op::Abs, Op::Ceil, Op::Floor};
        constexpr std::array kRough{Op::Exp, Op::Sin, Op::Tanh, Op::Sigmoid};
        const Known x = some(kFloatTypes);
        if (below(3) != 0)
            made(kExact.at(below(kExact.size())), {x.name}, x.type, x.dims);
        else
            result(kRough.at(below(kRough.size())), {x.name}, x.type, x.dims, Grade::Rough);
    }
    void select() {
        const Known a = some(kTypes);
        made(Op::Select, {other(DType::Bool, a.dims).name, a.name, other(a.type, a.dims).name},
             a.type, a.dims);
    }
    void compare() {
        constexpr std::array kOps{Op::Equal, Op::Greater, Op::GreaterEqual};
        const Known a = some(kNumberTypes);
        made(kOps.at(below(kOps.size())), {a.name, other(a.type, a.dims).name}, DType::Bool,
             a.dims);
    }
    void clamp() {
        const Known a = some(kFloatTypes);
        const auto bound = [&](double number) {
            Bytes data(tosa::buffer_bytes(a.type, 1));
            tosa::write_float(a.type, data.data(), 0, number);
            return data;
        };
        const double low = static_cast<double>(below(9)) - 6;
        made(Op::Clamp, {a.name}, a.type, a.dims,
             {.nan_mode = nan_mode(),
              .min_val = bound(low),
              .max_val = bound(low + static_cast<double>(below(5)))});
    }
    void cast() {
        constexpr std::array kWholes{DType::Int8, DType::Int32};
        constexpr std::array kBoth{DType::Fp32, DType::Fp16, DType::Int8, DType::Int32};
        const Known a = some(kBoth);
        DType to = tosa::is_float(a.type) ? type_among(kFloatTypes) : type_among(kWholes);
        if (to == a.type)
            to = to == DType::Fp32    ? DType::Fp16
                 : to == DType::Fp16  ? DType::Fp32
                 : to == DType::Int32 ? DType::Int8
                                      : DType::Int32;
        made(Op::Cast, {a.name}, to, a.dims);
    }
    void integer() {
        constexpr std::array kWholes{DType::Int8, DType::Int32};
        constexpr std::array kOps{Op::BitwiseAnd, Op::BitwiseXor, Op::LogicalRightShift};
        const Known a = some(kWholes);
        made(kOps.at(below(kOps.size())), {a.name, other(a.type, a.dims).name}, a.type, a.dims);
    }
};

}  // namespace

TEST_SUITE("vulkan/chain") {
    TEST_CASE("a chain goes on with the result of another") {
        const auto made = fused(stage({1, 2}), stage({3, 4}, shader::kMul), 3);
        REQUIRE(made);
        CHECK(made->inputs.size() == 3);
        REQUIRE(made->stages.size() == 2);
        CHECK(made->stages[1].op == shader::kMul);
        CHECK(made->stages[1].values[0] == shader::kChainInputs);
        CHECK(made->stages[1].values[1] == 2);
    }

    TEST_CASE("what both chains read is read once, and a result may be used twice") {
        const auto shared = fused(stage({1, 2}), stage({3, 2}), 3);
        REQUIRE(shared);
        CHECK(shared->inputs.size() == 2);
        CHECK(shared->stages[1].values[0] == shader::kChainInputs);
        CHECK(shared->stages[1].values[1] == 1);
        auto square = stage({3}, shader::kMul);
        square.stages[0].values = {0, 0, 0};
        const auto squared = fused(stage({1}), square, 3);
        REQUIRE(squared);
        CHECK(squared->stages[1].values[0] == shader::kChainInputs);
        CHECK(squared->stages[1].values[1] == shader::kChainInputs);
    }

    TEST_CASE("inputs and stages have a limit") {
        Chain chain = stage({0, 1});
        std::size_t stages = 1;
        while (const auto longer = fused(chain, stage({100, 0}), 100)) {
            chain = *longer;
            ++stages;
        }
        CHECK(stages == shader::kChainStages);
        chain = stage({0, 1, 2});
        CHECK(fused(stage({10, 11, 12}), stage({20, 13, 14}), 20));
        CHECK(fused(stage({10, 11}), stage({20, 13}), 20)->inputs.size() == 3);
        chain = *fused(stage({10, 11, 12}), stage({20, 13, 14}), 20);
        chain = *fused(chain, stage({20, 15}), 20);
        CHECK(chain.inputs.size() == shader::kChainInputs);
        CHECK(!fused(chain, stage({20, 16}), 20));
        CHECK(fused(chain, stage({20, 15}), 20));  // which it reads already
    }

    TEST_CASE("two shapes do not go together, nor does a result that is broadcast") {
        const auto one = broadcast(stage({1, 2}), 1, {1, 1, 1, 1, 3, 4});
        const auto same = broadcast(stage({3, 4}), 1, {1, 1, 1, 1, 3, 4});
        const auto other = broadcast(stage({3, 4}), 1, {1, 1, 1, 1, 4, 3});
        CHECK(fused(one, same, 3));
        CHECK(!fused(one, other, 3));
        CHECK(fused(stage({1, 2}), other, 3)->dims == other.dims);
        CHECK(fused(one, stage({3, 4}), 3)->dims == one.dims);
        CHECK(!fused(stage({1, 2}), broadcast(stage({3, 4}), 0, {1, 1, 1, 1, 3, 4}), 3));
        auto longer = stage({3});
        longer.count = 13;
        CHECK(!fused(stage({1}), longer, 3));
        auto table = stage({4, 3}, shader::kTable);
        table.inputs[1].find = shader::kTableOnly;
        CHECK(!fused(stage({1}), table, 3));
    }

    TEST_CASE("only one kernel of a program may be what a chain ends") {
        auto first = stage({1, 2}), second = stage({3, 4});
        first.inputs[1] = {.find = shader::kComputed};
        CHECK(fused(first, second, 3));
        second.inputs[1] = {.find = shader::kComputed};
        CHECK(!fused(first, second, 3));
    }

    TEST_CASE("steps are joined unless another step reads what lies between, or the program") {
        const auto steps = [](bool read_twice, bool output) {
            GraphBuilder graph;
            graph.input("x", {12}).output("y", {12}).output("z", {12});
            output ? graph.output("m", {12}) : graph.tensor("m", {12});
            graph.clamp("x", "m", 0.0F, 9.0F).clamp("m", "y", 0.0F, 8.0F);
            graph.clamp(read_twice ? "m" : "x", "z", 0.0F, 7.0F);
            return lowered(graph).steps.size();
        };
        CHECK(steps(false, false) == 2);
        CHECK(steps(true, false) == 3);
        CHECK(steps(false, true) == 3);
    }

    TEST_CASE("x * x of an intermediate reads it once, and a reshape between changes nothing") {
        GraphBuilder graph;
        graph.input("x", {3, 4}).output("y", {12}).tensor("m", {3, 4}).tensor("r", {12});
        graph.shape("s", {12}).constant("k", {1}, Bytes(1), DType::Int8);
        graph.clamp("x", "m", 0.0F, 9.0F).op(Op::Reshape, {"m", "s"}, {"r"});
        graph.op(Op::Mul, {"r", "r", "k"}, {"y"});
        const auto made = lowered(graph);
        REQUIRE(made.steps.size() == 1);
        CHECK(made.steps[0].chain->stages.size() == 2);
    }

    // The matmul reads `m` itself: that its chain reads it, too, does not make it one reader.
    TEST_CASE("what a kernel reads beside its chain is not computed away") {
        Lowering lowering;
        lowering.tensors.resize(4, {.elements = 12, .bytes = 48});
        lowering.tensors[0].slot = 0;
        lowering.tensors[3].slot = 1;
        Chain product = stage({shader::kComputed}, shader::kCopy);
        product.inputs[0] = {.find = shader::kComputed};
        lowering.steps.push_back({.writes = 1, .chain = stage({0}, shader::kAbs)});
        lowering.steps.push_back(
            {.kernel = Kernel::Gemm, .writes = 2, .chain = product, .reads = {{1, 0}, {1, 2}}});
        lowering.steps.push_back({.writes = 3, .chain = stage({2, 1})});
        fuse(lowering);
        REQUIRE(lowering.steps.size() == 2);
        CHECK(lowering.steps[0].writes == 1);
        CHECK(lowering.steps[1].kernel == Kernel::Gemm);
        CHECK(lowering.steps[1].writes == 3);
    }
}

TEST_SUITE("vulkan/random" * doctest::skip(skipped())) {
    TEST_CASE("random graphs of elementwise operators are those of the reference engine") {
        constexpr int kGraphs = 50;
        Rig rig;
        Oracle oracle(rig);
        std::mt19937 random(20261130);
        for (int i = 0; i < kGraphs; ++i) {
            INFO("graph " << i);
            std::vector<std::uint8_t> choices(4096);
            std::ranges::generate(choices, [&] { return static_cast<std::uint8_t>(random()); });
            const auto made = Generator({choices.data(), choices.size()}).generate();
            oracle.check(made.graph, made.inputs, made.tolerances);
        }
    }
}
