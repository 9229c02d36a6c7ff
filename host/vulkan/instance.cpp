// SPDX-License-Identifier: MIT
#include "vulkan/instance.hpp"

#include <algorithm>
#include <cstring>
#include <format>

namespace vulkan {
namespace {

constexpr std::uint32_t kApiVersion = VK_API_VERSION_1_3;
constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

std::string failed(std::string_view call, VkResult result) {
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return "no Vulkan driver is installed for this machine";
    return std::format("{} failed with VkResult {}", call, static_cast<int>(result));
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* message,
                                          void* sink) noexcept {
    (*static_cast<Instance::MessageSink*>(sink))(message->pMessage);
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(Instance::MessageSink& sink) {
    return {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = &sink,
    };
}

bool has_layer(const GlobalApi& api, std::string_view wanted) {
    const auto layers = enumerate<VkLayerProperties>(
        [&](auto* count, auto* to) { return api.EnumerateInstanceLayerProperties(count, to); });
    return layers && std::ranges::any_of(
                         *layers, [&](const auto& layer) { return wanted == layer.layerName; });
}

}  // namespace

std::string header_version() {
    constexpr std::uint32_t kVersion = VK_HEADER_VERSION_COMPLETE;
    return std::format("{}.{}.{}", VK_API_VERSION_MAJOR(kVersion), VK_API_VERSION_MINOR(kVersion),
                       VK_API_VERSION_PATCH(kVersion));
}

std::expected<std::shared_ptr<Instance>, std::string> Instance::create(const Options& options) {
    auto library = Library::open(options.loader);
    if (!library) return std::unexpected(library.error());
    std::shared_ptr<Instance> instance(new Instance(  // NOLINT: private constructor
        std::move(*library), options.on_validation_message));
    if (auto opened = instance->open(); !opened) return std::unexpected(opened.error());
    return instance;
}

std::expected<void, std::string> Instance::open() {
    const GlobalApi& global = library_.api;
    std::uint32_t version = 0;
    if (global.EnumerateInstanceVersion(&version) != VK_SUCCESS || version < kApiVersion)
        return std::unexpected("the Vulkan loader is older than Vulkan 1.3");

    std::vector<const char*> extensions;
    VkInstanceCreateFlags flags = 0;
    const auto offered = enumerate<VkExtensionProperties>([&](auto* count, auto* to) {
        return global.EnumerateInstanceExtensionProperties(nullptr, count, to);
    });
    if (!offered)
        return std::unexpected(failed("vkEnumerateInstanceExtensionProperties", offered.error()));
    if (has(*offered, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    if (on_message_) {
        if (!has_layer(global, kValidationLayer))
            return std::unexpected(std::format("{} is not installed", kValidationLayer));
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    }

    const VkApplicationInfo application{
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "virtio-acceld",
        .apiVersion = kApiVersion,
    };
    // Chained to the creation itself, the messenger also sees vkCreateInstance and
    // vkDestroyInstance.
    const auto messenger = messenger_info(on_message_);
    const VkValidationFeatureEnableEXT synchronization =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkValidationFeaturesEXT features{
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &synchronization,
    };
    const VkInstanceCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = on_message_ ? &features : nullptr,
        .flags = flags,
        .pApplicationInfo = &application,
        .enabledLayerCount = on_message_ ? 1U : 0U,
        .ppEnabledLayerNames = &kValidationLayer,
        .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
        .ppEnabledExtensionNames = extensions.data(),
    };
    VkInstance made = VK_NULL_HANDLE;
    if (const VkResult result = global.CreateInstance(&info, nullptr, &made); result != VK_SUCCESS)
        return std::unexpected(failed("vkCreateInstance", result));
    handle_ = made;
    if (!load(library_, handle_, api_))
        return std::unexpected("the Vulkan loader lacks Vulkan 1.1 functions");
    if (on_message_) watch();
    return {};
}

void Instance::watch() {
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        library_.GetInstanceProcAddr(handle_, "vkCreateDebugUtilsMessengerEXT"));
    const auto info = messenger_info(on_message_);
    if (create) create(handle_, &info, nullptr, &messenger_);
}

Instance::~Instance() {
    if (messenger_) {
        const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            library_.GetInstanceProcAddr(handle_, "vkDestroyDebugUtilsMessengerEXT"));
        destroy(handle_, messenger_, nullptr);
    }
    if (handle_ && api_.DestroyInstance) api_.DestroyInstance(handle_, nullptr);
}

}  // namespace vulkan
