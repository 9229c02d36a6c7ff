// SPDX-License-Identifier: MIT
#include "execute.hpp"

#include <cerrno>
#include <utility>

namespace accelctl {

namespace {

// The DMA engines of NPUs move whole words.
constexpr std::uint64_t kWord = 4;

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

Outcome<void> create_buffers(Prepared& to, accel::Domain domain, const Model& model) {
    using enum accel::Usage;
    std::vector<std::uint64_t> sizes;
    const auto create = [&](const Tensor& tensor, accel::Usage usage) -> Outcome<void> {
        const std::uint64_t size = (tensor.bytes + kWord - 1) / kWord * kWord;
        auto buffer = to.context.create_buffer({.size = size, .domain = domain, .usage = usage});
        if (!buffer)
            return failure_to(
                fmt::format("create a buffer of {} bytes for '{}'", size, tensor.name),
                buffer.error());
        to.buffers.push_back(std::move(*buffer));
        sizes.push_back(tensor.bytes);
        return {};
    };
    for (const Tensor& input : model.inputs)
        if (auto done = create(input, TransferDestination | ProgramInput); !done) return done;
    for (const Tensor& output : model.outputs)
        if (auto done = create(output, TransferSource | ProgramOutput); !done) return done;

    for (std::size_t i = 0; i < to.buffers.size(); ++i)
        to.bindings.push_back(
            {.buffer = &to.buffers[i],
             .slot = static_cast<std::uint32_t>(i),
             .access = i < model.inputs.size() ? accel::Access::Read : accel::Access::Write,
             .offset = 0,
             .size = sizes[i]});
    return {};
}

// Whether that is more than the tensors have.
bool bind_words(Prepared& prepared) {
    bool more = false;
    for (std::size_t i = 0; i < prepared.bindings.size(); ++i) {
        const std::uint64_t size = prepared.buffers[i].size();
        more |= std::exchange(prepared.bindings[i].size, size) != size;
    }
    return more;
}

// The device is told the same limit, so that it does not work on for nobody; one that cannot
// end what it has begun takes none. One that wants whole words says that no byte less fits.
accel::Result<accel::Submission> submit(Prepared& prepared, std::chrono::nanoseconds timeout) {
    const auto attempt = [&] {
        return prepared.queue.submit(
            prepared.program, prepared.bindings,
            {.timeout = prepared.takes_limit ? timeout : std::chrono::nanoseconds(0)});
    };
    auto submission = attempt();
    if (!submission && submission.error().code == ENOEXEC && bind_words(prepared))
        submission = attempt();
    if (!submission && submission.error().code == ETIME && prepared.takes_limit) {
        prepared.takes_limit = false;
        submission = attempt();
    }
    return submission;
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

Outcome<accel::Program> load(const accel::Context& context, const Job& job) {
    auto program = context.load_program({.format = kTosaFormat,
                                         .target = job.model.target,
                                         .bytes = job.artifact,
                                         .resident_bytes = job.resident_bytes});
    if (!program) return load_failure(job, program.error());
    return std::move(*program);
}

Outcome<Prepared> prepare(const accel::Device& device, const Job& job) {
    const auto info = device.info();
    if (!info) return failure_to("query the device", info.error());
    auto context = device.create_context();
    if (!context) return failure_to("create a context", context.error());
    auto program = load(*context, job);
    if (!program) return std::unexpected(program.error());
    auto queue = context->create_queue();
    if (!queue) return failure_to("create an execution queue", queue.error());
    Prepared prepared{std::move(*context), std::move(*program), std::move(*queue), {}, {}};
    if (auto done = create_buffers(prepared, preferred_domain(*info), job.model); !done)
        return std::unexpected(done.error());

    for (std::size_t i = 0; i < job.inputs.size(); ++i)
        if (auto done = write_all(prepared.buffers[i], 0, job.inputs[i]); !done)
            return failure_to(fmt::format("write '{}'", job.model.inputs[i].name), done.error());
    return prepared;
}

Outcome<Times> run_once(Prepared& prepared, std::chrono::nanoseconds timeout) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto submission = submit(prepared, timeout);
    if (!submission) return failure_to("submit", submission.error());
    const auto submitted = Clock::now();
    const auto& event = submission->event;

    const auto state = event.wait(start + timeout);
    if (!state) return failure_to("wait", state.error());
    const auto ended = Clock::now();
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
    return Times{.submit = submitted - start, .completion = ended - start};
}

Outcome<std::vector<Bytes>> read_outputs(const Prepared& prepared, const Model& model) {
    std::vector<Bytes> outputs;
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
        outputs.emplace_back(model.outputs[i].bytes);
        if (auto done = read_all(prepared.buffers[model.inputs.size() + i], 0, outputs.back());
            !done)
            return failure_to(fmt::format("read '{}'", model.outputs[i].name), done.error());
    }
    return outputs;
}

Outcome<std::vector<Bytes>> execute(const accel::Device& device, const Job& job) {
    auto prepared = prepare(device, job);
    if (!prepared) return std::unexpected(prepared.error());
    if (const auto done = run_once(*prepared, job.timeout); !done)
        return std::unexpected(done.error());
    return read_outputs(*prepared, job.model);
}

}  // namespace accelctl
