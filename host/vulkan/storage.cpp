// SPDX-License-Identifier: MIT
#include "vulkan/storage.hpp"

#include <algorithm>
#include <bit>

namespace vulkan {
namespace {

std::uint64_t alignment_of(std::uint64_t address) {
    constexpr std::uint64_t kLargest = 1ULL << 30;  // that we would claim
    return std::uint64_t{1} << std::countr_zero(address | kLargest);
}

}  // namespace

Result<std::shared_ptr<Storage>> Storage::allocate(std::shared_ptr<Device> device,
                                                   MemoryDomain domain, std::uint64_t bytes) {
    const auto choice = device->memory(domain);
    if (!choice) return std::unexpected(ErrorKind::Unsupported);
    std::shared_ptr<Storage> storage(
        new Storage(std::move(device)));  // NOLINT: private constructor
    if (auto bound = storage->bind(*choice, (bytes + 3) & ~std::uint64_t{3}); !bound)
        return std::unexpected(bound.error());
    if (choice->mapped) {
        if (auto mapped = storage->map(); !mapped) return std::unexpected(mapped.error());
    }
    return storage;
}

Result<void> Storage::bind(MemoryChoice choice, std::uint64_t bytes) {
    const DeviceApi& api = device_->api();
    memory_choice_ = choice;
    bytes_ = bytes;
    const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                  .size = bytes,
                                  .usage = device_->buffer_usage()};
    auto buffer = device_->make(api.CreateBuffer, api.DestroyBuffer, info);
    if (!buffer) return std::unexpected(buffer.error());

    VkMemoryRequirements requirements{};
    api.GetBufferMemoryRequirements(device_->handle(), buffer->get(), &requirements);
    const bool addressed = device_->physical().buffer_device_address;
    const VkMemoryAllocateFlagsInfo addressable{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .pNext = addressed ? &addressable : nullptr,
                                        .allocationSize = requirements.size,
                                        .memoryTypeIndex = choice.type};
    auto memory = device_->make(api.AllocateMemory, api.FreeMemory, allocate);
    if (!memory) return std::unexpected(memory.error());
    if (const VkResult result =
            api.BindBufferMemory(device_->handle(), buffer->get(), memory->get(), 0);
        result != VK_SUCCESS)
        return device_->fail(result);

    const VkBufferDeviceAddressInfo where{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = buffer->get()};
    alignment_ = addressed ? alignment_of(api.GetBufferDeviceAddress(device_->handle(), &where))
                           : requirements.alignment;
    allocation_bytes_ = requirements.size;
    memory_ = std::move(*memory);
    buffer_ = std::move(*buffer);
    return {};
}

Result<void> Storage::map() {
    void* address = nullptr;
    if (const VkResult result = device_->api().MapMemory(device_->handle(), memory_.get(), 0,
                                                         VK_WHOLE_SIZE, 0, &address);
        result != VK_SUCCESS)
        return device_->fail(result);
    mapped_ = {static_cast<std::byte*>(address), bytes_};
    if (!device_->physical().buffer_device_address)
        alignment_ = alignment_of(reinterpret_cast<std::uintptr_t>(address));
    std::ranges::fill(mapped_, std::byte{0});
    return {};
}

}  // namespace vulkan
