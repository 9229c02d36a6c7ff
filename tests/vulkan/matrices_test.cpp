// SPDX-License-Identifier: MIT
//
// Products by cooperative matrices: how they are chosen and laid out for devices that are not
// here, and what they compute on one that offers them.
#include <array>
#include <limits>

#include "vulkan/products.hpp"
#include "vulkan/self_test.hpp"
#include "vulkan/shimmed.hpp"

namespace vulkan::test {
namespace {

using Offer = VkCooperativeMatrixPropertiesKHR;

Offer offer(std::uint32_t m, std::uint32_t n, std::uint32_t k, VkComponentTypeKHR element,
            VkComponentTypeKHR sum) {
    return {.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR,
            .MSize = m,
            .NSize = n,
            .KSize = k,
            .AType = element,
            .BType = element,
            .CType = sum,
            .ResultType = sum,
            .scope = VK_SCOPE_SUBGROUP_KHR};
}
Offer halves(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    return offer(m, n, k, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR);
}
Offer bytes(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    return offer(m, n, k, VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT32_KHR);
}

// Those that the device has, of bytes even where the provider has something faster.
void every_matrix(Grid& grid, const PhysicalDevice& device) {
    grid.matrices = device.matrices;
}
void small(Grid& grid, const PhysicalDevice& device) {
    every_matrix(grid, device);
    grid.edge = 8;
    grid.workgroup = 64;
}

// Each makes several blocks, one after the other.
void few_groups(Grid& grid, const PhysicalDevice& device) {
    every_matrix(grid, device);
    grid.max_groups = 2;
}

// The kernels of a program.
std::vector<Kernel> kernels_of(const Subject& subject, const Grid& grid) {
    const auto file = subject.graph.file();
    const auto graph = tosa::build_graph(file, tosa::kEveryTarget);
    REQUIRE(graph);
    const auto lowering = lower(*graph, grid);
    REQUIRE(lowering);
    std::vector<Kernel> made;
    for (const Step& step : lowering->steps)
        made.push_back(step.kernel);
    return made;
}

// Whether the device has both kinds.
bool offered() {
    const Options options{.name = device_name(), .loader = loader_name()};
    const auto instance = Instance::create(options);
    if (!instance) return false;
    const auto device = (*instance)->devices().and_then(
        [&](const auto& devices) { return choose(devices, options); });
    return device && device->matrices.halves && device->matrices.bytes;
}

}  // namespace

TEST_SUITE("vulkan/matrices") {
    TEST_CASE("the largest that the kernel can lay out is chosen, of each kind") {
        const std::array offers{halves(16, 8, 8), halves(16, 16, 16), halves(16, 8, 16),
                                bytes(16, 8, 32), bytes(16, 16, 32)};
        const MatrixShapes chosen = choose_matrices(offers);
        CHECK(chosen.halves == MatrixShape{16, 16, 16});
        CHECK(chosen.bytes == MatrixShape{16, 16, 32});
        CHECK(!choose_matrices(std::span(offers).first(3)).bytes);
        CHECK(!choose_matrices(std::span(offers).last(2)).halves);
        CHECK(choose_matrices(std::array{bytes(8, 8, 8)}).bytes);
    }

    TEST_CASE("what the kernel cannot use is not chosen") {
        for (const auto& [m, n, k] : std::initializer_list<std::array<std::uint32_t, 3>>{
                 {0, 16, 16},
                 {16, 0, 16},
                 {16, 16, 0},
                 {16, 16, 64},  // longer than a line
                 {16, 16, 12},  // no part of one
                 {16, 16, 4},   // rows that begin anywhere
                 {16, 4, 16},
                 {128, 16, 16},
                 {~0U, 16, 16},
                 {16, ~0U / 8 * 8, 16},
                 {16, 16, 1U << 31}}) {
            CAPTURE(m);
            CAPTURE(n);
            CAPTURE(k);
            CHECK(!choose_matrices(std::array{halves(m, n, k)}).halves);
        }
        Offer workgroup = halves(16, 16, 16), saturating = bytes(16, 16, 32);
        workgroup.scope = VK_SCOPE_WORKGROUP_KHR;
        saturating.saturatingAccumulation = VK_TRUE;
        const std::array useless{
            workgroup, saturating,
            offer(16, 16, 16, VK_COMPONENT_TYPE_FLOAT16_KHR, VK_COMPONENT_TYPE_FLOAT16_KHR),
            offer(16, 16, 16, VK_COMPONENT_TYPE_UINT8_KHR, VK_COMPONENT_TYPE_UINT32_KHR),
            offer(16, 16, 16, VK_COMPONENT_TYPE_FLOAT32_KHR, VK_COMPONENT_TYPE_FLOAT32_KHR)};
        const MatrixShapes chosen = choose_matrices(useless);
        CHECK(!chosen.halves);
        CHECK(!chosen.bytes);
    }

    TEST_CASE("blocks are shared out evenly among subgroups") {
        const auto block = [](const MatrixShape& shape, std::uint32_t invocations,
                              std::uint32_t subgroup, std::uint32_t edge,
                              std::uint32_t shared = 48U << 10) {
            return lay_out(shape, {invocations, subgroup, shared}, edge);
        };
        constexpr MatrixShape kSquare{16, 16, 16};
        CHECK(block(kSquare, 256, 32, 128) == MatrixBlock{128, 4, 2, 2, 4});
        CHECK(block(kSquare, 256, 64, 128) == MatrixBlock{128, 4, 4, 2, 2});
        CHECK(block({8, 16, 16}, 256, 16, 128) == MatrixBlock{128, 4, 2, 4, 4});
        CHECK(block(kSquare, 256, 32, 64) == MatrixBlock{64, 2, 1, 2, 4});
        CHECK(block(kSquare, 64, 32, 64) == MatrixBlock{64, 4, 2, 1, 2});
        CHECK(block({8, 8, 8}, 256, 8, 64) == MatrixBlock{64, 2, 1, 4, 8});
        CHECK(!block(kSquare, 64, 32, 128));              // registers
        CHECK(!block(kSquare, 256, 32, 128, 16U << 10));  // shared memory
        CHECK(block(kSquare, 256, 32, 64, 16U << 10));
        CHECK(!block(kSquare, 256, 8, 64));  // more subgroups than fragments
        CHECK(!block({24, 16, 16}, 256, 32, 128));
        CHECK(!block(kSquare, 256, 0, 64));
        CHECK(!block(kSquare, 256, 48, 64));
    }

    TEST_CASE("products are made of matrices where the device has them, and FP32 never") {
        Grid grid{
            .elements = 17,
            .workgroup = 256,
            .edge = 16,
            .max_groups = 65535,
            .max_range = 1U << 28,
            .subgroup_size = 32,
            .shared_bytes = 48U << 10,
            .matrices = {.halves = MatrixShape{16, 16, 16}, .bytes = MatrixShape{16, 16, 32}}};
        using enum DType;
        using Kernels = std::vector<Kernel>;
        CHECK(kernels_of(matmul(Fp16, Fp16, 1, 64, 64, 64), grid) == Kernels{Kernel::HalfMatrices});
        CHECK(kernels_of(matmul(Fp8E4M3, Fp16, 1, 64, 64, 64), grid) ==
              Kernels{Kernel::HalfMatrices});
        CHECK(kernels_of(matmul(Int8, Int32, 1, 64, 64, 64), grid) ==
              Kernels{Kernel::ByteMatrices});
        CHECK(kernels_of(matmul(Fp32, Fp32, 1, 64, 64, 64), grid) == Kernels{Kernel::Gemm});
        CHECK(kernels_of(matmul(Fp16, Fp16, 1, 64, 2048, 64), grid) ==
              Kernels{Kernel::HalfMatrices, Kernel::Reduce});
        grid.matrices.bytes.reset();
        CHECK(kernels_of(matmul(Int8, Int32, 1, 64, 64, 64), grid) == Kernels{Kernel::Gemm});
    }
}

TEST_SUITE("vulkan/matrices on a device" * doctest::skip(skipped() || !offered())) {
    TEST_CASE("MATMUL of FP16 and FP8 stays within its bound") {
        for (const auto& change : {every_matrix, small}) {
            GridRig rig(change);
            check_matmuls(rig, DType::Fp16, DType::Fp16);
            check_matmuls(rig, DType::Fp16, DType::Fp32);
            check_matmuls(rig, DType::Fp8E4M3, DType::Fp16);
            check_matmuls(rig, DType::Fp8E5M2, DType::Fp16);
        }
    }

    TEST_CASE("MATMUL of INT8 is exact, with zero points and without") {
        for (const auto& change : {every_matrix, small}) {
            GridRig rig(change);
            check_byte_matmuls(rig);
        }
    }

    TEST_CASE("large blocks, of which there are enough") {
        GridRig rig(every_matrix);
        check(rig, matmul(DType::Fp16, DType::Fp16, 256, 65, 40, 66));
        check(rig, matmul(DType::Int8, DType::Int32, 256, 65, 72, 67, {.lhs = 5, .rhs = -77}));
    }

    TEST_CASE("several blocks by one workgroup") {
        GridRig rig(few_groups);
        check(rig, matmul(DType::Fp16, DType::Fp32, 1, 130, 70, 200));
        check(rig, matmul(DType::Int8, DType::Int32, 2, 130, 70, 129, {.lhs = 5, .rhs = -77}));
        check_conv2d(rig, {.type = DType::Fp16, .input = {2, 12, 11, 8}, .weight = {70, 3, 3, 8}});
    }

    TEST_CASE("long sums are made in slices") {
        GridRig rig(every_matrix);
        check_slices(rig, DType::Fp16, DType::Fp16);
        check_slices(rig, DType::Fp8E5M2, DType::Fp16);
        check_slices(rig, DType::Int8, DType::Int32, {.lhs = 5, .rhs = -77});
    }

    TEST_CASE("CONV2D") {
        for (const auto& change : {every_matrix, small}) {
            GridRig rig(change);
            check_convolutions(rig, DType::Fp16);
            check_convolutions(rig, DType::Fp8E4M3);
            check_convolutions(rig, DType::Int8);
            check_convolutions(rig, DType::Int8, {.lhs = 11, .rhs = -9});
        }
        GridRig rig(every_matrix);
        for (const std::int32_t channels : {8, 6, 5, 68})
            check(rig, quantized_conv2d({.type = DType::Int8,
                                         .input = {1, 9, 7, 12},
                                         .weight = {channels, 3, 3, 12},
                                         .pad = {1, 1, 1, 1},
                                         .zeros = {.lhs = -5, .rhs = 0}}));
    }

    TEST_CASE("every FP8 number, subnormal ones too, is what it was") {
        GridRig rig(every_matrix);
        for (const auto type : {DType::Fp8E4M3, DType::Fp8E5M2}) {
            CAPTURE(type);
            Subject subject = matmul(type, DType::Fp16, 1, 256, 16, 16);
            Tensor &numbers = subject.inputs[0], &ones = subject.inputs[1];
            std::ranges::fill(numbers.data, std::byte{0});
            std::ranges::fill(ones.data, std::byte{0});
            for (std::size_t i = 0; i < 256; ++i)
                numbers.data[i * 16] = static_cast<std::byte>(i);
            for (std::size_t i = 0; i < 16; ++i)
                tosa::write_float(type, ones.data.data(), i, 1);
            Tensor made = subject.output;
            made.data = rig.run(subject.graph, contents(subject.inputs), made.data.size(), 1)[0];
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < made.size(); ++i) {
                const double wanted = numbers[i / 16 * 16];
                wrong += std::isnan(wanted) ? !std::isnan(made[i]) : made[i] != wanted;
            }
            CHECK(wrong == 0);
        }
    }

    TEST_CASE("a sum starts from +0, and infinities and NaN go through it") {
        GridRig rig(every_matrix);
        constexpr double kInf = std::numeric_limits<double>::infinity();
        for (const auto& [lhs, rhs, wanted] :
             std::initializer_list<std::array<double, 3>>{{-0.0, 1, 0.0},
                                                          {kInf, 1, kInf},
                                                          {-kInf, 2, -kInf},
                                                          {kInf, 0, NAN},
                                                          {NAN, 1, NAN},
                                                          {65504, 65504, 5 * 65504.0 * 65504.0}}) {
            CAPTURE(lhs);
            CAPTURE(rhs);
            Subject subject = matmul(DType::Fp16, DType::Fp32, 1, 9, 5, 6);
            for (std::size_t i = 0; i < 45; ++i)
                tosa::write_float(DType::Fp16, subject.inputs[0].data.data(), i, lhs);
            for (std::size_t i = 0; i < 30; ++i)
                tosa::write_float(DType::Fp16, subject.inputs[1].data.data(), i, rhs);
            Tensor made = subject.output;
            made.data = rig.run(subject.graph, contents(subject.inputs), made.data.size(), 1)[0];
            for (std::size_t i = 0; i < made.size(); ++i)
                CHECK((std::isnan(wanted) ? std::isnan(made[i])
                                          : std::signbit(made[i]) == std::signbit(wanted) &&
                                                (made[i] == wanted ||
                                                 std::abs(made[i] - wanted) <= wanted * 0x1p-20)));
        }
    }

    TEST_CASE("matrices that are not exact enough are left alone, and the device used") {
        Shimmed shim;
        std::string wanted, warning;
        SUBCASE("wrong results") {
            shim->mask.subgroup_size = 4;  // it has larger ones: half of each block stays undone
            wanted = "the device computes wrong: MATMUL of FP16 by matrices";
        }
        SUBCASE("no pipeline") {
            shim->fault = {"vkCreateComputePipelines", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY};
            wanted = "the device fails to compute MATMUL of FP16 by matrices: OutOfMemory";
        }
        Options options = Shimmed::options();
        options.warning = [&](const std::string& what) { warning += what; };
        const auto opened = open(options);
        REQUIRE(opened);
        const auto& provider = static_cast<const VulkanProvider&>(**opened);
        CHECK(warning == wanted + ", so they are not used");
        CHECK(provider.device().physical().matrices.halves);
        CHECK(!provider.grid().matrices.halves);
    }

    TEST_CASE("matrices that are exact are used") {
        Shimmed shim;
        const auto opened = open(Shimmed::options());
        REQUIRE(opened);
        const auto& provider = static_cast<const VulkanProvider&>(**opened);
        CHECK(provider.grid().matrices.halves);
        CHECK(shim->demanded_full_subgroups);
        const bool software = provider.device().physical().description.type == DeviceType::Cpu;
        CHECK(provider.grid().matrices.bytes.has_value() == !software);
    }

    TEST_CASE("both kinds are asked about") {
        Shimmed shim;
        bool right = true;
        SUBCASE("and right") {}
        SUBCASE("and wrong") {
            shim->mask.subgroup_size = 4;
            right = false;
        }
        Rig rig(Shimmed::options());
        const Kernels& usual = *static_cast<Context&>(*rig.context).state->kernels;
        Grid grid = usual.grid();
        every_matrix(grid, rig.device().physical());
        auto kernels = Kernels::create(usual.shared_device(), {}, grid);
        REQUIRE(kernels);
        int warnings = 0;
        Options options;
        options.warning = [&](const std::string&) { ++warnings; };
        const auto trusted = trusted_kernels(std::move(*kernels), options);
        REQUIRE(trusted);
        CHECK((*trusted)->grid().matrices.halves.has_value() == right);
        CHECK((*trusted)->grid().matrices.bytes.has_value() == right);
        CHECK(warnings == (right ? 0 : 2));
    }

    TEST_CASE("what matrices need and the device lacks is not used") {
        Shimmed shim;
        bool no_halves = true, no_bytes = true;
        SUBCASE("the extension") {
            shim->mask.no_matrices = true;
        }
        SUBCASE("full subgroups") {
            shim->mask.no_full_subgroups = true;
        }
        SUBCASE("the memory model") {
            shim->mask.no_memory_model = true;
        }
        SUBCASE("FP16") {
            shim->mask.no_float16 = true;
            no_bytes = false;
        }
        SUBCASE("INT8") {
            shim->mask.no_int8 = true;
            no_halves = false;
        }
        SUBCASE("a list of them") {
            shim->fault = {"vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", 1,
                           VK_ERROR_OUT_OF_HOST_MEMORY};
        }
        Rig rig(Shimmed::options());
        const MatrixShapes& shapes = rig.device().physical().matrices;
        CHECK(!shapes.halves == no_halves);
        CHECK(!shapes.bytes == no_bytes);
    }
}

}  // namespace vulkan::test
