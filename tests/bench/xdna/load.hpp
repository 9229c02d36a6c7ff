// SPDX-License-Identifier: MIT
//
// A program of one kernel, with buffers for several runs of it at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "provider/provider.hpp"
#include "tosa/graph_builder.hpp"
#include "tosa/target.hpp"
#include "xdna/spec.hpp"

namespace xdna::bench {

struct Case {
    std::string name;
    Spec spec;
    tosa::Target target;  // the least that it needs
    tosa::test::GraphBuilder graph;
    double work = 0;        // of one run
    const char* unit = "";  // of work in a second
    std::size_t depth = 1;  // runs under way
};

// FP8 of 1,024 to 1,048,576 elements made BF16, and an INT8 product, alone and four at a time.
[[nodiscard]] std::vector<Case> cases();

// All failures are thrown.
class Load {
 public:
    Load(provider::Provider& provider, const Case& of);

    // A run with the buffers of that number: submitted, until it is done, and collected.
    void submit(std::size_t number);
    [[nodiscard]] bool done(std::size_t number);
    void collect(std::size_t number);

    // Whether the runs have made what a kernel has to make of its inputs.
    void check();

 private:
    struct Set {
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<provider::Binding> bindings;
        std::unique_ptr<provider::Event> event;
    };

    [[nodiscard]] Set make_set(const Case& of) const;

    provider::Provider& provider_;
    Spec spec_;
    std::vector<std::vector<std::byte>> inputs_;
    std::unique_ptr<provider::Context> context_;
    std::unique_ptr<provider::Queue> queue_;
    std::unique_ptr<provider::Program> program_;
    std::vector<Set> sets_;
};

}  // namespace xdna::bench
