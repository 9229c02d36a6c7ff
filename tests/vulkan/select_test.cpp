// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "vulkan/device.hpp"

using namespace vulkan;

namespace {

constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

PhysicalDevice device(std::string name, DeviceType type, std::string unusable = {}) {
    PhysicalDevice made;
    made.description.name = std::move(name);
    made.description.type = type;
    made.description.unusable = std::move(unusable);
    return made;
}

std::string chosen(std::vector<PhysicalDevice> devices, const Options& options) {
    for (std::uint32_t i = 0; i < devices.size(); ++i)
        devices[i].description.index = i;
    const auto choice = choose(devices, options);
    return choice ? choice->description.name : "!" + choice.error();
}

VkPhysicalDeviceMemoryProperties memory(std::uint32_t heaps,
                                        std::initializer_list<VkMemoryPropertyFlags> types) {
    VkPhysicalDeviceMemoryProperties made{};
    made.memoryHeapCount = heaps;
    for (const auto flags : types)
        made.memoryTypes[made.memoryTypeCount++].propertyFlags = flags;
    return made;
}

}  // namespace

TEST_SUITE("vulkan/select") {
    TEST_CASE("without a choice the best GPU that can be used is taken") {
        CHECK(chosen({device("soft", DeviceType::Cpu), device("igpu", DeviceType::Integrated),
                      device("card", DeviceType::Discrete), device("card 2", DeviceType::Discrete)},
                     {}) == "card");
        CHECK(chosen({device("old", DeviceType::Discrete, "it is older than Vulkan 1.3"),
                      device("igpu", DeviceType::Integrated)},
                     {}) == "igpu");
    }

    TEST_CASE("a software device is never taken silently, and the error says how to get it") {
        const std::vector devices{device("soft", DeviceType::Cpu)};
        const auto refused = chosen(devices, {});
        CHECK(refused.starts_with("!"));
        CHECK(refused.contains("only when it is named"));
        CHECK(refused.contains("0: soft"));
        CHECK(chosen(devices, {.name = "sof"}) == "soft");
        CHECK(chosen(devices, {.index = 0}) == "soft");
    }

    TEST_CASE("a name must fit one device, and a chosen device must be usable") {
        const std::vector devices{device("card A", DeviceType::Discrete),
                                  device("card B", DeviceType::Discrete, "it is broken")};
        CHECK(chosen(devices, {.name = "A"}) == "card A");
        CHECK(chosen(devices, {.name = "card"}).contains("several devices"));
        CHECK(chosen(devices, {.name = "C"}).contains("no device is named"));
        CHECK(chosen(devices, {.name = "B"}) == "!card B cannot be used: it is broken");
        CHECK(chosen(devices, {.index = 2}).contains("no device has index 2"));
    }

    TEST_CASE("a card with memory of its own maps Host and Shared buffers, not Device ones") {
        const auto card = memory(2, {kLocal, kVisible, kVisible | kCached, kLocal | kVisible});
        const auto host = choose_memory(card, 0xF, MemoryDomain::Host, true);
        const auto local = choose_memory(card, 0xF, MemoryDomain::Device, true);
        const auto shared = choose_memory(card, 0xF, MemoryDomain::Shared, true);
        REQUIRE(host);
        REQUIRE(local);
        REQUIRE(shared);
        CHECK(host->type == 2);
        CHECK(host->mapped);
        CHECK(local->type == 0);
        CHECK(!local->mapped);
        CHECK(shared->type == 3);
        CHECK(shared->mapped);
        CHECK(shared->device_local);
    }

    TEST_CASE("on one heap Device buffers are mapped, unless that is switched off") {
        const auto unified = memory(1, {kLocal, kLocal | kVisible, kLocal | kVisible | kCached});
        const auto mapped = choose_memory(unified, 0x7, MemoryDomain::Device, true);
        const auto staged = choose_memory(unified, 0x7, MemoryDomain::Device, false);
        REQUIRE(mapped);
        REQUIRE(staged);
        CHECK(mapped->type == 2);
        CHECK(mapped->mapped);
        CHECK(staged->type == 0);
        CHECK(!staged->mapped);
    }

    TEST_CASE("types that a buffer may not use, or that mean trouble, are passed over") {
        const auto odd = memory(
            2, {kLocal | kVisible, kVisible, kLocal | VK_MEMORY_PROPERTY_PROTECTED_BIT, kLocal});
        CHECK(choose_memory(odd, 0b1110, MemoryDomain::Device, true)->type == 3);
        CHECK(!choose_memory(odd, 0b1110, MemoryDomain::Shared, true));
        CHECK(!choose_memory(odd, 0b0110, MemoryDomain::Device, true));
    }
}
