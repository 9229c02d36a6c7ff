// SPDX-License-Identifier: MIT
#include "tosa/runtime_values.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "tosa/analysed.hpp"

using namespace tosa;
using namespace tosa::test;

namespace {

using enum DType;
using Bytes = std::vector<std::byte>;

// A tensor, or for type Shape the value of a shape operand with so many elements.
struct Operand {
    DType type;
    Dims dims{};
    std::uint32_t length = 0;
};

Operand shape_of(std::uint32_t length) {
    return {.type = Shape, .dims = {}, .length = length};
}

struct Call {
    Op op;
    std::vector<Operand> inputs;
    Operand output;
    Attribute attribute = empty_attribute;
    Level level = Level::EightK;
};

// An operator none of whose inputs is constant.
Analysed single(const Call& call) {
    GraphBuilder graph;
    Names names;
    for (const Operand& operand : call.inputs) {
        names.push_back(std::string("in") + std::to_string(names.size()));
        if (operand.type == Shape)
            graph.shapes.push_back({names.back(), operand.length, {}});
        else
            graph.tensor(names.back(), operand.dims, operand.type);
    }
    graph.output("out", call.output.dims, call.output.type);
    graph.op(call.op, names, {"out"}, call.attribute);
    Target target = kDynamic;
    target.level = call.level;
    return analysed(graph, target);
}

std::string text(const std::expected<RuntimeVerdict, RuntimeValueError>& result) {
    constexpr const char* kErrors[] = {"out of order", "missing", "encoding", "failed"};
    if (!result) return kErrors[static_cast<std::size_t>(result.error().kind)];
    return result->unpredictable ? "unpredictable" : "fine";
}

// Contents by the input that they are for.
using Given = std::map<std::size_t, Bytes>;

std::string outcome(const Call& call, const Given& given) {
    const Analysed analysed = single(call);
    std::vector<RuntimeValue> values;
    for (const auto& [input, contents] : given)
        values.push_back({analysed.graph.operators[0].inputs[input], contents});
    std::ranges::sort(values, {}, &RuntimeValue::value);
    return text(validate_runtime_values(analysed.graph, values));
}

Bytes i8(std::initializer_list<std::int8_t> values) {
    return bytes_of(values);
}
Bytes i16(std::initializer_list<std::int16_t> values) {
    return bytes_of(values);
}
Bytes i32(std::initializer_list<std::int32_t> values) {
    return bytes_of(values);
}
Bytes i64(std::initializer_list<std::int64_t> values) {
    return bytes_of(values);
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

Call negate(DType type) {
    return {Op::Negate, {{type, {2}}, {type, {1}}, {type, {1}}}, {type, {2}}};
}

Call reshape() {
    return {Op::Reshape, {{Int8, {2, 3}}, shape_of(2)}, {Int8, {3, 2}}};
}

Call rescale(DType in, DType out, bool unsigned_in, bool unsigned_out) {
    return {Op::Rescale,
            {{in, {2, 3}}, {Int32, {3}}, {Int8, {3}}, {in, {1}}, {out, {1}}},
            {out, {2, 3}},
            [=](flatbuffers::FlatBufferBuilder& builder) {
                return fbs::CreateRescaleAttribute(builder, true, fbs::RoundingMode::SINGLE_ROUND,
                                                   true, unsigned_in, unsigned_out)
                    .Union();
            }};
}

Given rescale_values(const Bytes& in_zp, const Bytes& out_zp) {
    return {{1, i32({1, 2, 3})}, {2, i8({2, 30, 62})}, {3, in_zp}, {4, out_zp}};
}

}  // namespace

TEST_CASE("runtime values come in ascending order, each once") {
    const Analysed analysed = single(negate(Int8));
    const Bytes zero = i8({0});
    const auto check = [&](std::vector<RuntimeValue> values) {
        return validate_runtime_values(analysed.graph, values);
    };
    CHECK(check({{1, zero}, {2, zero}}) == RuntimeVerdict{});
    CHECK(check({{2, zero}, {1, zero}}).error() ==
          RuntimeValueError{RuntimeValueError::Kind::ValuesOutOfOrder, 1, kNoId});
    CHECK(check({{1, zero}, {1, zero}, {2, zero}}).error() ==
          RuntimeValueError{RuntimeValueError::Kind::ValuesOutOfOrder, 1, kNoId});
}

TEST_CASE("an error names the value and the operator that uses it") {
    GraphBuilder graph;
    graph.tensor("in", {2}, Int8).tensor("zp", {1}, Int8).tensor("mid", {2}, Int8);
    graph.output("out", {2}, Int8);
    graph.op(Op::Identity, {"in"}, {"mid"}).op(Op::Negate, {"mid", "zp", "zp"}, {"out"});
    CHECK(validate_runtime_values(analysed(graph, kDynamic).graph, {}).error() ==
          RuntimeValueError{RuntimeValueError::Kind::MissingValue, 1, 1});
}

TEST_CASE("every dynamic constant is wanted, and only those are looked at") {
    CHECK(outcome(reshape(), {}) == "missing");
    CHECK(outcome(negate(Int8), {{1, i8({0})}}) == "missing");
    CHECK(outcome(negate(Int8), {{2, i8({0})}}) == "missing");
    // Advisory ones are no less wanted.
    const Call table{Op::Table, {{Int8, {2}}, {Int8, {256}}}, {Int8, {2}}};
    CHECK(outcome(table, {}) == "missing");
    CHECK(outcome(table, {{1, Bytes(256)}}) == "fine");
    // What tensor input 0 is said to hold is of the wrong size.
    CHECK(outcome(negate(Int8), {{0, {}}, {1, i8({0})}, {2, i8({0})}}) == "fine");
}

TEST_CASE("constants of the file are not asked for") {
    GraphBuilder graph;
    graph.input("in", {2, 3}).output("out", {6});
    graph.shape("to", {6}).op(Op::Reshape, {"in", "to"}, {"out"});
    CHECK(validate_runtime_values(analysed(graph, kDynamic).graph, {}) == RuntimeVerdict{});
}

TEST_CASE("contents have the size of their value, and encode something") {
    CHECK(outcome(negate(Int8), {{1, {}}, {2, i8({0})}}) == "encoding");
    CHECK(outcome(negate(Int8), {{1, i8({0, 0})}, {2, i8({0})}}) == "encoding");
    CHECK(outcome(reshape(), {{1, i64({3, 2, 1})}}) == "encoding");
    CHECK(outcome(reshape(), {{1, i32({3, 2})}}) == "encoding");
    CHECK(outcome(rescale(Int48, Int32, false, false), rescale_values(i64({0}), i32({0}))) ==
          "fine");
    CHECK(outcome(rescale(Int48, Int32, false, false),
                  rescale_values(i64({std::int64_t{1} << 47}), i32({0}))) == "encoding");
    CHECK(outcome(
              {Op::Conv2d,
               {{Int8, {1, 2, 2, 1}}, {Int4, {1, 1, 1, 1}}, {Int32, {1}}, {Int8, {1}}, {Int4, {1}}},
               {Int32, {1, 2, 2, 1}}},
              {{3, i8({0})}, {4, i8({8})}}) == "encoding");
}

TEST_CASE("zero points are zero, but of INT8") {
    const std::map<DType, std::pair<Bytes, Bytes>> zero_and_one = {
        {Int16, {i16({0}), i16({1})}},
        {Int32, {i32({0}), i32({1})}},
        {Fp32, {bytes_of({-0.0F}), bytes_of({1e-45F})}},
        {Fp16, {i16({-0x8000}), i16({1})}},
        {Bf16, {i16({-0x8000}), i16({1})}},
        {Fp8E4M3, {i8({-0x80}), i8({1})}},
        {Fp8E5M2, {i8({-0x80}), i8({0x7F})}},
    };
    for (const auto& [type, values] : zero_and_one) {
        CAPTURE(name(type));
        const auto& [zero, one] = values;
        CHECK(outcome(negate(type), {{1, zero}, {2, zero}}) == "fine");
        CHECK(outcome(negate(type), {{1, one}, {2, zero}}) == "failed");
        CHECK(outcome(negate(type), {{1, zero}, {2, one}}) == "failed");
    }
    CHECK(outcome(negate(Int8), {{1, i8({-128})}, {2, i8({127})}}) == "fine");
    CHECK(outcome(negate(Int16), {{1, i16({-32768})}, {2, i16({0})}}) == "failed");
}

TEST_CASE("the middle of unsigned INT16 is a zero point of RESCALE, on that side") {
    const Bytes middle = i16({-32768});
    const Bytes zero = i16({0});
    const auto check = [&](bool unsigned_in, bool unsigned_out, const Bytes& in, const Bytes& out) {
        return outcome(rescale(Int16, Int16, unsigned_in, unsigned_out), rescale_values(in, out));
    };
    CHECK(check(true, false, middle, zero) == "fine");
    CHECK(check(false, true, zero, middle) == "fine");
    CHECK(check(true, false, zero, middle) == "failed");
    CHECK(check(false, true, middle, zero) == "failed");
    CHECK(check(true, false, i16({32767}), zero) == "failed");
}

TEST_CASE("shapes fit the output") {
    CHECK(outcome(reshape(), {{1, i64({3, 2})}}) == "fine");
    CHECK(outcome(reshape(), {{1, i64({2, 3})}}) == "failed");

    const Call tile{Op::Tile, {{Int8, {2, 3}}, shape_of(2)}, {Int8, {4, 3}}};
    CHECK(outcome(tile, {{1, i64({2, 1})}}) == "fine");
    CHECK(outcome(tile, {{1, i64({2, 2})}}) == "failed");
    CHECK(outcome(tile, {{1, i64({2, 0})}}) == "failed");
    CHECK(outcome(tile, {{1, i64({kHuge, 1})}}) == "failed");
    CHECK(outcome(tile, {{1, i64({(std::int64_t{1} << 63) + 2, 1})}}) == "failed");

    const Call slice{Op::Slice, {{Int8, {5, 3}}, shape_of(2), shape_of(2)}, {Int8, {2, 3}}};
    CHECK(outcome(slice, {{1, i64({3, 0})}, {2, i64({2, 3})}}) == "fine");
    CHECK(outcome(slice, {{1, i64({4, 0})}, {2, i64({2, 3})}}) == "failed");
    CHECK(outcome(slice, {{1, i64({-1, 0})}, {2, i64({2, 3})}}) == "failed");
    CHECK(outcome(slice, {{1, i64({kHuge, 0})}, {2, i64({2, 3})}}) == "failed");
    CHECK(outcome(slice, {{1, i64({0, 0})}, {2, i64({3, 3})}}) == "failed");

    const Call pad{Op::Pad, {{Int8, {2, 3}}, shape_of(4), {Int8, {1}}}, {Int8, {4, 3}}};
    CHECK(outcome(pad, {{1, i64({1, 1, 0, 0})}, {2, i8({5})}}) == "fine");
    CHECK(outcome(pad, {{1, i64({1, 2, 0, 0})}, {2, i8({5})}}) == "failed");
    CHECK(outcome(pad, {{1, i64({3, -1, 0, 0})}, {2, i8({5})}}) == "failed");
    CHECK(outcome(pad, {{1, i64({-1, 3, 0, 0})}, {2, i8({5})}}) == "failed");
    CHECK(outcome(pad, {{1, i64({kHuge, 1, 0, 0})}, {2, i8({5})}}) == "failed");
    CHECK(outcome(pad, {{1, i64({1, 1, 0, 1})}, {2, i8({5})}}) == "failed");
}

TEST_CASE("a shape of another rank than the output's fits nothing") {
    CHECK(outcome({Op::Reshape, {{Int8, {2}}, shape_of(2)}, {Int8, {2}}}, {{1, i64({2, 1})}}) ==
          "failed");
    CHECK(outcome({Op::Pad, {{Int8, {2}}, shape_of(1), {Int8, {1}}}, {Int8, {2}}},
                  {{1, i64({0})}, {2, i8({0})}}) == "failed");
    CHECK(outcome({Op::Tile, {{Int8, {2}}, shape_of(2)}, {Int8, {1, 2}}}, {{1, i64({1, 1})}}) ==
          "failed");
}

TEST_CASE("scale, offset and border of RESIZE have the rules of TOSA") {
    struct Row {
        const char* what;
        std::int32_t in, out;
        std::int64_t n, d, offset, border;
        const char* expected;
        Level level = Level::EightK;
    };
    const Row rows[] = {
        {"as it is", 5, 5, 1, 1, 0, 0, "fine"},
        {"doubled", 5, 10, 4, 2, -1, 1, "fine"},
        {"another size", 5, 11, 4, 2, -1, 1, "failed"},
        {"no whole step", 5, 9, 4, 2, -1, 0, "failed"},
        {"no numerator", 1, 1, 0, 1, 0, 0, "failed"},
        {"negative", 1, 1, -1, -1, 0, 0, "failed"},
        {"no denominator", 5, 5, 1, 0, 0, 0, "failed"},
        {"numerator of 2048", 2, 9, 2048, 256, 0, 0, "fine"},
        {"numerator of 2049", 1, 1, 2049, 2049, 0, 0, "failed"},
        {"256 times", 2, 257, 256, 1, 0, 0, "fine"},
        {"257 times", 2, 258, 257, 1, 0, 0, "failed"},
        {"257 times, no level", 2, 258, 257, 1, 0, 0, "fine", Level::Unbounded},
        {"a fifteenth", 16, 2, 1, 15, 0, 0, "fine"},
        {"a sixteenth", 17, 2, 1, 16, 0, 0, "failed"},
        {"offset of -n", 2, 4, 2, 1, -2, -1, "fine"},
        {"offset below", 2, 4, 2, 1, -3, -2, "failed"},
        {"offset of 16 n - 1", 18, 4, 2, 1, 31, 0, "fine"},
        {"offset of 16 n", 18, 3, 2, 1, 32, 0, "failed"},
        {"border of n - 1", 2, 4, 2, 1, 0, 1, "fine"},
        {"border of n", 2, 5, 2, 1, 0, 2, "failed"},
        {"border of -16 n", 18, 3, 2, 1, 0, -32, "fine"},
        {"border below", 18, 2, 2, 1, 0, -33, "failed"},
        {"large", 16383, 16383, 1, 1, 0, 0, "fine"},
        {"too large", 16384, 16384, 1, 1, 0, 0, "failed"},
        {"out too large", 8193, 16385, 2, 1, 0, 0, "failed"},
        {"overflow", 5, 5, 1, kHuge, 0, 0, "failed"},
        {"offset overflow", 5, 5, 1, 1, -kHuge - 1, 0, "failed"},
        {"border overflow", 5, 5, 1, 1, 0, kHuge, "failed"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const auto resize = [&](Dims in, Dims out) {
            return Call{Op::Resize,
                        {{Int8, std::move(in)}, shape_of(4), shape_of(2), shape_of(2)},
                        {Int8, std::move(out)},
                        empty_attribute,
                        row.level};
        };
        CHECK(outcome(resize({1, row.in, 1, 1}, {1, row.out, 1, 1}),
                      {{1, i64({row.n, row.d, 1, 1})},
                       {2, i64({row.offset, 0})},
                       {3, i64({row.border, 0})}}) == row.expected);
        CHECK(outcome(resize({1, 1, row.in, 1}, {1, 1, row.out, 1}),
                      {{1, i64({1, 1, row.n, row.d})},
                       {2, i64({0, row.offset})},
                       {3, i64({0, row.border})}}) == row.expected);
    }
}

TEST_CASE("RESIZE takes some of its constants from the file") {
    GraphBuilder graph;
    graph.input("in", {1, 5, 5, 1}, Int8).output("out", {1, 5, 5, 1}, Int8);
    graph.shape("scale", {1, 1, 1, 1}).shape("offset", {0, 0});
    graph.shapes.push_back({"border", 2, {}});
    graph.op(Op::Resize, {"in", "scale", "offset", "border"}, {"out"});
    const Analysed resize = analysed(graph, kDynamic);
    const auto check = [&](const Bytes& border) {
        const RuntimeValue value{resize.graph.operators.back().inputs[3], border};
        return text(validate_runtime_values(resize.graph, std::span(&value, 1)));
    };
    CHECK(check(i64({0, 0})) == "fine");
    CHECK(check(i64({1, 0})) == "failed");
}

TEST_CASE("a shift or multiplier out of range makes the result unpredictable") {
    const auto mul = [](DType type) {
        return Call{Op::Mul, {{type, {2}}, {type, {2}}, {Int8, {1}}}, {Int32, {2}}};
    };
    CHECK(outcome(mul(Int32), {{2, i8({63})}}) == "fine");
    CHECK(outcome(mul(Int32), {{2, i8({64})}}) == "unpredictable");
    CHECK(outcome(mul(Int32), {{2, i8({-1})}}) == "unpredictable");
    CHECK(outcome(mul(Int16), {{2, i8({0})}}) == "fine");
    CHECK(outcome(mul(Int16), {{2, i8({1})}}) == "unpredictable");

    const auto check = [&](const Bytes& multipliers, const Bytes& shifts, std::int32_t zp = 0) {
        Given given = rescale_values(i32({zp}), i8({-3}));
        given[1] = multipliers;
        given[2] = shifts;
        return outcome(rescale(Int32, Int8, false, false), given);
    };
    CHECK(check(i32({0, 1, 0x7FFFFFFF}), i8({2, 31, 62})) == "fine");
    CHECK(check(i32({0, 1, -1}), i8({2, 31, 62})) == "unpredictable");
    CHECK(check(i32({0, 1, 2}), i8({1, 31, 62})) == "unpredictable");
    CHECK(check(i32({0, 1, 2}), i8({2, 31, 63})) == "unpredictable");
    // What must be checked fails all the same.
    CHECK(check(i32({0, 1, 2}), i8({2, 31, 63}), 1) == "failed");
}
