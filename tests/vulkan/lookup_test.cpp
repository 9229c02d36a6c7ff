// SPDX-License-Identifier: MIT
#include "vulkan/against_cpu.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

constexpr DType kEveryType[] = {DType::Fp32, DType::Fp16, DType::Fp8E4M3, DType::Int8,
                                DType::Int32};

Contents integers_of(Dims dims, const cpu::test::Reals& values) {
    return {DType::Int32, std::move(dims), values};
}

// One axis of RESIZE.
struct Axis {
    std::int32_t in;
    std::int32_t up, down, offset, border;

    [[nodiscard]] std::int32_t out() const {
        const std::int32_t last = (in - 1) * up - offset + border;
        REQUIRE(last % down == 0);
        return last / down + 1;
    }
};

void check_resize(AgainstCpu& both, const Axis& y, const Axis& x, std::int32_t channels) {
    CAPTURE(y.in);
    CAPTURE(x.in);
    CAPTURE(channels);
    const auto numbers = [](std::vector<double> values) {
        const auto count = static_cast<std::int32_t>(values.size());
        return constant({DType::Shape, {count}, values});
    };
    const Dims in{2, y.in, x.in, channels}, out{2, y.out(), x.out(), channels};
    const auto check = [&](DType from, DType into, bool bilinear, double tolerance) {
        CAPTURE(from);
        CAPTURE(bilinear);
        Contents image = random_tensor(from, in, 1);
        if (tolerance != 0)  // of one sign, as what cancels to zero has to be zero
            for (std::size_t i = 0; i < image.size(); ++i)
                tosa::write_float(from, image.data.data(), i, std::abs(image[i]));
        both.check(Op::Resize, {.mode = bilinear ? 2U : 1U},
                   {{image},
                    numbers({double(y.up), double(y.down), double(x.up), double(x.down)}),
                    numbers({double(y.offset), double(x.offset)}),
                    numbers({double(y.border), double(x.border)})},
                   Contents(into, out), tolerance);
    };
    for (const auto type : {DType::Fp32, DType::Fp16, DType::Int8})
        check(type, type, false, 0);
    check(DType::Int8, DType::Int32, true, 0);
    const bool exact = (y.up & (y.up - 1)) == 0 && (x.up & (x.up - 1)) == 0;
    check(DType::Fp32, DType::Fp32, true, exact ? 0 : 1e-5);
    check(DType::Fp16, DType::Fp16, true, exact ? 0 : 1.0 / (1 << 9));
}

}  // namespace

TEST_SUITE("vulkan/lookup" * doctest::skip(skipped())) {
    TEST_CASE("GATHER, of indices in range and not") {
        AgainstCpu both;
        const auto indices =
            integers_of({2, 5}, {2, 0, -1, 3, 1, -2147483648.0, 2147483647, 2, 1073741824, 1});
        for (const auto type : kEveryType)
            for (const std::int32_t channels : {1, 3, 4, 6}) {
                CAPTURE(type);
                CAPTURE(channels);
                both.check(Op::Gather, {}, {{random_tensor(type, {2, 3, channels}, 1)}, {indices}},
                           Contents(type, {2, 5, channels}));
            }
    }

    TEST_CASE("SCATTER, of indices in range and not") {
        AgainstCpu both;
        const auto indices = integers_of({2, 3}, {4, -1, 0, 2147483647, 2, 5});
        for (const auto type : kEveryType)
            for (const std::int32_t channels : {1, 3, 4}) {
                CAPTURE(type);
                CAPTURE(channels);
                both.check(Op::Scatter, {},
                           {{random_tensor(type, {2, 5, channels}, 1)},
                            {indices},
                            {random_tensor(type, {2, 3, channels}, 2)}},
                           Contents(type, {2, 5, channels}));
            }
    }

    TEST_CASE("RESIZE") {
        AgainstCpu both;
        check_resize(both, {4, 4, 2, 0, 0}, {5, 4, 2, 0, 0}, 3);    // corners stay
        check_resize(both, {4, 4, 2, -1, 1}, {3, 4, 2, -1, 1}, 4);  // twice as large
        check_resize(both, {8, 2, 4, 1, -1}, {6, 2, 4, 1, -1}, 1);  // half
        check_resize(both, {7, 3, 2, -2, 2}, {5, 6, 5, 3, 4}, 2);   // odd scales
        check_resize(both, {1, 1, 1, 0, 0}, {1, 8, 1, -8, 7}, 5);   // one pixel only
    }
}
