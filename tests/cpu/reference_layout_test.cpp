// SPDX-License-Identifier: MIT
#include "cpu/tensor_call.hpp"

namespace cpu::test {
namespace {

Attribute axis_of(Op op, std::int32_t axis) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        return op == Op::Concat ? tosa::fbs::CreateConcatAttribute(builder, axis).Union()
                                : tosa::fbs::CreateReverseAttribute(builder, axis).Union();
    };
}

Attribute perms(std::vector<std::int32_t> values) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
        return tosa::fbs::CreateTransposeAttribute(builder, builder.CreateVector(values)).Union();
    };
}

struct Case {
    const char* name;
    Op op;
    Attribute attribute;
    std::vector<Tensor> in;
    Dims out;
    Reals expected;
};

Tensor fp32(Dims dims, const Reals& values) {
    return {DType::Fp32, std::move(dims), values};
}

const Reals kSix{1, 2, 3, 4, 5, 6};

TEST_CASE("layout operators put elements where TOSA says") {
    const std::vector<Case> cases{
        {"transpose of the corpus",
         Op::Transpose,
         perms({1, 0}),
         {fp32({2, 3}, kSix)},
         {3, 2},
         {1, 4, 2, 5, 3, 6}},
        {"transpose by a cycle",
         Op::Transpose,
         perms({2, 0, 1}),
         {fp32({1, 2, 3}, kSix)},
         {3, 1, 2},
         {1, 4, 2, 5, 3, 6}},
        {"transpose of a scalar", Op::Transpose, perms({}), {fp32({}, {7})}, {}, {7}},
        {"reverse of the corpus",
         Op::Reverse,
         axis_of(Op::Reverse, 1),
         {fp32({2, 3}, kSix)},
         {2, 3},
         {3, 2, 1, 6, 5, 4}},
        {"reverse the first axis",
         Op::Reverse,
         axis_of(Op::Reverse, 0),
         {fp32({2, 3}, kSix)},
         {2, 3},
         {4, 5, 6, 1, 2, 3}},
        {"concat of the corpus",
         Op::Concat,
         axis_of(Op::Concat, 1),
         {fp32({2, 1}, {1, 2}), fp32({2, 1}, {3, 4})},
         {2, 2},
         {1, 3, 2, 4}},
        {"concat of three, unequal",
         Op::Concat,
         axis_of(Op::Concat, 1),
         {fp32({2, 2}, {1, 2, 3, 4}), fp32({2, 1}, {5, 6}), fp32({2, 3}, {7, 8, 9, 10, 11, 12})},
         {2, 6},
         {1, 2, 5, 7, 8, 9, 3, 4, 6, 10, 11, 12}},
        {"concat of one",
         Op::Concat,
         axis_of(Op::Concat, 0),
         {fp32({3}, {1, 2, 3})},
         {3},
         {1, 2, 3}},
        {"pad",
         Op::Pad,
         empty_attribute,
         {fp32({2, 3}, kSix), shape({0, 1, 2, 0}), one(DType::Fp32, -1)},
         {3, 5},
         {-1, -1, 1, 2, 3, -1, -1, 4, 5, 6, -1, -1, -1, -1, -1}},
        {"pad of a scalar",
         Op::Pad,
         empty_attribute,
         {fp32({}, {7}), shape({}), one(DType::Fp32, -1)},
         {},
         {7}},
        {"slice",
         Op::Slice,
         empty_attribute,
         {fp32({2, 3}, kSix), shape({1, 0}), shape({1, 2})},
         {1, 2},
         {4, 5}},
        {"tile",
         Op::Tile,
         empty_attribute,
         {fp32({2, 1}, {1, 2}), shape({2, 3})},
         {4, 3},
         {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}},
        {"tile a row",
         Op::Tile,
         empty_attribute,
         {fp32({1, 3}, {1, 2, 3}), shape({1, 2})},
         {1, 6},
         {1, 2, 3, 1, 2, 3}},
    };
    for (const Case& row : cases) {
        CAPTURE(row.name);
        const Tensor out = call_one(row.op, row.attribute, row.in, {DType::Fp32, row.out});
        CHECK(out.reals() == row.expected);
    }
}

TEST_CASE("layout operators move every width, and every bit") {
    for (const DType type :
         {DType::Bool, DType::Int8, DType::Int16, DType::Int32, DType::Int48, DType::Fp32,
          DType::Fp16, DType::Bf16, DType::Fp8E4M3, DType::Fp8E5M2}) {
        CAPTURE(static_cast<int>(type));
        Tensor in(type, {2, 3});
        for (std::size_t i = 0; i < in.data.size(); ++i)  // signalling NaN among them
            in.data[i] = static_cast<std::byte>(0x7F + 0x81 * i);
        const std::size_t width = in.data.size() / in.size();
        const Tensor out = call_one(Op::Transpose, perms({1, 0}), {in}, {type, {3, 2}});
        for (std::size_t i = 0; i < 6; ++i) {
            const auto moved = std::span(out.data).subspan((i % 3 * 2 + i / 3) * width, width);
            CHECK(std::ranges::equal(std::span(in.data).subspan(i * width, width), moved));
        }
        const Tensor padded =
            call_one(Op::Pad, empty_attribute, {Tensor(type, {1}), shape({1, 1}), in}, {type, {3}});
        CHECK(std::ranges::equal(std::span(padded.data).first(width),
                                 std::span(in.data).first(width)));
        CHECK(std::ranges::equal(std::span(padded.data).last(width),
                                 std::span(in.data).first(width)));
    }
}

// 32 axes, of which five are longer than 1.
TEST_CASE("layout operators take every rank that a file may have") {
    Dims dims(32, 1);
    for (const std::size_t axis : {0U, 7U, 15U, 24U, 31U})
        dims[axis] = 2;
    Tensor in(DType::Int16, dims);
    for (std::size_t i = 0; i < in.size(); ++i)
        tosa::write_integer(in.type, in.data.data(), i, static_cast<std::int64_t>(i));

    std::vector<std::int32_t> backwards(32);
    for (std::size_t axis = 0; axis < backwards.size(); ++axis)
        backwards[axis] = 31 - static_cast<std::int32_t>(axis);
    Dims turned(dims.rbegin(), dims.rend());
    const Tensor out = call_one(Op::Transpose, perms(backwards), {in}, {DType::Int16, turned});
    for (std::size_t i = 0; i < in.size(); ++i) {
        std::size_t mirrored = 0;
        for (std::size_t bit = 0; bit < 5; ++bit)
            mirrored |= (i >> bit & 1) << (4 - bit);
        CHECK(out.reals()[i] == static_cast<double>(mirrored));
    }

    Reals start(32, 0);
    start[31] = 1;
    Dims half = dims;
    half[31] = 1;
    const Tensor odd =
        call_one(Op::Slice, empty_attribute,
                 {in, shape(start), shape(Reals(half.begin(), half.end()))}, {DType::Int16, half});
    for (std::size_t i = 0; i < odd.size(); ++i)
        CHECK(odd.reals()[i] == static_cast<double>(2 * i + 1));
}

TEST_CASE("GATHER picks rows, and zeros for an index out of range") {
    const Tensor values(DType::Int16, {2, 3, 2}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6});
    const auto gather = [&](const Reals& indices) {
        return call_one(Op::Gather, empty_attribute,
                        {values, Tensor(DType::Int32, {2, 4}, indices)}, {DType::Int16, {2, 4, 2}})
            .reals();
    };
    CHECK(gather({2, 0, 0, 1, 1, 2, 1, 0}) ==
          Reals{5, 6, 1, 2, 1, 2, 3, 4, -3, -4, -5, -6, -3, -4, -1, -2});
    CHECK(gather({-1, 3, INT32_MIN, INT32_MAX, 0, 5, -3, 2}) ==
          Reals{0, 0, 0, 0, 0, 0, 0, 0, -1, -2, 0, 0, 0, 0, -5, -6});
    for (const DType type : {DType::Int8, DType::Int32, DType::Fp32, DType::Fp8E5M2}) {
        const Tensor out =
            call_one(Op::Gather, empty_attribute,
                     {Tensor(type, {1, 2, 1}, {3, 7}), Tensor(DType::Int32, {1, 3}, {1, 2, 0})},
                     {type, {1, 3, 1}});
        CHECK(out.reals() == Reals{7, 0, 3});
    }
}

TEST_CASE("SCATTER replaces rows, and nothing for an index out of range") {
    const Tensor values(DType::Fp16, {2, 3, 2}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6});
    const Tensor input(DType::Fp16, {2, 2, 2}, {10, 20, 30, 40, 50, 60, 70, 80});
    const auto scatter = [&](const Reals& indices) {
        return call_one(Op::Scatter, empty_attribute,
                        {values, Tensor(DType::Int32, {2, 2}, indices), input},
                        {DType::Fp16, {2, 3, 2}})
            .reals();
    };
    CHECK(scatter({2, 0, 1, 0}) == Reals{30, 40, 3, 4, 10, 20, 70, 80, 50, 60, -5, -6});
    CHECK(scatter({-1, 3, INT32_MAX, INT32_MIN}) == values.reals());
    CHECK(scatter({1, 1, 4, 2}) == Reals{1, 2, 30, 40, 5, 6, -1, -2, -3, -4, 70, 80});
}

}  // namespace
}  // namespace cpu::test
