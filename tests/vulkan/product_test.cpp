// SPDX-License-Identifier: MIT
//
// MATMUL and CONV2D by the kernels that any device has, on the grids of large and of small ones.
#include <array>
#include <bit>
#include <limits>

#include "vulkan/products.hpp"

namespace vulkan::test {
namespace {

void without_matrices(Grid& grid, const PhysicalDevice&) {
    grid.matrices = {};
}

// Workgroups of 64, and nothing optional.
void small(Grid& grid, const PhysicalDevice&) {
    grid.edge = 8;
    grid.workgroup = 64;
    grid.integer_dot = grid.subgroups = false;
    grid.matrices = {};
}

}  // namespace

TEST_SUITE("vulkan/product" * doctest::skip(skipped())) {
    TEST_CASE("MATMUL of floats stays within its bound for shapes on and off the tiles") {
        GridRig rig(without_matrices);
        check_matmuls(rig, DType::Fp32, DType::Fp32);
        check_matmuls(rig, DType::Fp16, DType::Fp16);
        check_matmuls(rig, DType::Fp16, DType::Fp32);
        check_matmuls(rig, DType::Fp8E4M3, DType::Fp16);
        check_matmuls(rig, DType::Fp8E5M2, DType::Fp16);
    }

    TEST_CASE("a sum starts from +0, and infinities and NaN go through it") {
        GridRig rig(without_matrices);
        constexpr float kInf = std::numeric_limits<float>::infinity();
        for (const std::int32_t m : {1, 9, 70}) {
            CAPTURE(m);
            for (const auto& [lhs, rhs, wanted] :
                 {std::array{-0.0F, 1.0F, 0.0F}, std::array{-1.0F, 0.0F, 0.0F},
                  std::array{kInf, 1.0F, kInf}, std::array{-kInf, 2.0F, -kInf},
                  std::array{kInf, 0.0F, std::nanf("")}, std::array{3e38F, 2.0F, kInf}}) {
                CAPTURE(lhs);
                CAPTURE(rhs);
                Subject subject = matmul(DType::Fp32, DType::Fp32, 1, m, 5, 6);
                const Floats a(static_cast<std::size_t>(m) * 5, lhs), b(30, rhs);
                const auto made = values_of<float>(
                    rig.run(subject.graph, {bytes_of(a), bytes_of(b)},
                            static_cast<std::size_t>(m) * 6 * sizeof(float), 1)[0]);
                for (const float each : made)
                    CHECK((std::isnan(wanted) ? std::isnan(each)
                                              : std::bit_cast<std::uint32_t>(each) ==
                                                    std::bit_cast<std::uint32_t>(wanted)));
            }
        }
    }

    TEST_CASE("MATMUL of INT8 is exact, with zero points and without") {
        GridRig rig(without_matrices);
        check_byte_matmuls(rig);
    }

    TEST_CASE("long sums for few outputs are made in slices, of which there are enough") {
        GridRig rig(without_matrices);
        check_slices(rig, DType::Fp32, DType::Fp32);
        check_slices(rig, DType::Fp16, DType::Fp16);
        check_slices(rig, DType::Fp8E5M2, DType::Fp16);
        check_slices(rig, DType::Int8, DType::Int32);
        check_slices(rig, DType::Int8, DType::Int32, {.lhs = 5, .rhs = -77});
        const auto dispatches = [&](std::int32_t m, std::int32_t k, std::int32_t n) {
            return rig.dispatches(matmul(DType::Fp32, DType::Fp32, 1, m, k, n).graph);
        };
        CHECK(dispatches(64, 511, 64) == 1);
        CHECK(dispatches(64, 512, 64) == 2);
        CHECK(dispatches(16 * 64, 512, 8 * 64) == 2);  // half of what fills a device
        CHECK(dispatches(16 * 64, 512, 9 * 64) == 1);
        CHECK(dispatches(8, 8192, 64) == 1);  // gemv.comp has slices of its own
    }

    TEST_CASE("CONV2D of long sums is made in slices, with all that follows it") {
        GridRig rig(without_matrices);
        check_conv2d(rig, {.input = {1, 5, 4, 130}, .weight = {6, 3, 3, 130}, .pad = {1, 1, 1, 1}});
        check_conv2d(rig,
                     {.type = DType::Fp8E4M3, .input = {1, 4, 3, 2100}, .weight = {5, 1, 1, 2100}});
        for (const std::int32_t channels : {8, 5}) {
            const Subject subject = quantized_conv2d({.type = DType::Int8,
                                                      .input = {1, 5, 4, 260},
                                                      .weight = {channels, 3, 3, 260},
                                                      .pad = {1, 1, 1, 1},
                                                      .zeros = {.lhs = -5, .rhs = 0}});
            check(rig, subject);
            CHECK(rig.dispatches(subject.graph) == 2);  // whole words, whatever the channels
        }
    }

    TEST_CASE("CONV2D of floats stays within its bound") {
        GridRig rig(without_matrices);
        check_convolutions(rig, DType::Fp32);
        check_convolutions(rig, DType::Fp16);
        check_convolutions(rig, DType::Fp8E4M3);
        check_convolutions(rig, DType::Fp8E5M2);
    }

    TEST_CASE("CONV2D of INT8 is exact") {
        GridRig rig(without_matrices);
        check_convolutions(rig, DType::Int8);
        check_convolutions(rig, DType::Int8, {.lhs = 11, .rhs = -9});
    }

    TEST_CASE("a device of small workgroups computes the same") {
        GridRig rig(small);
        check_matmuls(rig, DType::Fp16, DType::Fp32);
        check_matmuls(rig, DType::Int8, DType::Int32, {.lhs = 5, .rhs = -77});
        check_convolutions(rig, DType::Int8, {.lhs = 11, .rhs = -9});
        check_convolutions(rig, DType::Fp32);
        check_slices(rig, DType::Fp32, DType::Fp32);
        check_slices(rig, DType::Int8, DType::Int32, {.lhs = 5, .rhs = -77});
    }

    TEST_CASE("a quantized CONV2D with all that follows it is one dispatch") {
        GridRig rig(without_matrices);
        for (const std::int32_t channels : {8, 6, 5, 68}) {
            const Subject subject = quantized_conv2d({.type = DType::Int8,
                                                      .input = {1, 9, 7, 12},
                                                      .weight = {channels, 3, 3, 12},
                                                      .pad = {1, 1, 1, 1},
                                                      .zeros = {.lhs = -5, .rhs = 0}});
            check(rig, subject);
            // Where rows do not consist of whole words, the INT8 result is made apart.
            CHECK(rig.dispatches(subject.graph) == (channels % 4 == 0 ? 1 : 2));
        }
    }

    TEST_CASE("MATMUL, its bias and its activation are one dispatch") {
        GridRig rig(without_matrices);
        for (const auto& [m, k] : {std::pair{3, 24}, {40, 24}, {40, 700}}) {
            Subject subject = matmul(DType::Fp32, DType::Fp32, 1, m, k, 20);
            subject.graph.outputs = {"y"};
            subject.graph.input("bias", {1, 1, 20}).tensor("s", {1, m, 20});
            subject.graph.tensor("y", {1, m, 20});
            subject.inputs.push_back(random_tensor(DType::Fp32, {1, 1, 20}, 9));
            subject.graph.op(Op::Add, {"c", "bias"}, {"s"}).op(Op::Tanh, {"s"}, {"y"});
            check(rig, subject, 1e-5);
            CHECK(rig.dispatches(subject.graph) == (k < 512 ? 1 : 2));
        }
    }
}

}  // namespace vulkan::test
