// SPDX-License-Identifier: MIT
//
// The reset pass of protocol.md 5.8: bounded, children before parents, no waiting.
#include "engine/device.hpp"

namespace engine {

using wire::Status;

// `reusable`: everything so far was proven released. `callable`: the provider may
// still be called. Where the reference would finish the current kind after
// callable is lost, this pass stops at once: no call follows a lost device.
struct Device::ResetPass {
    bool reusable = true;
    bool callable = true;
    Counts released;

    void note(const provider::Error& error) {
        reusable = false;
        if (error.kind == provider::ErrorKind::DeviceLost) callable = false;
    }

    // Counts what a release removed between two looks at live().
    void note(Outcome outcome, Status status, const Counts& before, const Counts& after) {
        if (outcome == Outcome::Released) {
            released = released + (before - after);
            return;
        }
        reusable = false;
        if (outcome == Outcome::Unknown || status == Status::DeviceLost) callable = false;
    }
};

// Brings the event to a terminal state, if that takes no waiting.
bool Device::end_event(EventRecord& event, ResetPass& pass) {
    auto state = provider_->poll_event(*event.native);
    if (state && !state->terminal()) {
        if ((info_.capabilities & provider::kCapEventCancellation) == 0) {
            pass.reusable = false;
            return false;
        }
        const auto cancelled = provider_->cancel_event(*event.native);
        if (cancelled) return true;
        if (cancelled.error().kind != provider::ErrorKind::Busy) {
            pass.note(cancelled.error());
            return false;
        }
        state = provider_->poll_event(*event.native);  // it ended just before
    }
    if (!state) {
        pass.note(state.error());
        return false;
    }
    if (state->lost()) {
        pass.note(state->error);
        return false;
    }
    if (!state->terminal()) pass.reusable = false;
    return state->terminal();
}

template <class Table, class ReleaseOne>
void Device::reset_kind(Table& table, ResetPass& pass, ReleaseOne release_one) {
    if (!pass.callable) return;
    table.for_each([&](std::uint32_t index) {
        const Counts before = live();
        const std::optional<Release> done = release_one(index);
        if (done) {
            pass.note(done->outcome, done->status, before, live());
        } else {
            pass.reusable = false;
        }
        return pass.callable;
    });
}

std::expected<ResetReport, ResetError> Device::reset(std::uint16_t name_space) {
    if (discard_report_) return *discard_report_;
    if (health_ == Health::DiscardRequired) {
        discard_report_ = {Disposition::Discard, {}, quarantine_ + live()};
        return *discard_report_;
    }
    if (name_space == 0 || name_space == name_space_)
        return std::unexpected(ResetError::NamespaceReused);
    health_ = Health::NeedsReset;

    // Nobody waits for what was not begun; what the provider is busy with cannot be
    // proven released.
    parked_.clear();
    using Attempt = std::optional<Release>;
    ResetPass pass;
    pass.reusable = working_ == 0;
    reset_kind(events_, pass, [&](std::uint32_t index) -> Attempt {
        EventRecord& event = events_[index];
        if (!end_event(event, pass)) return std::nullopt;
        return settle_event(index, provider_->destroy_event(std::move(event.native)));
    });
    // What an event still holds, or a parent with children, stays; the rest goes, even
    // when the provider will be discarded.
    reset_kind(queues_, pass, [&](std::uint32_t index) -> Attempt {
        QueueRecord& queue = queues_[index];
        if (queue.references != 0 || occupied(queue.context)) return std::nullopt;
        return settle_queue(index, provider_->destroy_queue(std::move(queue.native)));
    });
    reset_kind(programs_, pass, [&](std::uint32_t index) -> Attempt {
        ProgramRecord& program = programs_[index];
        if (program.references != 0 || occupied(program.context)) return std::nullopt;
        return settle_program(index, provider_->unload_program(std::move(program.native)));
    });
    reset_kind(buffers_, pass, [&](std::uint32_t index) -> Attempt {
        BufferRecord& buffer = buffers_[index];
        if (buffer.references != 0 || occupied(buffer.context)) return std::nullopt;
        return settle_buffer(index, provider_->free_buffer(std::move(buffer.native)));
    });
    reset_kind(contexts_, pass, [&](std::uint32_t index) -> Attempt {
        ContextRecord& context = contexts_[index];
        if (context.has_children() || context.occupied) return std::nullopt;
        return settle_context(index, provider_->destroy_context(std::move(context.native)));
    });

    const Counts kept = quarantine_ + live();
    if (!pass.reusable || kept != Counts{}) {
        health_ = Health::DiscardRequired;
        discard_report_ = {Disposition::Discard, pass.released, kept};
        return *discard_report_;
    }
    name_space_ = name_space;
    contexts_.clear(name_space);
    buffers_.clear(name_space);
    programs_.clear(name_space);
    queues_.clear(name_space);
    events_.clear(name_space);
    health_ = Health::Running;
    return ResetReport{Disposition::Reusable, pass.released, {}};
}

}  // namespace engine
