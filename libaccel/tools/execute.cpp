// SPDX-License-Identifier: MIT
#include "execute.hpp"

#include <cerrno>

namespace accelctl {

namespace {

std::unexpected<std::string> failure_to(std::string_view what, const accel::Error& error) {
    return failure("cannot {}: {}", what, error.message());
}

std::unexpected<std::string> load_failure(const Job& job, const accel::Error& error) {
    switch (error.code) {
        case EOPNOTSUPP:
            return failure(
                "the device's provider does not run this model: it uses an operator, a type or a "
                "form that the provider does not have");
        case ENOEXEC:
            return failure("the device's provider does not offer what this model is made for: {}",
                           job.model.target_name());
        case EINVAL:
            return failure("the device's provider finds this model malformed");
        case ENOSPC:
            return failure(
                "the model is over a limit of the device: its {} bytes, or the {} bytes that it "
                "may keep resident (see --resident)",
                job.artifact.size(), job.resident_bytes);
        default:
            return failure_to("load the model", error);
    }
}

// One job's buffers, inputs first, in the order of the binding slots.
struct Buffers {
    std::vector<accel::Buffer> all;
    std::vector<accel::Binding> bindings;
};

Outcome<Buffers> create_buffers(const accel::Context& context, accel::Domain domain,
                                const Model& model) {
    using enum accel::Usage;
    Buffers buffers;
    const auto create = [&](const Tensor& tensor, accel::Usage usage) -> Outcome<void> {
        auto buffer =
            context.create_buffer({.size = tensor.bytes, .domain = domain, .usage = usage});
        if (!buffer)
            return failure_to(
                fmt::format("create a buffer of {} bytes for '{}'", tensor.bytes, tensor.name),
                buffer.error());
        buffers.all.push_back(std::move(*buffer));
        return {};
    };
    for (const Tensor& input : model.inputs)
        if (auto done = create(input, TransferDestination | ProgramInput); !done)
            return std::unexpected(done.error());
    for (const Tensor& output : model.outputs)
        if (auto done = create(output, TransferSource | ProgramOutput); !done)
            return std::unexpected(done.error());

    for (std::size_t i = 0; i < buffers.all.size(); ++i)
        buffers.bindings.push_back(
            {.buffer = &buffers.all[i],
             .slot = static_cast<std::uint32_t>(i),
             .access = i < model.inputs.size() ? accel::Access::Read : accel::Access::Write,
             .offset = 0,
             .size = buffers.all[i].size()});
    return buffers;
}

// Submits and waits; after that the buffers can be read.
Outcome<void> run_to_end(const accel::Queue& queue, const accel::Program& program,
                         std::span<const accel::Binding> bindings,
                         std::chrono::nanoseconds timeout) {
    // The device is told the same limit, so that it does not work on for nobody.
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    const auto submission = queue.submit(program, bindings, {.timeout = timeout});
    if (!submission) return failure_to("submit", submission.error());
    const auto& event = submission->event;

    const auto state = event.wait(deadline);
    if (!state) return failure_to("wait", state.error());
    switch (state->phase) {
        case accel::EventState::Phase::Pending:
            (void)event.cancel();  // if the device can; the driver releases it in any case
            return failure("not finished after {} s (see --timeout)",
                           std::chrono::duration<double>(timeout).count());
        case accel::EventState::Phase::Failed:
            return failure("the execution failed: {}", accel::name(state->status));
        case accel::EventState::Phase::Cancelled:
            return failure("the execution was cancelled");
        case accel::EventState::Phase::Complete:
            break;
    }
    return {};
}

template <class Byte, class Transfer>
accel::Result<void> transfer_all(std::span<Byte> bytes, Transfer transfer) {
    for (std::size_t done = 0; done < bytes.size();) {
        const auto more = transfer(done, bytes.subspan(done));
        if (!more) return std::unexpected(more.error());
        if (*more == 0) return std::unexpected(accel::Error{EIO, "transfer"});
        done += *more;
    }
    return {};
}

}  // namespace

accel::Domain preferred_domain(const accel::DeviceInfo& info) {
    if (info.has(accel::Capability::SharedMemory)) return accel::Domain::Shared;
    if (info.has(accel::Capability::DeviceLocalMemory)) return accel::Domain::Device;
    return accel::Domain::Host;
}

accel::Result<void> write_all(accel::Buffer& buffer, std::uint64_t offset,
                              std::span<const std::byte> from) {
    return transfer_all(from, [&](std::size_t done, std::span<const std::byte> rest) {
        return buffer.write(offset + done, rest);
    });
}

accel::Result<void> read_all(const accel::Buffer& buffer, std::uint64_t offset,
                             std::span<std::byte> to) {
    return transfer_all(to, [&](std::size_t done, std::span<std::byte> rest) {
        return buffer.read(offset + done, rest);
    });
}

Outcome<std::vector<Bytes>> execute(const accel::Device& device, const Job& job) {
    const Model& model = job.model;
    const auto info = device.info();
    if (!info) return failure_to("query the device", info.error());
    const auto context = device.create_context();
    if (!context) return failure_to("create a context", context.error());
    const auto program = context->load_program({.format = kTosaFormat,
                                                .target = model.target,
                                                .bytes = job.artifact,
                                                .resident_bytes = job.resident_bytes});
    if (!program) return load_failure(job, program.error());
    const auto queue = context->create_queue();
    if (!queue) return failure_to("create an execution queue", queue.error());
    auto buffers = create_buffers(*context, preferred_domain(*info), model);
    if (!buffers) return std::unexpected(buffers.error());

    for (std::size_t i = 0; i < model.inputs.size(); ++i)
        if (auto done = write_all(buffers->all[i], 0, job.inputs[i]); !done)
            return failure_to(fmt::format("write '{}'", model.inputs[i].name), done.error());
    if (auto done = run_to_end(*queue, *program, buffers->bindings, job.timeout); !done)
        return std::unexpected(done.error());
    std::vector<Bytes> outputs;
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
        outputs.emplace_back(model.outputs[i].bytes);
        if (auto done = read_all(buffers->all[model.inputs.size() + i], 0, outputs.back()); !done)
            return failure_to(fmt::format("read '{}'", model.outputs[i].name), done.error());
    }
    return outputs;
}

}  // namespace accelctl
