// SPDX-License-Identifier: MIT
#include "engine/engine.hpp"

#include <limits>
#include <optional>

#include "engine/device.hpp"
#include "linux/virtio_accel.h"

namespace engine {

namespace {

CreateError to_create_error(wire::ConfigError error) {
    switch (error) {
        case wire::ConfigError::Version:
            return CreateError::Version;
        case wire::ConfigError::CommandQueueCount:
            return CreateError::CommandQueueCount;
        case wire::ConfigError::ChainDescriptorLimit:
            return CreateError::ChainDescriptorLimit;
        case wire::ConfigError::RequestByteLimit:
            return CreateError::RequestByteLimit;
        case wire::ConfigError::ResponseByteLimit:
            return CreateError::ResponseByteLimit;
    }
    return CreateError::Version;
}

// The order of protocol.md 5.9. Unknown capability bits are fine.
std::optional<CreateError> check(const provider::DeviceInfo& info) {
    if ((info.capabilities & VIRTIO_ACCEL_CAP_RESERVED_MASK) != 0)
        return CreateError::ReservedCapability;
    if ((info.capabilities & VIRTIO_ACCEL_CAP_MEMORY_MASK) == 0) return CreateError::NoMemoryDomain;
    for (const std::uint64_t limit :
         {std::uint64_t{info.max_contexts}, std::uint64_t{info.max_buffers_per_context},
          std::uint64_t{info.max_programs_per_context}, std::uint64_t{info.max_queues_per_context},
          std::uint64_t{info.max_events_per_context},
          std::uint64_t{info.max_bindings_per_submission}, info.max_buffer_bytes,
          info.max_artifact_bytes}) {
        if (limit == 0) return CreateError::ZeroLimit;
    }
    if (info.max_bindings_per_submission > VIRTIO_ACCEL_MAX_BINDINGS)
        return CreateError::BindingLimit;
    // Reference counts and table capacities are 32-bit.
    const auto product_fits = [](std::uint32_t a, std::uint32_t b) {
        return std::uint64_t{a} * b <= std::numeric_limits<std::uint32_t>::max();
    };
    if (!product_fits(info.max_events_per_context, info.max_bindings_per_submission) ||
        !product_fits(info.max_contexts, info.max_buffers_per_context) ||
        !product_fits(info.max_contexts, info.max_programs_per_context) ||
        !product_fits(info.max_contexts, info.max_queues_per_context) ||
        !product_fits(info.max_contexts, info.max_events_per_context))
        return CreateError::CountOverflow;
    return std::nullopt;
}

}  // namespace

std::string_view name(CreateError error) {
    switch (error) {
        case CreateError::Version:
            return "protocol version";
        case CreateError::CommandQueueCount:
            return "number of command queues";
        case CreateError::ChainDescriptorLimit:
            return "descriptor limit";
        case CreateError::RequestByteLimit:
            return "request size limit";
        case CreateError::ResponseByteLimit:
            return "response size limit";
        case CreateError::ZeroNamespace:
            return "object namespace of zero";
        case CreateError::ZeroPolicy:
            return "limit of zero";
        case CreateError::ReservedCapability:
            return "provider advertises a reserved capability";
        case CreateError::NoMemoryDomain:
            return "provider offers no memory domain";
        case CreateError::ZeroLimit:
            return "provider advertises a limit of zero";
        case CreateError::BindingLimit:
            return "provider advertises too many bindings";
        case CreateError::CountOverflow:
            return "provider's limits do not fit 32 bits";
    }
    return "?";
}

std::expected<Engine, CreateError> Engine::create(const wire::Config& config,
                                                  std::unique_ptr<provider::Provider> provider,
                                                  const Policy& policy, std::uint16_t name_space) {
    if (const auto broken = wire::check(config)) return std::unexpected(to_create_error(*broken));
    if (name_space == 0) return std::unexpected(CreateError::ZeroNamespace);
    if (policy.max_buffer_bytes == 0 || policy.max_program_bytes == 0 || policy.max_contexts == 0)
        return std::unexpected(CreateError::ZeroPolicy);
    if (const auto broken = check(provider->device_info())) return std::unexpected(*broken);
    return Engine(std::make_unique<Device>(config, std::move(provider), policy, name_space));
}

Engine::Engine(std::unique_ptr<Device> device) : device_(std::move(device)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

void Engine::serve(Host& host, Ticket ticket, const wire::Chain& chain) {
    device_->serve(host, ticket, chain);
}

void Engine::finish(Host& host, Work work) {
    device_->finish(host, std::move(work));
}

std::uint32_t Engine::working() const {
    return device_->working();
}

std::uint32_t Engine::process(const wire::Chain& chain) {
    struct Synchronous final : Host {
        std::uint32_t used_length = 0;
        std::optional<Work> started;
        void complete(Ticket, std::uint32_t used) override { used_length = used; }
        void start(Work work) override { started.emplace(std::move(work)); }
    } host;
    device_->serve(host, 0, chain);
    while (host.started) {
        Work work = *std::exchange(host.started, std::nullopt);
        work.run();
        device_->finish(host, std::move(work));
    }
    return host.used_length;
}

std::expected<ResetReport, ResetError> Engine::reset(std::uint16_t name_space) {
    return device_->reset(name_space);
}

Health Engine::health() const {
    return device_->health();
}
const provider::DeviceInfo& Engine::device_info() const {
    return device_->device_info();
}
Counts Engine::live() const {
    return device_->live();
}
const Statistics& Engine::statistics() const {
    return device_->statistics();
}
provider::CopyCounters Engine::copy_counters() const {
    return device_->provider().copy_counters();
}

}  // namespace engine
