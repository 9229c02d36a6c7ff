// SPDX-License-Identifier: MIT
//
// The reset pass: protocol.md 5.8. After the provider said that it is lost no further call
// is made, which its section 10, item 10, allows.
#include "model/model_parts.hpp"

namespace model {

struct Model::ResetPass {
    bool reusable = true;
    bool callable = true;
    engine::Counts released;

    void keep(ErrorKind error) {
        reusable = false;
        if (error == ErrorKind::DeviceLost) callable = false;
    }
};

bool Model::bring_to_an_end(Object& event, ResetPass& pass) {
    const auto look = [&] {
        const auto injected = call(Op::PollEvent, {event.serial});
        const bool failed = injected && injected->action == Action::Error;
        if (failed) {
            pass.keep(injected->error);
        } else {
            settle(event, injected);
        }
        return !failed;
    };
    if (!look()) return false;
    if (event.phase == Phase::Pending) {
        if ((info_.capabilities & 0x04) == 0) {
            pass.reusable = false;
            return false;
        }
        const auto injected = call(Op::CancelEvent, {event.serial});
        if (!injected) {
            event.phase = Phase::Cancelled;
        } else if (injected->error != ErrorKind::Busy) {
            pass.keep(injected->error);
            return false;
        } else if (!look()) {
            return false;
        }
    }
    if (event.phase == Phase::Pending) pass.reusable = false;
    const bool lost = event.phase == Phase::Failed && event.error == ErrorKind::DeviceLost;
    if (lost) pass.keep(event.error);
    return event.phase != Phase::Pending && !lost;
}

void Model::release_all(Kind kind, Op op, ResetPass& pass) {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, object] : objects_)
        if (object.kind == kind) ids.push_back(id);
    std::ranges::sort(ids, {}, [](std::uint64_t id) { return static_cast<std::uint32_t>(id); });

    for (const std::uint64_t id : ids) {
        if (!pass.callable) return;
        Object& object = objects_.at(id);
        if (kind == Kind::Event && !bring_to_an_end(object, pass)) continue;
        if (pinned(id)) {
            pass.reusable = false;
            continue;
        }
        const auto injected = call(op, {object.serial});
        if (injected && injected->action == Action::Error) {
            pass.keep(injected->error);
            continue;
        }
        if (injected) {
            pass.reusable = pass.callable = false;
            quarantine(object);
            erase(id);
            return;
        }
        const engine::Counts before = live();
        erase(id);
        pass.released = pass.released + (before - live());
    }
}

std::optional<engine::ResetReport> Model::reset(std::uint16_t name_space, Script& script) {
    using engine::Disposition;
    script_ = &script;
    if (discarded_) return discarded_;
    if (health_ == Health::DiscardRequired)
        return discarded_ = {Disposition::Discard, {}, quarantined_ + live()};
    if (name_space == 0 || name_space == name_space_) return std::nullopt;

    ResetPass pass;
    release_all(Kind::Event, Op::DestroyEvent, pass);
    release_all(Kind::Queue, Op::DestroyQueue, pass);
    release_all(Kind::Program, Op::UnloadProgram, pass);
    release_all(Kind::Buffer, Op::FreeBuffer, pass);
    release_all(Kind::Context, Op::DestroyContext, pass);

    const engine::Counts kept = quarantined_ + live();
    if (!pass.reusable || kept != engine::Counts{}) {
        health_ = Health::DiscardRequired;
        return discarded_ = {Disposition::Discard, pass.released, kept};
    }
    name_space_ = name_space;
    slots_.clear();
    health_ = Health::Running;
    return engine::ResetReport{Disposition::Reusable, pass.released, {}};
}

}  // namespace model
