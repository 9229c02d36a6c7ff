// SPDX-License-Identifier: MIT
//
// Which data types go together, with which profile and extension: what the validator takes,
// held against the rows that the specification (1.0.1, "Supported Data Types") has for each
// operator.
#include <array>
#include <string_view>

#include "tosa/build_test.hpp"
#include "tosa/single_operator.hpp"

namespace tosa::test {
namespace {

struct Group {
    std::vector<Op> operators;
    // "VALUE[,WEIGHT]>RESULT[@ACCUMULATOR] NEED; ...": the need is a profile (I, F, IF for
    // either) or an extension.
    std::string_view rows;
};

const Group kGroups[] = {
    {{Op::Argmax},
     "INT8>INT32 I; INT16>INT32 INT16; FP8E4M3>INT32 FP8E4M3; FP8E5M2>INT32 FP8E5M2; "
     "FP16>INT32 F; BF16>INT32 BF16; FP32>INT32 F"},
    {{Op::AvgPool2d},
     "INT8>INT8@INT32 I; INT16>INT16@INT32 INT16; FP8E4M3>FP8E4M3@FP16 FP8E4M3; "
     "FP8E5M2>FP8E5M2@FP16 FP8E5M2; FP16>FP16@FP16 F; FP16>FP16@FP32 F; BF16>BF16@FP32 BF16; "
     "FP32>FP32@FP32 F"},
    {{Op::Conv2d, Op::Conv3d, Op::DepthwiseConv2d, Op::TransposeConv2d},
     "INT8,INT8>INT32@INT32 I; INT8,INT4>INT32@INT32 INT4; INT16,INT8>INT48@INT48 INT16; "
     "FP8E4M3,FP8E4M3>FP16@FP16 FP8E4M3; FP8E5M2,FP8E5M2>FP16@FP16 FP8E5M2; "
     "FP16,FP16>FP16@FP16 F; FP16,FP16>FP16@FP32 F; BF16,BF16>BF16@FP32 BF16; "
     "FP32,FP32>FP32@FP32 F"},
    {{Op::Fft2d, Op::Rfft2d}, "FP32>FP32 FFT"},
    {{Op::MatMul},
     "INT8>INT32 I; INT16>INT48 INT16; FP8E4M3>FP16 FP8E4M3; FP8E5M2>FP16 FP8E5M2; "
     "FP16>FP16 F; FP16>FP32 F; BF16>FP32 BF16; FP32>FP32 F"},
    {{Op::MaxPool2d},
     "INT8>INT8 I; INT16>INT16 INT16; FP8E4M3>FP8E4M3 FP8E4M3; FP8E5M2>FP8E5M2 FP8E5M2; "
     "FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Clamp}, "INT8>INT8 I; INT16>INT16 INT16; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Erf, Op::Sigmoid, Op::Tanh, Op::Pow, Op::Ceil, Op::Cos, Op::Exp, Op::Floor, Op::Log,
      Op::Reciprocal, Op::Rsqrt, Op::Sin, Op::ReduceProduct},
     "FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Add, Op::Sub}, "INT32>INT32 IF; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::ArithmeticRightShift, Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor, Op::BitwiseNot},
     "INT8>INT8 I; INT16>INT16 I; INT32>INT32 I"},
    {{Op::IntDiv}, "INT32>INT32 IF"},
    {{Op::LogicalAnd, Op::LogicalOr, Op::LogicalXor, Op::LogicalNot, Op::ReduceAll, Op::ReduceAny},
     "BOOL>BOOL IF"},
    {{Op::LogicalLeftShift, Op::LogicalRightShift}, "INT8>INT8 IF; INT16>INT16 IF; INT32>INT32 IF"},
    {{Op::Maximum, Op::Minimum, Op::Abs, Op::ReduceSum},
     "INT32>INT32 I; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Mul},
     "INT8>INT32 I; INT16>INT32 I; INT32>INT32 IF; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Table}, "INT8,INT8>INT8 I; INT16,INT16>INT32 INT16"},
    {{Op::Clz}, "INT32>INT32 I"},
    {{Op::Negate, Op::ReduceMax, Op::ReduceMin},
     "INT8>INT8 I; INT16>INT16 I; INT32>INT32 I; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Select},
     "BOOL>BOOL IF; INT8>INT8 I; INT16>INT16 I; INT32>INT32 I; FP16>FP16 F; BF16>BF16 BF16; "
     "FP32>FP32 F"},
    {{Op::Equal, Op::Greater, Op::GreaterEqual},
     "INT32>BOOL I; FP16>BOOL F; BF16>BOOL BF16; FP32>BOOL F"},
    {{Op::Concat},
     "BOOL>BOOL IF; INT8>INT8 I; INT16>INT16 INT16; INT32>INT32 I; FP8E4M3>FP8E4M3 FP8E4M3; "
     "FP8E5M2>FP8E5M2 FP8E5M2; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Pad, Op::Reshape, Op::Reverse, Op::Slice, Op::Tile, Op::Transpose},
     "BOOL>BOOL IF; INT8>INT8 I; INT16>INT16 I; INT32>INT32 I; FP8E4M3>FP8E4M3 FP8E4M3; "
     "FP8E5M2>FP8E5M2 FP8E5M2; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Gather, Op::Scatter},
     "INT8>INT8 I; INT16>INT16 I; INT32>INT32 I; FP8E4M3>FP8E4M3 FP8E4M3; "
     "FP8E5M2>FP8E5M2 FP8E5M2; FP16>FP16 F; BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Resize},
     "INT8>INT32 I; INT8>INT8 I; INT16>INT48 INT16; INT16>INT16 INT16; FP16>FP16 F; "
     "BF16>BF16 BF16; FP32>FP32 F"},
    {{Op::Cast},
     "BOOL>INT8 I; BOOL>INT16 I; BOOL>INT32 I; INT8>BOOL I; INT8>INT16 I; INT8>INT32 I; "
     "INT8>FP16 F; INT8>BF16 BF16; INT8>FP32 F; INT16>BOOL I; INT16>INT8 I; INT16>INT32 I; "
     "INT16>FP16 F; INT16>BF16 BF16; INT16>FP32 F; INT32>BOOL I; INT32>INT8 I; INT32>INT16 I; "
     "INT32>FP16 F; INT32>BF16 BF16; INT32>FP32 F; BF16>INT8 BF16; BF16>INT16 BF16; "
     "BF16>INT32 BF16; BF16>FP8E4M3 BF16; BF16>FP8E5M2 BF16; BF16>FP32 BF16; "
     "FP8E4M3>FP16 FP8E4M3; FP8E4M3>BF16 FP8E4M3; FP8E4M3>FP32 FP8E4M3; FP8E5M2>FP16 FP8E5M2; "
     "FP8E5M2>BF16 FP8E5M2; FP8E5M2>FP32 FP8E5M2; FP16>INT8 F; FP16>INT16 F; FP16>INT32 F; "
     "FP16>FP8E4M3 FP8E4M3; FP16>FP8E5M2 FP8E5M2; FP16>FP32 F; FP32>INT8 F; FP32>INT16 F; "
     "FP32>INT32 F; FP32>FP8E4M3 FP8E4M3; FP32>FP8E5M2 FP8E5M2; FP32>BF16 BF16; FP32>FP16 F"},
    {{Op::Rescale},
     "INT8>INT8 I; INT8>INT16 I; INT8>INT32 I; INT16>INT8 I; INT16>INT16 I; INT16>INT32 I; "
     "INT32>INT8 I; INT32>INT16 I; INT32>INT32 I; INT48>INT8 INT16; INT48>INT16 INT16; "
     "INT48>INT32 INT16"},
    {{Op::Const, Op::Identity},
     "BOOL>BOOL IF; INT4>INT4 INT4; INT8>INT8 IF; INT16>INT16 IF; INT32>INT32 IF; "
     "INT48>INT48 INT16; FP8E4M3>FP8E4M3 FP8E4M3; FP8E5M2>FP8E5M2 FP8E5M2; FP16>FP16 F; "
     "BF16>BF16 BF16; FP32>FP32 F"},
};

struct Row {
    Types types;
    std::vector<Target> targets;  // each of them is enough, and has no more than it must
};

constexpr DType kTypes[] = {DType::Bool,  DType::Int4,    DType::Int8,   DType::Int16,
                            DType::Int32, DType::Int48,   DType::Fp32,   DType::Fp16,
                            DType::Bf16,  DType::Fp8E4M3, DType::Fp8E5M2};

DType type_of(std::string_view text) {
    for (const DType type : kTypes)
        if (name(type) == text) return type;
    FAIL(text);
    return DType::Unknown;
}

// Cuts `text` at the first `mark`, and returns what comes before.
std::string_view cut(std::string_view& text, std::string_view mark) {
    const std::size_t end = std::min(text.find(mark), text.size());
    const std::string_view head = text.substr(0, end);
    text.remove_prefix(std::min(end + mark.size(), text.size()));
    return head;
}

std::vector<Target> targets_of(std::string_view need) {
    const Target integer{.profiles = kProfileInteger};
    const Target floating{.profiles = kProfileFloat};
    if (need == "I") return {integer};
    if (need == "F") return {floating};
    if (need == "IF") return {integer, floating};
    struct Extension {
        std::string_view name;
        Target target;
    };
    const Extension extensions[] = {
        {"INT16", {.profiles = kProfileInteger, .extensions = kExtensionInt16}},
        {"INT4", {.profiles = kProfileInteger, .extensions = kExtensionInt4}},
        {"BF16", {.profiles = kProfileFloat, .extensions = kExtensionBf16}},
        {"FP8E4M3", {.profiles = kProfileFloat, .extensions = kExtensionFp8E4M3}},
        {"FP8E5M2", {.profiles = kProfileFloat, .extensions = kExtensionFp8E5M2}},
        {"FFT", {.profiles = kProfileFloat, .extensions = kExtensionFft}}};
    for (const Extension& extension : extensions)
        if (extension.name == need) return {extension.target};
    FAIL(need);
    return {};
}

std::vector<Row> rows_of(std::string_view text) {
    std::vector<Row> rows;
    while (!text.empty()) {
        std::string_view need = cut(text, "; ");
        std::string_view result = cut(need, " ");
        std::string_view weight = cut(result, ">");
        const std::string_view value = cut(weight, ",");
        std::string_view acc = result;
        const std::string_view output = cut(acc, "@");
        Row row{{.value = type_of(value), .result = type_of(output)}, targets_of(need)};
        if (!weight.empty()) row.types.weight = type_of(weight);
        if (!acc.empty()) row.types.acc = type_of(acc);
        rows.push_back(std::move(row));
    }
    return rows;
}

bool listed(const std::vector<Row>& rows, const Types& types) {
    return std::ranges::find(rows, types, &Row::types) != rows.end();
}

// Everything that `target` has, taken away from all that there is.
Target without(const Target& target) {
    Target rest = kEverything;
    if (target.extensions != 0)
        rest.extensions &= ~target.extensions;
    else
        rest = {.profiles = rest.profiles & ~target.profiles};
    return rest;
}

TEST_CASE("each combination of types needs its profile or extension, and nothing else") {
    for (const auto& [operators, text] : kGroups)
        for (const Op op : operators)
            for (const auto& [types, targets] : rows_of(text)) {
                const SingleOperator single = valid(op, types);
                CAPTURE(name(op));
                CAPTURE(name(types.value));
                CAPTURE(name(types.result));
                for (const Target& target : targets)
                    CHECK(accepted(single, target));
                if (targets.size() == 1) CHECK_FALSE(accepted(single, without(targets[0])));
            }
}

TEST_CASE("no other combination of types is taken") {
    for (const auto& [operators, text] : kGroups) {
        const std::vector<Row> rows = rows_of(text);
        for (const Op op : operators)
            for (const DType value : kTypes)
                for (const DType result : kTypes) {
                    // CONST has a result only.
                    if (op == Op::Const && value != result) continue;
                    // What the operator has beside the two fits, wherever anything can.
                    const auto row = std::ranges::find_if(rows, [&](const Row& candidate) {
                        return candidate.types.value == value && candidate.types.result == result;
                    });
                    const Types rest = row == rows.end() ? rows.front().types : row->types;
                    CAPTURE(name(op));
                    CAPTURE(name(value));
                    CAPTURE(name(result));
                    CHECK(accepted(valid(op, {value, result, rest.weight, rest.acc})) ==
                          (row != rows.end()));
                }
    }
}

TEST_CASE("no other type of weights, table or accumulator is taken") {
    for (const auto& [operators, text] : kGroups) {
        const std::vector<Row> rows = rows_of(text);
        const bool has_weight = text.contains(',');
        const bool accumulates = text.contains('@');
        for (const Op op : operators)
            for (const Row& row : rows)
                for (const DType other : kTypes) {
                    CAPTURE(name(op));
                    CAPTURE(name(other));
                    Types types = row.types;
                    types.weight = other;
                    if (has_weight) CHECK(accepted(valid(op, types)) == listed(rows, types));
                    types = row.types;
                    types.acc = other;
                    if (accumulates) CHECK(accepted(valid(op, types)) == listed(rows, types));
                }
    }
}

TEST_CASE("an accumulator has a type") {
    for (const Op op :
         {Op::AvgPool2d, Op::Conv2d, Op::Conv3d, Op::DepthwiseConv2d, Op::TransposeConv2d})
        for (const DType none : {DType::Unknown, DType::Shape, DType{13}, DType{0xFFFFFFFF}}) {
            SingleOperator single = valid(op);
            single.fields.acc_type = none;
            CHECK_FALSE(accepted(single));
        }
    SingleOperator pool = valid(Op::AvgPool2d);
    pool.fields.acc_type = DType::Fp16;
    check_refused(pool,
                  "(FP32, FP32, FP32) -> (FP32) by way of FP16 is no combination of data types "
                  "for this operator");
}

// Operands that have one type whatever the others have.
TEST_CASE("shifts, indices, conditions and biases have their types") {
    struct Case {
        Op op;
        Types types;
        std::size_t input;
        DType right;
    };
    const Case cases[] = {
        {Op::Mul, {}, 2, DType::Int8},
        {Op::Gather, {}, 1, DType::Int32},
        {Op::Scatter, {}, 1, DType::Int32},
        {Op::Scatter, {}, 2, DType::Fp32},
        {Op::Select, {}, 0, DType::Bool},
        {Op::Select, {}, 2, DType::Fp32},
        {Op::Conv2d, {}, 2, DType::Fp32},
        {Op::Conv2d, {DType::Int8, DType::Int32, DType::Int4, DType::Int32}, 4, DType::Int4},
        {Op::Conv3d, {DType::Int16, DType::Int48, DType::Int8, DType::Int48}, 2, DType::Int48},
        {Op::MatMul, {}, 1, DType::Fp32},
        {Op::MatMul, {DType::Int8, DType::Int32}, 3, DType::Int8},
        {Op::AvgPool2d, {}, 2, DType::Fp32},
        {Op::Negate, {}, 1, DType::Fp32},
        {Op::Pad, {}, 2, DType::Fp32},
        {Op::Concat, {}, 1, DType::Fp32},
        {Op::Rescale, {DType::Int8, DType::Int16}, 2, DType::Int8},
        {Op::Rescale, {DType::Int8, DType::Int16}, 3, DType::Int8},
        {Op::Rescale, {DType::Int8, DType::Int16}, 4, DType::Int16},
    };
    for (const Case& c : cases)
        for (const DType type : kTypes) {
            SingleOperator single = valid(c.op, c.types);
            if (type != c.right) {
                single.in[c.input].type = type;
                single.in[c.input].data.clear();
            }
            CAPTURE(name(c.op));
            CAPTURE(c.input);
            CAPTURE(name(type));
            CHECK(accepted(single) == (type == c.right));
        }
}

TEST_CASE("a custom operator's operands may have any type of the target, each its own") {
    for (const Row& row : rows_of(std::end(kGroups)[-1].rows)) {
        SingleOperator single = valid(Op::Custom, {row.types.value, DType::Bool});
        for (const Target& target : row.targets)
            CHECK(accepted(single, target));
        if (row.targets.size() == 1)
            check_refused(single,
                          std::format("input 0: 'a' is {}, which is not of the target's profiles",
                                      name(row.types.value)),
                          without(row.targets[0]));
    }
}

}  // namespace
}  // namespace tosa::test
