// SPDX-License-Identifier: MIT
#include "vulkan/api.hpp"

#include <algorithm>

#include <dlfcn.h>

namespace vulkan {

void Library::Close::operator()(void* handle) const {
    dlclose(handle);
}

std::expected<Library, std::string> Library::open(const std::string& loader) {
    Library library;
    library.handle_.reset(
        dlopen(loader.empty() ? "libvulkan.so.1" : loader.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library.handle_) {
        const char* why = dlerror();
        return std::unexpected(std::string("no Vulkan loader: ") + (why ? why : "unknown"));
    }
    library.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
        dlsym(library.handle_.get(), "vkGetInstanceProcAddr"));
    if (!library.GetInstanceProcAddr)
        return std::unexpected("what should be the Vulkan loader is none");

    bool complete = true;
#define VULKAN_LOAD(name)                                                                        \
    library.api.name =                                                                           \
        reinterpret_cast<PFN_vk##name>(library.GetInstanceProcAddr(VK_NULL_HANDLE, "vk" #name)); \
    complete = complete && library.api.name;
    VULKAN_GLOBAL_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
    if (!complete) return std::unexpected("the Vulkan loader is older than Vulkan 1.1");
    return library;
}

bool has(const std::vector<VkExtensionProperties>& extensions, std::string_view wanted) {
    return std::ranges::any_of(extensions,
                               [&](const auto& e) { return wanted == e.extensionName; });
}

bool load(const Library& library, VkInstance instance, InstanceApi& api) {
    bool complete = true;
#define VULKAN_LOAD(name)                                                                         \
    api.name = reinterpret_cast<PFN_vk##name>(library.GetInstanceProcAddr(instance, "vk" #name)); \
    complete = complete && api.name;
    VULKAN_INSTANCE_FUNCTIONS(VULKAN_LOAD)
    const bool enough = complete;
    VULKAN_OPTIONAL_INSTANCE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
    return enough;
}

bool load(PFN_vkGetDeviceProcAddr lookup, VkDevice device, DeviceApi& api) {
    bool complete = true;
#define VULKAN_LOAD(name)                                                  \
    api.name = reinterpret_cast<PFN_vk##name>(lookup(device, "vk" #name)); \
    complete = complete && api.name;
    VULKAN_DEVICE_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
    return complete;
}

}  // namespace vulkan
