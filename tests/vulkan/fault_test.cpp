// SPDX-License-Identifier: MIT
//
// One whole life of a provider, in which any one call to Vulkan fails: there is no crash,
// nothing is left, the error is the one that fits, and what failed works when it is asked
// for again.
#include "vulkan/scenario.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

using namespace vulkan;
using namespace vulkan::test;

namespace {

struct Sweep {
    const char* function;
    VkResult result;
    ErrorKind expected = ErrorKind::OutOfMemory;
    unsigned calls = ~0U;  // the first so many fail; the rest have failed in another way
};

std::ostream& operator<<(std::ostream& to, const Sweep& sweep) {
    return to << sweep.function << " " << static_cast<int>(sweep.result);
}

constexpr auto kHost = VK_ERROR_OUT_OF_HOST_MEMORY;
constexpr auto kDevice = VK_ERROR_OUT_OF_DEVICE_MEMORY;

// All that can fail of what the provider calls, but for loss.
constexpr Sweep kSweeps[] = {
    {"vkEnumerateInstanceVersion", kHost},
    {"vkEnumerateInstanceExtensionProperties", kHost},
    {"vkCreateInstance", kHost},
    {"vkCreateInstance", VK_ERROR_INCOMPATIBLE_DRIVER},
    {"vkEnumeratePhysicalDevices", kHost},
    {"vkEnumeratePhysicalDevices", VK_ERROR_INITIALIZATION_FAILED},
    {"vkEnumerateDeviceExtensionProperties", kHost},
    {"vkCreateDevice", kDevice},
    {"vkCreateDevice", VK_ERROR_DEVICE_LOST},
    {"vkCreateBuffer", kDevice},
    {"vkAllocateMemory", kHost},
    {"vkAllocateMemory", kDevice},
    {"vkAllocateMemory", VK_ERROR_TOO_MANY_OBJECTS, ErrorKind::ResourceLimit},
    {"vkBindBufferMemory", kDevice},
    {"vkMapMemory", kHost},
    {"vkMapMemory", VK_ERROR_MEMORY_MAP_FAILED},
    {"vkCreateFence", kDevice},
    {"vkResetFences", kDevice},
    {"vkGetFenceStatus", kHost},
    {"vkWaitForFences", kHost},
    {"vkCreateCommandPool", kDevice},
    {"vkAllocateCommandBuffers", kDevice},
    {"vkBeginCommandBuffer", kHost},
    {"vkEndCommandBuffer", kDevice},
    {"vkQueueSubmit2", kHost},
    {"vkQueueSubmit2", kDevice},
    {"vkCreateDescriptorSetLayout", kHost},
    {"vkCreateDescriptorPool", kDevice},
    {"vkCreateDescriptorPool", VK_ERROR_FRAGMENTATION},
    {"vkAllocateDescriptorSets", kHost},
    {"vkAllocateDescriptorSets", VK_ERROR_OUT_OF_POOL_MEMORY, ErrorKind::ResourceLimit, 2},
    {"vkAllocateDescriptorSets", VK_ERROR_FRAGMENTED_POOL, ErrorKind::ResourceLimit, 2},
    {"vkCreatePipelineLayout", kHost},
    {"vkCreateShaderModule", kDevice},
    {"vkCreatePipelineCache", kHost},
    {"vkCreateComputePipelines", kHost},
    {"vkCreateComputePipelines", kDevice},
};

// What is made while this lives may leak.
struct LeaksMeant {
#if defined(__SANITIZE_ADDRESS__)
    __lsan::ScopedDisabler disabler;
#endif
    LeaksMeant() {}  // NOLINT: it is used
};

// Calls that may say that the device is lost.
constexpr const char* kLosses[] = {"vkQueueSubmit2", "vkGetFenceStatus", "vkWaitForFences"};

// A loss is told of once. The device has let go of what it had.
std::vector<bool> told_of(bool loss) {
    return loss ? std::vector<bool>{false} : std::vector<bool>{};
}

}  // namespace

TEST_SUITE("vulkan/fault" * doctest::skip(skipped())) {
    TEST_CASE("whichever call fails, nothing leaks and what failed works the next time") {
        for (const Sweep& sweep : kSweeps) {
            unsigned nth = 0;
            for (bool failed = true; failed && nth < sweep.calls;) {
                ++nth;
                CAPTURE(sweep);
                CAPTURE(nth);
                Shimmed shim;
                shim->mask.card = true;
                shim->fault = {sweep.function, nth, sweep.result};
                Scenario scenario;
                CHECK(scenario.run());
                failed = shim->failed();
                for (const Error& error : scenario.errors())
                    CHECK(error.kind == sweep.expected);
                CHECK(scenario.failures() <= 1);
                CHECK(scenario.losses().empty());
            }
            CHECK_MESSAGE(nth > 1, std::string(sweep.function) << " is never called");
        }
    }

    TEST_CASE("a self test that cannot be made is an error, and leaks nothing") {
        for (const char* function : {"vkCreateComputePipelines", "vkAllocateMemory"}) {
            CAPTURE(function);
            Shimmed shim;
            shim->mask.no_matrices = true;
            shim->fault = {function, 1, VK_ERROR_OUT_OF_HOST_MEMORY};
            CHECK(!open(Shimmed::options()));
            CHECK(shim->failed());
        }
    }

    TEST_CASE("whichever call finds the device lost, all that comes later is refused") {
        for (const char* function : kLosses) {
            unsigned nth = 0;
            for (bool failed = true; failed;) {
                ++nth;
                CAPTURE(function);
                CAPTURE(nth);
                Shimmed shim;
                shim->mask.card = true;
                shim->fault = {function, nth, VK_ERROR_DEVICE_LOST};
                Scenario scenario;
                const bool survived = scenario.run();
                failed = shim->failed();
                CHECK(survived != failed);
                CHECK(scenario.losses() == told_of(failed));
                for (const Error& error : scenario.errors())
                    CHECK(error.kind == ErrorKind::DeviceLost);
            }
            CHECK_MESSAGE(nth > 1, std::string(function) << " is never called");
        }
    }

    TEST_CASE("of a device whose work does not end nothing is ever destroyed") {
        Shimmed shim;
        shim->mask.card = true;
        shim->fault = {"vkWaitForFences", 1, VK_TIMEOUT};
        {
            const LeaksMeant meant;
            Scenario scenario;
            CHECK(!scenario.run());
            CHECK(scenario.losses() == std::vector<bool>{true});
            for (const Error& error : scenario.errors())
                CHECK(error.kind == ErrorKind::DeviceLost);
        }
        CHECK(shim->alive().contains("Instance=1"));
        CHECK(shim->alive().contains("Device=1"));
        CHECK(shim->alive().contains("Memory="));
        shim->forget();
    }

    TEST_CASE("a device that is lost at a submission, or after it, fails what was submitted") {
        for (const bool accepted : {false, true}) {
            unsigned nth = 0;
            for (bool lost = true; lost;) {
                ++nth;
                CAPTURE(accepted);
                CAPTURE(nth);
                Shimmed shim;
                shim->mask.card = true;
                shim->loss = {.nth = nth, .accepted = accepted};
                Scenario scenario;
                const bool survived = scenario.run();
                lost = shim->lost();
                CHECK(survived != lost);
                CHECK(scenario.losses() == told_of(lost));
                for (const Error& error : scenario.errors())
                    CHECK(error.kind == ErrorKind::DeviceLost);
            }
            CHECK(nth > 4);  // transfers and two runs
        }
    }
}
