// SPDX-License-Identifier: MIT
#include <bit>
#include <initializer_list>

#include "tosa/encoding.hpp"
#include "tosa/number.hpp"
#include "tosa_generated.h"
#include "vulkan/self_test.hpp"

namespace vulkan {
namespace {

using tosa::DType;
using tosa::Op;
using tosa::ValueId;

// Bytes, or little-endian words, of which a tensor may take the last in part.
struct Filling {
    Filling(std::vector<std::byte> contents) : bytes(std::move(contents)) {}  // NOLINT: implicit
    Filling(std::initializer_list<std::uint32_t> words)
        : Filling(std::vector<std::uint32_t>(words)) {}
    Filling(const std::vector<std::uint32_t>& words) {  // NOLINT: implicit
        for (const std::uint32_t word : words)
            for (unsigned shift = 0; shift < 32; shift += 8)
                bytes.push_back(static_cast<std::byte>(word >> shift & 0xFF));
    }
    std::vector<std::byte> bytes;
};

// Puts a graph together, value by value and operator by operator. Ids are handed out in order.
class Sketch {
 public:
    explicit Sketch(std::string_view name) { made_.name = name; }

    ValueId input(DType type, std::initializer_list<std::int32_t> dims, Filling filling) {
        const ValueId id = value(type, dims);
        inputs_.push_back(id);
        made_.inputs.push_back(cut(std::move(filling), made_.graph.values[id].bytes));
        return id;
    }
    ValueId constant(DType type, std::initializer_list<std::int32_t> dims, Filling filling) {
        const ValueId id = value(type, dims);
        tosa::Value& made = made_.graph.values[id];
        made.constness = tosa::Constness::Serialized;
        made.data = made_.constants.emplace_back(cut(std::move(filling), made.bytes));
        return id;
    }
    // `attribute(builder)` writes the attribute's table.
    template <class Attribute>
    ValueId op(Op op, std::initializer_list<ValueId> operands, DType type,
               std::initializer_list<std::int32_t> dims, Attribute attribute) {
        const ValueId id = value(type, dims);
        auto& builder = made_.attributes.emplace_back();
        const auto number = static_cast<std::uint32_t>(op);
        builder.Finish(tosa::fbs::CreateTosaOperator(builder, static_cast<tosa::fbs::Op>(number),
                                                     static_cast<tosa::fbs::Attribute>(number),
                                                     attribute(builder)));
        operands_.push_back(operands);
        operands_.back().push_back(id);
        made_.graph.operators.push_back(
            {.op = op,
             .serialized =
                 flatbuffers::GetRoot<tosa::fbs::TosaOperator>(builder.GetBufferPointer())});
        return id;
    }
    ValueId op(Op code, std::initializer_list<ValueId> operands, DType type,
               std::initializer_list<std::int32_t> dims) {
        return op(code, operands, type, dims, [](flatbuffers::FlatBufferBuilder& builder) {
            return flatbuffers::Offset<void>(builder.EndTable(builder.StartTable()));
        });
    }

    KnownAnswer answer(ValueId output, Filling filling) && {
        made_.output = cut(std::move(filling), made_.graph.values[output].bytes);
        std::vector<ValueId>& all = made_.graph.operands;
        all = inputs_;
        all.push_back(output);
        for (const auto& list : operands_)
            all.insert(all.end(), list.begin(), list.end());
        const auto ids = std::span<const ValueId>(all);
        made_.graph.inputs = ids.first(inputs_.size());
        made_.graph.outputs = ids.subspan(inputs_.size(), 1);
        std::size_t at = inputs_.size() + 1;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const std::size_t inputs = operands_[i].size() - 1;
            made_.graph.operators[i].inputs = ids.subspan(at, inputs);
            made_.graph.operators[i].outputs = ids.subspan(at + inputs, 1);
            at += inputs + 1;
        }
        return std::move(made_);
    }

 private:
    ValueId value(DType type, std::initializer_list<std::int32_t> dims) {
        const auto& kept = made_.lists.emplace_back(dims);
        const std::uint64_t elements = tosa::element_count(kept);
        made_.graph.values.push_back({.type = type,
                                      .dims = kept,
                                      .elements = elements,
                                      .bytes = tosa::buffer_bytes(type, elements)});
        return static_cast<ValueId>(made_.graph.values.size() - 1);
    }
    static std::vector<std::byte> cut(Filling filling, std::uint64_t bytes) {
        filling.bytes.resize(bytes);
        return std::move(filling.bytes);
    }

    KnownAnswer made_;
    std::vector<ValueId> inputs_;
    std::vector<std::vector<ValueId>> operands_;  // inputs, then the output
};

// tanh(pow(exp(sin x), cos x)) of binary32, narrowed; x of 0.5, -2, 100, 1e6, 3e38.
KnownAnswer periodic() {
    Sketch sketch("SIN, COS, EXP, POW, TANH, and CAST to FP16");
    const ValueId x = sketch.input(DType::Fp32, {5},
                                   {0x3F000000, 0xC0000000, 0x42C80000, 0x49742400, 0x7F61B1E6});
    const ValueId s = sketch.op(Op::Sin, {x}, DType::Fp32, {5});
    const ValueId e = sketch.op(Op::Exp, {s}, DType::Fp32, {5});
    const ValueId c = sketch.op(Op::Cos, {x}, DType::Fp32, {5});
    const ValueId p = sketch.op(Op::Pow, {e, c}, DType::Fp32, {5});
    const ValueId t = sketch.op(Op::Tanh, {p}, DType::Fp32, {5});
    const ValueId y = sketch.op(Op::Cast, {t}, DType::Fp16, {5});
    return std::move(sketch).answer(y, {0x3B2E3B46, 0x38F0388E, 0x3899});
}

// erf(log(sigmoid(rsqrt(1 / x)))) of FP16, from FP8; x of 2^-16, 0.25, 1, 3, 57344.
KnownAnswer monotonic() {
    Sketch sketch("CAST from FP8E5M2, RECIPROCAL, RSQRT, SIGMOID, LOG, and ERF");
    const ValueId x = sketch.input(DType::Fp8E5M2, {5}, {0x423C3401, 0x7B});
    const ValueId h = sketch.op(Op::Cast, {x}, DType::Fp16, {5});
    const ValueId r = sketch.op(Op::Reciprocal, {h}, DType::Fp16, {5});
    const ValueId q = sketch.op(Op::Rsqrt, {r}, DType::Fp16, {5});
    const ValueId s = sketch.op(Op::Sigmoid, {q}, DType::Fp16, {5});
    const ValueId l = sketch.op(Op::Log, {s}, DType::Fp16, {5});
    const ValueId y = sketch.op(Op::Erf, {l}, DType::Fp16, {5});
    return std::move(sketch).answer(y, {0xB7F5B963, 0xB1D5B57B, 0});
}

// select(floor(a + b) > b, a * b, a), a row of b to each of two of a; then to FP8.
KnownAnswer arithmetic() {
    Sketch sketch("ADD, FLOOR, GREATER, MUL, SELECT, and CAST to FP8E4M3");
    // -1.5, 2^-10, 100, infinity, 7.75, 0.3
    const ValueId a =
        sketch.input(DType::Fp32, {2, 3},
                     {0xBFC00000, 0x3A800000, 0x42C80000, 0x7F800000, 0x40F80000, 0x3E99999A});
    // 2, -0.75, 4.5
    const ValueId b = sketch.input(DType::Fp32, {1, 3}, {0x40000000, 0xBF400000, 0x40900000});
    const ValueId zero = sketch.constant(DType::Int8, {1}, {0});
    const ValueId sum = sketch.op(Op::Add, {a, b}, DType::Fp32, {2, 3});
    const ValueId down = sketch.op(Op::Floor, {sum}, DType::Fp32, {2, 3});
    const ValueId greater = sketch.op(Op::Greater, {down, b}, DType::Bool, {2, 3});
    const ValueId product = sketch.op(Op::Mul, {a, b, zero}, DType::Fp32, {2, 3});
    const ValueId chosen = sketch.op(Op::Select, {greater, product, a}, DType::Fp32, {2, 3});
    const ValueId y = sketch.op(Op::Cast, {chosen}, DType::Fp8E4M3, {2, 3});
    return std::move(sketch).answer(y, {0x7F7E00BC, 0x2ACC});
}

// TOSA's halving with ties up, and -3 (providers.md 6.4), then a rounding shift.
KnownAnswer integers() {
    Sketch sketch("RESCALE and ARITHMETIC_RIGHT_SHIFT");
    const ValueId x = sketch.input(DType::Int32, {7},
                                   {0xFFFFFC18, 0xFFFFFF06, 0xFFFFFFFD, 0, 3, 251, 0x7FFFFFFF});
    const ValueId multiplier = sketch.constant(DType::Int32, {1}, {1U << 29});
    const ValueId shift = sketch.constant(DType::Int8, {1}, {30});
    const ValueId in_zero = sketch.constant(DType::Int32, {1}, {0});
    const ValueId out_zero = sketch.constant(DType::Int8, {1}, {0xFD});
    const ValueId by = sketch.constant(DType::Int8, {1}, {1});
    const ValueId scaled =
        sketch.op(Op::Rescale, {x, multiplier, shift, in_zero, out_zero}, DType::Int8, {7},
                  [](flatbuffers::FlatBufferBuilder& builder) {
                      return tosa::fbs::CreateRescaleAttribute(
                                 builder, true, tosa::fbs::RoundingMode::SINGLE_ROUND)
                          .Union();
                  });
    const ValueId y =
        sketch.op(Op::ArithmeticRightShift, {scaled, by}, DType::Int8, {7},
                  [](flatbuffers::FlatBufferBuilder& builder) {
                      return tosa::fbs::CreateArithmeticRightShiftAttribute(builder, true).Union();
                  });
    return std::move(sketch).answer(y, {0xFFFEC0C0, 0x403E00});
}

KnownAnswer movement() {
    Sketch sketch("REVERSE");
    const ValueId x = sketch.input(DType::Int8, {7}, {0x04030201, 0x070605});
    const ValueId y =
        sketch.op(Op::Reverse, {x}, DType::Int8, {7}, [](flatbuffers::FlatBufferBuilder& builder) {
            return tosa::fbs::CreateReverseAttribute(builder, 0).Union();
        });
    return std::move(sketch).answer(y, {0x04050607, 0x010203});
}

// [1 2 3; 4 5 6] by [1 2; 3 4; 5 6].
KnownAnswer matrices() {
    Sketch sketch("MATMUL");
    const ValueId a =
        sketch.input(DType::Fp32, {1, 2, 3},
                     {0x3F800000, 0x40000000, 0x40400000, 0x40800000, 0x40A00000, 0x40C00000});
    const ValueId b =
        sketch.input(DType::Fp32, {1, 3, 2},
                     {0x3F800000, 0x40000000, 0x40400000, 0x40800000, 0x40A00000, 0x40C00000});
    const ValueId zero = sketch.constant(DType::Fp32, {1}, {0});
    const ValueId y = sketch.op(Op::MatMul, {a, b, zero, zero}, DType::Fp32, {1, 2, 2});
    // 22 28; 49 64
    return std::move(sketch).answer(y, {0x41B00000, 0x41E00000, 0x42440000, 0x42800000});
}

// Of lines that are long enough for a workgroup each: 0 to 1023, and a quarter of that, negative.
KnownAnswer sums() {
    constexpr int kLength = 1024;
    std::vector<std::uint32_t> words;
    for (const float scale : {1.0F, -0.25F})
        for (int i = 0; i < kLength; ++i)
            words.push_back(std::bit_cast<std::uint32_t>(scale * static_cast<float>(i)));
    Sketch sketch("REDUCE_SUM");
    const ValueId x = sketch.input(DType::Fp32, {2, kLength}, words);
    const ValueId y = sketch.op(Op::ReduceSum, {x}, DType::Fp32, {2, 1},
                                [](flatbuffers::FlatBufferBuilder& builder) {
                                    return tosa::fbs::CreateReduceSumAttribute(builder, 1).Union();
                                });
    // 523776, -130944
    return std::move(sketch).answer(y, {0x48FFC000, 0xC7FFC000});
}

// Of 1, 3, -2, 3 the second, of 1, 2, NaN, 5 the third.
KnownAnswer places() {
    Sketch sketch("ARGMAX");
    const ValueId x = sketch.input(DType::Fp32, {2, 4},
                                   {0x3F800000, 0x40400000, 0xC0000000, 0x40400000, 0x3F800000,
                                    0x40000000, 0x7FC00000, 0x40A00000});
    const ValueId y =
        sketch.op(Op::Argmax, {x}, DType::Int32, {2}, [](flatbuffers::FlatBufferBuilder& builder) {
            return tosa::fbs::CreateArgmaxAttribute(builder, 1,
                                                    tosa::fbs::NanPropagationMode::PROPAGATE)
                .Union();
        });
    return std::move(sketch).answer(y, {1, 2});
}

// What rows and columns are filled with, and what comes of it, as numbers of those types.
struct Product {
    DType type, result;
    std::int32_t m, k, n;
    std::int32_t lhs_zero, rhs_zero;
    double (*lhs)(std::int32_t row, std::int32_t k);
    double (*rhs)(std::int32_t k, std::int32_t column);
};

void write(DType type, std::vector<std::byte>& to, std::int32_t index, double value) {
    const auto at = static_cast<std::uint64_t>(index);
    if (tosa::is_float(type))
        tosa::write_float(type, to.data(), at, value);
    else
        tosa::write_integer(type, to.data(), at, static_cast<std::int64_t>(value));
}

KnownAnswer product(std::string_view name, const Product& of) {
    const auto filled = [](DType type, std::int32_t rows, std::int32_t columns, auto value) {
        std::vector<std::byte> made(tosa::buffer_bytes(
            type, static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns)));
        for (std::int32_t row = 0; row < rows; ++row)
            for (std::int32_t column = 0; column < columns; ++column)
                write(type, made, row * columns + column, value(row, column));
        return made;
    };
    Sketch sketch(name);
    const ValueId a = sketch.input(of.type, {1, of.m, of.k}, filled(of.type, of.m, of.k, of.lhs));
    const ValueId b = sketch.input(of.type, {1, of.k, of.n}, filled(of.type, of.k, of.n, of.rhs));
    const auto zero = [&](std::int32_t value) {
        return sketch.constant(of.type, {1}, {static_cast<std::uint32_t>(value)});
    };
    const ValueId y = sketch.op(Op::MatMul, {a, b, zero(of.lhs_zero), zero(of.rhs_zero)}, of.result,
                                {1, of.m, of.n});
    return std::move(sketch).answer(y, filled(of.result, of.m, of.n, [&](auto row, auto column) {
                                        double sum = 0;
                                        for (std::int32_t k = 0; k < of.k; ++k)
                                            sum += (of.lhs(row, k) - of.lhs_zero) *
                                                   (of.rhs(k, column) - of.rhs_zero);
                                        return sum;
                                    }));
}

// Even rows are subnormal, odd ones make sums of 24 bits, beyond FP16.
KnownAnswer half_matrices() {
    return product("MATMUL of FP16 by matrices",
                   {.type = DType::Fp16,
                    .result = DType::Fp32,
                    .m = 70,
                    .k = 40,
                    .n = 68,
                    .lhs_zero = 0,
                    .rhs_zero = 0,
                    .lhs =
                        [](std::int32_t row, std::int32_t k) {
                            if (row % 2 == 0) return ((k * 5 + row) % 15 - 7) * 0x1p-24;
                            return k % 10 == row % 10 ? 32.0 * (2047 - k) : 0.0;
                        },
                    .rhs =
                        [](std::int32_t k, std::int32_t column) {
                            const double value = 2047 - (k * 7 + column) % 32;
                            return (k + column) % 3 == 0 ? -value : value;
                        }});
}

KnownAnswer byte_matrices() {
    return product(
        "MATMUL of INT8 by matrices",
        {.type = DType::Int8,
         .result = DType::Int32,
         .m = 70,
         .k = 75,
         .n = 66,
         .lhs_zero = -128,
         .rhs_zero = 77,
         .lhs = [](std::int32_t row, std::int32_t k) { return (row * 37 + k * 11) % 256 - 128.0; },
         .rhs = [](std::int32_t k,
                   std::int32_t column) { return (k * 29 + column * 101) % 256 - 128.0; }});
}

}  // namespace

std::vector<KnownAnswer> matrix_answers() {
    std::vector<KnownAnswer> all;
    all.push_back(half_matrices());
    all.push_back(byte_matrices());
    return all;
}

std::vector<KnownAnswer> known_answers() {
    std::vector<KnownAnswer> all;
    all.push_back(periodic());
    all.push_back(monotonic());
    all.push_back(arithmetic());
    all.push_back(integers());
    all.push_back(movement());
    all.push_back(matrices());
    all.push_back(sums());
    all.push_back(places());
    return all;
}

}  // namespace vulkan
