// SPDX-License-Identifier: MIT
#pragma once

#include <thread>

#include "conformance/target.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/target.hpp"

namespace conformance {

// a [4] + b [4] -> sum: slots 0 and 1 are read, slot 2 is written. All sums are exact.
inline Target tosa_target(std::string name, std::function<std::unique_ptr<Subject>()> open,
                          provider::MemoryDomain domain) {
    tosa::test::GraphBuilder graph;
    graph.input("a", {4}).input("b", {4}).output("sum", {4});
    graph.op(tosa::Op::Add, {"a", "b"}, {"sum"});
    const Bytes a = tosa::test::bytes_of({0.0F, -1.5F, 4096.0F, 0.25F});
    const Bytes b = tosa::test::bytes_of({1.0F, 1.5F, 0.5F, -8.0F});
    const Bytes sum = tosa::test::bytes_of({1.0F, 0.0F, 4096.5F, -7.75F});
    return {.name = std::move(name),
            .open = std::move(open),
            .program = {.format = tosa::kFormat,
                        .target = tosa::encode_target(tosa::kFloatTarget),
                        .resident_bytes = 16U << 20},
            .artifact = graph.file(),
            .domain = domain,
            .fixtures = {{.slot = 0, .access = provider::Access::Read, .initial = a, .expected = a},
                         {.slot = 1, .access = provider::Access::Read, .initial = b, .expected = b},
                         {.slot = 2,
                          .access = provider::Access::Write,
                          .initial = Bytes(16, std::byte{0xEE}),
                          .expected = sum}}};
}

// Asks until the event has ended.
inline void wait(provider::Provider& provider, provider::Event& event) {
    for (auto state = provider.poll_event(event); state && !state->terminal();
         state = provider.poll_event(event))
        std::this_thread::yield();
}

}  // namespace conformance
