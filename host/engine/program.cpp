// SPDX-License-Identifier: MIT
#include "engine/device.hpp"
#include "engine/ports.hpp"
#include "engine/release.hpp"

namespace engine {

using wire::Status;

Reply Device::execute(const wire::LoadProgram& command, Ports& ports) {
    // The policy comes before the context lookup (protocol.md 9, trap 18).
    if (command.resident_bytes > policy_.max_program_bytes - program_charge_)
        return Status::ResourceLimit;
    const auto context = contexts_.find(command.context);
    if (!context) return context.error();
    ContextRecord& parent = contexts_[*context];
    if (parent.programs >= info_.max_programs_per_context) return Status::ResourceLimit;
    if (!programs_.reserve()) return Status::ResourceLimit;

    FrameSource artifact(ports.request, wire::LoadProgram::kDataOffset, command.artifact_bytes);
    auto native = provider_->load_program(*parent.native,
                                          {.format = command.format,
                                           .target = command.target,
                                           .resident_bytes = command.resident_bytes},
                                          artifact);
    if (!native) return fail(native.error());

    ++parent.programs;
    program_charge_ += command.resident_bytes;
    return Reply::id(programs_.insert({.native = std::move(*native),
                                       .context = *context,
                                       .references = 0,
                                       .charge = command.resident_bytes}));
}

Reply Device::execute(const wire::UnloadProgram& command, Ports&) {
    const auto index = programs_.find(command.object);
    if (!index) return index.error();
    if (programs_[*index].references != 0) return Status::Busy;
    return release_program(*index).status;
}

Device::Release Device::release_program(std::uint32_t index) {
    ProgramRecord& program = programs_[index];
    const Release done = release_native(
        program, [this](auto native) { return provider_->unload_program(std::move(native)); });
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
