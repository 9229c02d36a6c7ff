// SPDX-License-Identifier: MIT
//
// The state behind Engine: object tables, charges and health. Commands are grouped
// by object in context.cpp, buffer.cpp, program.cpp, queue.cpp and event.cpp; each
// follows protocol.md 4.6 paragraph by paragraph, in its order, because a guest can
// observe it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <vector>

#include "engine/object_table.hpp"
#include "engine/policy.hpp"
#include "engine/reply.hpp"
#include "engine/report.hpp"
#include "provider/provider.hpp"
#include "wire/chain.hpp"
#include "wire/config.hpp"
#include "wire/frame.hpp"
#include "wire/request.hpp"

namespace engine {

struct ContextRecord {
    std::unique_ptr<provider::Context> native;
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

    [[nodiscard]] std::uint32_t process(const wire::Chain& chain);
    [[nodiscard]] std::expected<ResetReport, ResetError> reset(std::uint16_t name_space);

    [[nodiscard]] Health health() const { return health_; }
    [[nodiscard]] const provider::Provider& provider() const { return *provider_; }
    [[nodiscard]] const provider::DeviceInfo& device_info() const { return info_; }
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    [[nodiscard]] Counts live() const;

 private:
    // The two sides of the chain being served, for the commands that move bulk data.
    struct Ports {
        wire::Reader& request;
        wire::Writer& response;
    };

    Reply execute(const wire::GetDeviceInfo&, Ports&);
    Reply execute(const wire::CreateContext&, Ports&);
    Reply execute(const wire::DestroyContext&, Ports&);
    Reply execute(const wire::AllocateBuffer&, Ports&);
    Reply execute(const wire::FreeBuffer&, Ports&);
    Reply execute(const wire::WriteBuffer&, Ports&);
    Reply execute(const wire::ReadBuffer&, Ports&);
    Reply execute(const wire::LoadProgram&, Ports&);
    Reply execute(const wire::UnloadProgram&, Ports&);
    Reply execute(const wire::CreateQueue&, Ports&);
    Reply execute(const wire::DestroyQueue&, Ports&);
    Reply execute(const wire::Submit&, Ports&);
    Reply execute(const wire::PollEvent&, Ports&);
    Reply execute(const wire::CancelEvent&, Ports&);
    Reply execute(const wire::DestroyEvent&, Ports&);

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
    template <class Record, class Call>
    Release release_native(Record& record, Call call);
    Release release_context(std::uint32_t index);
    Release release_buffer(std::uint32_t index);
    Release release_program(std::uint32_t index);
    Release release_queue(std::uint32_t index);
    Release release_event(std::uint32_t index);

    // References that an event holds, from before the provider is asked until the
    // event is destroyed.
    void hold(const EventRecord& event);
    void drop(const EventRecord& event);

    wire::Status drop_unpublished(BufferRecord buffer, wire::Status refusal);

    struct ResetPass;
    bool settle(EventRecord& event, ResetPass& pass);
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
    std::uint64_t buffer_charge_ = 0;
    std::uint64_t program_charge_ = 0;
    Counts quarantine_;  // neither provably released nor usable

    Health health_ = Health::Running;
    std::uint16_t name_space_;
    std::optional<ResetReport> discard_report_;  // of the first reset that ended in Discard

    std::vector<wire::Binding> decoded_bindings_;       // scratch of one SUBMIT
    std::vector<provider::Binding> provider_bindings_;  // scratch of one SUBMIT
    Statistics statistics_;
};

}  // namespace engine
