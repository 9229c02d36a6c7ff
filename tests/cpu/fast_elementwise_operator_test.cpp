// SPDX-License-Identifier: MIT
//
// Each elementwise operator by itself and for each type, fast against reference.
#include <format>

#include "cpu/fast_elementwise.hpp"

namespace cpu::test {
namespace {

using tosa::Op;
using tosa::test::GraphBuilder;
using enum tosa::DType;
namespace fbs = tosa::fbs;
using FlatBuilder = flatbuffers::FlatBufferBuilder;

// Enough for every pair of special elements, and no multiple of any vector.
constexpr std::int32_t kCount = 7 * 1024 + 13;

struct Row {
    Op op;
    std::vector<DType> types{};  // of the inputs
    DType out = Unknown;         // or that of the first input
    double steps = 0;
    double absolute = 0;
    tosa::test::Attribute attribute = tosa::test::empty_attribute;
    std::string name{};
};

void check(const Row& row, const std::vector<DType>& types, DType out,
           const std::function<void(GraphBuilder&, tosa::test::Names&)>& more = {}) {
    GraphBuilder graph;
    tosa::test::Names names;
    std::vector<Bytes> inputs;
    std::uint64_t stride = 1;
    for (const DType type : types) {
        names.push_back(std::format("in{}", names.size()));
        graph.input(names.back(), {kCount}, type);
        inputs.push_back(elements_of(type, kCount, stride, static_cast<unsigned>(names.size())));
        stride *= special_count(type);
    }
    if (more) more(graph, names);
    graph.output("out", {kCount}, out);
    graph.op(row.op, names, {"out"}, row.attribute);

    const Bytes expected = run_plan(graph, Engine::Reference, inputs).at(0);
    on_each_target([&] {
        const Planned planned(graph, Engine::Fast);
        CHECK(planned.plan.scratch_bytes > 0);  // or this is the reference
        const std::string wrong =
            difference(out, planned.run(inputs).at(0), expected, row.steps, row.absolute);
        const std::string what =
            std::format("{} of {} to {} {}", name(row.op), name(types[0]), name(out), row.name);
        CHECK_MESSAGE(wrong.empty(), what, ": ", wrong);
    });
}

void check_all(const std::vector<Row>& rows) {
    for (const Row& row : rows)
        check(row, row.types, row.out == Unknown ? row.types[0] : row.out);
}

constexpr DType kFloats[] = {Fp32, Fp16, Bf16};

TEST_CASE("fast elementwise operators of floats that round once are exact") {
    for (const DType type : kFloats) {
        check_all({{.op = Op::Add, .types = {type, type}},
                   {.op = Op::Sub, .types = {type, type}},
                   {.op = Op::Abs, .types = {type}},
                   {.op = Op::Ceil, .types = {type}},
                   {.op = Op::Floor, .types = {type}},
                   {.op = Op::Reciprocal, .types = {type}},
                   {.op = Op::Equal, .types = {type, type}, .out = Bool},
                   {.op = Op::Greater, .types = {type, type}, .out = Bool},
                   {.op = Op::GreaterEqual, .types = {type, type}, .out = Bool},
                   {.op = Op::Select, .types = {Bool, type, type}, .out = type}});
        check({.op = Op::Mul}, {type, type}, type, [](GraphBuilder& graph, auto& names) {
            graph.constant("shift", {1}, {std::byte{0}}, Int8);
            names.push_back("shift");
        });
        check({.op = Op::Negate}, {type}, type, [&](GraphBuilder& graph, auto& names) {
            graph.constant("zero", {1}, Bytes(tosa::buffer_bytes(type, 1)), type);
            names.insert(names.end(), {"zero", "zero"});
        });
    }
}

TEST_CASE("fast elementwise functions are within a step of the nearest") {
    for (const DType type : kFloats) {
        check_all({{.op = Op::Rsqrt, .types = {type}, .steps = 2},
                   {.op = Op::Exp, .types = {type}, .steps = 1},
                   {.op = Op::Log, .types = {type}, .steps = 1},
                   {.op = Op::Sigmoid, .types = {type}, .steps = 1},
                   {.op = Op::Tanh, .types = {type}, .steps = 1},
                   {.op = Op::Erf, .types = {type}, .steps = 1},
                   {.op = Op::Sin, .types = {type}, .steps = 1, .absolute = 1e-11},
                   {.op = Op::Cos, .types = {type}, .steps = 1, .absolute = 1e-11},
                   {.op = Op::Pow, .types = {type, type}, .steps = 1}});
    }
}

template <auto kCreate>
tosa::test::Attribute with_nan_mode(fbs::NanPropagationMode mode) {
    return [mode](FlatBuilder& builder) { return kCreate(builder, mode).Union(); };
}

TEST_CASE("fast MAXIMUM, MINIMUM and CLAMP treat NaN and zeros as asked") {
    for (const auto mode : {fbs::NanPropagationMode::PROPAGATE, fbs::NanPropagationMode::IGNORE}) {
        for (const DType type : {Fp32, Fp16, Bf16, Int32}) {
            check_all({{.op = Op::Maximum,
                        .types = {type, type},
                        .attribute = with_nan_mode<fbs::CreateMaximumAttribute>(mode)},
                       {.op = Op::Minimum,
                        .types = {type, type},
                        .attribute = with_nan_mode<fbs::CreateMinimumAttribute>(mode)}});
        }
        for (const DType type : {Fp32, Fp16, Bf16, Int8, Int16}) {
            for (const auto& [low, high] : {std::pair{-0.0, 0.0}, {-3.0, 7.0}, {0.0, 0.0}}) {
                const auto bound = [type](double value) {
                    Bytes made(tosa::buffer_bytes(type, 1));
                    if (tosa::is_float(type))
                        tosa::write_float(type, made.data(), 0, value);
                    else
                        tosa::write_integer(type, made.data(), 0, static_cast<std::int64_t>(value));
                    return made;
                };
                GraphBuilder clamping;
                clamping.clamp("in0", "out", bound(low), bound(high),
                               static_cast<tosa::NanMode>(mode));
                check({.op = Op::Clamp, .attribute = clamping.operators[0].attribute}, {type},
                      type);
            }
        }
    }
}

TEST_CASE("fast elementwise operators of integers are exact") {
    check_all({{.op = Op::Add, .types = {Int32, Int32}},
               {.op = Op::Sub, .types = {Int32, Int32}},
               {.op = Op::Abs, .types = {Int32}},
               {.op = Op::Clz, .types = {Int32}},
               {.op = Op::Equal, .types = {Int32, Int32}, .out = Bool},
               {.op = Op::Greater, .types = {Int32, Int32}, .out = Bool},
               {.op = Op::GreaterEqual, .types = {Int32, Int32}, .out = Bool},
               {.op = Op::LogicalAnd, .types = {Bool, Bool}},
               {.op = Op::LogicalOr, .types = {Bool, Bool}},
               {.op = Op::LogicalXor, .types = {Bool, Bool}},
               {.op = Op::LogicalNot, .types = {Bool}},
               {.op = Op::Select, .types = {Bool, Bool, Bool}, .out = Bool}});
    for (const DType type : {Int8, Int16, Int32}) {
        check_all({{.op = Op::BitwiseAnd, .types = {type, type}},
                   {.op = Op::BitwiseOr, .types = {type, type}},
                   {.op = Op::BitwiseXor, .types = {type, type}},
                   {.op = Op::BitwiseNot, .types = {type}},
                   {.op = Op::LogicalLeftShift, .types = {type, type}},
                   {.op = Op::LogicalRightShift, .types = {type, type}},
                   {.op = Op::Select, .types = {Bool, type, type}, .out = type}});
        for (const bool round : {false, true})
            check_all({{.op = Op::ArithmeticRightShift,
                        .types = {type, type},
                        .attribute = [round](FlatBuilder& builder) {
                            return fbs::CreateArithmeticRightShiftAttribute(builder, round).Union();
                        }}});
        for (const int shift : {0, 1, 31, 32, 33, 62}) {
            if (shift != 0 && type != Int32) continue;
            check({.op = Op::Mul, .name = std::format("shift {}", shift)}, {type, type}, Int32,
                  [shift](GraphBuilder& graph, auto& names) {
                      graph.constant("shift", {1},
                                     tosa::test::bytes_of({static_cast<std::int8_t>(shift)}), Int8);
                      names.push_back("shift");
                  });
        }
        for (const int zero : {0, 5, -128}) {
            if (zero != 0 && type != Int8) continue;
            check({.op = Op::Negate}, {type}, type, [&](GraphBuilder& graph, auto& names) {
                Bytes data(tosa::buffer_bytes(type, 1));
                tosa::write_integer(type, data.data(), 0, zero);
                graph.constant("in zero", {1}, data, type);
                graph.constant("out zero", {1}, Bytes(data.size()), type);
                names.insert(names.end(), {"in zero", "out zero"});
            });
        }
    }
}

TEST_CASE("fast casts are those of the reference") {
    const std::vector<std::pair<DType, std::vector<DType>>> rows = {
        {Bool, {Int8, Int16, Int32}},
        {Int8, {Bool, Int16, Int32, Fp16, Fp32, Bf16}},
        {Int16, {Bool, Int8, Int32, Fp16, Fp32, Bf16}},
        {Int32, {Bool, Int8, Int16, Fp16, Fp32, Bf16}},
        {Fp32, {Int8, Int16, Int32, Fp16, Bf16, Fp8E4M3, Fp8E5M2}},
        {Fp16, {Int8, Int16, Int32, Fp32, Fp8E4M3, Fp8E5M2}},
        {Bf16, {Int8, Int16, Int32, Fp32, Fp8E4M3, Fp8E5M2}},
        {Fp8E4M3, {Fp16, Bf16, Fp32}},
        {Fp8E5M2, {Fp16, Bf16, Fp32}},
    };
    for (const auto& [from, all] : rows)
        for (const DType to : all)
            check({.op = Op::Cast}, {from}, to);
}

TEST_CASE("fast TABLE of INT8") {
    Bytes entries(256);
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[i] = static_cast<std::byte>(i * 37 + 11);
    check({.op = Op::Table}, {Int8}, Int8, [&](GraphBuilder& graph, auto& names) {
        graph.constant("table", {256}, entries, Int8);
        names.push_back("table");
    });
}

}  // namespace
}  // namespace cpu::test
