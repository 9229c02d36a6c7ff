// SPDX-License-Identifier: MIT
#include "engine/device.hpp"
#include "engine/ports.hpp"
#include "engine/release.hpp"

namespace engine {

using wire::Status;

Task Device::execute(wire::LoadProgram command, Ports ports) {
    // The policy comes before the context lookup (protocol.md 9, trap 18).
    if (command.resident_bytes > policy_.max_program_bytes - program_charge_)
        co_return Status::ResourceLimit;
    const auto context = contexts_.find(command.context);
    if (!context) co_return context.error();
    if (occupied(*context)) co_return Reply::wait_for(*context);
    if (contexts_[*context].programs >= info_.max_programs_per_context)
        co_return Status::ResourceLimit;
    auto room = programs_.reserve();
    if (!room) co_return Status::ResourceLimit;

    const Occupation occupation(contexts_, *context);
    ++contexts_[*context].programs;
    program_charge_ += command.resident_bytes;
    FrameSource artifact(ports.request, wire::LoadProgram::kDataOffset, command.artifact_bytes);
    const provider::ProgramDesc desc{.format = command.format,
                                     .target = command.target,
                                     .resident_bytes = command.resident_bytes};
    auto native = co_await provider_call([&, &parent = *contexts_[*context].native] {
        return provider_->load_program(parent, desc, artifact);
    });
    if (!native) {
        --contexts_[*context].programs;
        program_charge_ -= command.resident_bytes;
        co_return fail(native.error());
    }
    co_return Reply::id(programs_.insert(*std::move(room), {.native = std::move(*native),
                                                            .context = *context,
                                                            .references = 0,
                                                            .charge = command.resident_bytes}));
}

Task Device::execute(wire::UnloadProgram command, Ports) {
    const auto index = programs_.find(command.object);
    if (!index) co_return index.error();
    const std::uint32_t context = programs_[*index].context;
    if (occupied(context)) co_return Reply::wait_for(context);
    if (programs_[*index].references != 0) co_return Status::Busy;

    const Occupation occupation(contexts_, context, command.object);
    auto native = std::move(programs_[*index].native);
    auto result =
        co_await provider_call([&] { return provider_->unload_program(std::move(native)); });
    co_return settle_program(*index, std::move(result)).status;
}

Device::Release Device::settle_program(std::uint32_t index,
                                       provider::ReleaseResult<provider::Program> result) {
    ProgramRecord& program = programs_[index];
    const Release done = settle(program, std::move(result));
    if (done.outcome == Outcome::Rejected) return done;
    --contexts_[program.context].programs;
    program_charge_ -= program.charge;
    if (done.outcome == Outcome::Unknown) {
        ++quarantine_.programs;
        quarantine_.program_bytes += program.charge;
    }
    programs_.remove(index);
    return done;
}

}  // namespace engine
