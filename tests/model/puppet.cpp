// SPDX-License-Identifier: MIT
#include "model/puppet.hpp"

#include <algorithm>
#include <cstddef>

#include "model/model.hpp"

namespace model {

namespace {

struct Context final : provider::Context {
    std::uint64_t serial = 0;
};

struct Buffer final : provider::Buffer {
    std::uint64_t serial = 0;
    Bytes contents;
    provider::AllocationInfo description;

    [[nodiscard]] const provider::AllocationInfo& info() const override { return description; }
};

struct Program final : provider::Program {
    std::uint64_t serial = 0;
    std::byte operand{0};
};

struct Queue final : provider::Queue {
    std::uint64_t serial = 0;
};

struct Event final : provider::Event {
    std::uint64_t serial = 0;
    std::byte operand{0};
    std::vector<provider::Binding> bindings;
    provider::EventState state;

    void execute() const {
        for (const provider::Binding& binding : bindings) {
            if (binding.access == provider::Access::Read) continue;
            auto& contents = static_cast<Buffer*>(binding.buffer)->contents;
            run(operand, static_cast<std::uint8_t>(binding.access),
                std::span(contents).subspan(binding.offset, binding.bytes));
        }
    }
};

constexpr std::uint32_t kEveryProperty = provider::kPropertyHostVisible |
                                         provider::kPropertyDeviceLocal |
                                         provider::kPropertyDirectBinding;

}  // namespace

// What became of the object nobody can tell: the guest's side of it is gone either way.
template <class Mine, class T>
provider::ReleaseResult<T> Puppet::release(Op op, std::unique_ptr<T> object) {
    const auto injected = script_.call(op, {static_cast<const Mine&>(*object).serial});
    if (!injected) return provider::Released{};
    if (injected->action == Action::Unknown) return provider::ReleaseUnknown{injected->error};
    return provider::ReleaseRejected<T>{injected->error, std::move(object)};
}

provider::Result<std::unique_ptr<provider::Context>> Puppet::create_context(std::uint32_t flags) {
    if (const auto injected = script_.call(Op::CreateContext, {flags}))
        return std::unexpected(injected->error);
    auto context = std::make_unique<Context>();
    context->serial = ++last_serial_;
    return context;
}

provider::ReleaseResult<provider::Context> Puppet::destroy_context(
    std::unique_ptr<provider::Context> context) {
    return release<Context>(Op::DestroyContext, std::move(context));
}

provider::Result<std::unique_ptr<provider::Buffer>> Puppet::allocate_buffer(
    provider::Context& context, const provider::BufferDesc& desc) {
    const auto injected = script_.call(
        Op::AllocateBuffer, {static_cast<Context&>(context).serial, desc.bytes, desc.alignment,
                             static_cast<std::uint64_t>(desc.domain), desc.usage});
    if (injected && injected->action == Action::Error) return std::unexpected(injected->error);
    auto buffer = std::make_unique<Buffer>();
    buffer->serial = ++last_serial_;
    buffer->contents.resize(desc.bytes);
    buffer->description = {.desc = desc,
                           .allocation_bytes = desc.bytes,
                           .alignment = desc.alignment,
                           .properties = kEveryProperty};
    if (injected && injected->action == Action::Pad)
        buffer->description.allocation_bytes += kPadding;
    if (injected && injected->action == Action::Lie) buffer->description.properties = 0;
    return buffer;
}

provider::ReleaseResult<provider::Buffer> Puppet::free_buffer(
    std::unique_ptr<provider::Buffer> buffer) {
    return release<Buffer>(Op::FreeBuffer, std::move(buffer));
}

provider::Result<void> Puppet::write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                            provider::ByteSource& source) {
    auto& target = static_cast<Buffer&>(buffer);
    const std::uint64_t bytes = source.size();
    const auto injected = script_.call(Op::WriteBuffer, {target.serial, offset, bytes});
    const auto moved = std::span(target.contents).subspan(offset, injected ? bytes / 2 : bytes);
    if (const auto read = source.read(0, moved); !read) return read;
    if (injected) return std::unexpected(injected->error);
    return {};
}

provider::Result<void> Puppet::read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                           provider::ByteSink& sink) {
    auto& origin = static_cast<Buffer&>(buffer);
    const std::uint64_t bytes = sink.size();
    const auto injected = script_.call(Op::ReadBuffer, {origin.serial, offset, bytes});
    const auto moved = std::span(origin.contents).subspan(offset, injected ? bytes / 2 : bytes);
    if (const auto written = sink.write(0, moved); !written) return written;
    if (injected) return std::unexpected(injected->error);
    return {};
}

provider::Result<std::unique_ptr<provider::Program>> Puppet::load_program(
    provider::Context& context, const provider::ProgramDesc& desc, provider::ByteSource& artifact) {
    std::vector<std::uint64_t> arguments{static_cast<Context&>(context).serial, desc.format,
                                         artifact.size(), desc.resident_bytes};
    arguments.insert(arguments.end(), desc.target.begin(), desc.target.end());
    if (const auto injected = script_.call(Op::LoadProgram, std::move(arguments)))
        return std::unexpected(injected->error);
    Bytes bytes(artifact.size());
    if (const auto read = artifact.read(0, bytes); !read) return std::unexpected(read.error());
    auto program = std::make_unique<Program>();
    program->serial = ++last_serial_;
    for (const std::byte byte : bytes)
        program->operand ^= byte;
    return program;
}

provider::ReleaseResult<provider::Program> Puppet::unload_program(
    std::unique_ptr<provider::Program> program) {
    return release<Program>(Op::UnloadProgram, std::move(program));
}

provider::Result<std::unique_ptr<provider::Queue>> Puppet::create_queue(provider::Context& context,
                                                                        std::uint32_t flags) {
    const auto injected =
        script_.call(Op::CreateQueue, {static_cast<Context&>(context).serial, flags});
    if (injected) return std::unexpected(injected->error);
    auto queue = std::make_unique<Queue>();
    queue->serial = ++last_serial_;
    return queue;
}

provider::ReleaseResult<provider::Queue> Puppet::destroy_queue(
    std::unique_ptr<provider::Queue> queue) {
    return release<Queue>(Op::DestroyQueue, std::move(queue));
}

provider::SubmitResult Puppet::submit(provider::Queue& queue, provider::Program& program,
                                      std::span<const provider::Binding> bindings,
                                      std::uint64_t timeout_ns) {
    std::vector<std::uint64_t> arguments{static_cast<Queue&>(queue).serial,
                                         static_cast<Program&>(program).serial, timeout_ns};
    for (const provider::Binding& binding : bindings)
        arguments.insert(arguments.end(),
                         {static_cast<Buffer*>(binding.buffer)->serial, binding.offset,
                          binding.bytes, binding.slot, static_cast<std::uint64_t>(binding.access)});
    const auto injected = script_.call(Op::Submit, std::move(arguments));
    if (injected && injected->action == Action::Error)
        return provider::SubmitRejected{injected->error};
    auto event = std::make_unique<Event>();
    event->serial = ++last_serial_;
    event->operand = static_cast<Program&>(program).operand;
    event->bindings.assign(bindings.begin(), bindings.end());
    if (injected) return provider::SubmitUnknown{injected->error, std::move(event)};
    return provider::Accepted{std::move(event)};
}

provider::Result<provider::EventState> Puppet::poll_event(provider::Event& event) {
    auto& polled = static_cast<Event&>(event);
    const auto injected = script_.call(Op::PollEvent, {polled.serial});
    if (injected && injected->action == Action::Error) return std::unexpected(injected->error);
    if (injected && !polled.state.terminal()) {
        const bool complete = injected->action == Action::Complete;
        polled.state = {complete ? provider::EventPhase::Complete : provider::EventPhase::Failed,
                        injected->error};
        if (complete) polled.execute();
    }
    return polled.state;
}

provider::Result<void> Puppet::cancel_event(provider::Event& event) {
    auto& cancelled = static_cast<Event&>(event);
    if (const auto injected = script_.call(Op::CancelEvent, {cancelled.serial}))
        return std::unexpected(injected->error);
    if (cancelled.state.terminal()) return std::unexpected(ErrorKind::Busy);
    cancelled.state.phase = provider::EventPhase::Cancelled;
    return {};
}

provider::ReleaseResult<provider::Event> Puppet::destroy_event(
    std::unique_ptr<provider::Event> event) {
    return release<Event>(Op::DestroyEvent, std::move(event));
}

}  // namespace model
