// SPDX-License-Identifier: MIT
#include "vulkan/provider.hpp"

#include <algorithm>
#include <bit>
#include <format>
#include <new>

#include "provider/bindings.hpp"
#include "provider/guard.hpp"
#include "vulkan/self_test.hpp"

namespace vulkan {
namespace {

using provider::AllocationInfo;
using provider::BufferDesc;
using provider::guarded;
using provider::Released;
using provider::ReleaseRejected;
using provider::ReleaseResult;

constexpr std::uint64_t kArtifactBytes = 256ULL << 20;
constexpr std::uint32_t kEveryUsage =
    provider::kUsageTransferSource | provider::kUsageTransferDestination | provider::kUsageProgram;

std::uint64_t largest_buffer(const Kernels& kernels) {
    const PhysicalDevice& physical = kernels.device().physical();
    std::uint64_t heap = 0;
    for (std::uint32_t i = 0; i < physical.memory.memoryHeapCount; ++i)
        heap = std::max<std::uint64_t>(heap, physical.memory.memoryHeaps[i].size);
    return std::min<std::uint64_t>(
               {kernels.grid().max_range, physical.max_allocation_bytes, heap}) &
           ~std::uint64_t{3};
}

provider::DeviceInfo describe(const Kernels& kernels) {
    const Device& device = kernels.device();
    const PhysicalDevice& physical = device.physical();
    std::uint64_t capabilities = provider::kCapHostVisibleMemory | provider::kCapDeviceLocalMemory;
    if (device.memory(MemoryDomain::Shared)) capabilities |= provider::kCapSharedMemory;
    return {
        .uuid = physical.description.uuid,
        .device_class = physical.description.type == DeviceType::Cpu ? provider::DeviceClass::Other
                                                                     : provider::DeviceClass::Gpu,
        .vendor_id = physical.vendor_id,
        .device_id = physical.device_id,
        .capabilities = capabilities,
        .max_contexts = kContexts,
        .max_buffers_per_context = kBuffersPerContext,
        .max_programs_per_context = kProgramsPerContext,
        .max_queues_per_context = kQueuesPerContext,
        .max_events_per_context = kEventsPerContext,
        .max_bindings_per_submission = kernels.grid().elements - 1,
        .max_buffer_bytes = largest_buffer(kernels),
        .max_artifact_bytes = kArtifactBytes,
    };
}

AllocationInfo allocation_info(const BufferDesc& desc, const Storage& storage) {
    std::uint32_t properties = provider::kPropertyDirectBinding;
    if (storage.memory().mapped) properties |= provider::kPropertyHostVisible;
    if (storage.memory().device_local) properties |= provider::kPropertyDeviceLocal;
    return {.desc = desc,
            .allocation_bytes = storage.allocation_bytes(),
            .alignment = storage.alignment(),
            .properties = properties};
}

// The artifact and the graph that borrows it are gone when this returns.
Result<std::shared_ptr<const Executable>> build(ContextState& state,
                                                const provider::ProgramDesc& desc,
                                                provider::ByteSource& source,
                                                const provider::ProgramRefused& refused) {
    const auto artifact = provider::read_tosa(
        desc, source, [](const tosa::Target& target) { return tosa::within(target, kTarget); },
        refused);
    if (!artifact) return std::unexpected(artifact.error());
    const tosa::Graph& graph = artifact->graph;
    if (const std::string why = provider::beyond_one_block(graph); !why.empty()) {
        if (refused) refused(why);
        return std::unexpected(ErrorKind::Unsupported);
    }
    const Grid& grid = state.kernels->grid();
    const auto lowering = lower(graph, grid);
    if (!lowering) return std::unexpected(lowering.error());
    const auto plan = schedule(*lowering, grid);
    if (!plan) return std::unexpected(plan.error());
    return Executable::create(state.kernels, state.transfer, *plan, desc.resident_bytes);
}

}  // namespace

VulkanProvider::VulkanProvider(std::shared_ptr<Kernels> kernels,
                               provider::ProgramRefused program_refused)
    : kernels_(std::move(kernels)),
      info_(describe(*kernels_)),
      program_refused_(std::move(program_refused)) {}

provider::CopyCounters VulkanProvider::copy_counters() const {
    return {.direct_bindings = direct_bindings_, .explicit_transfer_bytes = transferred_bytes_};
}

template <class T>
ReleaseResult<T> VulkanProvider::release(std::unique_ptr<T> object, bool busy) const {
    if (device().lost()) return ReleaseRejected<T>{ErrorKind::DeviceLost, std::move(object)};
    if (busy) return ReleaseRejected<T>{ErrorKind::Busy, std::move(object)};
    object.reset();
    return Released{};
}

Result<std::unique_ptr<provider::Context>> VulkanProvider::create_context(std::uint32_t flags) {
    if (device().lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
    return guarded([&]() -> Result<std::unique_ptr<provider::Context>> {
        auto counted = contexts_.take();
        if (!counted) return std::unexpected(ErrorKind::ResourceLimit);
        auto state = ContextState::create(kernels_);
        if (!state) return std::unexpected(state.error());
        return std::make_unique<Context>(std::move(*state), std::move(*counted));
    });
}

ReleaseResult<provider::Context> VulkanProvider::destroy_context(
    std::unique_ptr<provider::Context> context) {
    const bool busy = static_cast<const Context&>(*context).state->has_children();
    return release(std::move(context), busy);
}

Result<void> VulkanProvider::check_desc(const BufferDesc& desc) const {
    if (desc.bytes == 0 || !std::has_single_bit(desc.alignment) || desc.usage == 0 ||
        (desc.usage & ~kEveryUsage) != 0)
        return std::unexpected(ErrorKind::InvalidArgument);
    if (desc.bytes > info_.max_buffer_bytes) return std::unexpected(ErrorKind::ResourceLimit);
    return {};
}

Result<std::unique_ptr<provider::Buffer>> VulkanProvider::allocate_buffer(
    provider::Context& context, const BufferDesc& desc) {
    ContextState& state = *static_cast<Context&>(context).state;
    if (device().lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (auto valid = check_desc(desc); !valid) return std::unexpected(valid.error());
    return guarded([&]() -> Result<std::unique_ptr<provider::Buffer>> {
        auto counted = state.buffers.take();
        if (!counted) return std::unexpected(ErrorKind::ResourceLimit);
        auto storage = Storage::allocate(kernels_->shared_device(), desc.domain, desc.bytes);
        if (!storage) return std::unexpected(storage.error());
        const AllocationInfo info = allocation_info(desc, **storage);
        if (info.alignment < desc.alignment) return std::unexpected(ErrorKind::Incompatible);
        if (auto zeroed = state.transfer.zero(**storage); !zeroed)
            return std::unexpected(zeroed.error());
        return std::make_unique<Buffer>(static_cast<Context&>(context).state, std::move(*counted),
                                        std::move(*storage), info);
    });
}

ReleaseResult<provider::Buffer> VulkanProvider::free_buffer(
    std::unique_ptr<provider::Buffer> buffer) {
    const bool busy = !static_cast<const Buffer&>(*buffer).storage->gate.can_exclude();
    return release(std::move(buffer), busy);
}

Result<void> VulkanProvider::write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                          provider::ByteSource& source) {
    auto& to = static_cast<Buffer&>(buffer);
    if (device().lost()) return std::unexpected(ErrorKind::DeviceLost);
    if ((to.allocation.desc.usage & provider::kUsageTransferDestination) == 0)
        return std::unexpected(ErrorKind::PermissionDenied);
    if (!provider::within(offset, source.size(), to.allocation.desc.bytes))
        return std::unexpected(ErrorKind::OutOfBounds);
    if (!to.storage->gate.can_exclude()) return std::unexpected(ErrorKind::Busy);
    transferred_bytes_ += source.size();
    return to.state->transfer.write(*to.storage, offset, source);
}

Result<void> VulkanProvider::read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                         provider::ByteSink& sink) {
    auto& from = static_cast<Buffer&>(buffer);
    if (device().lost()) return std::unexpected(ErrorKind::DeviceLost);
    if ((from.allocation.desc.usage & provider::kUsageTransferSource) == 0)
        return std::unexpected(ErrorKind::PermissionDenied);
    if (!provider::within(offset, sink.size(), from.allocation.desc.bytes))
        return std::unexpected(ErrorKind::OutOfBounds);
    if (!from.storage->gate.can_share()) return std::unexpected(ErrorKind::Busy);
    transferred_bytes_ += sink.size();
    return from.state->transfer.read(*from.storage, offset, sink);
}

Result<std::unique_ptr<provider::Program>> VulkanProvider::load_program(
    provider::Context& context, const provider::ProgramDesc& desc, provider::ByteSource& source) {
    const auto& state = static_cast<Context&>(context).state;
    if (device().lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (source.size() > kArtifactBytes) return std::unexpected(ErrorKind::ResourceLimit);
    return guarded([&]() -> Result<std::unique_ptr<provider::Program>> {
        auto counted = state->programs.take();
        if (!counted) return std::unexpected(ErrorKind::ResourceLimit);
        auto executable = build(*state, desc, source, program_refused_);
        if (!executable) return std::unexpected(executable.error());
        return std::make_unique<Program>(state, std::move(*counted), std::move(*executable));
    });
}

ReleaseResult<provider::Program> VulkanProvider::unload_program(
    std::unique_ptr<provider::Program> program) {
    const bool busy = static_cast<const Program&>(*program).events.in_use();
    return release(std::move(program), busy);
}

Result<std::unique_ptr<provider::Queue>> VulkanProvider::create_queue(provider::Context& context,
                                                                      std::uint32_t flags) {
    const auto& state = static_cast<Context&>(context).state;
    if (device().lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
    return guarded([&]() -> Result<std::unique_ptr<provider::Queue>> {
        auto counted = state->queues.take();
        if (!counted) return std::unexpected(ErrorKind::ResourceLimit);
        return std::make_unique<Queue>(state, std::move(*counted));
    });
}

ReleaseResult<provider::Queue> VulkanProvider::destroy_queue(
    std::unique_ptr<provider::Queue> queue) {
    const bool busy = static_cast<const Queue&>(*queue).events.in_use();
    return release(std::move(queue), busy);
}

ReleaseResult<provider::Event> VulkanProvider::destroy_event(
    std::unique_ptr<provider::Event> event) {
    const bool pending = !static_cast<const Event&>(*event).outcome.terminal();
    return release(std::move(event), pending);
}

std::expected<std::unique_ptr<provider::Provider>, std::string> open(const Options& options) {
    auto instance = Instance::create(options);
    if (!instance) return std::unexpected(instance.error());
    auto device =
        (*instance)
            ->devices()
            .and_then([&](const auto& found) { return choose(found, options); })
            .and_then([&](const auto& chosen) { return Device::open(*instance, chosen, options); });
    if (!device) return std::unexpected(device.error());
    auto kernels = Kernels::create(std::move(*device), options.cache_directory);
    if (!kernels)
        return std::unexpected(
            std::format("the provider's kernels cannot be made: {}", name(kernels.error().kind)));
    if (!options.self_test)
        return std::make_unique<VulkanProvider>(std::move(*kernels), options.program_refused);
    return trusted_kernels(std::move(*kernels), options).transform([&](auto trusted) {
        return std::make_unique<VulkanProvider>(std::move(trusted), options.program_refused);
    });
}

}  // namespace vulkan
