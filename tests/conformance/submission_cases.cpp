// SPDX-License-Identifier: MIT
//
// Cases of protocol.md 7.2 that submit.
#include <variant>

#include "conformance/cases.hpp"

namespace conformance {

using provider::Access;
using provider::ErrorKind;
using provider::EventPhase;
using provider::EventState;

namespace {

// Buffers are read while the event still exists: a provider must allow that, although
// the engine does not.
void require_run(Bench& bench, const Work& work) {
    provider::Event& event = bench.submit(work);
    bench.subject().complete(event);
    bench.require_twice(event, EventPhase::Complete);
    bench.require_expected(work);
}

void require_wrong_accesses_refused(Bench& bench, const Work& work) {
    for (std::size_t i = 0; i < work.bindings.size(); ++i) {
        Work wrong = work;
        Access& access = wrong.bindings[i].access;
        access = access == Access::Read ? Access::Write : Access::Read;
        bench.require_rejected(wrong, ErrorKind::Incompatible, "a wrong access");
    }
}

}  // namespace

void binding_validation(Bench& bench) {
    const Work work = bench.work();
    const auto primary = static_cast<std::ptrdiff_t>(bench.primary());

    Work none = work;
    none.bindings.clear();
    bench.require_rejected(none, ErrorKind::ResourceLimit, "an empty list");

    if (work.bindings.size() < bench.provider().device_info().max_bindings_per_submission) {
        Work twice = work;
        twice.bindings.insert(twice.bindings.begin() + primary, work.bindings[bench.primary()]);
        bench.require_rejected(twice, ErrorKind::InvalidArgument, "a repeated slot");
    }

    Work outside = work;
    provider::Binding& binding = outside.bindings[bench.primary()];
    binding.offset = binding.bytes;
    binding.bytes = 1;
    bench.require_rejected(outside, ErrorKind::OutOfBounds, "a range behind the end");

    require_wrong_accesses_refused(bench, work);
    require_run(bench, work);
}

void copy_path(Bench& bench) {
    const Work work = bench.work();
    const provider::CopyCounters before = bench.provider().copy_counters();
    provider::Event& event = bench.submit(work);
    const provider::CopyCounters after = bench.provider().copy_counters();
    require(after.direct_bindings > before.direct_bindings, "no binding counts as direct");
    require(after.staged_direct_bindings == 0, "bindings are staged");
    require(after.staged_direct_bytes == 0, "bytes are staged");
    bench.subject().complete(event);
    bench.require_twice(event, EventPhase::Complete);
    bench.require_expected(work);
    require(bench.provider().copy_counters().staged_direct_bytes == 0, "bytes are staged later");
}

void context_isolation(Bench& bench) {
    Work work = bench.work();
    work.bindings = bench.bind_fixtures(bench.context());
    bench.require_rejected(work, ErrorKind::InvalidArgument, "a buffer of another context");
}

void terminal_stability(Bench& bench) {
    const Work work = bench.work();
    provider::Event& event = bench.submit(work);
    require(!bench.poll(event).terminal(), "an event that is held has ended");

    auto result = bench.provider().destroy_event(bench.take(event));
    auto* rejected = std::get_if<provider::ReleaseRejected<provider::Event>>(&result);
    require(rejected != nullptr, "destroying a pending event is not rejected");
    require(&bench.own(std::move(rejected->resource)) == &event, "another event comes back");
    require(rejected->error.kind == ErrorKind::Busy, "destroying a pending event is not Busy");

    bench.subject().complete(event);
    bench.require_twice(event, EventPhase::Complete);
    bench.require_expected(work);
    bench.destroy(event);
}

// A timeout that no provider can keep may be refused, in doubt, missed or even kept, but
// whatever it is stays so.
void finite_admission(Bench& bench) {
    const Work work = bench.work();
    auto result = bench.try_submit(work, 1);
    if (const auto* rejected = std::get_if<provider::SubmitRejected>(&result)) {
        require(rejected->error.kind == ErrorKind::DeadlineExpired,
                "a finite timeout is rejected otherwise than with DeadlineExpired");
        return;
    }
    auto* unknown = std::get_if<provider::SubmitUnknown>(&result);
    provider::Event& event =
        bench.own(std::move(unknown ? unknown->event : std::get<provider::Accepted>(result).event));
    require(!unknown || unknown->error.kind == ErrorKind::DeadlineExpired,
            "a finite timeout is in doubt otherwise than with DeadlineExpired");

    bench.subject().complete(event);
    const EventState state = bench.poll(event);
    if (state.phase == EventPhase::Failed) {
        require(state.error.kind == ErrorKind::DeadlineExpired,
                "an event with a finite timeout fails otherwise than with DeadlineExpired");
        require(bench.poll(event).error == state.error, "the error of an event changes");
        bench.require_twice(event, EventPhase::Failed);
    } else {
        bench.require_twice(event, EventPhase::Complete);
        bench.require_expected(work);
    }
}

void cancellation_races(Bench& bench) {
    const Work work = bench.work();
    provider::Event& cancelled = bench.submit(work);
    value(bench.provider().cancel_event(cancelled), "cancel_event");
    bench.subject().complete(cancelled);  // must not undo it
    bench.require_twice(cancelled, EventPhase::Cancelled);
    require_error(bench.provider().cancel_event(cancelled), ErrorKind::Busy,
                  "cancelling a cancelled event");

    provider::Event& complete = bench.submit(work);
    bench.subject().complete(complete);
    bench.require_twice(complete, EventPhase::Complete);
    require_error(bench.provider().cancel_event(complete), ErrorKind::Busy,
                  "cancelling a complete event");
}

}  // namespace conformance
