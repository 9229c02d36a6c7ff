// SPDX-License-Identifier: MIT
//
// Devices that are smaller than any here. That a device lacks something optional costs
// nothing but speed; what is required and missing is named.
#include <cstdio>
#include <filesystem>

#include "tosa/attributes.hpp"
#include "vulkan/shimmed.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

// Every kind of kernel: a product with a constant, a broadcast, a clamp, a reduction.
void check_computes(Rig& rig, MemoryDomain domain) {
    constexpr int kEdge = 70;  // more than one block of a product, and no multiple of it
    GraphBuilder graph;
    graph.input("x", {1, kEdge, kEdge}).output("y", {1, kEdge, kEdge});
    graph.tensor("product", {1, kEdge, kEdge}).tensor("sum", {1, kEdge, kEdge});
    Floats matrix(kEdge * kEdge), row(kEdge);
    for (std::size_t i = 0; i < matrix.size(); ++i)
        matrix[i] = i % (kEdge + 1) == 0 ? 2.0F : 0.0F;
    for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = static_cast<float>(i);
    graph.constant("m", {1, kEdge, kEdge}, bytes_of(matrix))
        .constant("r", {1, 1, kEdge}, bytes_of(row));
    graph.matmul("x", "m", "product");
    graph.op(tosa::Op::Add, {"product", "r"}, {"sum"}).clamp("sum", "y", 0.0F, 300.0F);
    Floats x(kEdge * kEdge), expected(kEdge * kEdge);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 131);
        expected[i] = std::min(2.0F * x[i] + row[i % kEdge], 300.0F);
    }
    CHECK(rig.run(graph, {x}, x.size(), domain) == expected);

    constexpr int kLine = 600;  // for a workgroup
    GraphBuilder reduction;
    reduction.input("x", {2, kLine}).output("y", {2, 1});
    reduction.op(tosa::Op::ReduceMax, {"x"}, {"y"},
                 tosa::test::attribute(tosa::Op::ReduceMax, {.axis = 1}));
    Floats lines(2 * kLine, -1.0F);
    lines[77] = 5.0F;
    lines[kLine + 599] = 6.0F;
    CHECK(rig.run(reduction, {lines}, 2, domain) == Floats{5, 6});
}

void check_computes() {
    Rig rig(Shimmed::options());
    for (const auto domain : {MemoryDomain::Host, MemoryDomain::Device, MemoryDomain::Shared})
        if (rig.device().memory(domain)) check_computes(rig, domain);
}

void take_away_all(shim::Mask& mask) {
    mask.no_timeline_semaphore = mask.no_buffer_device_address = mask.no_maintenance4 =
        mask.no_integer_dot_product = mask.no_full_subgroups = mask.no_shuffle = mask.no_matrices =
            true;
}

std::string why_not() {
    const auto opened = open(Shimmed::options());
    REQUIRE(!opened);
    const auto devices = list(Shimmed::options());
    REQUIRE(devices);
    CHECK(std::ranges::any_of(*devices, [&](const auto& d) {
        return !d.unusable.empty() && opened.error().contains(d.unusable);
    }));
    return opened.error();
}

// What a command says, and its exit status.
std::pair<std::string, int> run(const std::string& command) {
    std::FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe);
    std::string said;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;)
        said.push_back(static_cast<char>(c));
    return {said, ::pclose(pipe)};
}

}  // namespace

TEST_SUITE("vulkan/limits" * doctest::skip(skipped())) {
    TEST_CASE("the shim alone changes nothing") {
        Shimmed shim;
        check_computes();
        CHECK(shim->calls("vkQueueSubmit2") > 0);
    }

    TEST_CASE("small limits change how programs run, not what they compute") {
        Shimmed shim;
        SUBCASE("workgroups of 128") {
            shim->mask.limits = [](auto& limits) {
                limits.maxComputeWorkGroupInvocations = 128;
                limits.maxComputeWorkGroupSize[0] = 128;
            };
        }
        SUBCASE("16 KiB of shared memory") {
            shim->mask.limits = [](auto& limits) { limits.maxComputeSharedMemorySize = 16384; };
        }
        SUBCASE("few workgroups") {
            shim->mask.limits = [](auto& limits) { limits.maxComputeWorkGroupCount[0] = 3; };
        }
        SUBCASE("subgroups of 4") {
            shim->mask.subgroup_size = 4;
        }
        SUBCASE("subgroups of 16") {
            shim->mask.subgroup_size = 16;
        }
        SUBCASE("subgroups of 64") {
            shim->mask.subgroup_size = 64;
        }
        SUBCASE("4 buffers in a stage") {
            shim->mask.limits = [](auto& limits) {
                limits.maxPerStageDescriptorStorageBuffers = 4;
            };
        }
        SUBCASE("4 buffers in a set") {
            shim->mask.limits = [](auto& limits) { limits.maxDescriptorSetStorageBuffers = 4; };
        }
        SUBCASE("all at once, with memory of its own") {
            shim->mask.card = true;
            shim->mask.subgroup_size = 4;
            shim->mask.limits = [](auto& limits) {
                limits.maxComputeWorkGroupInvocations = 128;
                limits.maxComputeWorkGroupSize[0] = 128;
                limits.maxComputeSharedMemorySize = 16384;
                limits.maxComputeWorkGroupCount[0] = 1;
                limits.maxPerStageDescriptorStorageBuffers = 4;
            };
        }
        check_computes();
    }

    TEST_CASE("everything else passes on the smallest device that the provider takes" *
              doctest::skip(kSanitized)) {
        const std::string program = std::filesystem::read_symlink("/proc/self/exe");
        const auto [said, status] =
            run("VULKAN_SHIM_SMALL=1 VULKAN_LOADER='" + shim_path() + "' '" + program +
                "' -tse='vulkan/limits,vulkan/fault,vulkan/driver,vulkan/pipeline-cache' "
                "-tce='random graphs*,a provider takes what*' 2>&1");
        INFO(said);
        CHECK(status == 0);
        CHECK(said.contains("| 0 failed"));
    }

    TEST_CASE("what the device bounds is advertised, and what is beyond is refused") {
        Shimmed shim;
        shim->mask.limits = [](auto& limits) {
            limits.maxStorageBufferRange = 4099;
            limits.maxPerStageDescriptorStorageBuffers = 4;
        };
        Rig rig(Shimmed::options());
        CHECK(rig->device_info().max_buffer_bytes == 4096);
        CHECK(rig->device_info().max_bindings_per_submission == 3);
        const provider::BufferDesc large{
            .bytes = 4097, .domain = MemoryDomain::Host, .usage = kEveryUsage};
        CHECK(error_of(rig->allocate_buffer(*rig.context, large)) == ErrorKind::ResourceLimit);
        GraphBuilder beyond, fits;
        beyond.input("x", {1025}).output("y", {1025}).clamp("x", "y", 0.0F, 1.0F);
        fits.input("x", {1024}).output("y", {1024}).clamp("x", "y", 0.0F, 1.0F);
        CHECK(error_of(rig.try_load(beyond.file())) == ErrorKind::ResourceLimit);
        CHECK(rig.run(fits, {Floats(1024, 2.0F)}, 1024) == Floats(1024, 1.0F));
    }

    TEST_CASE("features that the device lacks are not used") {
        Shimmed shim;
        SUBCASE("timeline semaphores") {
            shim->mask.no_timeline_semaphore = true;
        }
        SUBCASE("addresses of buffers") {
            shim->mask.no_buffer_device_address = true;
        }
        SUBCASE("maintenance4") {
            shim->mask.no_maintenance4 = true;
        }
        SUBCASE("integer dot products") {
            shim->mask.no_integer_dot_product = true;
        }
        SUBCASE("full subgroups") {
            shim->mask.no_full_subgroups = true;
        }
        SUBCASE("exchanges in subgroups") {
            shim->mask.no_shuffle = true;
        }
        SUBCASE("all of them") {
            take_away_all(shim->mask);
        }
        SUBCASE("all of them, on a card") {
            shim->mask.card = true;
            take_away_all(shim->mask);
        }
        check_computes();
    }

    TEST_CASE("alignment that cannot be measured is what the device promises") {
        Shimmed shim;
        shim->mask.no_buffer_device_address = true;
        shim->mask.card = true;
        Rig rig(Shimmed::options());
        for (const auto domain : {MemoryDomain::Host, MemoryDomain::Device}) {
            auto buffer = rig.buffer(100, domain);
            CHECK(std::has_single_bit(buffer->info().alignment));
            CHECK(buffer->info().alignment >= 16);
            rig.free(std::move(buffer));
        }
    }

    TEST_CASE("a card's memory is reached through staging") {
        Shimmed shim;
        shim->mask.card = true;
        Rig rig(Shimmed::options());
        CHECK(!rig.device().memory(MemoryDomain::Device)->mapped);
        CHECK(rig.device().memory(MemoryDomain::Host)->mapped);
        CHECK(!rig.device().memory(MemoryDomain::Shared));
        CHECK((rig->device_info().capabilities & provider::kCapSharedMemory) == 0);
        const provider::BufferDesc shared{
            .bytes = 4, .domain = MemoryDomain::Shared, .usage = kEveryUsage};
        CHECK(error_of(rig->allocate_buffer(*rig.context, shared)) == ErrorKind::Unsupported);
    }

    TEST_CASE("a device that lacks what is required says what") {
        Shimmed shim;
        SUBCASE("synchronization2") {
            shim->mask.no_synchronization2 = true;
            CHECK(why_not().contains("it lacks synchronization2"));
        }
        SUBCASE("Vulkan 1.3") {
            shim->mask.api_version = VK_API_VERSION_1_2;
            CHECK(why_not().contains("it is older than Vulkan 1.3"));
        }
        SUBCASE("workgroups") {
            shim->mask.limits = [](auto& limits) { limits.maxComputeWorkGroupInvocations = 64; };
            CHECK(why_not().contains("its workgroups are smaller than 128"));
        }
    }
}
