// SPDX-License-Identifier: MIT
#include "vulkan/self_test.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "provider/guard.hpp"

namespace vulkan {
namespace {

using provider::Access;
using provider::Binding;

// A context of the provider and what runs in it.
class Asker {
 public:
    explicit Asker(VulkanProvider& provider) : provider_(provider) {}

    Result<std::vector<std::byte>> ask(const KnownAnswer& question) {
        auto context = provider_.create_context(0);
        if (!context) return std::unexpected(context.error());
        auto queue = provider_.create_queue(**context, 0);
        if (!queue) return std::unexpected(queue.error());
        const auto program = load(static_cast<Context&>(**context), question.graph);
        if (!program) return std::unexpected(program.error());

        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<Binding> bindings;
        for (std::size_t slot = 0; slot <= question.inputs.size(); ++slot) {
            const bool reads = slot < question.inputs.size();
            const std::vector<std::byte> contents =
                reads ? question.inputs[slot]
                      : std::vector(question.output.size(), std::byte{0xA5});
            auto buffer =
                provider_.allocate_buffer(**context, {.bytes = contents.size(),
                                                      .alignment = 1,
                                                      .domain = MemoryDomain::Host,
                                                      .usage = provider::kUsageTransferSource |
                                                               provider::kUsageTransferDestination |
                                                               provider::kUsageProgram});
            if (!buffer) return std::unexpected(buffer.error());
            provider::SpanSource source(contents);
            if (auto written = provider_.write_buffer(**buffer, 0, source); !written)
                return std::unexpected(written.error());
            bindings.push_back({buffer->get(), 0, contents.size(), static_cast<std::uint32_t>(slot),
                                reads ? Access::Read : Access::Write});
            buffers.push_back(std::move(*buffer));
        }
        if (auto ran = run(**queue, **program, bindings); !ran) return std::unexpected(ran.error());
        std::vector<std::byte> answer(question.output.size());
        provider::SpanSink sink(answer);
        if (auto got = provider_.read_buffer(*buffers.back(), 0, sink); !got)
            return std::unexpected(got.error());
        return answer;
    }

 private:
    // As load_program() does, but for the artifact, and the tier that it would have to be of.
    static Result<std::unique_ptr<Program>> load(Context& context, const tosa::Graph& graph) {
        ContextState& state = *context.state;
        const Grid& grid = state.kernels->grid();
        const auto lowering = lower(graph, grid);
        if (!lowering) return std::unexpected(lowering.error());
        const auto plan = schedule(*lowering, grid);
        if (!plan) return std::unexpected(plan.error());
        auto executable =
            Executable::create(state.kernels, state.transfer, *plan, ~std::uint64_t{0});
        if (!executable) return std::unexpected(executable.error());
        return std::make_unique<Program>(context.state, *state.programs.take(),
                                         std::move(*executable));
    }

    Result<void> run(provider::Queue& queue, Program& program, std::span<const Binding> bindings) {
        auto submitted = provider_.submit(queue, program, bindings, 0);
        auto* accepted = std::get_if<provider::Accepted>(&submitted);
        if (!accepted) return std::unexpected(ErrorKind::DeviceLost);
        const auto give_up = std::chrono::steady_clock::now() + kPatience;
        for (;;) {
            const auto state = provider_.poll_event(*accepted->event);
            if (!state) return std::unexpected(state.error());
            if (state->phase == provider::EventPhase::Complete) return {};
            if (state->terminal()) return std::unexpected(ErrorKind::DeviceLost);
            if (std::chrono::steady_clock::now() > give_up) {
                provider_.device().abandon();
                return std::unexpected(ErrorKind::DeadlineExpired);
            }
            std::this_thread::yield();
        }
    }

    VulkanProvider& provider_;
};

}  // namespace

std::expected<void, std::string> self_test(VulkanProvider& provider,
                                           std::span<const KnownAnswer> answers) {
    Asker asker(provider);
    for (const KnownAnswer& known : answers) {
        const auto answer = provider::guarded([&] { return asker.ask(known); });
        if (!answer)
            return std::unexpected("the device fails to compute " + std::string(known.name) + ": " +
                                   std::string(provider::name(answer.error().kind)));
        if (*answer != known.output)
            return std::unexpected("the device computes wrong: " + std::string(known.name));
    }
    return {};
}

std::expected<std::shared_ptr<Kernels>, std::string> trusted_kernels(
    std::shared_ptr<Kernels> kernels, const Options& options) {
    Grid grid = kernels->grid();
    const auto ask = [&](std::span<const KnownAnswer> answers) {
        VulkanProvider tried(kernels, {});  // of its own, whose counters nobody sees
        return self_test(tried, answers);
    };
    const auto keep_if_right = [&](std::optional<MatrixShape>& shape, const KnownAnswer& known) {
        if (!shape) return;
        const auto right = ask({&known, 1});
        if (right) return;
        if (options.warning) options.warning(right.error() + ", so they are not used");
        shape.reset();
    };
    const std::vector<KnownAnswer> answers = matrix_answers();
    keep_if_right(grid.matrices.halves, answers[0]);
    keep_if_right(grid.matrices.bytes, answers[1]);
    if (grid != kernels->grid()) {
        auto made = Kernels::create(kernels->shared_device(), options.cache_directory, grid);
        if (!made)
            return std::unexpected("the provider's kernels cannot be made: " +
                                   std::string(provider::name(made.error().kind)));
        kernels = std::move(*made);
    }
    return ask(known_answers()).transform([&] { return kernels; });
}

}  // namespace vulkan
