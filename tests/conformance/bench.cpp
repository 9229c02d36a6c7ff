// SPDX-License-Identifier: MIT
#include "conformance/bench.hpp"

#include <algorithm>
#include <format>
#include <utility>
#include <variant>

#include "conformance/ports.hpp"

namespace conformance {

using provider::Access;
using provider::ErrorKind;
using provider::EventPhase;
using provider::Provider;
using provider::Released;
using provider::ReleaseRejected;
using provider::ReleaseResult;

namespace {

std::string_view name(EventPhase phase) {
    constexpr std::string_view kNames[] = {"pending", "complete", "failed", "cancelled"};
    return kNames[static_cast<std::size_t>(phase)];
}

std::unique_ptr<provider::Event> event_of(provider::SubmitResult& result) {
    if (auto* accepted = std::get_if<provider::Accepted>(&result))
        return std::move(accepted->event);
    if (auto* unknown = std::get_if<provider::SubmitUnknown>(&result))
        return std::move(unknown->event);
    return nullptr;
}

}  // namespace

std::size_t Bench::primary() const {
    const auto found = std::ranges::find_if(target_.fixtures,
                                            [](const auto& f) { return f.access != Access::Read; });
    return static_cast<std::size_t>(found - target_.fixtures.begin());
}

provider::BufferDesc Bench::desc(std::uint32_t usage) const {
    return {.bytes = target_.fixtures[primary()].initial.size(),
            .alignment = target_.alignment,
            .domain = target_.domain,
            .usage = usage};
}

provider::Context& Bench::context() {
    return own(value(provider().create_context(0), "create_context"));
}

provider::Buffer& Bench::buffer(provider::Context& context, const provider::BufferDesc& desc) {
    return own(value(provider().allocate_buffer(context, desc), "allocate_buffer"));
}

provider::Program& Bench::load(provider::Context& context) {
    Source source(target_.artifact);
    return own(value(provider().load_program(context, target_.program, source), "load_program"));
}

provider::Queue& Bench::queue(provider::Context& context) {
    return own(value(provider().create_queue(context, 0), "create_queue"));
}

std::vector<provider::Binding> Bench::bind_fixtures(provider::Context& context) {
    std::vector<provider::Binding> bindings;
    for (const Fixture& fixture : target_.fixtures) {
        provider::Buffer& made = buffer(context, {.bytes = fixture.initial.size(),
                                                  .alignment = target_.alignment,
                                                  .domain = target_.domain,
                                                  .usage = kEveryUsage});
        Source source(fixture.initial);
        value(provider().write_buffer(made, 0, source), "write_buffer");
        bindings.push_back({.buffer = &made,
                            .bytes = fixture.initial.size(),
                            .slot = fixture.slot,
                            .access = fixture.access});
    }
    return bindings;
}

Work Bench::work() {
    provider::Context& made = context();
    return {.queue = &queue(made), .program = &load(made), .bindings = bind_fixtures(made)};
}

provider::SubmitResult Bench::try_submit(const Work& work, std::uint64_t timeout_ns) {
    subject_->hold();
    return provider().submit(*work.queue, *work.program, work.bindings, timeout_ns);
}

provider::Event& Bench::submit(const Work& work) {
    auto result = try_submit(work);
    if (const auto* rejected = std::get_if<provider::SubmitRejected>(&result))
        throw Failure(std::format("submit is rejected: {}", name(rejected->error.kind)));
    const bool accepted = std::holds_alternative<provider::Accepted>(result);
    provider::Event& event = own(event_of(result));
    require(accepted, "submit is indeterminate");
    return event;
}

void Bench::require_rejected(const Work& work, ErrorKind kind, const std::string& what) {
    auto result = try_submit(work);
    if (auto event = event_of(result)) own(std::move(event));
    const auto* rejected = std::get_if<provider::SubmitRejected>(&result);
    require(rejected != nullptr, what + " is not rejected");
    require(rejected->error.kind == kind,
            std::format("{} is {}, not {}", what, name(rejected->error.kind), name(kind)));
}

provider::EventState Bench::poll(provider::Event& event) {
    return value(provider().poll_event(event), "poll_event");
}

void Bench::require_twice(provider::Event& event, EventPhase phase) {
    for (int i = 0; i < 2; ++i) {
        const EventPhase seen = poll(event).phase;
        require(seen == phase, std::format("the event is {}, not {}", name(seen), name(phase)));
    }
}

void Bench::require_expected(const Work& work) {
    for (std::size_t i = 0; i < work.bindings.size(); ++i) {
        const Fixture& fixture = target_.fixtures[i];
        Sink sink(fixture.expected.size());
        value(provider().read_buffer(*work.bindings[i].buffer, 0, sink), "read_buffer");
        require(sink.contents() == fixture.expected,
                std::format("the bytes at slot {} are not as expected", fixture.slot));
    }
}

void Bench::require_nothing_live(const std::string& when) {
    const auto live = subject_->live_objects();
    require(!live || *live == 0, std::format("{} objects are live {}", live.value_or(0), when));
}

std::unique_ptr<provider::Event> Bench::take(provider::Event& event) {
    const auto found =
        std::ranges::find(events_, &event, [](const auto& owned) { return owned.get(); });
    auto taken = std::move(*found);
    events_.erase(found);
    return taken;
}

void Bench::destroy(provider::Event& event) {
    release(take(event), &Provider::destroy_event);
}

template <class T>
void Bench::release(std::unique_ptr<T> object,
                    ReleaseResult<T> (Provider::*call)(std::unique_ptr<T>)) {
    ReleaseResult<T> result = (provider().*call)(std::move(object));
    if (auto* rejected = std::get_if<ReleaseRejected<T>>(&result))
        result = (provider().*call)(std::move(rejected->resource));
    if (auto* rejected = std::get_if<ReleaseRejected<T>>(&result)) {
        const ErrorKind why = rejected->error.kind;
        own(std::move(rejected->resource));
        throw Failure(std::format("a release is rejected: {}", name(why)));
    }
    require(std::holds_alternative<Released>(result), "a release is indeterminate");
}

template <class T>
void Bench::release_each(Owned<T>& objects,
                         ReleaseResult<T> (Provider::*call)(std::unique_ptr<T>)) {
    while (!objects.empty()) {
        auto object = std::move(objects.back());
        objects.pop_back();
        release(std::move(object), call);
    }
}

void Bench::release_all() {
    for (const auto& event : events_)
        subject_->complete(*event);
    release_each(events_, &Provider::destroy_event);
    release_each(queues_, &Provider::destroy_queue);
    release_each(programs_, &Provider::unload_program);
    release_each(buffers_, &Provider::free_buffer);
    release_each(contexts_, &Provider::destroy_context);
}

}  // namespace conformance
