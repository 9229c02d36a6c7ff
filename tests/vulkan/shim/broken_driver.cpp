// SPDX-License-Identifier: MIT
//
// A Vulkan driver without a device. What it fails at, BROKEN_DRIVER says.
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#define SHIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

int failures = 0;

VkResult fail_at(std::string_view what) {
    const char* chosen = std::getenv("BROKEN_DRIVER");
    if (!chosen || what != chosen) return VK_SUCCESS;
    ++failures;
    return VK_ERROR_INITIALIZATION_FAILED;
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                    VkInstance* instance) {
    static VK_LOADER_DATA made;
    set_loader_magic_value(&made);
    *instance = reinterpret_cast<VkInstance>(&made);
    return fail_at("instance");
}

VkResult VKAPI_CALL enumerate_extensions(const char*, std::uint32_t* count,
                                         VkExtensionProperties*) {
    *count = 0;
    return VK_SUCCESS;
}

VkResult VKAPI_CALL enumerate_version(std::uint32_t* version) {
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

// At "second", it promises a device and then does not give it.
VkResult VKAPI_CALL enumerate_devices(VkInstance, std::uint32_t* count, VkPhysicalDevice* devices) {
    const VkResult result = fail_at(devices ? "second" : "devices");
    const char* chosen = std::getenv("BROKEN_DRIVER");
    *count = chosen && std::strcmp(chosen, "second") == 0 ? 1 : 0;
    return result;
}

void VKAPI_CALL nothing() {}

}  // namespace

SHIM_EXPORT int broken_driver_failures() {
    return failures;
}

SHIM_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
    *version = 5;
    return fail_at("version");
}

SHIM_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance, const char* name) {
    const std::string_view wanted = name;
    const auto is = [](auto function) { return reinterpret_cast<PFN_vkVoidFunction>(function); };
    if (wanted == "vkCreateInstance") return is(create_instance);
    if (wanted == "vkEnumerateInstanceExtensionProperties") return is(enumerate_extensions);
    if (wanted == "vkEnumerateInstanceVersion") return is(enumerate_version);
    if (wanted == "vkEnumeratePhysicalDevices") return is(enumerate_devices);
    // The loader takes no driver that lacks functions of Vulkan's core, and calls what it gets
    // of others.
    const bool core = wanted.starts_with("vk") && !wanted.starts_with("vk_") &&
                      std::islower(static_cast<unsigned char>(wanted.back()));
    return core || wanted.ends_with("2") ? is(nothing) : nullptr;
}
