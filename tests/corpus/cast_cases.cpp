// SPDX-License-Identifier: MIT
//
// FP8 from and to wider types: every encoding, and what lies between two.
#include "corpus/recipe.hpp"

namespace corpus {
namespace {

struct Narrow {
    const char* name;
    DType type;
    std::uint32_t largest;  // encoding of the largest finite number
    std::uint64_t extension;
};
constexpr Narrow kNarrow[] = {
    {"fp8e4m3", DType::Fp8E4M3, 0x7E, tosa::kExtensionFp8E4M3},
    {"fp8e5m2", DType::Fp8E5M2, 0x7B, tosa::kExtensionFp8E5M2},
};

// Halfway from each finite number of `narrow` to the next, and to where the next would be
// behind the largest; what lies beside; and what is no finite number.
Tensor between(const Narrow& narrow, DType wide) {
    std::vector<std::uint32_t> encodings;
    for (std::uint32_t at = 0; at <= narrow.largest; ++at) {
        const double low = tosa::decode_float(narrow.type, at);
        const double high = at < narrow.largest ? tosa::decode_float(narrow.type, at + 1)
                                                : 2 * low - tosa::decode_float(narrow.type, at - 1);
        const std::uint32_t half = tosa::encode_float(wide, (low + high) / 2);
        encodings.insert(encodings.end(),
                         {tosa::encode_float(wide, low), half - 1, half, half + 1});
    }
    for (const double each :
         {1.0 / 0.0, 0.0 / 0.0, tosa::largest(wide), tosa::smallest_normal(wide)})
        encodings.push_back(tosa::encode_float(wide, each));
    const std::uint32_t sign = tosa::encode_float(wide, -0.0);
    for (std::size_t i = 0, positive = encodings.size(); i < positive; ++i)
        encodings.push_back(encodings[i] | sign);
    return raw(wide, {static_cast<std::int32_t>(encodings.size())}, encodings);
}

void add_casts(std::vector<Case>& cases, const Narrow& narrow, DType wide,
               const std::string& wide_name) {
    const tosa::Target target{.profiles = tosa::kProfileFloat, .extensions = narrow.extension};
    const auto add = [&](const std::string& name, const Tensor& x, DType to) {
        cases.push_back(
            Recipe("cast-" + name, target).input(x).output(Op::Cast, computed(to, x.shape)));
    };
    std::vector<std::uint32_t> every(256);
    for (std::uint32_t i = 0; i < every.size(); ++i)
        every[i] = i;
    add(narrow.name + ("-to-" + wide_name), raw(narrow.type, {256}, every), wide);
    add(wide_name + "-to-" + narrow.name, between(narrow, wide), narrow.type);
}

}  // namespace

void add_cast_cases(std::vector<Case>& cases) {
    for (const Narrow& narrow : kNarrow) {
        add_casts(cases, narrow, DType::Fp16, "fp16");
        add_casts(cases, narrow, DType::Fp32, "fp32");
    }
}

}  // namespace corpus
