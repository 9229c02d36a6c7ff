// SPDX-License-Identifier: MIT
#include "bench/xdna/load.hpp"

#include <format>
#include <utility>
#include <variant>

#include "provider/bytes.hpp"

namespace xdna::bench {
namespace {

constexpr std::uint32_t kEveryUsage = 0x1F;

template <class T>
T take(provider::Result<T> result, const char* what) {
    if (!result) throw Refused(what, result.error());
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace

Refused::Refused(const char* what, const provider::Error& error)
    : std::runtime_error(std::format("{}: {} {}", what, name(error.kind), error.code)),
      kind_(error.kind) {}

Load::Load(provider::Provider& provider, const Kernel& kernel, std::size_t depth)
    : provider_(provider),
      context_(take(provider.create_context(0), "context")),
      queue_(take(provider.create_queue(*context_, 0), "queue")) {
    provider::SpanSource source(kernel.file);
    program_ = take(provider.load_program(*context_,
                                          {.format = tosa::kFormat,
                                           .target = tosa::encode_target(kernel.target),
                                           .resident_bytes = ~std::uint64_t{0}},
                                          source),
                    "program");
    for (std::size_t i = 0; i < depth; ++i)
        sets_.push_back(make_set(kernel));
}

Load::Set Load::make_set(const Kernel& kernel) const {
    Set set;
    for (const provider::Slot& slot : slots(kernel.spec)) {
        auto& buffer = set.buffers.emplace_back(
            take(provider_.allocate_buffer(
                     *context_,
                     {.bytes = slot.bytes, .alignment = slot.alignment, .usage = kEveryUsage}),
                 "buffer"));
        const auto number = set.bindings.size();
        set.bindings.push_back({.buffer = buffer.get(),
                                .bytes = slot.bytes,
                                .slot = static_cast<std::uint32_t>(number),
                                .access = slot.access});
        if (number >= kernel.inputs.size()) continue;
        provider::SpanSource source(kernel.inputs[number]);
        take(provider_.write_buffer(*buffer, 0, source), "write");
    }
    return set;
}

void Load::submit(std::size_t number) {
    Set& set = sets_.at(number);
    auto result = provider_.submit(*queue_, *program_, set.bindings, 0);
    if (const auto* rejected = std::get_if<provider::SubmitRejected>(&result))
        throw Refused("submission", rejected->error);
    if (const auto* unknown = std::get_if<provider::SubmitUnknown>(&result))
        throw Refused("submission", unknown->error);
    set.event = std::move(std::get<provider::Accepted>(result).event);
}

bool Load::done(std::size_t number) {
    const auto state = take(provider_.poll_event(*sets_.at(number).event), "poll");
    if (state.phase == provider::EventPhase::Failed) throw Refused("run", state.error);
    return state.terminal();
}

void Load::collect(std::size_t number) {
    auto result = provider_.destroy_event(std::move(sets_.at(number).event));
    if (const auto* rejected = std::get_if<provider::ReleaseRejected<provider::Event>>(&result))
        throw Refused("release", rejected->error);
}

Bytes Load::output(std::size_t number) {
    provider::Buffer& buffer = *sets_.at(number).buffers.back();
    Bytes made(buffer.info().desc.bytes);
    provider::SpanSink sink(made);
    take(provider_.read_buffer(buffer, 0, sink), "read");
    return made;
}

}  // namespace xdna::bench
