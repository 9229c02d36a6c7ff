// SPDX-License-Identifier: MIT
//
// Providers with one defect each.
#pragma once

#include <utility>
#include <vector>

#include "conformance/forwarding.hpp"

namespace conformance {

using provider::ErrorKind;
using provider::Result;

struct UnstableInfo : Forwarding {
    using Forwarding::Forwarding;
    mutable provider::DeviceInfo info;
    const provider::DeviceInfo& device_info() const override {
        const auto called = info.max_contexts;
        info = Forwarding::device_info();
        info.max_contexts = called + 1;
        return info;
    }
};

struct ReservedCapability : Forwarding {
    explicit ReservedCapability(provider::Provider& inner)
        : Forwarding(inner), info(inner.device_info()) {
        info.capabilities |= 1U << 4;
    }
    provider::DeviceInfo info;
    const provider::DeviceInfo& device_info() const override { return info; }
};

struct ContextFlagsIgnored : Forwarding {
    using Forwarding::Forwarding;
    Result<std::unique_ptr<provider::Context>> create_context(std::uint32_t) override {
        return Forwarding::create_context(0);
    }
};

struct QueueFlagsIgnored : Forwarding {
    using Forwarding::Forwarding;
    Result<std::unique_ptr<provider::Queue>> create_queue(provider::Context& context,
                                                          std::uint32_t) override {
        return Forwarding::create_queue(context, 0);
    }
};

// Rounds up what it says was asked for.
struct DifferentDescription : Forwarding {
    using Forwarding::Forwarding;
    Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
        provider::Context& context, const provider::BufferDesc& desc) override {
        provider::BufferDesc rounded = desc;
        if (desc.domain == provider::MemoryDomain::Host) rounded.alignment *= 2;
        return Forwarding::allocate_buffer(context, rounded);
    }
};

// Gives other memory than that of the domain.
template <provider::MemoryDomain kDomain, std::uint32_t kProperty>
struct MissingProperty : Forwarding {
    using Forwarding::Forwarding;
    Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
        provider::Context& context, const provider::BufferDesc& desc) override {
        auto made = Forwarding::allocate_buffer(context, desc);
        if (made && desc.domain == kDomain)
            const_cast<provider::AllocationInfo&>((*made)->info()).properties &= ~kProperty;
        return made;
    }
};
using DeviceMemoryElsewhere =
    MissingProperty<provider::MemoryDomain::Device, provider::kPropertyDeviceLocal>;
using SharedMemoryUnbindable =
    MissingProperty<provider::MemoryDomain::Shared, provider::kPropertyDirectBinding>;

// An error of a transfer that is not passed on.
template <ErrorKind kKind>
struct SwallowedError : Forwarding {
    using Forwarding::Forwarding;
    Result<void> write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                              provider::ByteSource& source) override {
        return without(Forwarding::write_buffer(buffer, offset, source));
    }
    static Result<void> without(Result<void> result) {
        return !result && result.error().kind == kKind ? Result<void>() : result;
    }
};
using BoundsSwallowed = SwallowedError<ErrorKind::OutOfBounds>;
using PermissionSwallowed = SwallowedError<ErrorKind::PermissionDenied>;

struct WrongArtifactLimitError : Forwarding {
    using Forwarding::Forwarding;
    Result<std::unique_ptr<provider::Program>> load_program(provider::Context& context,
                                                            const provider::ProgramDesc& desc,
                                                            provider::ByteSource& source) override {
        if (source.size() > device_info().max_artifact_bytes)
            return std::unexpected(ErrorKind::InvalidArgument);
        return Forwarding::load_program(context, desc, source);
    }
};

struct TooLongArtifactRead : Forwarding {
    using Forwarding::Forwarding;
    Result<std::unique_ptr<provider::Program>> load_program(provider::Context& context,
                                                            const provider::ProgramDesc& desc,
                                                            provider::ByteSource& source) override {
        std::byte first{};
        static_cast<void>(source.read(0, std::span(&first, 1)));
        return Forwarding::load_program(context, desc, source);
    }
};

struct ExtraBindingsDropped : Forwarding {
    using Forwarding::Forwarding;
    provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                  std::span<const provider::Binding> bindings,
                                  std::uint64_t timeout_ns) override {
        return Forwarding::submit(queue, program, bindings.first(bindings.empty() ? 0 : 1),
                                  timeout_ns);
    }
};

struct AcceptedSaidRejected : Forwarding {
    using Forwarding::Forwarding;
    ~AcceptedSaidRejected() override {
        for (auto& event : events) {
            static_cast<void>(Forwarding::cancel_event(*event));
            static_cast<void>(Forwarding::destroy_event(std::move(event)));
        }
    }
    std::vector<std::unique_ptr<provider::Event>> events;
    provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                  std::span<const provider::Binding> bindings,
                                  std::uint64_t timeout_ns) override {
        auto result = Forwarding::submit(queue, program, bindings, timeout_ns);
        auto* accepted = std::get_if<provider::Accepted>(&result);
        if (!accepted) return result;
        events.push_back(std::move(accepted->event));
        return provider::SubmitRejected{ErrorKind::External};
    }
};

struct HiddenStaging : Forwarding {
    using Forwarding::Forwarding;
    provider::CopyCounters copy_counters() const override {
        auto counters = Forwarding::copy_counters();
        counters.staged_direct_bytes = 8 * counters.direct_bindings;
        return counters;
    }
};

struct WrongIsolationError : Forwarding {
    using Forwarding::Forwarding;
    provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                  std::span<const provider::Binding> bindings,
                                  std::uint64_t timeout_ns) override {
        auto result = Forwarding::submit(queue, program, bindings, timeout_ns);
        auto* rejected = std::get_if<provider::SubmitRejected>(&result);
        const bool repeated_slot = bindings.size() > 1;
        if (rejected && rejected->error.kind == ErrorKind::InvalidArgument && !repeated_slot)
            rejected->error = ErrorKind::PermissionDenied;
        return result;
    }
};

struct TerminalStateRegresses : Forwarding {
    using Forwarding::Forwarding;
    bool told = false;
    Result<provider::EventState> poll_event(provider::Event& event) override {
        auto state = Forwarding::poll_event(event);
        if (state && state->terminal() && std::exchange(told, true)) return provider::EventState{};
        return state;
    }
};

struct PendingEventDestroyed : Forwarding {
    using Forwarding::Forwarding;
    provider::ReleaseResult<provider::Event> destroy_event(
        std::unique_ptr<provider::Event> event) override {
        static_cast<void>(Forwarding::cancel_event(*event));
        return Forwarding::destroy_event(std::move(event));
    }
};

struct TimeoutSaidBusy : Forwarding {
    using Forwarding::Forwarding;
    provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                  std::span<const provider::Binding> bindings,
                                  std::uint64_t timeout_ns) override {
        if (timeout_ns != 0) return provider::SubmitRejected{ErrorKind::Busy};
        return Forwarding::submit(queue, program, bindings, timeout_ns);
    }
};

struct CancelUnsupported : Forwarding {
    using Forwarding::Forwarding;
    Result<void> cancel_event(provider::Event&) override {
        return std::unexpected(ErrorKind::Unsupported);
    }
};

struct CancelIgnored : Forwarding {
    using Forwarding::Forwarding;
    Result<void> cancel_event(provider::Event&) override { return {}; }
};

// Keeps every buffer that it says is released.
struct BuffersLeaked : Forwarding {
    using Forwarding::Forwarding;
    std::vector<std::unique_ptr<provider::Buffer>> buffers;
    provider::ReleaseResult<provider::Buffer> free_buffer(
        std::unique_ptr<provider::Buffer> buffer) override {
        buffers.push_back(std::move(buffer));
        return provider::Released{};
    }
};

// Has a context before anybody asks for one.
struct NotFresh : Forwarding {
    explicit NotFresh(provider::Provider& inner)
        : Forwarding(inner), context(*inner.create_context(0)) {}
    std::unique_ptr<provider::Context> context;
};

// Refuses each first release, which is its right.
struct ReleaseRetried : Forwarding {
    using Forwarding::Forwarding;
    bool refuse = true;
    provider::ReleaseResult<provider::Buffer> free_buffer(
        std::unique_ptr<provider::Buffer> buffer) override {
        if (std::exchange(refuse, !refuse))
            return provider::ReleaseRejected<provider::Buffer>{ErrorKind::Busy, std::move(buffer)};
        return Forwarding::free_buffer(std::move(buffer));
    }
};

// Does not know what became of a release. Asked again it would, but nobody may.
struct ReleaseInDoubt : Forwarding {
    using Forwarding::Forwarding;
    std::vector<std::unique_ptr<provider::Context>> contexts;
    provider::ReleaseResult<provider::Context> destroy_context(
        std::unique_ptr<provider::Context> context) override {
        contexts.push_back(std::move(context));
        return provider::ReleaseUnknown{ErrorKind::External};
    }
};

}  // namespace conformance
