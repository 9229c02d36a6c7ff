// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <format>

#include "vulkan/instance.hpp"

namespace vulkan {
namespace {

DeviceType device_type(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return DeviceType::Integrated;
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return DeviceType::Discrete;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return DeviceType::Virtual;
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return DeviceType::Cpu;
        default:
            return DeviceType::Other;
    }
}

// Higher is better. Cpu is never ranked: it has to be asked for.
int preference(DeviceType type) {
    switch (type) {
        case DeviceType::Discrete:
            return 4;
        case DeviceType::Integrated:
            return 3;
        case DeviceType::Virtual:
            return 2;
        case DeviceType::Other:
            return 1;
        case DeviceType::Cpu:
            return 0;
    }
    return 0;
}

std::optional<std::uint32_t> compute_family(const InstanceApi& api, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    api.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    api.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    const auto computes = [](const auto& f) { return (f.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; };
    auto found = std::ranges::find_if(families, [&](const auto& f) {
        return computes(f) && (f.queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0;
    });
    if (found == families.end()) found = std::ranges::find_if(families, computes);
    if (found == families.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - families.begin());
}

MatrixShapes list_matrices(const InstanceApi& api, const PhysicalDevice& device) {
    const auto list = api.GetPhysicalDeviceCooperativeMatrixPropertiesKHR;
    if (!list) return {};
    std::uint32_t count = 0;
    VkResult result = list(device.handle, &count, nullptr);
    std::vector<VkCooperativeMatrixPropertiesKHR> offered(
        count, {.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
    if (result == VK_SUCCESS && count != 0) result = list(device.handle, &count, offered.data());
    if (result < 0) return {};
    offered.resize(count);
    return choose_matrices(offered);
}

// What is optional is noted; what is not and missing is returned.
std::string look_for_features(const InstanceApi& api, PhysicalDevice& device) {
    const auto extensions = enumerate<VkExtensionProperties>([&](auto* count, auto* to) {
        return api.EnumerateDeviceExtensionProperties(device.handle, nullptr, count, to);
    });
    if (!extensions)
        return std::format("its extensions are not known (VkResult {})",
                           static_cast<int>(extensions.error()));
    device.portability_subset = has(*extensions, kPortabilitySubset);
    const bool has_matrices = has(*extensions, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    VkPhysicalDeviceVulkan13Features v13{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = has_matrices ? &matrix : nullptr};
    VkPhysicalDeviceVulkan12Features v12{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13};
    VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                       .pNext = &v12};
    api.GetPhysicalDeviceFeatures2(device.handle, &features);
    device.buffer_device_address = v12.bufferDeviceAddress != VK_FALSE;
    device.timeline_semaphore = v12.timelineSemaphore != VK_FALSE;
    device.integer_dot_product = v13.shaderIntegerDotProduct != VK_FALSE;
    if (!v13.computeFullSubgroups) device.subgroup_size = 0;
    if (device.subgroup_size != 0 && matrix.cooperativeMatrix && v12.vulkanMemoryModel)
        device.matrices = list_matrices(api, device);
    if (!v12.shaderFloat16) device.matrices.halves.reset();
    if (!v12.shaderInt8) device.matrices.bytes.reset();
    return v13.synchronization2 ? "" : "it lacks synchronization2";
}

// A device older than 1.3 is described without asking it anything newer.
PhysicalDevice examine(const InstanceApi& api, VkPhysicalDevice device, std::uint32_t index) {
    VkPhysicalDeviceVulkan13Properties v13{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan12Properties v12{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, .pNext = &v13};
    VkPhysicalDeviceVulkan11Properties v11{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &v12};
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    api.GetPhysicalDeviceProperties2(device, &all);
    const bool recent = all.properties.apiVersion >= VK_API_VERSION_1_3;
    if (recent) {
        all.pNext = &v11;
        api.GetPhysicalDeviceProperties2(device, &all);
    }

    PhysicalDevice found{
        .handle = device,
        .limits = all.properties.limits,
        .max_allocation_bytes = std::min(v13.maxBufferSize, v11.maxMemoryAllocationSize),
        .vendor_id = all.properties.vendorID,
        .device_id = all.properties.deviceID,
        .driver_version = all.properties.driverVersion,
        .subgroup_size = v11.subgroupSize,
        .subgroup_shuffle =
            (v11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0};
    std::ranges::copy(all.properties.pipelineCacheUUID, found.pipeline_cache_uuid.begin());
    api.GetPhysicalDeviceMemoryProperties(device, &found.memory);
    DeviceDescription& seen = found.description;
    seen.index = index;
    seen.name = all.properties.deviceName;
    seen.type = device_type(all.properties.deviceType);
    std::ranges::copy(v11.deviceUUID, seen.uuid.begin());
    seen.driver = recent ? std::format("{} {}", v12.driverName, v12.driverInfo) : "unknown";

    const auto family = compute_family(api, device);
    found.queue_family = family.value_or(0);
    if (!recent)
        seen.unusable = "it is older than Vulkan 1.3";
    else if (!family)
        seen.unusable = "it has no queue that computes";
    else if (found.limits.maxComputeWorkGroupInvocations < kSmallestWorkgroup)
        seen.unusable = std::format("its workgroups are smaller than {}", kSmallestWorkgroup);
    else
        seen.unusable = look_for_features(api, found);
    return found;
}

std::string roster(const std::vector<PhysicalDevice>& devices) {
    std::string text;
    for (const auto& d : devices)
        text += std::format("{}{}: {}", text.empty() ? "" : ", ", d.description.index,
                            d.description.name);
    return text.empty() ? "none" : text;
}

std::expected<PhysicalDevice, std::string> usable(const PhysicalDevice& device) {
    if (!device.description.unusable.empty())
        return std::unexpected(std::format("{} cannot be used: {}", device.description.name,
                                           device.description.unusable));
    return device;
}

std::expected<PhysicalDevice, std::string> by_name(const std::vector<PhysicalDevice>& devices,
                                                   const std::string& name) {
    const PhysicalDevice* match = nullptr;
    for (const auto& d : devices) {
        if (!d.description.name.contains(name)) continue;
        if (match)
            return std::unexpected(
                std::format("several devices are named \"{}\": {}", name, roster(devices)));
        match = &d;
    }
    if (!match)
        return std::unexpected(
            std::format("no device is named \"{}\"; there are: {}", name, roster(devices)));
    return usable(*match);
}

std::expected<PhysicalDevice, std::string> best(const std::vector<PhysicalDevice>& devices) {
    const PhysicalDevice* top = nullptr;
    for (const auto& d : devices) {
        if (!d.description.unusable.empty() || d.description.type == DeviceType::Cpu) continue;
        if (!top || preference(d.description.type) > preference(top->description.type)) top = &d;
    }
    if (top) return *top;
    return std::unexpected(
        std::format("no usable GPU; a software device is used only when it is named. There are: {}",
                    roster(devices)));
}

}  // namespace

std::string_view name(DeviceType type) {
    switch (type) {
        case DeviceType::Other:
            return "other";
        case DeviceType::Integrated:
            return "integrated";
        case DeviceType::Discrete:
            return "discrete";
        case DeviceType::Virtual:
            return "virtual";
        case DeviceType::Cpu:
            return "cpu";
    }
    return "?";
}

std::expected<std::vector<PhysicalDevice>, std::string> Instance::devices() const {
    const auto handles = enumerate<VkPhysicalDevice>(
        [&](auto* count, auto* to) { return api_.EnumeratePhysicalDevices(handle_, count, to); });
    if (!handles)
        return std::unexpected(std::format("vkEnumeratePhysicalDevices failed with VkResult {}",
                                           static_cast<int>(handles.error())));
    std::vector<PhysicalDevice> found;
    for (const VkPhysicalDevice handle : *handles)
        found.push_back(examine(api_, handle, static_cast<std::uint32_t>(found.size())));
    return found;
}

std::expected<PhysicalDevice, std::string> choose(const std::vector<PhysicalDevice>& devices,
                                                  const Options& options) {
    if (options.index) {
        if (*options.index >= devices.size())
            return std::unexpected(std::format("no device has index {}; there are: {}",
                                               *options.index, roster(devices)));
        return usable(devices[*options.index]);
    }
    return options.name.empty() ? best(devices) : by_name(devices, options.name);
}

std::expected<std::vector<DeviceDescription>, std::string> list(const Options& options) {
    const auto instance = Instance::create({.loader = options.loader});
    if (!instance) return std::unexpected(instance.error());
    const auto devices = (*instance)->devices();
    if (!devices) return std::unexpected(devices.error());
    std::vector<DeviceDescription> descriptions;
    for (const auto& device : *devices)
        descriptions.push_back(device.description);
    return descriptions;
}

std::expected<DeviceDescription, std::string> choose(const Options& options) {
    const auto instance = Instance::create({.loader = options.loader});
    if (!instance) return std::unexpected(instance.error());
    return (*instance)
        ->devices()
        .and_then([&](const auto& devices) { return choose(devices, options); })
        .transform([](const auto& device) { return device.description; });
}

}  // namespace vulkan
