// SPDX-License-Identifier: MIT
#include "bench/xdna/corpus.hpp"

#include <optional>
#include <print>
#include <string>

#include "bench/vulkan/samples.hpp"
#include "bench/xdna/load.hpp"
#include "corpus/case.hpp"
#include "tosa/graph.hpp"
#include "xdna/match.hpp"

namespace xdna::bench {
namespace {

// Nothing where no kernel computes it.
std::optional<Kernel> kernel_of(const corpus::Case& of) {
    const auto graph = tosa::build_graph(of.program, of.target);
    if (!graph) return std::nullopt;
    const auto spec = match(*graph);
    if (!spec) return std::nullopt;
    Kernel kernel{.spec = *spec, .file = of.program, .target = of.target, .inputs = {}};
    for (const corpus::Tensor& input : of.inputs)
        kernel.inputs.push_back(input.data);
    return kernel;
}

// What is wrong with its result; may throw.
std::string judge(provider::Provider& provider, const corpus::Case& of, const Kernel& kernel) {
    Load load(provider, kernel);
    load.submit(0);
    vulkan::bench::wait_until([&] { return load.done(0); });
    load.collect(0);
    Bytes made = load.output(0);
    made.resize(of.outputs.at(0).data.size());  // without the padding of its slot
    return corpus::difference(of.outputs.at(0), made, of.tolerance);
}

}  // namespace

bool run_corpus(provider::Provider& provider) {
    const auto cases = corpus::read_cases("tests/corpus/data");
    if (!cases) throw std::runtime_error(cases.error());
    std::size_t right = 0, wrong = 0;
    for (const corpus::Case& one : *cases) {
        const auto kernel = kernel_of(one);
        if (!kernel) continue;
        std::string why;
        try {
            why = judge(provider, one, *kernel);
        } catch (const Refused& refused) {
            why = refused.what();
            if (refused.kind() == provider::ErrorKind::Unsupported) {
                std::println("skip     corpus: {}: {}", one.name, why);
                continue;
            }
        }
        if (why.empty())
            std::println("ok       corpus: {}", one.name);
        else
            std::println("FAILED   corpus: {}: {}", one.name, why);
        ++(why.empty() ? right : wrong);
    }
    if (right == 0) std::println("FAILED   corpus: no case was right");
    return wrong == 0 && right != 0;
}

}  // namespace xdna::bench
