// SPDX-License-Identifier: MIT
//
// Cases of protocol.md 7.2 that submit nothing.
#include <bit>
#include <format>

#include "conformance/cases.hpp"
#include "conformance/ports.hpp"

namespace conformance {

using provider::DeviceInfo;
using provider::ErrorKind;
using provider::MemoryDomain;

namespace {

// protocol.md 5.9, which an engine holds a provider to.
void require_valid(const DeviceInfo& info) {
    constexpr std::uint64_t kReserved = 1U << 3 | 1U << 4;
    constexpr std::uint64_t kMemory = provider::kCapHostVisibleMemory |
                                      provider::kCapDeviceLocalMemory | provider::kCapSharedMemory;
    require((info.capabilities & kReserved) == 0, "a reserved capability is advertised");
    require((info.capabilities & kMemory) != 0, "there is no memory domain");
    const std::uint64_t limits[] = {
        info.max_contexts,           info.max_buffers_per_context, info.max_programs_per_context,
        info.max_queues_per_context, info.max_events_per_context,  info.max_bindings_per_submission,
        info.max_buffer_bytes,       info.max_artifact_bytes};
    for (const std::uint64_t limit : limits)
        require(limit != 0, "a limit is zero");
    require(info.max_bindings_per_submission <= 4096, "more than 4096 bindings");
    const auto fits = [](std::uint64_t count, std::uint64_t each) {
        require(count * each <= 0xFFFFFFFF, "there can be more objects than 32 bits count");
    };
    fits(info.max_events_per_context, info.max_bindings_per_submission);
    fits(info.max_contexts, info.max_buffers_per_context);
    fits(info.max_contexts, info.max_programs_per_context);
    fits(info.max_contexts, info.max_queues_per_context);
    fits(info.max_contexts, info.max_events_per_context);
}

// A buffer for transfers in this domain says what it is (protocol.md 5.4).
void memory(Bench& bench, MemoryDomain domain, std::uint32_t promised) {
    provider::BufferDesc desc = bench.desc(kTransfers);
    desc.domain = domain;
    const provider::AllocationInfo info = bench.buffer(bench.context(), desc).info();
    require(info.desc == desc, "the description is not the requested one");
    require(info.allocation_bytes >= desc.bytes, "less is allocated than was requested");
    require(std::has_single_bit(info.alignment), "the alignment is no power of two");
    require(info.alignment >= desc.alignment, "the alignment is less than was requested");
    require((info.properties & promised) == promised, "the memory is not what its domain promises");
    require((info.properties >> 3) == 0, "there are unknown properties");
}

Bytes pattern(std::uint64_t bytes) {
    Bytes made(bytes);
    for (std::size_t i = 0; i < made.size(); ++i)
        made[i] = static_cast<std::byte>(7 * i + 1);
    return made;
}

}  // namespace

void stable_metadata(Bench& bench) {
    const DeviceInfo first = bench.provider().device_info();
    require_valid(first);
    require(bench.provider().device_info() == first, "device_info changes");
}

// The first flag bits are reserved for secure contexts and in-order queues, and must not
// be taken for granted.
void reserved_flags(Bench& bench) {
    auto context = bench.provider().create_context(1);
    if (context) bench.own(std::move(*context));
    require_error(context, ErrorKind::Unsupported, "create_context with a flag");
    auto queue = bench.provider().create_queue(bench.context(), 1);
    if (queue) bench.own(std::move(*queue));
    require_error(queue, ErrorKind::Unsupported, "create_queue with a flag");
}

void host_memory(Bench& bench) {
    memory(bench, MemoryDomain::Host, provider::kPropertyHostVisible);
}

void device_memory(Bench& bench) {
    memory(bench, MemoryDomain::Device, provider::kPropertyDeviceLocal);
}

void shared_memory(Bench& bench) {
    memory(bench, MemoryDomain::Shared,
           provider::kPropertyHostVisible | provider::kPropertyDirectBinding);
}

void transfer_bounds(Bench& bench) {
    const provider::BufferDesc desc = bench.desc(kTransfers);
    provider::Buffer& buffer = bench.buffer(bench.context(), desc);
    const Bytes written = pattern(desc.bytes);
    Source source(written);
    value(bench.provider().write_buffer(buffer, 0, source), "write_buffer");
    Sink sink(desc.bytes);
    value(bench.provider().read_buffer(buffer, 0, sink), "read_buffer");
    require(sink.contents() == written, "other bytes are read than were written");

    Source one_more(Bytes(1));
    require_error(bench.provider().write_buffer(buffer, desc.bytes, one_more),
                  ErrorKind::OutOfBounds, "a write behind the end");
    Sink one_less(1);
    require_error(bench.provider().read_buffer(buffer, desc.bytes, one_less),
                  ErrorKind::OutOfBounds, "a read behind the end");
}

void transfer_permissions(Bench& bench) {
    provider::Context& context = bench.context();
    provider::Buffer& source_only =
        bench.buffer(context, bench.desc(provider::kUsageTransferSource));
    provider::Buffer& destination_only =
        bench.buffer(context, bench.desc(provider::kUsageTransferDestination));
    Source source(Bytes(1));
    require_error(bench.provider().write_buffer(source_only, 0, source),
                  ErrorKind::PermissionDenied, "a write without permission");
    Sink sink(1);
    require_error(bench.provider().read_buffer(destination_only, 0, sink),
                  ErrorKind::PermissionDenied, "a read without permission");
}

void artifact_bounds(Bench& bench) {
    provider::Context& context = bench.context();
    bench.load(context);
    Unreadable source(bench.provider().device_info().max_artifact_bytes + 1);
    auto program = bench.provider().load_program(context, bench.target().program, source);
    if (program) bench.own(std::move(*program));
    require_error(program, ErrorKind::ResourceLimit, "too long an artifact");
    require(source.reads() == 0, "too long an artifact is read");
}

// That nothing is live is what every case requires, and all that this one does.
void resource_accounting(Bench&) {}

}  // namespace conformance
