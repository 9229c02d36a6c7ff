// SPDX-License-Identifier: MIT
//
// The state behind Engine: object tables, charges and health. Commands are grouped
// by object in context.cpp, buffer.cpp, program.cpp, queue.cpp and event.cpp; each
// follows protocol.md 4.6 paragraph by paragraph, in its order, because a guest can
// observe it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <vector>

#include "engine/object_table.hpp"
#include "engine/policy.hpp"
#include "engine/reply.hpp"
#include "engine/report.hpp"
#include "engine/task.hpp"
#include "engine/work.hpp"
#include "provider/provider.hpp"
#include "wire/chain.hpp"
#include "wire/config.hpp"
#include "wire/frame.hpp"
#include "wire/request.hpp"

namespace engine {

// Children are counted from the admission of their creation.
struct ContextRecord {
    std::unique_ptr<provider::Context> native;
    bool occupied = false;              // the provider is at work for it
    std::uint64_t occupied_object = 0;  // id of what it works on, if anything
    std::uint32_t buffers = 0;
    std::uint32_t programs = 0;
    std::uint32_t queues = 0;
    std::uint32_t events = 0;

    [[nodiscard]] bool has_children() const {
        return buffers != 0 || programs != 0 || queues != 0 || events != 0;
    }
};

// `references` counts the undestroyed events that use the object, a buffer once for
// each of its bindings. Contexts, queues and programs are named by slot index.
struct BufferRecord {
    std::unique_ptr<provider::Buffer> native;
    std::uint32_t context = 0;
    std::uint32_t references = 0;
    provider::BufferDesc desc;
    std::uint64_t charge = 0;  // actual allocation bytes
};

struct ProgramRecord {
    std::unique_ptr<provider::Program> native;
    std::uint32_t context = 0;
    std::uint32_t references = 0;
    std::uint64_t charge = 0;  // declared resident bytes
};

struct QueueRecord {
    std::unique_ptr<provider::Queue> native;
    std::uint32_t context = 0;
    std::uint32_t references = 0;
};

struct EventRecord {
    std::unique_ptr<provider::Event> native;
    std::uint32_t queue = 0;
    std::uint32_t program = 0;
    std::vector<std::uint32_t> buffers;  // in slot order, with repetitions
};

class Device {
 public:
    Device(const wire::Config& config, std::unique_ptr<provider::Provider> provider,
           const Policy& policy, std::uint16_t name_space);
    // The provider goes first: it settles what still runs, and only then do the
    // objects that were never released disappear (provider.hpp, Release).
    ~Device() { provider_.reset(); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    void serve(Host& host, Ticket ticket, const wire::Chain& chain);
    void finish(Host& host, Work work);
    [[nodiscard]] std::expected<ResetReport, ResetError> reset(std::uint16_t name_space);

    [[nodiscard]] Health health() const { return health_; }
    [[nodiscard]] std::uint32_t working() const { return working_; }
    [[nodiscard]] const provider::Provider& provider() const { return *provider_; }
    [[nodiscard]] const provider::DeviceInfo& device_info() const { return info_; }
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    [[nodiscard]] Counts live() const;

 private:
    // The two sides of the chain being served, for the commands that move bulk data.
    struct Ports {
        wire::Reader request;
        wire::Writer response;
    };
    struct Parked {
        Ticket ticket;
        wire::Chain chain;
        std::uint32_t context;
    };

    void admit(Host& host, Ticket ticket, const wire::Chain& chain);
    template <class Command>
    void begin(Host& host, const Parked& parked, const Origin& origin, const Command& command,
               const Ports& ports);
    void hand_out(Host& host, Work work);
    void answer(Host& host, Ticket ticket, const Origin& origin, wire::Writer& response,
                const Reply& reply);
    [[nodiscard]] bool occupied(std::uint32_t context);
    // The id of the context that an object belongs to, 0 if there is no such object.
    [[nodiscard]] std::uint64_t context_of(std::uint64_t object);

    // Queue commands are answered at once, control commands may take the provider a
    // while (provider.hpp, Threads).
    Reply execute(const wire::GetDeviceInfo&, const Ports&);
    Reply execute(const wire::Submit&, const Ports&);
    Reply execute(const wire::PollEvent&, const Ports&);
    Reply execute(const wire::CancelEvent&, const Ports&);
    Reply execute(const wire::DestroyEvent&, const Ports&);
    Task execute(wire::CreateContext, Ports);
    Task execute(wire::DestroyContext, Ports);
    Task execute(wire::AllocateBuffer, Ports);
    Task execute(wire::FreeBuffer, Ports);
    Task execute(wire::WriteBuffer, Ports);
    Task execute(wire::ReadBuffer, Ports);
    Task execute(wire::LoadProgram, Ports);
    Task execute(wire::UnloadProgram, Ports);
    Task execute(wire::CreateQueue, Ports);
    Task execute(wire::DestroyQueue, Ports);

    // Keeps the control commands of a context apart, and a submission from the object
    // that one of them works on. Lives in a task from admission to commit.
    class Occupation {
     public:
        Occupation(ObjectTable<ContextRecord>& contexts, std::uint32_t context,
                   std::uint64_t object = 0)
            : contexts_(contexts), context_(context) {
            contexts_[context_].occupied = true;
            contexts_[context_].occupied_object = object;
        }
        Occupation(const Occupation&) = delete;
        Occupation& operator=(const Occupation&) = delete;
        ~Occupation() {
            if (!contexts_.contains(context_)) return;  // it was the context that went
            contexts_[context_].occupied = false;
            contexts_[context_].occupied_object = 0;
        }

     private:
        ObjectTable<ContextRecord>& contexts_;
        std::uint32_t context_;
    };

    // The status of a provider's error; DeviceLost also ends this instance.
    wire::Status fail(const provider::Error& error);
    wire::Status discard();

    // What became of a released object. On Released and Unknown its record is gone,
    // on Rejected it is as it was (protocol.md 4.7).
    enum class Outcome : std::uint8_t { Released, Rejected, Unknown };
    struct Release {
        Outcome outcome;
        wire::Status status;  // what the release command answers
    };
    template <class Record, class Native>
    Release settle(Record& record, provider::ReleaseResult<Native> result);
    Release settle_context(std::uint32_t index, provider::ReleaseResult<provider::Context> result);
    Release settle_buffer(std::uint32_t index, provider::ReleaseResult<provider::Buffer> result);
    Release settle_program(std::uint32_t index, provider::ReleaseResult<provider::Program> result);
    Release settle_queue(std::uint32_t index, provider::ReleaseResult<provider::Queue> result);
    Release settle_event(std::uint32_t index, provider::ReleaseResult<provider::Event> result);

    // References that an event holds, from before the provider is asked until the
    // event is destroyed.
    void hold(const EventRecord& event);
    void drop(const EventRecord& event);

    struct ResetPass;
    bool end_event(EventRecord& event, ResetPass& pass);
    template <class Table, class ReleaseOne>
    void reset_kind(Table& table, ResetPass& pass, ReleaseOne release_one);

    wire::Config config_;
    Policy policy_;
    std::unique_ptr<provider::Provider> provider_;
    provider::DeviceInfo info_;
    wire::DecodeLimits limits_;

    ObjectTable<ContextRecord> contexts_;
    ObjectTable<BufferRecord> buffers_;
    ObjectTable<ProgramRecord> programs_;
    ObjectTable<QueueRecord> queues_;
    ObjectTable<EventRecord> events_;
    std::uint64_t buffer_charge_ = 0;  // requested bytes while an allocation is under way
    std::uint64_t program_charge_ = 0;
    Counts quarantine_;  // neither provably released nor usable

    Health health_ = Health::Running;
    std::uint16_t name_space_;
    std::optional<ResetReport> discard_report_;  // of the first reset that ended in Discard

    std::uint32_t working_ = 0;  // Works handed out and not given back
    std::deque<Parked> parked_;  // in order of arrival

    std::vector<wire::Binding> decoded_bindings_;       // scratch of one SUBMIT
    std::vector<provider::Binding> provider_bindings_;  // scratch of one SUBMIT
    Statistics statistics_;
};

}  // namespace engine
