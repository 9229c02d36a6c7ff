// SPDX-License-Identifier: MIT
#include "vulkan/shim/shim.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>

#include <dlfcn.h>

#define SHIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace shim {
namespace {

// As small as the provider takes, for a process that says so: all limits at once, memory of
// its own, nothing optional but what the tests hold the queue with.
Mask small_device() {
    Mask mask;
    mask.limits = [](VkPhysicalDeviceLimits& limits) {
        limits.maxComputeWorkGroupInvocations = limits.maxComputeWorkGroupSize[0] = 128;
        limits.maxComputeSharedMemorySize = 16384;
        limits.maxComputeWorkGroupCount[0] = 2;
    };
    mask.subgroup_size = 4;
    mask.card = mask.no_maintenance4 = mask.no_buffer_device_address = mask.no_integer_dot_product =
        mask.no_full_subgroups = mask.no_matrices = true;
    return mask;
}

// Never destroyed: a provider may be, later than this.
Control& control() {
    static auto* const made = [] {
        auto* const control = new Control;  // NOLINT: see above
        control->strict = std::getenv("VULKAN_SHIM_SMALL") != nullptr;
        if (control->strict) control->mask = small_device();
        return control;
    }();
    return *made;
}

// Of the loader itself, so they take any instance and any device.
template <class Function>
Function real(const char* name) {
    static void* const loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NODELETE);
    return reinterpret_cast<Function>(dlsym(loader, name));
}
#define REAL(name) real<PFN_vk##name>("vk" #name)

template <class Wanted>
Wanted* find(void* chain, VkStructureType type) {
    auto* link = static_cast<VkBaseOutStructure*>(chain);
    while (link && link->sType != type)
        link = link->pNext;
    return reinterpret_cast<Wanted*>(link);
}

// What the device seems to be.

void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* all) {
    REAL(GetPhysicalDeviceProperties2)(device, all);
    const Mask& mask = control().mask;
    if (mask.api_version != 0) all->properties.apiVersion = mask.api_version;
    if (mask.driver_version != 0) all->properties.driverVersion = mask.driver_version;
    if (mask.limits) mask.limits(all->properties.limits);
    control().shown = all->properties.limits;
    auto* v11 = find<VkPhysicalDeviceVulkan11Properties>(
        all->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
    if (v11 && mask.subgroup_size != 0) v11->subgroupSize = mask.subgroup_size;
    if (v11 && mask.no_shuffle)
        v11->subgroupSupportedOperations &=
            ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_SHUFFLE_BIT};
    if (mask.api_version != 0 && mask.api_version < VK_API_VERSION_1_3 &&
        find<VkBaseOutStructure>(all->pNext,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES))
        control().complain("an old device is asked for properties of Vulkan 1.3");
}

void VKAPI_CALL features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* all) {
    REAL(GetPhysicalDeviceFeatures2)(device, all);
    const Mask& mask = control().mask;
    if (auto* v12 = find<VkPhysicalDeviceVulkan12Features>(
            all->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)) {
        if (mask.no_timeline_semaphore) v12->timelineSemaphore = VK_FALSE;
        if (mask.no_buffer_device_address) v12->bufferDeviceAddress = VK_FALSE;
        if (mask.no_memory_model) v12->vulkanMemoryModel = VK_FALSE;
        if (mask.no_float16) v12->shaderFloat16 = VK_FALSE;
        if (mask.no_int8) v12->shaderInt8 = VK_FALSE;
    }
    if (auto* v13 = find<VkPhysicalDeviceVulkan13Features>(
            all->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES)) {
        if (mask.no_synchronization2) v13->synchronization2 = VK_FALSE;
        if (mask.no_maintenance4) v13->maintenance4 = VK_FALSE;
        if (mask.no_integer_dot_product) v13->shaderIntegerDotProduct = VK_FALSE;
        if (mask.no_full_subgroups) v13->computeFullSubgroups = VK_FALSE;
    }
}

bool is_hidden(const char* extension) {
    return control().mask.no_matrices &&
           std::strcmp(extension, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME) == 0;
}

VkResult extensions(VkPhysicalDevice device, const char* layer, std::uint32_t* count,
                    VkExtensionProperties* to) {
    std::uint32_t all = 0;
    const auto list = REAL(EnumerateDeviceExtensionProperties);
    VkResult result = list(device, layer, &all, nullptr);
    std::vector<VkExtensionProperties> found(all);
    if (result == VK_SUCCESS) result = list(device, layer, &all, found.data());
    if (result != VK_SUCCESS) return result;
    std::erase_if(found, [](const auto& each) { return is_hidden(each.extensionName); });
    if (to)
        std::copy_n(
            found.begin(),
            *count = std::min<std::uint32_t>(*count, static_cast<std::uint32_t>(found.size())), to);
    if (!to) *count = static_cast<std::uint32_t>(found.size());
    return VK_SUCCESS;
}

// Of an extension: no loader exports it.
PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR& real_matrix_properties() {
    static PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR function = nullptr;
    return function;
}
VkResult matrix_properties(VkPhysicalDevice device, std::uint32_t* count,
                           VkCooperativeMatrixPropertiesKHR* to) {
    return real_matrix_properties()(device, count, to);
}

VkDevice& newest_device() {
    static VkDevice device = VK_NULL_HANDLE;
    return device;
}

VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                       const VkAllocationCallbacks* callbacks, VkDevice* device) {
    const Mask& mask = control().mask;
    void* chain = const_cast<void*>(info->pNext);
    const auto* v12 = find<VkPhysicalDeviceVulkan12Features>(
        chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const auto* v13 = find<VkPhysicalDeviceVulkan13Features>(
        chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    if ((v12 && ((mask.no_timeline_semaphore && v12->timelineSemaphore) ||
                 (mask.no_buffer_device_address && v12->bufferDeviceAddress) ||
                 (mask.no_memory_model && v12->vulkanMemoryModel) ||
                 (mask.no_float16 && v12->shaderFloat16) || (mask.no_int8 && v12->shaderInt8))) ||
        (v13 && ((mask.no_synchronization2 && v13->synchronization2) ||
                 (mask.no_maintenance4 && v13->maintenance4) ||
                 (mask.no_integer_dot_product && v13->shaderIntegerDotProduct) ||
                 (mask.no_full_subgroups && v13->computeFullSubgroups)))) {
        control().complain("a feature is enabled that the device lacks");
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    for (std::uint32_t i = 0; i < info->enabledExtensionCount; ++i)
        if (is_hidden(info->ppEnabledExtensionNames[i]))
            control().complain("an extension is enabled that the device lacks");
    control().replace_device();
    const VkResult result = REAL(CreateDevice)(physical, info, callbacks, device);
    if (result == VK_SUCCESS) newest_device() = *device;
    return result;
}

// Nothing runs on a lost device, so the real one is made to finish before it seems lost.
void lose() {
    if (!control().lost()) REAL(DeviceWaitIdle)(newest_device());
    control().lose();
}

// A card: type 0 is its own memory, type 1 the host's. Both really are type 0 of a device
// that has only one.

void VKAPI_CALL memory_properties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* all) {
    REAL(GetPhysicalDeviceMemoryProperties)(device, all);
    if (!control().mask.card) return;
    if (all->memoryTypeCount != 1) control().complain("only a device with one type can be a card");
    all->memoryTypeCount = all->memoryHeapCount = 2;
    all->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
    all->memoryTypes[1] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                           1};
    all->memoryHeaps[1] = {all->memoryHeaps[0].size, 0};
}

void VKAPI_CALL memory_requirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* all) {
    REAL(GetBufferMemoryRequirements)(device, buffer, all);
    if (control().mask.card) all->memoryTypeBits = 0b11;
}

VkResult allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                         const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
    const bool card = control().mask.card;
    VkMemoryAllocateInfo really = *info;
    if (card) really.memoryTypeIndex = 0;
    const VkResult result = REAL(AllocateMemory)(device, &really, callbacks, memory);
    if (result == VK_SUCCESS) control().note_memory(*memory, !card || info->memoryTypeIndex == 1);
    return result;
}

VkResult map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                    VkMemoryMapFlags flags, void** address) {
    if (!control().mappable(memory)) {
        control().complain("memory is mapped that cannot be");
        return VK_ERROR_MEMORY_MAP_FAILED;
    }
    return REAL(MapMemory)(device, memory, offset, size, flags, address);
}

VkResult submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
    const bool lost = control().lost_with_next_submission();
    VkResult result = VK_ERROR_DEVICE_LOST;
    if (!lost || control().loss->accepted) result = REAL(QueueSubmit2)(queue, count, infos, fence);
    if (lost) lose();
    return result;
}

// The layers know only the limits of the real device.

void VKAPI_CALL dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y,
                         std::uint32_t z) {
    const auto& most = control().shown.maxComputeWorkGroupCount;
    if (x > most[0] || y > most[1] || z > most[2])
        control().complain("more workgroups are dispatched than the device takes");
    REAL(CmdDispatch)(commands, x, y, z);
}

VkResult create_set_layout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                           const VkAllocationCallbacks* callbacks, VkDescriptorSetLayout* layout) {
    std::uint32_t buffers = 0;
    for (std::uint32_t i = 0; i < info->bindingCount; ++i)
        buffers += info->pBindings[i].descriptorCount;
    const VkPhysicalDeviceLimits& shown = control().shown;
    if (buffers > shown.maxPerStageDescriptorStorageBuffers ||
        buffers > shown.maxDescriptorSetStorageBuffers)
        control().complain("more buffers are bound than the device takes");
    return REAL(CreateDescriptorSetLayout)(device, info, callbacks, layout);
}

// The size of a workgroup is constant 0 of every kernel (host/vulkan/shaders/common.glsl).
VkResult create_pipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                          const VkComputePipelineCreateInfo* infos,
                          const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
    for (std::uint32_t i = 0; i < count; ++i) {
        if (infos[i].stage.flags != 0) {
            control().demanded_full_subgroups = true;
            if (control().mask.no_full_subgroups)
                control().complain("full subgroups are demanded of a device that lacks them");
        }
        const VkSpecializationInfo* constants = infos[i].stage.pSpecializationInfo;
        for (std::uint32_t c = 0; constants && c < constants->mapEntryCount; ++c) {
            const VkSpecializationMapEntry& entry = constants->pMapEntries[c];
            std::uint32_t value = 0;
            std::memcpy(&value, static_cast<const char*>(constants->pData) + entry.offset, 4);
            if (entry.constantID == 0 && value > control().shown.maxComputeWorkGroupInvocations)
                control().complain("workgroups are larger than the device takes");
        }
    }
    return REAL(CreateComputePipelines)(device, cache, count, infos, callbacks, pipelines);
}

VkResult create_pipeline_cache(VkDevice device, const VkPipelineCacheCreateInfo* info,
                               const VkAllocationCallbacks* callbacks, VkPipelineCache* cache) {
    const auto* data = static_cast<const std::byte*>(info->pInitialData);
    control().initial_cache.assign(data, data + info->initialDataSize);
    return REAL(CreatePipelineCache)(device, info, callbacks, cache);
}

// What each function makes (+1) or destroys (-1) of what.
struct Effect {
    std::string_view function;
    const char* kind;
    int count;
};
constexpr std::array kEffects{
#define SHIM_KIND(name) Effect{"vkCreate" #name, #name, 1}, Effect{"vkDestroy" #name, #name, -1},
    SHIM_KIND(Instance) SHIM_KIND(Device) SHIM_KIND(Buffer) SHIM_KIND(Fence)         //
    SHIM_KIND(CommandPool) SHIM_KIND(DescriptorSetLayout) SHIM_KIND(DescriptorPool)  //
    SHIM_KIND(PipelineLayout) SHIM_KIND(ShaderModule) SHIM_KIND(PipelineCache)       //
    Effect{"vkAllocateMemory", "Memory", 1},
    Effect{"vkFreeMemory", "Memory", -1},               //
    Effect{"vkCreateComputePipelines", "Pipeline", 1},  //
    Effect{"vkDestroyPipeline", "Pipeline", -1}};

void account(std::string_view function) {
    for (const Effect& effect : kEffects)
        if (effect.function == function) control().made(effect.kind, effect.count);
}

template <std::size_t N>
struct Name {
    constexpr Name(const char (&text)[N]) {  // NOLINT: meant to be implicit
        for (std::size_t i = 0; i < N; ++i)
            value[i] = text[i];
    }
    char value[N]{};
};

// A call that can fail goes wrong here, if it is to, or on to `Real`, if there is one.
template <Name kName, class Function, auto kReplacement = nullptr>
struct Hook;
template <Name kName, auto kReplacement, class First, class... Rest>
struct Hook<kName, VkResult(VKAPI_PTR*)(First, Rest...), kReplacement> {
    static VkResult VKAPI_CALL call(First first, Rest... rest) {
        using Function = VkResult(VKAPI_PTR*)(First, Rest...);
        constexpr bool kOfDevice = std::is_same_v<First, VkDevice> ||
                                   std::is_same_v<First, VkQueue> ||
                                   std::is_same_v<First, VkCommandBuffer>;
        VkResult result = control().called(kName.value, kOfDevice);
        if (result == VK_ERROR_DEVICE_LOST && kOfDevice) lose();
        if (result != VK_SUCCESS) {
            // Recording ends, well or not.
            if constexpr (std::is_same_v<Function, PFN_vkEndCommandBuffer>)
                REAL(EndCommandBuffer)(first);
            return result;
        }
        if constexpr (std::is_null_pointer_v<decltype(kReplacement)>)
            result = real<Function>(kName.value)(first, rest...);
        else
            result = kReplacement(first, rest...);
        if (result == VK_SUCCESS) account(kName.value);
        return result;
    }
};
template <Name kName, class... Arguments>
struct Hook<kName, void(VKAPI_PTR*)(Arguments...), nullptr> {
    static void VKAPI_CALL call(Arguments... arguments) {
        account(kName.value);
        real<void(VKAPI_PTR*)(Arguments...)>(kName.value)(arguments...);
    }
};

PFN_vkVoidFunction VKAPI_CALL of_device(VkDevice device, const char* name);

#define SHIM_HOOK(name) \
    {"vk" #name, reinterpret_cast<PFN_vkVoidFunction>(Hook<"vk" #name, PFN_vk##name>::call)},
#define SHIM_REPLACE(name, with) \
    {"vk" #name, reinterpret_cast<PFN_vkVoidFunction>(Hook<"vk" #name, PFN_vk##name, with>::call)},
#define SHIM_LIE(name, with) {"vk" #name, reinterpret_cast<PFN_vkVoidFunction>(with)},

struct Entry {
    std::string_view name;
    PFN_vkVoidFunction function;
};
// clang-format off
const Entry kEntries[] = {
    SHIM_HOOK(EnumerateInstanceVersion) SHIM_HOOK(EnumerateInstanceExtensionProperties)
    SHIM_HOOK(EnumerateInstanceLayerProperties) SHIM_HOOK(CreateInstance)
    SHIM_HOOK(DestroyInstance) SHIM_HOOK(EnumeratePhysicalDevices)
    SHIM_LIE(GetPhysicalDeviceProperties2, properties) SHIM_LIE(GetPhysicalDeviceFeatures2, features)
    SHIM_LIE(GetPhysicalDeviceMemoryProperties, memory_properties)
    SHIM_REPLACE(EnumerateDeviceExtensionProperties, extensions)
    SHIM_REPLACE(GetPhysicalDeviceCooperativeMatrixPropertiesKHR, matrix_properties)
    SHIM_REPLACE(CreateDevice, create_device)
    SHIM_LIE(GetDeviceProcAddr, of_device)
    SHIM_HOOK(DestroyDevice) SHIM_REPLACE(QueueSubmit2, submit)
    SHIM_REPLACE(AllocateMemory, allocate_memory) SHIM_HOOK(FreeMemory)
    SHIM_REPLACE(MapMemory, map_memory) SHIM_HOOK(CreateBuffer) SHIM_HOOK(DestroyBuffer)
    SHIM_LIE(GetBufferMemoryRequirements, memory_requirements) SHIM_HOOK(BindBufferMemory)
    SHIM_HOOK(CreateFence) SHIM_HOOK(DestroyFence) SHIM_HOOK(ResetFences)
    SHIM_HOOK(GetFenceStatus) SHIM_HOOK(WaitForFences)
    SHIM_HOOK(CreateCommandPool) SHIM_HOOK(DestroyCommandPool) SHIM_HOOK(AllocateCommandBuffers)
    SHIM_HOOK(BeginCommandBuffer) SHIM_HOOK(EndCommandBuffer)
    SHIM_REPLACE(CreateDescriptorSetLayout, create_set_layout) SHIM_LIE(CmdDispatch, dispatch) SHIM_HOOK(DestroyDescriptorSetLayout)
    SHIM_HOOK(CreateDescriptorPool) SHIM_HOOK(DestroyDescriptorPool)
    SHIM_HOOK(AllocateDescriptorSets) SHIM_HOOK(CreatePipelineLayout)
    SHIM_HOOK(DestroyPipelineLayout) SHIM_HOOK(CreateShaderModule) SHIM_HOOK(DestroyShaderModule)
    SHIM_REPLACE(CreatePipelineCache, create_pipeline_cache) SHIM_HOOK(DestroyPipelineCache) SHIM_HOOK(GetPipelineCacheData)
    SHIM_REPLACE(CreateComputePipelines, create_pipelines) SHIM_HOOK(DestroyPipeline)
};
// clang-format on

PFN_vkVoidFunction ours(const char* name) {
    for (const Entry& entry : kEntries)
        if (entry.name == name) return entry.function;
    return nullptr;
}

PFN_vkVoidFunction VKAPI_CALL of_device(VkDevice device, const char* name) {
    const auto function = ours(name);
    return function ? function : REAL(GetDeviceProcAddr)(device, name);
}

}  // namespace
}  // namespace shim

SHIM_EXPORT shim::Control* shim_control() {
    return &shim::control();
}

SHIM_EXPORT PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                                const char* name) {
    const auto real = shim::real<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
    const auto function = shim::ours(name);
    if (!function) return real(instance, name);
    if (std::string_view(name) == "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR") {
        auto& kept = shim::real_matrix_properties();
        kept = reinterpret_cast<std::remove_reference_t<decltype(kept)>>(real(instance, name));
        if (!kept) return nullptr;
    }
    return function;
}
