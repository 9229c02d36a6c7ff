// SPDX-License-Identifier: MIT
//
// A CPU provider with one context and one queue, and what a test needs to feed it.
#pragma once

#include <algorithm>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "cpu/cpu.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/target.hpp"

namespace provider {

inline doctest::String toString(const Error& error) {
    return doctest::String(name(error.kind).data());
}

}  // namespace provider

namespace cpu::test {

using provider::Access;
using provider::Binding;
using provider::ErrorKind;
using provider::EventPhase;
using Bytes = std::vector<std::byte>;

inline constexpr std::uint64_t kNoCeiling = ~std::uint64_t{0};
inline constexpr std::uint32_t kAllUsage = 0x1F;

using Source = provider::SpanSource;
using Sink = provider::SpanSink;

// Holds a worker in a hook until it is let through.
class Gate {
 public:
    [[nodiscard]] std::function<void()> hook() {
        return [this] {
            reached_.release();
            open_.acquire();
        };
    }
    void wait_for_arrival() { reached_.acquire(); }
    void let_through(std::ptrdiff_t times = 1) { open_.release(times); }
    void open_for_good() { open_.release(1'000'000); }

 private:
    std::counting_semaphore<> reached_{0};
    std::counting_semaphore<> open_{0};
};

template <class T>
T take(provider::Result<T> result) {
    REQUIRE_MESSAGE(result.has_value(), toString(result.error()));
    return std::move(*result);
}

template <class T>
bool released(const provider::ReleaseResult<T>& result) {
    return std::holds_alternative<provider::Released>(result);
}

class Rig {
 public:
    explicit Rig(const Options& options = {}) : Rig(std::shared_ptr(std::move(*open(options)))) {}
    explicit Rig(std::shared_ptr<provider::Provider> shared)
        : provider(std::move(shared)),
          context(take(provider->create_context(0))),
          queue(take(provider->create_queue(*context, 0))) {}

    std::shared_ptr<provider::Provider> provider;  // several rigs may share one
    std::unique_ptr<provider::Context> context;
    std::unique_ptr<provider::Queue> queue;

    [[nodiscard]] std::unique_ptr<provider::Buffer> buffer(
        std::uint64_t bytes, std::uint32_t usage = kAllUsage,
        provider::MemoryDomain domain = provider::MemoryDomain::Shared) const {
        return take(provider->allocate_buffer(
            *context, {.bytes = bytes, .alignment = 16, .domain = domain, .usage = usage}));
    }

    [[nodiscard]] std::unique_ptr<provider::Buffer> buffer_of(const Bytes& contents) const {
        auto made = buffer(contents.size());
        Source source(contents);
        take_void(provider->write_buffer(*made, 0, source));
        return made;
    }

    [[nodiscard]] Bytes contents(provider::Buffer& from, std::uint64_t bytes) const {
        Bytes read(bytes);
        Sink sink(read);
        take_void(provider->read_buffer(from, 0, sink));
        return read;
    }

    [[nodiscard]] provider::Result<std::unique_ptr<provider::Program>> try_load(
        const Bytes& artifact, std::uint64_t resident = kNoCeiling,
        const tosa::Target& target = tosa::kFloatTarget) const {
        Source source(artifact);
        return provider->load_program(*context,
                                      {.format = tosa::kFormat,
                                       .target = tosa::encode_target(target),
                                       .resident_bytes = resident},
                                      source);
    }

    [[nodiscard]] std::unique_ptr<provider::Program> load(
        const tosa::test::GraphBuilder& graph) const {
        return take(try_load(graph.file()));
    }

    [[nodiscard]] provider::Result<std::unique_ptr<provider::Event>> try_submit(
        provider::Program& program, std::span<const Binding> bindings,
        std::uint64_t timeout_ns = 0) const {
        auto result = provider->submit(*queue, program, bindings, timeout_ns);
        if (auto* accepted = std::get_if<provider::Accepted>(&result))
            return std::move(accepted->event);
        REQUIRE(std::holds_alternative<provider::SubmitRejected>(result));
        return std::unexpected(std::get<provider::SubmitRejected>(result).error);
    }

    [[nodiscard]] EventPhase phase(provider::Event& event) const {
        return take(provider->poll_event(event)).phase;
    }

    [[nodiscard]] provider::EventState wait(provider::Event& event) const {
        for (;;) {
            const auto state = take(provider->poll_event(event));
            if (state.terminal()) return state;
            std::this_thread::yield();
        }
    }

    // One whole run: a buffer for each input and output, and the outputs' contents.
    [[nodiscard]] std::vector<Bytes> run(const tosa::test::GraphBuilder& graph,
                                         const std::vector<Bytes>& inputs,
                                         const std::vector<std::uint64_t>& output_bytes) const {
        return run(load(graph), inputs, output_bytes);
    }
    [[nodiscard]] std::vector<Bytes> run(std::unique_ptr<provider::Program> program,
                                         const std::vector<Bytes>& inputs,
                                         const std::vector<std::uint64_t>& output_bytes) const {
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<Binding> bindings;
        const auto bind = [&](std::unique_ptr<provider::Buffer> made, Access access) {
            bindings.push_back({.buffer = made.get(),
                                .bytes = made->info().desc.bytes,
                                .slot = static_cast<std::uint32_t>(bindings.size()),
                                .access = access});
            buffers.push_back(std::move(made));
        };
        for (const Bytes& input : inputs)
            bind(buffer_of(input), Access::Read);
        for (const std::uint64_t bytes : output_bytes)
            bind(buffer(bytes), Access::Write);
        auto event = take(try_submit(*program, bindings));
        CHECK(wait(*event).phase == EventPhase::Complete);

        std::vector<Bytes> outputs;
        for (std::size_t i = 0; i < output_bytes.size(); ++i)
            outputs.push_back(contents(*buffers[inputs.size() + i], output_bytes[i]));
        CHECK(released(provider->destroy_event(std::move(event))));
        CHECK(released(provider->unload_program(std::move(program))));
        for (auto& used : buffers)
            CHECK(released(provider->free_buffer(std::move(used))));
        return outputs;
    }

 private:
    static void take_void(const provider::Result<void>& result) {
        REQUIRE_MESSAGE(result.has_value(), toString(result.error()));
    }
};

// input [4] -> IDENTITY -> output: slot 0 read, slot 1 written, 16 bytes each.
inline tosa::test::GraphBuilder identity() {
    tosa::test::GraphBuilder graph;
    graph.input("input", {4}).output("output", {4});
    return graph.op(tosa::Op::Identity, {"input"}, {"output"});
}

}  // namespace cpu::test
