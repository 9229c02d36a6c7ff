// SPDX-License-Identifier: MIT
#include "provider/mock/mock.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "provider/bindings.hpp"
#include "provider/guard.hpp"
#include "provider/mock/artifact.hpp"

namespace mock {

using provider::Error;
using provider::ErrorKind;
using provider::EventPhase;

struct Counters {
    std::atomic<std::uint64_t> live_objects{0};
    std::atomic<std::uint64_t> direct_bindings{0};
    std::atomic<std::uint64_t> transfer_bytes{0};
};

namespace {

// Alignments beyond this would cost more address space than any test needs.
constexpr std::uint64_t kMaxAlignment = 1ULL << 20;

struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte[], Free>;

// Zeroed. Small alignments come from calloc, whose fresh pages cost nothing.
Memory allocate(std::uint64_t bytes, std::uint64_t alignment) {
    if (alignment <= alignof(std::max_align_t))
        return Memory(static_cast<std::byte*>(std::calloc(1, bytes)));
    const std::uint64_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
    Memory memory(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
    if (memory) std::memset(memory.get(), 0, rounded);
    return memory;
}

// Shares the counters, because an object may outlive its provider.
class Live {
 public:
    explicit Live(std::shared_ptr<Counters> counters) : counters_(std::move(counters)) {
        ++counters_->live_objects;
    }
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;
    ~Live() { --counters_->live_objects; }

 private:
    std::shared_ptr<Counters> counters_;
};

struct Context final : provider::Context {
    explicit Context(const std::shared_ptr<Counters>& counters) : live(counters) {}
    Live live;
};

struct Buffer final : provider::Buffer {
    Buffer(const std::shared_ptr<Counters>& counters, const Context& parent, Memory storage,
           const provider::AllocationInfo& allocation)
        : live(counters), context(&parent), memory(std::move(storage)), description(allocation) {}

    [[nodiscard]] const provider::AllocationInfo& info() const override { return description; }

    [[nodiscard]] std::span<std::byte> range(std::uint64_t offset, std::uint64_t bytes) const {
        return {memory.get() + offset, bytes};
    }

    Live live;
    const Context* context;
    Memory memory;
    provider::AllocationInfo description;
};

struct Program final : provider::Program {
    Program(const std::shared_ptr<Counters>& counters, const Context& parent,
            const Artifact& operation)
        : live(counters), context(&parent), artifact(operation) {}
    Live live;
    const Context* context;
    Artifact artifact;
};

struct Queue final : provider::Queue {
    Queue(const std::shared_ptr<Counters>& counters, const Context& parent)
        : live(counters), context(&parent) {}
    Live live;
    const Context* context;
};

// Completion and cancellation race for one transition out of Pending.
struct Event final : provider::Event {
    enum class Phase : std::uint8_t { Pending, Executing, Complete, Cancelled };

    explicit Event(const std::shared_ptr<Counters>& counters) : live(counters) {}

    Live live;
    Artifact artifact;
    std::span<std::byte> first;   // the only range, or the source of a copy
    std::span<std::byte> second;  // the destination of a copy
    std::uint32_t pending_polls = kNever;
    std::atomic<Phase> phase = Phase::Pending;

    bool leave_pending(Phase to) {
        Phase expected = Phase::Pending;
        return phase.compare_exchange_strong(expected, to);
    }
    bool complete() {
        if (!leave_pending(Phase::Executing)) return false;
        run();
        phase = Phase::Complete;
        return true;
    }
    void run() const {
        switch (artifact.operation) {
            case Operation::Barrier:
                return;
            case Operation::Copy:
                std::memmove(second.data(), first.data(), first.size());
                return;
            case Operation::Fill:
                std::ranges::fill(first, artifact.operand);
                return;
            case Operation::Xor:
                for (std::byte& byte : first)
                    byte ^= artifact.operand;
                return;
        }
    }
};

std::uint32_t properties(const provider::BufferDesc& desc) {
    switch (desc.domain) {
        case provider::MemoryDomain::Host:
            return provider::kPropertyHostVisible | provider::kPropertyDirectBinding;
        case provider::MemoryDomain::Device:
            return provider::kPropertyDeviceLocal | provider::kPropertyDirectBinding;
        case provider::MemoryDomain::Shared:
            return provider::kPropertyHostVisible | provider::kPropertyDirectBinding;
    }
    return 0;
}

}  // namespace

Provider::Provider(const Options& options)
    : options_(options), counters_(std::make_shared<Counters>()) {
    constexpr std::string_view uuid = "virtio-accelmock";
    std::ranges::copy(uuid, info_.uuid.begin());
    info_.device_class = provider::DeviceClass::Npu;
    info_.capabilities = provider::kCapHostVisibleMemory | provider::kCapDeviceLocalMemory |
                         provider::kCapEventCancellation | provider::kCapSharedMemory;
    info_.max_contexts = 64;
    info_.max_buffers_per_context = 1024;
    info_.max_programs_per_context = 256;
    info_.max_queues_per_context = 16;
    info_.max_events_per_context = 4096;
    info_.max_bindings_per_submission = 256;
    info_.max_buffer_bytes = options.max_buffer_bytes;
    info_.max_artifact_bytes = options.max_artifact_bytes;
}

Provider::~Provider() = default;

bool Provider::complete(provider::Event& event) {
    return static_cast<Event&>(event).complete();
}

std::uint64_t Provider::live_objects() const {
    return counters_->live_objects;
}

const provider::DeviceInfo& Provider::device_info() const {
    return info_;
}

provider::CopyCounters Provider::copy_counters() const {
    return {.direct_bindings = counters_->direct_bindings,
            .explicit_transfer_bytes = counters_->transfer_bytes};
}

provider::Result<std::unique_ptr<provider::Context>> Provider::create_context(std::uint32_t flags) {
    if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
    return provider::make<Context>(counters_);
}

provider::ReleaseResult<provider::Context> Provider::destroy_context(
    std::unique_ptr<provider::Context> context) {
    context.reset();
    return provider::Released{};
}

provider::Result<std::unique_ptr<provider::Buffer>> Provider::allocate_buffer(
    provider::Context& context, const provider::BufferDesc& desc) {
    if (desc.alignment > kMaxAlignment) return std::unexpected(ErrorKind::ResourceLimit);
    Memory memory = allocate(desc.bytes, desc.alignment);
    if (!memory) return std::unexpected(ErrorKind::OutOfMemory);
    return provider::make<Buffer>(counters_, static_cast<Context&>(context), std::move(memory),
                                  provider::AllocationInfo{.desc = desc,
                                                           .allocation_bytes = desc.bytes,
                                                           .alignment = desc.alignment,
                                                           .properties = properties(desc)});
}

provider::ReleaseResult<provider::Buffer> Provider::free_buffer(
    std::unique_ptr<provider::Buffer> buffer) {
    buffer.reset();
    return provider::Released{};
}

provider::Result<void> Provider::write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                              provider::ByteSource& source) {
    auto& target = static_cast<Buffer&>(buffer);
    if ((target.description.desc.usage & provider::kUsageTransferDestination) == 0)
        return std::unexpected(ErrorKind::PermissionDenied);
    if (!provider::within(offset, source.size(), target.description.desc.bytes))
        return std::unexpected(ErrorKind::OutOfBounds);
    counters_->transfer_bytes += source.size();
    return source.read(0, target.range(offset, source.size()));
}

provider::Result<void> Provider::read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                             provider::ByteSink& sink) {
    auto& origin = static_cast<Buffer&>(buffer);
    if ((origin.description.desc.usage & provider::kUsageTransferSource) == 0)
        return std::unexpected(ErrorKind::PermissionDenied);
    if (!provider::within(offset, sink.size(), origin.description.desc.bytes))
        return std::unexpected(ErrorKind::OutOfBounds);
    counters_->transfer_bytes += sink.size();
    return sink.write(0, origin.range(offset, sink.size()));
}

provider::Result<std::unique_ptr<provider::Program>> Provider::load_program(
    provider::Context& context, const provider::ProgramDesc& desc, provider::ByteSource& artifact) {
    if (artifact.size() > info_.max_artifact_bytes)
        return std::unexpected(ErrorKind::ResourceLimit);
    if (desc.format != kFormat) return std::unexpected(ErrorKind::Unsupported);
    if (desc.target != kTarget || desc.resident_bytes != kResidentBytes)
        return std::unexpected(ErrorKind::Incompatible);
    if (artifact.size() != kArtifactBytes) return std::unexpected(ErrorKind::InvalidArgument);
    std::array<std::byte, kArtifactBytes> bytes{};
    if (const auto read = artifact.read(0, bytes); !read) return std::unexpected(read.error());
    const auto decoded = decode(bytes);
    if (!decoded) return std::unexpected(decoded.error());
    return provider::make<Program>(counters_, static_cast<Context&>(context), *decoded);
}

provider::ReleaseResult<provider::Program> Provider::unload_program(
    std::unique_ptr<provider::Program> program) {
    program.reset();
    return provider::Released{};
}

provider::Result<std::unique_ptr<provider::Queue>> Provider::create_queue(
    provider::Context& context, std::uint32_t flags) {
    if (flags != 0) return std::unexpected(ErrorKind::Unsupported);
    return provider::make<Queue>(counters_, static_cast<Context&>(context));
}

provider::ReleaseResult<provider::Queue> Provider::destroy_queue(
    std::unique_ptr<provider::Queue> queue) {
    queue.reset();
    return provider::Released{};
}

provider::SubmitResult Provider::submit(provider::Queue& queue, provider::Program& program,
                                        std::span<const provider::Binding> bindings,
                                        std::uint64_t) {
    const auto rejected = [](ErrorKind kind) { return provider::SubmitRejected{kind}; };
    const Context* context = static_cast<Queue&>(queue).context;
    const auto& loaded = static_cast<Program&>(program);
    const auto buffer = [](const provider::Binding& binding) -> Buffer& {
        return static_cast<Buffer&>(*binding.buffer);
    };

    if (loaded.context != context) return rejected(ErrorKind::InvalidArgument);
    const auto valid = provider::check_bindings(
        bindings, info_.max_bindings_per_submission, [context](const provider::Buffer& b) {
            return static_cast<const Buffer&>(b).context == context;
        });
    if (!valid) return provider::SubmitRejected{valid.error()};
    if (!accepts(loaded.artifact, bindings)) return rejected(ErrorKind::Incompatible);

    auto made = provider::make<Event>(counters_);
    if (!made) return provider::SubmitRejected{made.error()};
    std::unique_ptr<Event> event = std::move(*made);
    event->artifact = loaded.artifact;
    for (const provider::Binding& binding : bindings) {
        const auto range = buffer(binding).range(binding.offset, binding.bytes);
        (binding.slot == loaded.artifact.first_slot ? event->first : event->second) = range;
    }
    const bool held = options_.hold_barriers && loaded.artifact.operation == Operation::Barrier;
    event->pending_polls = held ? kNever : options_.pending_polls;
    counters_->direct_bindings += bindings.size();
    if (event->pending_polls == 0) event->complete();
    return provider::Accepted{std::move(event)};
}

provider::Result<provider::EventState> Provider::poll_event(provider::Event& event) {
    auto& polled = static_cast<Event&>(event);
    if (polled.phase == Event::Phase::Pending && polled.pending_polls != kNever) {
        if (polled.pending_polls == 0) {
            polled.complete();
        } else {
            --polled.pending_polls;
        }
    }
    switch (polled.phase.load()) {
        case Event::Phase::Pending:
        case Event::Phase::Executing:
            return provider::EventState{EventPhase::Pending};
        case Event::Phase::Complete:
            return provider::EventState{EventPhase::Complete};
        case Event::Phase::Cancelled:
            return provider::EventState{EventPhase::Cancelled};
    }
    return std::unexpected(ErrorKind::External);
}

provider::Result<void> Provider::cancel_event(provider::Event& event) {
    if (!static_cast<Event&>(event).leave_pending(Event::Phase::Cancelled))
        return std::unexpected(ErrorKind::Busy);
    return {};
}

provider::ReleaseResult<provider::Event> Provider::destroy_event(
    std::unique_ptr<provider::Event> event) {
    const auto phase = static_cast<Event&>(*event).phase.load();
    if (phase == Event::Phase::Pending || phase == Event::Phase::Executing)
        return provider::ReleaseRejected<provider::Event>{ErrorKind::Busy, std::move(event)};
    event.reset();
    return provider::Released{};
}

}  // namespace mock
