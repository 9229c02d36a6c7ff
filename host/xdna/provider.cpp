// SPDX-License-Identifier: MIT
#include "xdna/provider.hpp"

#include <algorithm>
#include <bit>

#include "provider/guard.hpp"
#include "xdna/program.hpp"

namespace xdna {
namespace {

using provider::AllocationInfo;
using provider::BufferDesc;
using provider::guarded;
using provider::Released;
using provider::ReleaseRejected;
using provider::ReleaseResult;

constexpr std::uint32_t kEveryUsage =
    provider::kUsageTransferSource | provider::kUsageTransferDestination | provider::kUsageProgram;

// What the array's DMA moves (providers.md 4.5).
constexpr std::uint64_t kWord = 4;

provider::DeviceInfo describe(const NpuDescription& npu) {
    return {
        .uuid = {'a', 'm', 'd', '.', 'x', 'd', 'n', 'a', '.', 'n', 'p', 'u'},
        .device_class = provider::DeviceClass::Npu,
        .vendor_id = npu.vendor_id,
        .device_id = npu.device_id,
        .capabilities = provider::kCapHostVisibleMemory | provider::kCapSharedMemory,
        .max_contexts = 64,
        .max_buffers_per_context = 1024,
        .max_programs_per_context = 64,
        .max_queues_per_context = 64,
        .max_events_per_context = 4096,
        .max_bindings_per_submission = 256,
        .max_buffer_bytes = 16ULL << 30,
        .max_artifact_bytes = 256ULL << 20,
    };
}

// As far as the address tells.
std::uint64_t alignment_of(const void* address) {
    return std::uint64_t{1} << std::countr_zero(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace

XdnaProvider::XdnaProvider(std::shared_ptr<Npu> npu, std::unique_ptr<dispatch::Lane> lane,
                           std::shared_ptr<Quarantine> quarantine, Options options)
    : options_(std::move(options)),
      npu_(std::move(npu)),
      quarantine_(std::move(quarantine)),
      pool_(npu_, quarantine_),
      info_(describe(npu_->description())),
      lane_(std::move(lane)) {}

// Everything else may be destroyed only when it is known whether the device is wedged, and
// when the lane has let go of what it can. It keeps the rest, without us.
XdnaProvider::~XdnaProvider() {
    static_cast<void>(look());
    lane_.reset();
}

provider::CopyCounters XdnaProvider::copy_counters() const {
    return {.direct_bindings = direct_bindings_, .explicit_transfer_bytes = transferred_bytes_};
}

dispatch::Census XdnaProvider::look() {
    const dispatch::Census census = lane_->census();
    if (census.wedged) quarantine_->begin();
    return census;
}

bool XdnaProvider::lost() {
    const dispatch::Census census = look();
    if (census.poisoned || census.wedged) lose(census.wedged);
    return lost_;
}

void XdnaProvider::lose(bool wedged) {
    if (!lost_.exchange(true) && options_.device_lost) options_.device_lost(wedged);
}

std::unexpected<Error> XdnaProvider::failed(Error error) {
    if (error.kind == ErrorKind::DeviceLost) lose(look().wedged);
    return std::unexpected(error);
}

// `count` is the context's, which outlives the object.
template <class T>
ReleaseResult<T> XdnaProvider::release(std::unique_ptr<T> object, dispatch::Gate& gate,
                                       std::uint32_t& count) {
    static_cast<void>(look());
    auto result = dispatch::release(std::move(object), gate);
    if (std::holds_alternative<Released>(result)) --count;
    return result;
}

Result<std::unique_ptr<provider::Context>> XdnaProvider::create_context(std::uint32_t flags) {
    if (lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
    return guarded([&]() -> Result<std::unique_ptr<provider::Context>> {
        auto context = std::make_unique<ContextObject>();
        if (contexts_.fetch_add(1) < info_.max_contexts) return context;
        --contexts_;
        return std::unexpected(ErrorKind::ResourceLimit);
    });
}

ReleaseResult<provider::Context> XdnaProvider::destroy_context(
    std::unique_ptr<provider::Context> context) {
    if (!static_cast<const ContextObject&>(*context).childless())
        return ReleaseRejected<provider::Context>{ErrorKind::Busy, std::move(context)};
    --contexts_;
    return Released{};
}

Result<void> XdnaProvider::check_desc(const BufferDesc& desc) const {
    if (desc.bytes == 0 || !std::has_single_bit(desc.alignment) || desc.usage == 0 ||
        (desc.usage & ~kEveryUsage) != 0)
        return std::unexpected(ErrorKind::InvalidArgument);
    if (desc.domain != provider::MemoryDomain::Host &&
        desc.domain != provider::MemoryDomain::Shared)
        return std::unexpected(ErrorKind::Unsupported);
    if (desc.bytes > info_.max_buffer_bytes) return std::unexpected(ErrorKind::ResourceLimit);
    return {};
}

Result<std::unique_ptr<provider::Buffer>> XdnaProvider::allocate_buffer(provider::Context& context,
                                                                        const BufferDesc& desc) {
    auto& owner = static_cast<ContextObject&>(context);
    if (lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (auto valid = check_desc(desc); !valid) return std::unexpected(valid.error());
    if (owner.buffers >= info_.max_buffers_per_context)
        return std::unexpected(ErrorKind::ResourceLimit);
    return guarded([&]() -> Result<std::unique_ptr<provider::Buffer>> {
        auto memory = npu_->allocate((desc.bytes + kWord - 1) / kWord * kWord);
        if (!memory) return failed(memory.error());
        const std::span<std::byte> bytes = (*memory)->bytes();
        const AllocationInfo info{
            .desc = desc,
            .allocation_bytes = bytes.size(),
            .alignment = alignment_of(bytes.data()),
            .properties = provider::kPropertyHostVisible | provider::kPropertyDirectBinding};
        auto storage = std::make_shared<Storage>(std::move(*memory), quarantine_);
        if (info.alignment < desc.alignment) return std::unexpected(ErrorKind::Incompatible);
        auto buffer = std::make_unique<BufferObject>(owner, std::move(storage), info);
        ++owner.buffers;
        return buffer;
    });
}

ReleaseResult<provider::Buffer> XdnaProvider::free_buffer(
    std::unique_ptr<provider::Buffer> buffer) {
    const auto& object = static_cast<const BufferObject&>(*buffer);
    const auto storage = object.storage;
    return release(std::move(buffer), storage->gate, object.context.buffers);
}

// A run in flight has its buffers to itself. So no line of the cache that a sync of one
// range writes back or drops has bytes in it that somebody else is changing.
Result<Storage*> XdnaProvider::open_transfer(provider::Buffer& buffer, std::uint32_t usage,
                                             std::uint64_t offset, std::uint64_t bytes) {
    const auto& object = static_cast<const BufferObject&>(buffer);
    if (lost()) return std::unexpected(ErrorKind::DeviceLost);
    if ((object.about.desc.usage & usage) == 0) return std::unexpected(ErrorKind::PermissionDenied);
    if (!provider::within(offset, bytes, object.about.desc.bytes))
        return std::unexpected(ErrorKind::OutOfBounds);
    if (object.storage->gate.in_use()) return std::unexpected(ErrorKind::Busy);
    return object.storage.get();
}

// What a source that fails has left behind goes to the device as well: host and device see
// the same bytes of a buffer that no run uses.
Result<void> XdnaProvider::write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                        provider::ByteSource& source) {
    const std::uint64_t bytes = source.size();
    const auto to = open_transfer(buffer, provider::kUsageTransferDestination, offset, bytes);
    if (!to) return std::unexpected(to.error());
    if (bytes == 0) return {};
    const Native<Memory>& memory = (*to)->memory;
    const auto read = source.read(0, memory->bytes().subspan(offset, bytes));
    const auto synced = memory->to_device(offset, bytes);
    if (!synced) return failed(synced.error());
    if (!read) return read;
    transferred_bytes_ += bytes;
    return {};
}

Result<void> XdnaProvider::read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                       provider::ByteSink& sink) {
    const std::uint64_t bytes = sink.size();
    const auto from = open_transfer(buffer, provider::kUsageTransferSource, offset, bytes);
    if (!from) return std::unexpected(from.error());
    if (bytes == 0) return {};
    const Native<Memory>& memory = (*from)->memory;
    if (auto synced = memory->from_device(offset, bytes); !synced) return failed(synced.error());
    return sink.write(0, memory->bytes().subspan(offset, bytes)).transform([&] {
        transferred_bytes_ += bytes;
    });
}

Result<std::unique_ptr<provider::Program>> XdnaProvider::load_program(
    provider::Context& context, const provider::ProgramDesc& desc, provider::ByteSource& source) {
    if (lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (source.size() > info_.max_artifact_bytes) return std::unexpected(ErrorKind::ResourceLimit);
    return guarded([&]() -> Result<std::unique_ptr<provider::Program>> {
        const auto binary = find_binary(desc, source, options_);
        if (!binary) return std::unexpected(binary.error());
        return load_binary(context, *binary, desc.resident_bytes);
    });
}

std::optional<Binary> XdnaProvider::ready(const Spec& spec) {
    if (!options_.store) return std::nullopt;
    auto found = options_.store->find(spec, Effort::Look);
    if (!found) return std::nullopt;
    return std::move(*found);
}

Result<std::unique_ptr<provider::Program>> XdnaProvider::load_binary(provider::Context& context,
                                                                     const Binary& binary,
                                                                     std::uint64_t resident_bytes) {
    auto& owner = static_cast<ContextObject&>(context);
    const std::uint64_t needed = binary.xclbin.size() + std::span(binary.instructions).size_bytes();
    if (needed > resident_bytes || owner.programs >= info_.max_programs_per_context)
        return std::unexpected(ErrorKind::ResourceLimit);
    return guarded([&]() -> Result<std::unique_ptr<provider::Program>> {
        auto kernel = load_kernel(*npu_, pool_, quarantine_, binary);
        if (!kernel) {
            pool_.trim();
            return failed(kernel.error());
        }
        auto program = std::make_unique<ProgramObject>(owner, std::move(*kernel));
        ++owner.programs;
        return program;
    });
}

ReleaseResult<provider::Program> XdnaProvider::unload_program(
    std::unique_ptr<provider::Program> program) {
    const auto& object = static_cast<const ProgramObject&>(*program);
    auto kernel = object.kernel;
    auto result = release(std::move(program), kernel->gate, object.context.programs);
    kernel.reset();
    pool_.trim();
    return result;
}

Result<std::unique_ptr<provider::Queue>> XdnaProvider::create_queue(provider::Context& context,
                                                                    std::uint32_t flags) {
    auto& owner = static_cast<ContextObject&>(context);
    if (lost()) return std::unexpected(ErrorKind::DeviceLost);
    if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
    if (owner.queues >= info_.max_queues_per_context)
        return std::unexpected(ErrorKind::ResourceLimit);
    return guarded([&]() -> Result<std::unique_ptr<provider::Queue>> {
        auto queue = std::make_unique<QueueObject>(owner);
        ++owner.queues;
        return queue;
    });
}

ReleaseResult<provider::Queue> XdnaProvider::destroy_queue(std::unique_ptr<provider::Queue> queue) {
    const auto& object = static_cast<const QueueObject&>(*queue);
    const auto gate = object.gate;
    return release(std::move(queue), *gate, object.context.queues);
}

}  // namespace xdna
