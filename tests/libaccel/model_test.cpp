// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <cstring>

#include <doctest/doctest.h>

#include "tosa_generated.h"
#include "tosa_program.hpp"

using namespace accelctl;
namespace fbs = tosa::fbs;

namespace {

struct TensorSpec {
    const char* name;
    fbs::DType type;
    std::vector<std::int32_t> shape;
    bool unranked = false;
};

// A program without operators: what describe() looks at.
std::vector<std::byte> model_of(const std::vector<TensorSpec>& specs,
                                const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<fbs::TosaTensor>> tensors;
    for (const auto& spec : specs)
        tensors.push_back(fbs::CreateTosaTensorDirect(builder, spec.name, &spec.shape, spec.type,
                                                      nullptr, false, spec.unranked));
    const auto block = fbs::CreateTosaBasicBlock(
        builder, builder.CreateString("main"), 0, builder.CreateVector(tensors),
        builder.CreateVectorOfStrings(inputs), builder.CreateVectorOfStrings(outputs));
    const std::vector blocks{block};
    const std::vector regions{fbs::CreateTosaRegionDirect(builder, "main", &blocks)};
    const auto version = fbs::CreateVersion(builder, 1, 0, 0, false);
    fbs::FinishTosaGraphBuffer(builder, fbs::CreateTosaGraphDirect(builder, version, &regions));
    const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> model_with(fbs::DType type, const std::vector<std::int32_t>& shape) {
    return model_of({{"x", type, shape}}, {"x"}, {"x"});
}

std::string refusal(std::span<const std::byte> file) {
    const auto model = describe(file);
    return model ? "" : model.error();
}

std::string target_of(const std::vector<fbs::DType>& types) {
    std::vector<TensorSpec> specs;
    for (const auto type : types)
        specs.push_back({"x", type, {1}});
    return describe(model_of(specs, {"x"}, {"x"}))->target_name();
}

}  // namespace

TEST_SUITE("libaccel/model") {
    TEST_CASE("inputs and outputs come in declared order with names, types and shapes") {
        const auto model = describe(linear_program({}));

        REQUIRE(model);
        CHECK(model->table() ==
              "  input   a  FP32     [1, 2, 3]\n"
              "  input   b  FP32     [1, 3, 2]\n"
              "  output  y  FP32     [1, 2, 2]\n");
        CHECK(model->inputs[0].bytes == 24);
        CHECK(model->outputs[0].bytes == 16);
    }

    TEST_CASE("the target is the twelve words of the types' profile and extensions") {
        const auto model = describe(linear_program({}));
        REQUIRE(model);
        CHECK(model->target == std::array<std::uint32_t, 12>{0x544F5341, 1, 1, 0, 0, 2, 1});

        using enum fbs::DType;
        CHECK(target_of({INT8, INT32, BOOL}) == "INTEGER 8K");
        CHECK(target_of({INT8, INT4}) == "INTEGER 8K INT4");
        CHECK(target_of({INT16, INT48}) == "INTEGER 8K INT16");
        CHECK(target_of({FP16, INT8, INT16}) == "FLOATING_POINT 8K");
        CHECK(target_of({BF16, FP8E4M3, FP8E5M2}) == "FLOATING_POINT 8K BF16 FP8E4M3 FP8E5M2");
        const auto fp8 = describe(model_with(FP8E4M3, {1}));
        CHECK(fp8->target == std::array<std::uint32_t, 12>{0x544F5341, 1, 1, 0, 0, 2, 1, 8});
    }

    TEST_CASE("resident bytes cover the file, each tensor at 256 bytes, and one MiB") {
        const auto file =
            model_of({{"x", fbs::DType::FP32, {1}}, {"y", fbs::DType::INT8, {257}}}, {"x"}, {"y"});
        CHECK(describe(file)->resident_bytes == file.size() + 256 + 512 + (1 << 20));
    }

    TEST_CASE("types of other widths than a file's travel as raw bytes") {
        const auto int4 = describe(model_with(fbs::DType::INT4, {3, 3}));
        CHECK(int4->inputs[0].bytes == 5);
        CHECK(int4->inputs[0].file_shape() == Shape{5});
        CHECK(int4->inputs[0].file_element() == Element::U1);
        const auto int48 = describe(model_with(fbs::DType::INT48, {2, 2}));
        CHECK(int48->inputs[0].bytes == 24);
        CHECK(int48->inputs[0].file_shape() == Shape{24});
        const auto bf16 = describe(model_with(fbs::DType::BF16, {2, 2}));
        CHECK(bf16->inputs[0].file_shape() == Shape{2, 2});
        CHECK(bf16->inputs[0].file_element() == Element::U2);
    }

    TEST_CASE("what is no TOSA file, or a damaged one, is refused") {
        CHECK(refusal({}) == "not a TOSA file");
        CHECK(refusal(std::vector(7, std::byte{0})) == "not a TOSA file");
        CHECK(refusal(std::vector(64, std::byte{'T'})) == "not a TOSA file");
        const auto whole = linear_program({});
        for (std::size_t size = 8; size < whole.size(); ++size) {
            CAPTURE(size);
            // A cut in the padding at the end loses nothing.
            if (!refusal(std::span(whole).first(size)).empty())
                CHECK(refusal(std::span(whole).first(size)) == "a damaged TOSA file");
            else
                CHECK(size + 8 > whole.size());
        }
    }

    TEST_CASE("whatever bytes change, the answer is a model or a refusal") {
        const auto whole = linear_program({});
        for (std::size_t at = 0; at < whole.size(); ++at)
            for (const int flip : {0x01, 0x80, 0xFF}) {
                auto file = whole;
                file[at] ^= static_cast<std::byte>(flip);
                const auto model = describe(file);
                if (model)
                    for (const auto& tensor : model->inputs)
                        CHECK(tensor.bytes > 0);
                else
                    CHECK(!model.error().empty());
            }
    }

    TEST_CASE("tensors that cannot be bound are refused by name") {
        using enum fbs::DType;
        const auto max = std::numeric_limits<std::int32_t>::max();
        CHECK(refusal(model_with(FP32, {2, 0})) == "tensor 'x' has an impossible shape");
        CHECK(refusal(model_with(FP32, {-1})) == "tensor 'x' has an impossible shape");
        CHECK(refusal(model_with(FP32, {max, max, max})) == "tensor 'x' has an impossible shape");
        CHECK(refusal(model_with(FP32, {max, max, 2})) == "tensor 'x' has an impossible shape");
        CHECK(refusal(model_with(FP32, std::vector(33, 1))) ==
              "tensor 'x' has an impossible shape");
        CHECK(refusal(model_with(SHAPE, {1})) == "tensor 'x' has a type that is not known (10)");
        CHECK(refusal(model_with(static_cast<fbs::DType>(99), {1})) ==
              "tensor 'x' has a type that is not known (99)");
        CHECK(refusal(model_of({{"x", FP32, {1}}}, {"z"}, {})) ==
              "an input or output is not among the tensors");
        CHECK(refusal(model_of({{"x", FP32, {}, true}}, {}, {"x"})) ==
              "tensor 'x' has no fixed shape");
        CHECK(refusal(model_of({{"x", FP32, {1}}}, std::vector<std::string>(4097, "x"), {})) ==
              "more inputs or outputs than can be bound");
        CHECK(refusal(model_of({{std::string(1025, 'n').c_str(), FP32, {1}}}, {}, {})) ==
              "a tensor's name cannot be printed");
        CHECK(refusal(model_of({{"\x1b[2J", FP32, {1}}}, {}, {})) ==
              "a tensor's name cannot be printed");
    }

    TEST_CASE("tensors that are too large together are refused") {
        // 2^60 bytes each, so that the sixteenth makes it 2^64.
        const std::vector<std::int32_t> shape{1 << 30, 1 << 30};
        const std::vector<TensorSpec> tensors(16, {"x", fbs::DType::INT8, shape});
        CHECK(refusal(model_of({tensors.begin(), tensors.end() - 1}, {}, {})).empty());
        CHECK(refusal(model_of(tensors, {}, {})) == "tensor 'x' has an impossible shape");
    }
}
