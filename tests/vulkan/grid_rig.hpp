// SPDX-License-Identifier: MIT
//
// A device whose kernels are laid out as on another one, and which runs any graph that can be
// lowered, whatever the provider advertises.
#pragma once

#include "tosa/graph.hpp"
#include "vulkan/rig.hpp"

namespace vulkan::test {

class GridRig {
    // A plan borrows what it was made of.
    template <class Use>
    auto planned(const GraphBuilder& builder, Use use) const {
        const auto file = builder.file();
        const auto graph = tosa::build_graph(file, tosa::kEveryTarget);
        REQUIRE_MESSAGE(graph, graph.error().message);
        const auto lowering = lower(*graph, kernels_->grid());
        REQUIRE(lowering);
        const auto plan = schedule(*lowering, kernels_->grid());
        REQUIRE(plan);
        return use(*plan);
    }

 public:
    // As the provider lays them out, or changed.
    explicit GridRig(void (*change)(Grid&, const PhysicalDevice&) = {}) {
        Grid grid = state().kernels->grid();
        if (change) change(grid, rig_.device().physical());
        auto made = Kernels::create(state().kernels->shared_device(), {}, grid);
        REQUIRE(made);
        kernels_ = std::move(*made);
    }

    // How many dispatches a graph takes.
    [[nodiscard]] std::size_t dispatches(const GraphBuilder& graph) const {
        return planned(graph, [](const Plan& plan) { return plan.dispatches.size(); });
    }

    // What the only output holds after each of some runs.
    std::vector<Bytes> run(const GraphBuilder& graph, const std::vector<Bytes>& inputs,
                           std::size_t output_bytes, std::size_t runs) {
        auto program = load(graph);
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<Binding> bindings;
        const auto bind = [&](std::unique_ptr<provider::Buffer> made, Access access) {
            bindings.push_back({made.get(), 0, made->info().desc.bytes,
                                static_cast<std::uint32_t>(bindings.size()), access});
            buffers.push_back(std::move(made));
        };
        for (const Bytes& input : inputs)
            bind(rig_.buffer(input), Access::Read);
        bind(rig_.buffer(output_bytes), Access::Write);
        std::vector<Bytes> outputs;
        for (std::size_t i = 0; i < runs; ++i) {
            rig_.write(*buffers.back(), 0, Bytes(output_bytes, std::byte{0xEE}));
            rig_.finish(rig_.submit(*program, bindings));
            outputs.push_back(rig_.read(*buffers.back(), 0, output_bytes));
        }
        for (auto& made : buffers)
            rig_.free(std::move(made));
        rig_.unload(std::move(program));
        return outputs;
    }

 private:
    std::unique_ptr<provider::Program> load(const GraphBuilder& builder) {
        return planned(builder, [&](const Plan& plan) {
            auto executable = Executable::create(kernels_, state().transfer, plan, ~0ULL);
            REQUIRE(executable);
            auto counted = state().programs.take();
            REQUIRE(counted);
            return std::make_unique<Program>(shared_state(), std::move(*counted),
                                             std::move(*executable));
        });
    }

    [[nodiscard]] const std::shared_ptr<ContextState>& shared_state() const {
        return static_cast<Context&>(*rig_.context).state;
    }
    [[nodiscard]] ContextState& state() const { return *shared_state(); }

    Rig rig_;
    std::shared_ptr<Kernels> kernels_;
};

}  // namespace vulkan::test
