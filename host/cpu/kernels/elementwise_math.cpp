// SPDX-License-Identifier: MIT
//
// FP32 lanes: functions that TOSA bounds the error of. All are computed in FP64 and rounded
// once, which leaves the bounds far away and makes subnormals and large results ordinary.
#include <cmath>
#include <limits>

#include "cpu/kernels/vector_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/elementwise_math.cpp"
#include <hwy/foreach_target.h>
// What foreach_target.h includes again comes after it.
#include <hwy/contrib/math/math-inl.h>

#include "cpu/kernels/elementwise_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cpu::elementwise::HWY_NAMESPACE {
namespace {

using Doubles = hn::CappedTag<double, kMaxLanes>;
using Halves = hn::Rebind<float, Doubles>;
using D = hn::Vec<Doubles>;

template <auto F>
void in_double(const Arguments& a) {
    const Doubles d;
    const Halves half;
    for (std::size_t i = 0; i < a.count; i += hn::Lanes(d)) {
        const D x = hn::PromoteTo(d, hn::LoadU(half, a.input<float>(0) + i));
        const D y = hn::IfThenElse(hn::IsNaN(x), x, F(x));
        hn::StoreU(hn::DemoteTo(half, y), half, a.output<float>() + i);
    }
}

D constant(double value) {
    return hn::Set(Doubles(), value);
}

// Highway's goes wrong above 709; e to the 700 is an infinity in FP32 already.
D exponential(D x) {
    return hn::Exp(Doubles(), hn::Min(hn::Max(x, constant(-700)), constant(700)));
}

D logarithm(D x) {
    const Doubles d;
    const D infinity = hn::Inf(d);
    const auto ordinary = hn::And(hn::Gt(x, hn::Zero(d)), hn::Lt(x, infinity));
    const D y = hn::Log(d, hn::IfThenElse(ordinary, x, constant(1)));
    const D special = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity),
                                     hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::NaN(d), infinity));
    return hn::IfThenElse(ordinary, y, special);
}

D sigmoid(D x) {
    return hn::Div(constant(1), hn::Add(constant(1), exponential(hn::Neg(x))));
}

// From 20 on it is 1 in FP32.
D hyperbolic_tangent(D x) {
    return hn::Tanh(Doubles(), hn::Min(hn::Max(x, constant(-20)), constant(20)));
}

// erf(x) / x is a polynomial of x * x, here in (x * x - 8) / 8, which is in [-1, 1] for |x|
// up to 4, where erf(x) rounds to 1: interpolated at Chebyshev's nodes, with a relative
// error of 2e-11.
constexpr double kErf[] = {0.35353099564411483,    -0.17657623321208432,   0.1316751167236875,
                           -0.10771044903945207,   0.09020900091549393,    -0.07472772607906691,
                           0.059886799554842794,   -0.04576648189317199,   0.03306146908584594,
                           -0.022466183651420685,  0.014345737232924876,   -0.008630037203570282,
                           0.004864627077104159,   -0.002530357338227987,  0.001272324785622914,
                           -0.0006730858333685319, 0.0002991805097553879,  -7.231718962430026e-05,
                           3.107461234321818e-05,  -3.671403042972088e-05, 1.325547811575234e-05};

D error_function(D x) {
    const D inside = hn::Min(hn::Max(x, constant(-4)), constant(4));
    const D u = hn::MulSub(hn::Mul(inside, inside), constant(0.125), constant(1));
    D sum = constant(kErf[std::size(kErf) - 1]);
    for (std::size_t i = std::size(kErf) - 1; i-- > 0;)
        sum = hn::MulAdd(sum, u, constant(kErf[i]));
    return hn::Mul(sum, inside);
}

// Highway reduces no larger arguments than kReducible; the few lanes that have some are
// left to the C library.
constexpr double kReducible = 30000;

// Highway's loses the sign of zero.
D sine(D x) {
    const Doubles d;
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::Sin(d, x));
}
D cosine(D x) {
    return hn::Cos(Doubles(), x);
}

template <auto F, double (*kFallback)(double)>
void periodic(const Arguments& a) {
    const Doubles d;
    const Halves half;
    for (std::size_t i = 0; i < a.count; i += hn::Lanes(d)) {
        const D x = hn::PromoteTo(d, hn::LoadU(half, a.input<float>(0) + i));
        const auto good = hn::Le(hn::Abs(x), constant(kReducible));
        const auto y = hn::DemoteTo(half, F(hn::IfThenElseZero(good, x)));
        if (hn::AllTrue(d, good)) {
            hn::StoreU(y, half, a.output<float>() + i);
            continue;
        }
        HWY_ALIGN std::array<float, kMaxLanes> in;
        hn::StoreU(hn::LoadU(half, a.input<float>(0) + i), half, in.data());
        hn::StoreU(y, half, a.output<float>() + i);
        for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane)
            if (!(std::fabs(in[lane]) <= static_cast<float>(kReducible)))
                a.output<float>()[i + lane] =
                    static_cast<float>(kFallback(static_cast<double>(in[lane])));
    }
}

double exact_sine(double x) {
    return std::sin(x);
}
double exact_cosine(double x) {
    return std::cos(x);
}

void power(const Arguments& a) {
    for (std::size_t i = 0; i < a.count; ++i)
        a.output<float>()[i] = static_cast<float>(std::pow(
            static_cast<double>(a.input<float>(0)[i]), static_cast<double>(a.input<float>(1)[i])));
}

BlockFunction find(Code code) {
    switch (code) {
        case Code::Exp:
            return in_double<exponential>;
        case Code::Log:
            return in_double<logarithm>;
        case Code::Sigmoid:
            return in_double<sigmoid>;
        case Code::Tanh:
            return in_double<hyperbolic_tangent>;
        case Code::Erf:
            return in_double<error_function>;
        case Code::Sin:
            return periodic<sine, exact_sine>;
        case Code::Cos:
            return periodic<cosine, exact_cosine>;
        case Code::Pow:
            return power;
        default:
            return nullptr;
    }
}

}  // namespace
}  // namespace cpu::elementwise::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cpu::elementwise {
namespace {
HWY_EXPORT(find);
}  // namespace

BlockFunction math_function(Code code) {
    return HWY_DYNAMIC_DISPATCH(find)(code);
}

}  // namespace cpu::elementwise
#endif
