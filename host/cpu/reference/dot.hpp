// SPDX-License-Identifier: MIT
#pragma once

#include "cpu/reference/call.hpp"

namespace cpu::reference {

// Rough number of scalar steps for one product, decoding included.
inline constexpr std::uint64_t kProductCost = 16;

// The sum of products of one output element of MATMUL and the convolutions.
//
// Integers: less their zero points, in 64 bits that wrap. TOSA leaves a sum that INT32 or
// INT48 cannot hold open; here it is taken modulo 2^32 or 2^48.
//
// Floats: in double, bias included, rounded once by put(). An accumulator of FP16 is thus
// no narrower than one of FP32: overflow shows only where the sum itself is too large
// for the output. TOSA "Dot product accuracy requirements" asks for this value, and sets
// no bound at all where the magnitudes of the products add up to more than the output
// holds. Infinity times zero is NaN, as it is there. Float zero points are zero.
class DotProduct {
 public:
    DotProduct(const Input& a, const Input& a_zero, const Input& b, const Input& b_zero)
        : a_(a), b_(b), is_float_(a.is.is_float()) {
        if (is_float_) return;
        a_zero_ = a_zero.integer(0);
        b_zero_ = b_zero.integer(0);
    }

    void add(std::uint64_t a_at, std::uint64_t b_at) {
        if (is_float_)
            real_ += a_.real(a_at) * b_.real(b_at);
        else
            add((a_.integer(a_at) - a_zero_) * (b_.integer(b_at) - b_zero_));
    }

    void add_bias(const Input& bias, std::uint64_t at) {
        if (is_float_)
            real_ += bias.real(at);
        else
            add(bias.integer(at));
    }

    void put(const Output& out, std::uint64_t at) const {
        if (is_float_)
            out.put_real(at, real_);
        else
            out.put_integer(at, static_cast<std::int64_t>(integer_));
    }

 private:
    void add(std::int64_t value) { integer_ += static_cast<std::uint64_t>(value); }

    const Input& a_;
    const Input& b_;
    bool is_float_;
    std::int64_t a_zero_ = 0;
    std::int64_t b_zero_ = 0;
    std::uint64_t integer_ = 0;
    double real_ = 0;
};

}  // namespace cpu::reference
