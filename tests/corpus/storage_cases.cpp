// SPDX-License-Identifier: MIT
//
// providers.md 6.4: pooling in every float type, BF16, FP8 and integers.
#include "corpus/recipe.hpp"

namespace corpus {
namespace {

constexpr tosa::Target kBf16{.profiles = tosa::kProfileFloat, .extensions = tosa::kExtensionBf16};
constexpr tosa::Target kFp8{.profiles = tosa::kProfileFloat,
                            .extensions = tosa::kExtensionFp8E4M3 | tosa::kExtensionFp8E5M2};
constexpr tosa::Target kFp8ToBf16{.profiles = tosa::kProfileFloat,
                                  .extensions = kBf16.extensions | kFp8.extensions};
constexpr tosa::Target kInt4{.profiles = tosa::kProfileInteger, .extensions = tosa::kExtensionInt4};

// Channels 1..16 and 101..116 of 4x4, by windows of 2x2.
void add_max_pool(std::vector<Case>& cases, const std::string& suffix, DType type,
                  const tosa::Target& target) {
    std::vector<double> pixels;
    for (int i = 1; i <= 16; ++i)
        pixels.insert(pixels.end(), {1.0 * i, 100.0 + i});
    cases.push_back(
        Recipe("max-pool2d-" + suffix, target)
            .input(tensor(type, {1, 4, 4, 2}, pixels))
            .output(Op::MaxPool2d, tensor(type, {1, 2, 2, 2}, {6, 106, 8, 108, 14, 114, 16, 116}),
                    kExact, [](auto& to) {
                        const std::vector<std::int32_t> two{2, 2};
                        const std::vector<std::int32_t> none{0, 0, 0, 0};
                        return fbs::CreateMaxPool2dAttributeDirect(
                                   to, &two, &two, &none, fbs::NanPropagationMode::PROPAGATE)
                            .Union();
                    }));
}

// All 256 encodings, four times. Widening FP8 is exact.
void add_cast(std::vector<Case>& cases, const std::string& name, DType from) {
    std::vector<std::uint32_t> encodings(1024);
    std::vector<std::uint32_t> wide;
    for (std::uint32_t i = 0; i < encodings.size(); ++i) {
        encodings[i] = i % 256;
        wide.push_back(tosa::encode_float(DType::Bf16, tosa::decode_float(from, encodings[i])));
    }
    cases.push_back(Recipe(name, kFp8ToBf16)
                        .input(raw(from, {1024}, encodings))
                        .output(Op::Cast, raw(DType::Bf16, {1024}, wide)));
}

void add_identity(std::vector<Case>& cases, const std::string& name, const tosa::Target& target,
                  const Tensor& x) {
    cases.push_back(Recipe(name, target).input(x).output(Op::Identity, x));
}

void add_integers(std::vector<Case>& cases) {
    cases.push_back(
        Recipe("matmul-int8", kInteger)
            .input(raw(DType::Int8, {1, 2, 3}, {0x80, 0xFF, 0x7F, 0x05, 0xFA, 0x07}))
            .input(raw(DType::Int8, {1, 3, 2}, {0x08, 0xF7, 0x0A, 0x0B, 0x0C, 0xF3}))
            .constant(tensor(DType::Int8, {1}, {-2}))
            .constant(tensor(DType::Int8, {1}, {3}))
            .output(Op::MatMul, tensor(DType::Int32, {1, 2, 2}, {538, -544, 88, -260})));

    // Halves, ties upwards, less three.
    cases.push_back(Recipe("rescale-int32-to-int8", kInteger)
                        .input(tensor(DType::Int32, {16},
                                      {-1000, -251, -250, -249, -3, -2, -1, 0, 1, 2, 3, 249, 250,
                                       251, 260, 1000}))
                        .constant(tensor(DType::Int32, {1}, {1 << 29}))
                        .constant(tensor(DType::Int8, {1}, {30}))
                        .constant(tensor(DType::Int32, {1}, {0}))
                        .constant(tensor(DType::Int8, {1}, {-3}))
                        .output(Op::Rescale,
                                raw(DType::Int8, {16},
                                    {0x80, 0x80, 0x80, 0x81, 0xFC, 0xFC, 0xFD, 0xFD, 0xFE, 0xFE,
                                     0xFF, 0x7A, 0x7A, 0x7B, 0x7F, 0x7F}),
                                kExact, [](auto& to) {
                                    return fbs::CreateRescaleAttribute(
                                               to, true, fbs::RoundingMode::SINGLE_ROUND)
                                        .Union();
                                }));
}

}  // namespace

void add_storage_cases(std::vector<Case>& cases) {
    add_max_pool(cases, "fp32", DType::Fp32, kFloat);
    add_max_pool(cases, "fp16", DType::Fp16, kFloat);
    add_max_pool(cases, "bf16", DType::Bf16, kBf16);
    add_cast(cases, "cast-fp8e4m3-to-bf16", DType::Fp8E4M3);
    add_cast(cases, "cast-fp8e5m2-to-bf16", DType::Fp8E5M2);
    add_identity(cases, "identity-fp8e4m3", kFp8,
                 raw(DType::Fp8E4M3, {8}, {0x00, 0x80, 0x01, 0x81, 0x38, 0xB8, 0x7E, 0x7F}));
    add_identity(cases, "identity-fp8e5m2", kFp8,
                 raw(DType::Fp8E5M2, {8}, {0x00, 0x80, 0x01, 0x81, 0x3C, 0x7B, 0x7C, 0x7D}));
    add_identity(cases, "identity-int8", kInteger,
                 raw(DType::Int8, {8}, {0x80, 0x81, 0xFF, 0x00, 0x01, 0x7E, 0x7F, 0x2A}));
    add_identity(cases, "identity-int4", kInt4,
                 tensor(DType::Int4, {8}, {-7, -3, -1, 0, 1, 3, 6, 7}));
    add_integers(cases);
}

}  // namespace corpus
