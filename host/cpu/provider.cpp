// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>

#include "cpu/cpu.hpp"
#include "cpu/load.hpp"
#include "cpu/objects.hpp"
#include "provider/bindings.hpp"
#include "provider/guard.hpp"

namespace cpu {
namespace {

using provider::ErrorKind;
using provider::guarded;
using provider::Released;
using provider::ReleaseRejected;
using provider::ReleaseResult;
using provider::Result;
using provider::SubmitRejected;
using provider::SubmitResult;

// Larger alignments cost memory that nobody gains from.
constexpr std::uint64_t kMaxAlignment = std::uint64_t{2} << 20;

constexpr provider::DeviceInfo kDeviceInfo{
    .uuid = {'v', 'i', 'r', 't', 'i', 'o', '-', 'a', 'c', 'c', 'e', 'l', '-', 'c', 'p', 'u'},
    .device_class = provider::DeviceClass::Other,
    .capabilities = provider::kCapHostVisibleMemory | provider::kCapEventCancellation |
                    provider::kCapSharedMemory,
    .max_contexts = 32,
    .max_buffers_per_context = 4096,
    .max_programs_per_context = 256,
    .max_queues_per_context = 64,
    .max_events_per_context = 1024,
    .max_bindings_per_submission = 64,
    .max_artifact_bytes = std::uint64_t{256} << 20,
};

std::uint64_t steady_nanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// Ends an object that nothing depends on, and takes it off its context's account.
template <class Object, class T>
ReleaseResult<T> release(std::unique_ptr<T> resource, std::uint32_t ContextObject::* count) {
    --(static_cast<Object&>(*resource).context.*count);
    return Released{};
}

class CpuProvider final : public provider::Provider {
 public:
    explicit CpuProvider(const Options& options)
        : options_(options), info_(kDeviceInfo), pool_(options.threads) {
        options_.threads = pool_.threads();
        info_.max_buffer_bytes = options_.max_buffer_bytes;
        if (!options_.now) options_.now = steady_nanoseconds;
    }

    // Contexts, buffers and programs that were never released outlive us, so their
    // workers must stop touching them here.
    ~CpuProvider() override {
        for (const auto& lane : lanes_)
            lane->stop();
    }

    [[nodiscard]] const provider::DeviceInfo& device_info() const override { return info_; }

    [[nodiscard]] provider::CopyCounters copy_counters() const override {
        return {.direct_bindings = direct_bindings_, .explicit_transfer_bytes = transfer_bytes_};
    }

    [[nodiscard]] Result<std::unique_ptr<provider::Context>> create_context(
        std::uint32_t flags) override {
        if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
        return guarded([&]() -> Result<std::unique_ptr<provider::Context>> {
            const std::scoped_lock lock(lanes_mutex_);
            if (lanes_.size() >= info_.max_contexts)
                return std::unexpected(ErrorKind::ResourceLimit);
            pool_.start();
            lanes_.reserve(lanes_.size() + 1);
            auto lane = std::make_shared<Lane>(options_, pool_, info_.max_events_per_context);
            auto context = std::make_unique<ContextObject>(lane);
            lanes_.push_back(std::move(lane));
            return context;
        });
    }

    [[nodiscard]] ReleaseResult<provider::Context> destroy_context(
        std::unique_ptr<provider::Context> context) override {
        const auto& object = static_cast<const ContextObject&>(*context);
        if (!object.childless())
            return ReleaseRejected<provider::Context>{ErrorKind::Busy, std::move(context)};
        object.lane().stop();
        const std::scoped_lock lock(lanes_mutex_);
        std::erase_if(lanes_, [&](const auto& lane) { return lane.get() == &object.lane(); });
        return Released{};
    }

    [[nodiscard]] Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
        provider::Context& context, const provider::BufferDesc& desc) override;
    [[nodiscard]] ReleaseResult<provider::Buffer> free_buffer(
        std::unique_ptr<provider::Buffer> buffer) override {
        return release<BufferObject>(std::move(buffer), &ContextObject::buffers);
    }

    [[nodiscard]] Result<void> write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                            provider::ByteSource& source) override {
        const auto range =
            transfer_range(buffer, provider::kUsageTransferDestination, offset, source.size());
        if (!range) return std::unexpected(range.error());
        return source.read(0, *range).transform([&] { transfer_bytes_ += range->size(); });
    }

    [[nodiscard]] Result<void> read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                           provider::ByteSink& sink) override {
        const auto range =
            transfer_range(buffer, provider::kUsageTransferSource, offset, sink.size());
        if (!range) return std::unexpected(range.error());
        return sink.write(0, *range).transform([&] { transfer_bytes_ += range->size(); });
    }

    [[nodiscard]] Result<std::unique_ptr<provider::Program>> load_program(
        provider::Context& context, const provider::ProgramDesc& desc,
        provider::ByteSource& source) override {
        auto& owner = static_cast<ContextObject&>(context);
        if (source.size() > info_.max_artifact_bytes ||
            owner.programs >= info_.max_programs_per_context)
            return std::unexpected(ErrorKind::ResourceLimit);
        return guarded([&]() -> Result<std::unique_ptr<provider::Program>> {
            auto program = load(owner, desc, source, options_);
            if (!program) return std::unexpected(program.error());
            ++owner.programs;
            return std::move(*program);
        });
    }

    [[nodiscard]] ReleaseResult<provider::Program> unload_program(
        std::unique_ptr<provider::Program> program) override {
        return release<ProgramObject>(std::move(program), &ContextObject::programs);
    }

    [[nodiscard]] Result<std::unique_ptr<provider::Queue>> create_queue(
        provider::Context& context, std::uint32_t flags) override {
        auto& owner = static_cast<ContextObject&>(context);
        if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
        if (owner.queues >= info_.max_queues_per_context)
            return std::unexpected(ErrorKind::ResourceLimit);
        return guarded([&]() -> Result<std::unique_ptr<provider::Queue>> {
            auto queue = std::make_unique<QueueObject>(owner);
            ++owner.queues;
            return queue;
        });
    }

    [[nodiscard]] ReleaseResult<provider::Queue> destroy_queue(
        std::unique_ptr<provider::Queue> queue) override {
        return release<QueueObject>(std::move(queue), &ContextObject::queues);
    }

    [[nodiscard]] SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                      std::span<const provider::Binding> bindings,
                                      std::uint64_t timeout_ns) override;

    [[nodiscard]] Result<provider::EventState> poll_event(provider::Event& event) override {
        auto& object = static_cast<EventObject&>(event);
        return object.context.lane().poll(object.job);
    }

    [[nodiscard]] Result<void> cancel_event(provider::Event& event) override {
        auto& object = static_cast<EventObject&>(event);
        return object.context.lane().cancel(object.job);
    }

    [[nodiscard]] ReleaseResult<provider::Event> destroy_event(
        std::unique_ptr<provider::Event> event) override {
        auto& object = static_cast<EventObject&>(*event);
        if (!object.context.lane().retire(object.job))
            return ReleaseRejected<provider::Event>{ErrorKind::Busy, std::move(event)};
        return release<EventObject>(std::move(event), &ContextObject::events);
    }

 private:
    [[nodiscard]] static Result<std::span<std::byte>> transfer_range(provider::Buffer& buffer,
                                                                     std::uint32_t usage,
                                                                     std::uint64_t offset,
                                                                     std::uint64_t bytes) {
        const auto& object = static_cast<const BufferObject&>(buffer);
        const provider::BufferDesc& desc = object.about.desc;
        if ((desc.usage & usage) == 0) return std::unexpected(ErrorKind::PermissionDenied);
        if (!provider::within(offset, bytes, desc.bytes))
            return std::unexpected(ErrorKind::OutOfBounds);
        return std::span(object.memory.data() + offset, bytes);
    }

    // From admission, which is now. A sum past the end of time is no limit.
    [[nodiscard]] std::uint64_t deadline(std::uint64_t timeout_ns) const {
        const std::uint64_t now = options_.now();
        return timeout_ns == 0 || timeout_ns > kNoDeadline - now ? kNoDeadline : now + timeout_ns;
    }

    Options options_;
    provider::DeviceInfo info_;
    std::atomic<std::uint64_t> direct_bindings_ = 0;
    std::atomic<std::uint64_t> transfer_bytes_ = 0;
    Pool pool_;
    std::mutex lanes_mutex_;
    std::vector<std::shared_ptr<Lane>> lanes_;  // one a context
};

Result<std::unique_ptr<provider::Buffer>> CpuProvider::allocate_buffer(
    provider::Context& context, const provider::BufferDesc& desc) {
    auto& owner = static_cast<ContextObject&>(context);
    if (desc.bytes == 0 || desc.usage == 0 || !std::has_single_bit(desc.alignment))
        return std::unexpected(ErrorKind::InvalidArgument);
    if (desc.domain != provider::MemoryDomain::Host &&
        desc.domain != provider::MemoryDomain::Shared)
        return std::unexpected(ErrorKind::Unsupported);
    if (desc.bytes > info_.max_buffer_bytes || desc.alignment > kMaxAlignment ||
        owner.buffers >= info_.max_buffers_per_context)
        return std::unexpected(ErrorKind::ResourceLimit);

    return guarded([&]() -> Result<std::unique_ptr<provider::Buffer>> {
        auto buffer = std::make_unique<BufferObject>(
            owner,
            provider::AllocationInfo{
                .desc = desc,
                .allocation_bytes = (desc.bytes + kCacheLine - 1) / kCacheLine * kCacheLine,
                .alignment = std::max<std::uint64_t>(desc.alignment, kCacheLine),
                .properties = provider::kPropertyHostVisible | provider::kPropertyDirectBinding});
        ++owner.buffers;
        return buffer;
    });
}

SubmitResult CpuProvider::submit(provider::Queue& queue, provider::Program& program,
                                 std::span<const provider::Binding> bindings,
                                 std::uint64_t timeout_ns) {
    ContextObject& context = static_cast<QueueObject&>(queue).context;
    auto& loaded = static_cast<ProgramObject&>(program);
    if (&loaded.context != &context) return SubmitRejected{ErrorKind::InvalidArgument};
    const auto valid = provider::check_bindings(
        bindings, info_.max_bindings_per_submission, [&](const provider::Buffer& buffer) {
            return &static_cast<const BufferObject&>(buffer).context == &context;
        });
    if (!valid) return SubmitRejected{valid.error()};
    if (!provider::fits(bindings, loaded.plan.slots))
        return SubmitRejected{ErrorKind::Incompatible};
    if (context.events >= info_.max_events_per_context)
        return SubmitRejected{ErrorKind::ResourceLimit};

    auto event = guarded([&]() -> Result<std::unique_ptr<EventObject>> {
        std::vector<std::byte*> slots;
        slots.reserve(bindings.size());
        for (const provider::Binding& binding : bindings)
            slots.push_back(static_cast<BufferObject&>(*binding.buffer).memory.data() +
                            binding.offset);
        return std::make_unique<EventObject>(
            context, loaded.plan, std::move(slots), loaded.arena.data(),
            Scratch{loaded.scratch.data(), loaded.plan.scratch_bytes}, deadline(timeout_ns));
    });
    if (!event) return SubmitRejected{event.error()};
    ++context.events;
    direct_bindings_ += bindings.size();
    context.lane().submit((*event)->job);
    return provider::Accepted{std::move(*event)};
}

}  // namespace

std::expected<std::unique_ptr<provider::Provider>, std::string> open(const Options& options) {
    if (options.max_buffer_bytes == 0 || options.max_program_bytes == 0)
        return std::unexpected("the limits on a buffer and on a program must not be zero");
    try {
        return std::make_unique<CpuProvider>(options);
    } catch (const std::bad_alloc&) {
        return std::unexpected("out of memory");
    }
}

}  // namespace cpu
