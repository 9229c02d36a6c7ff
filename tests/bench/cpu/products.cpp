// SPDX-License-Identifier: MIT
//
// MATMUL, right operand not constant, beside OpenBLAS; INT8 beside our FP32.
#include <format>
#include <vector>

#include <cblas.h>

#include "bench/cpu/bench.hpp"
#include "cpu/kernels/gemm.hpp"
#include "cpu/memory.hpp"

namespace bench {
namespace {

struct Square {
    explicit Square(std::uint64_t size, cpu::Element type)
        : n(size),
          element(type),
          gemm({1, n, n, n}, type, cpu::Element::Fp32, 0),
          left(n * n * 4, cpu::kCacheLine),
          right(n * n * 4, cpu::kCacheLine),
          out(n * n * 4, cpu::kCacheLine) {
        for (unsigned i = 0; i < threads(); ++i)
            scratch.emplace_back(gemm.scratch_bytes(), cpu::kCacheLine);
    }

    void run() {
        on_threads(gemm.units(), [&](std::uint64_t first, std::uint64_t last, unsigned thread) {
            gemm.run({.left = cpu::GemmRows(left.data(), element, n),
                      .right = {right.data(), n, 1},
                      .packed = nullptr,
                      .out = out.data(),
                      .bias = nullptr,
                      .bias_count = 0,
                      .left_zero = element == cpu::Element::Int8 ? 3 : 0,
                      .right_zero = element == cpu::Element::Int8 ? -5 : 0},
                     first, last, scratch[thread].data());
        });
    }

    std::uint64_t n;
    cpu::Element element;
    cpu::Gemm gemm;
    cpu::Memory left, right, out;
    std::vector<cpu::Memory> scratch;
};

const float* floats(const cpu::Memory& memory) {
    return reinterpret_cast<const float*>(memory.data());
}

}  // namespace

void bench_products() {
    openblas_set_num_threads(static_cast<int>(threads()));
    for (const int size : {512, 1024, 2048}) {
        const double operations = 2.0 * size * size * size;
        Square ours(static_cast<std::uint64_t>(size), cpu::Element::Fp32);
        std::vector<float> result(ours.n * ours.n);
        print(std::format("FP32 MATMUL {}, OpenBLAS", size),
              measure([&] { ours.run(); },
                      [&] {
                          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size,
                                      1, floats(ours.left), size, floats(ours.right), size, 0,
                                      result.data(), size);
                      }),
              operations);
        Square bytes(ours.n, cpu::Element::Int8);
        print(std::format("INT8 MATMUL {}, our FP32", size),
              measure([&] { bytes.run(); }, [&] { ours.run(); }), operations);
    }
}

}  // namespace bench
