// SPDX-License-Identifier: MIT
#include "bench/xdna/load.hpp"

#include <format>
#include <stdexcept>
#include <utility>
#include <variant>

#include "provider/bytes.hpp"
#include "xdna/double/oracle.hpp"
#include "xdna/templates.hpp"
#include "xdna/xdna.hpp"

namespace xdna::bench {
namespace {

constexpr std::uint32_t kEveryUsage = 0x1F;

template <class T>
T take(provider::Result<T> result, const char* what) {
    if (!result)
        throw std::runtime_error(
            std::format("{}: {} {}", what, name(result.error().kind), result.error().code));
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

Case cast(std::int32_t elements) {
    constexpr std::int32_t kRow = 1024;
    return {.name = std::format("fp8 e4m3 to bf16, {} elements", elements),
            .spec = Fp8ToBf16{Fp8::E4M3, static_cast<std::uint32_t>(elements)},
            .target = kTargets[1],
            .graph = test::cast(tosa::DType::Fp8E4M3, tosa::DType::Bf16, {elements / kRow, kRow}),
            .work = elements * 3.0 / (1 << 30),
            .unit = "GiB/s"};
}

Case product(std::size_t depth) {
    return {.name = std::format("int8 64x64x32, zero points -2 and 3, {} in flight", depth),
            .spec = Int8Matmul{{64, 64, 32}, -2, 3},
            .target = kTargets[2],
            .graph = test::matmul(test::kInt8Product, 64, 64, 32),
            .work = 2.0 * 64 * 64 * 32 / 1e9,
            .unit = "GOPS",
            .depth = depth};
}

// Of all encodings.
std::vector<std::byte> bytes_of(const provider::Slot& slot, std::size_t seed) {
    std::vector<std::byte> bytes(slot.bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(37 * (i + seed) + 11);
    return bytes;
}

}  // namespace

std::vector<Case> cases() {
    return {cast(1024), cast(16384), cast(262144), cast(1048576), product(1), product(4)};
}

Load::Load(provider::Provider& provider, const Case& of)
    : provider_(provider),
      spec_(of.spec),
      context_(take(provider.create_context(0), "context")),
      queue_(take(provider.create_queue(*context_, 0), "queue")) {
    const auto file = of.graph.file();
    provider::SpanSource source(file);
    program_ = take(provider.load_program(*context_,
                                          {.format = tosa::kFormat,
                                           .target = tosa::encode_target(of.target),
                                           .resident_bytes = ~std::uint64_t{0}},
                                          source),
                    "program");
    for (const provider::Slot& slot : slots(spec_))
        if (slot.access == provider::Access::Read)
            inputs_.push_back(bytes_of(slot, inputs_.size()));
    for (std::size_t i = 0; i < of.depth; ++i)
        sets_.push_back(make_set(of));
}

Load::Set Load::make_set(const Case& of) const {
    Set set;
    for (const provider::Slot& slot : slots(of.spec)) {
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
        if (number >= inputs_.size()) continue;
        provider::SpanSource source(inputs_[number]);
        take(provider_.write_buffer(*buffer, 0, source), "write");
    }
    return set;
}

void Load::submit(std::size_t number) {
    Set& set = sets_.at(number);
    auto result = provider_.submit(*queue_, *program_, set.bindings, 0);
    auto* accepted = std::get_if<provider::Accepted>(&result);
    if (!accepted) throw std::runtime_error("a submission was refused");
    set.event = std::move(accepted->event);
}

bool Load::done(std::size_t number) {
    const auto state = take(provider_.poll_event(*sets_.at(number).event), "poll");
    if (state.phase == provider::EventPhase::Failed)
        take(provider::Result<void>(std::unexpected(state.error)), "run");
    return state.terminal();
}

void Load::collect(std::size_t number) {
    auto result = provider_.destroy_event(std::move(sets_.at(number).event));
    if (!std::holds_alternative<provider::Released>(result))
        throw std::runtime_error("an event was not released");
}

void Load::check() {
    const std::vector<xrt_double::Bytes> inputs(inputs_.begin(), inputs_.end());
    std::vector<std::byte> expected(slots(spec_).back().bytes);
    xrt_double::compute(spec_, inputs, expected);
    for (Set& set : sets_) {
        std::vector<std::byte> made(expected.size());
        provider::SpanSink sink(made);
        take(provider_.read_buffer(*set.buffers.back(), 0, sink), "read");
        if (made != expected) throw std::runtime_error("a result is wrong");
    }
}

}  // namespace xdna::bench
