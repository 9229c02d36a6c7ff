// SPDX-License-Identifier: MIT
//
// The provider contract: what the command engine asks of an accelerator.
//
// The engine owns identity, counting, policy and teardown; a provider owns native
// resources and tells the truth about them. A provider never sees a frame, an
// object id, a guest address or a descriptor.
//
// To implement one, derive Provider and the five classes of objects, and run
// tests/conformance on it.
//
// Ownership. Contexts, buffers, programs, queues and events are owned by the caller
// through unique_ptr. A provider may static_cast what it is handed: it only ever gets its
// own objects, alive and never null. Spans, ports and descriptions given to a call are lent
// until it returns. A context lives as long as what was made in it, and a queue, a program
// and a buffer as long as every event that was submitted with them.
//
// Release is explicit. The five release calls consume the owner; a refusal gives
// the same live object back. When a provider cannot tell whether a release took
// effect it says ReleaseUnknown, and nobody may use the object again. Destructors
// are not protocol events: objects that were never released are destroyed after the
// provider itself, whose destructor has settled whatever still used them. They must
// stand that, in any order.
//
// Threads. A provider is called by one thread at a time for one context and all that was
// made in it, and may be called by several threads at once for different contexts. The
// thread may be another each time; the caller sees to it that one call happens before the
// next. device_info(), create_context() and copy_counters() may overlap with anything.
// Ports are used on the calling thread alone. Calls never wait for another call or for
// the guest.
//
// Blocking. Creation, allocation, transfer, load and release may block for
// synchronous work of their own. submit() checks and admits; it does not compile,
// stage or wait. poll_event() and cancel_event() return at once and allocate
// nothing. Work goes on without being polled.
//
// Errors are values. No exception leaves a provider. A failed create has retained
// nothing. Errors of a port are handed on as they are. DeviceLost means that the provider
// can no longer be used: the engine makes no further call and discards the instance.
//
// Checks. The caller has checked ids, quotas, ranges and permissions; a provider repeats
// those that this file gives an error to, because it is also used without an engine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "provider/bytes.hpp"
#include "provider/error.hpp"

namespace provider {

enum class DeviceClass : std::uint16_t { Other = 0, Npu = 1, Gpu = 2, Dsp = 3 };

enum class MemoryDomain : std::uint8_t {
    Host = 1,    // host-preferred
    Device = 2,  // device-preferred
    Shared = 3,  // one allocation, host-visible and directly bindable
};

// Masks are plain integers, as they are on the wire (protocol.md 1.7).
inline constexpr std::uint64_t kCapHostVisibleMemory = 1U << 0;
inline constexpr std::uint64_t kCapDeviceLocalMemory = 1U << 1;
inline constexpr std::uint64_t kCapEventCancellation = 1U << 2;
inline constexpr std::uint64_t kCapSharedMemory = 1U << 5;

inline constexpr std::uint32_t kUsageTransferSource = 1U << 0;       // may be read by the host
inline constexpr std::uint32_t kUsageTransferDestination = 1U << 1;  // may be written by the host
inline constexpr std::uint32_t kUsageProgramInput = 1U << 2;
inline constexpr std::uint32_t kUsageProgramOutput = 1U << 3;
inline constexpr std::uint32_t kUsageMutableState = 1U << 4;

inline constexpr std::uint32_t kPropertyHostVisible = 1U << 0;
inline constexpr std::uint32_t kPropertyDeviceLocal = 1U << 1;
inline constexpr std::uint32_t kPropertyDirectBinding = 1U << 2;

enum class Access : std::uint8_t { Read = 1, Write = 2, ReadWrite = 3 };

// Constant for the life of a provider instance. At least one memory capability is set and
// none of bits 3 and 4, which are reserved; every limit is nonzero. No more than 4096
// bindings, and no product of max_contexts, or of the bindings, with what one context may
// hold is beyond 32 bits (protocol.md 5.9).
struct DeviceInfo {
    std::array<std::uint8_t, 16> uuid{};  // of the accelerator, the same in every process
    DeviceClass device_class = DeviceClass::Other;
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    std::uint64_t capabilities = 0;
    std::uint32_t max_contexts = 0;
    std::uint32_t max_buffers_per_context = 0;
    std::uint32_t max_programs_per_context = 0;
    std::uint32_t max_queues_per_context = 0;
    std::uint32_t max_events_per_context = 0;  // events not yet destroyed
    std::uint32_t max_bindings_per_submission = 0;
    std::uint64_t max_buffer_bytes = 0;    // of one buffer
    std::uint64_t max_artifact_bytes = 0;  // of one artifact

    friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;
};

struct BufferDesc {
    std::uint64_t bytes = 0;      // 1..max_buffer_bytes
    std::uint64_t alignment = 1;  // a power of two
    MemoryDomain domain = MemoryDomain::Host;
    std::uint32_t usage = 0;  // nonempty mask of kUsage*

    friend bool operator==(const BufferDesc&, const BufferDesc&) = default;
};

// What was really allocated (protocol.md 5.4): `desc` equals the request,
// allocation_bytes and alignment are at least what it asks for, domain Host
// implies host-visible, Device implies device-local, Shared implies host-visible
// and direct-binding, and any program usage implies direct-binding.
struct AllocationInfo {
    BufferDesc desc;
    std::uint64_t allocation_bytes = 0;
    std::uint64_t alignment = 1;
    std::uint32_t properties = 0;  // mask of kProperty*
};

// Twelve opaque words that name the exact target of an artifact.
using Target = std::array<std::uint32_t, 12>;

struct ProgramDesc {
    std::uint32_t format = 0;
    Target target{};
    std::uint64_t resident_bytes = 0;  // ceiling on what may be retained for the program
};

class Context {
 public:
    virtual ~Context() = default;
};

class Buffer {
 public:
    virtual ~Buffer() = default;
    [[nodiscard]] virtual const AllocationInfo& info() const = 0;
};

class Program {
 public:
    virtual ~Program() = default;
};

class Queue {
 public:
    virtual ~Queue() = default;
};

class Event {
 public:
    virtual ~Event() = default;
};

// A nonempty range of a buffer. A submission's bindings come in ascending slot order and
// are used in place: the bound bytes are never copied to or from other storage. One buffer
// may be bound several times, and by several events that are pending.
struct Binding {
    Buffer* buffer = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint32_t slot = 0;
    Access access = Access::Read;
};

struct Released {};
struct ReleaseUnknown {
    Error error;
};
template <class T>
struct ReleaseRejected {
    Error error;
    std::unique_ptr<T> resource;  // the same object, live; the release may be tried again
};
template <class T>
using ReleaseResult = std::variant<Released, ReleaseRejected<T>, ReleaseUnknown>;

struct Accepted {
    std::unique_ptr<Event> event;  // never null
};
struct SubmitRejected {
    Error error;  // nothing was accepted, nothing is retained
};
// Acceptance cannot be excluded: the event owns the work as if it were accepted.
struct SubmitUnknown {
    Error error;
    std::unique_ptr<Event> event;  // never null
};
using SubmitResult = std::variant<Accepted, SubmitRejected, SubmitUnknown>;

enum class EventPhase : std::uint8_t { Pending, Complete, Failed, Cancelled };

// Once an event has left Pending, every later poll that succeeds says the same.
struct EventState {
    EventPhase phase = EventPhase::Pending;
    Error error = ErrorKind::External;  // meaningful when Failed

    [[nodiscard]] bool terminal() const { return phase != EventPhase::Pending; }
    [[nodiscard]] bool lost() const {
        return phase == EventPhase::Failed && error.kind == ErrorKind::DeviceLost;
    }
};

// Cumulative for the instance. Any nonzero staged count is a defect.
struct CopyCounters {
    std::uint64_t direct_bindings = 0;         // bound on the exact allocation
    std::uint64_t staged_direct_bindings = 0;  // copied through a temporary instead
    std::uint64_t staged_direct_bytes = 0;
    std::uint64_t explicit_transfer_bytes = 0;  // by read_buffer and write_buffer
};

class Provider {
 public:
    virtual ~Provider() = default;
    Provider() = default;
    Provider(const Provider&) = delete;
    Provider& operator=(const Provider&) = delete;

    [[nodiscard]] virtual const DeviceInfo& device_info() const = 0;
    [[nodiscard]] virtual CopyCounters copy_counters() const = 0;

    // More objects than device_info() promises may be refused with ResourceLimit, here and
    // in every call that makes one.
    //
    // Nonzero flags are Unsupported, here and in create_queue().
    [[nodiscard]] virtual Result<std::unique_ptr<Context>> create_context(std::uint32_t flags) = 0;
    [[nodiscard]] virtual ReleaseResult<Context> destroy_context(std::unique_ptr<Context>) = 0;

    // The contents of a new buffer are zero. A buffer with program usage that could
    // not be bound in place is refused here, never staged later. A domain whose capability
    // is not advertised is Unsupported, an alignment that cannot be had ResourceLimit or
    // Incompatible.
    [[nodiscard]] virtual Result<std::unique_ptr<Buffer>> allocate_buffer(Context&,
                                                                          const BufferDesc&) = 0;
    [[nodiscard]] virtual ReleaseResult<Buffer> free_buffer(std::unique_ptr<Buffer>) = 0;

    // Moves exactly size() bytes of the port, from or to `offset` on. No pending event
    // uses the range, but events that have ended may. Usage without transfer-destination
    // (-source) is PermissionDenied, a range that does not fit OutOfBounds. A failed write
    // may have changed part of the range; a failed read leaves the buffer alone and the
    // sink undefined. Memory that the host cannot reach may be staged here, and only here.
    [[nodiscard]] virtual Result<void> write_buffer(Buffer&, std::uint64_t offset, ByteSource&) = 0;
    [[nodiscard]] virtual Result<void> read_buffer(Buffer&, std::uint64_t offset, ByteSink&) = 0;

    // All compiling happens here. A source longer than max_artifact_bytes is
    // ResourceLimit, and is not read. A format that the provider does not have is
    // Unsupported, another target Incompatible, a program that needs more than
    // resident_bytes ResourceLimit, an artifact that breaks its own rules InvalidArgument.
    [[nodiscard]] virtual Result<std::unique_ptr<Program>> load_program(Context&,
                                                                        const ProgramDesc&,
                                                                        ByteSource&) = 0;
    [[nodiscard]] virtual ReleaseResult<Program> unload_program(std::unique_ptr<Program>) = 0;

    [[nodiscard]] virtual Result<std::unique_ptr<Queue>> create_queue(Context&,
                                                                      std::uint32_t flags) = 0;
    [[nodiscard]] virtual ReleaseResult<Queue> destroy_queue(std::unique_ptr<Queue>) = 0;

    // Rejects with: objects of another context InvalidArgument, a range outside its
    // buffer OutOfBounds, an empty list or too many bindings ResourceLimit, a repeated slot
    // InvalidArgument, access against usage PermissionDenied, bindings that the program
    // does not take Incompatible (bindings.hpp checks most of this), a range that pending
    // work holds Busy, unless the provider orders the two.
    //
    // `timeout_ns` runs from admission; 0 is no limit; a provider that cannot keep a finite
    // one rejects with DeadlineExpired. An event that misses it may end as
    // Failed(DeadlineExpired), once nothing of it touches the buffers any more.
    [[nodiscard]] virtual SubmitResult submit(Queue&, Program&, std::span<const Binding>,
                                              std::uint64_t timeout_ns) = 0;

    // An error says nothing about the event, which keeps its state. Once an event is seen
    // to have ended, the buffers that it was submitted with hold its results.
    [[nodiscard]] virtual Result<EventState> poll_event(Event&) = 0;

    // Success: the event is or will be Cancelled, with nothing known of the contents of
    // what it writes. Busy: it had ended, or was cancelled, before.
    // Unsupported only where kCapEventCancellation is not advertised.
    [[nodiscard]] virtual Result<void> cancel_event(Event&) = 0;

    // A pending event is rejected with Busy, and one that no poll has seen end may be.
    [[nodiscard]] virtual ReleaseResult<Event> destroy_event(std::unique_ptr<Event>) = 0;
};

}  // namespace provider
