// SPDX-License-Identifier: MIT
#include "xdna/self_test.hpp"

#include <thread>

#include "provider/guard.hpp"

namespace xdna {
namespace {

using provider::Access;
using provider::Binding;
using Bytes = std::vector<std::byte>;

// A context of the provider and what runs in it.
class Asker {
 public:
    explicit Asker(XdnaProvider& provider) : provider_(provider) {}

    Result<Bytes> ask(const KnownAnswer& question, const Binary& binary) {
        auto context = provider_.create_context(0);
        if (!context) return std::unexpected(context.error());
        auto queue = provider_.create_queue(**context, 0);
        if (!queue) return std::unexpected(queue.error());
        auto program = provider_.load_binary(**context, binary, ~std::uint64_t{0});
        if (!program) return std::unexpected(program.error());

        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<Binding> bindings;
        const auto bind = [&](const Bytes& contents, Access access) -> Result<void> {
            auto buffer = make_buffer(**context, contents);
            if (!buffer) return std::unexpected(buffer.error());
            bindings.push_back({buffer->get(), 0, contents.size(),
                                static_cast<std::uint32_t>(bindings.size()), access});
            buffers.push_back(std::move(*buffer));
            return {};
        };
        for (const Bytes& input : question.inputs)
            if (auto bound = bind(input, Access::Read); !bound)
                return std::unexpected(bound.error());
        // What no kernel has written is no answer.
        if (auto bound = bind(Bytes(question.output.size(), std::byte{0xA5}), Access::Write);
            !bound)
            return std::unexpected(bound.error());

        if (auto ran = run(**queue, **program, bindings); !ran) return std::unexpected(ran.error());
        Bytes answer(question.output.size());
        provider::SpanSink sink(answer);
        if (auto got = provider_.read_buffer(*buffers.back(), 0, sink); !got)
            return std::unexpected(got.error());
        return answer;
    }

 private:
    Result<std::unique_ptr<provider::Buffer>> make_buffer(provider::Context& context,
                                                          const Bytes& contents) {
        auto buffer = provider_.allocate_buffer(
            context, {.bytes = contents.size(),
                      .usage = provider::kUsageTransferSource |
                               provider::kUsageTransferDestination | provider::kUsageProgram});
        if (!buffer) return buffer;
        provider::SpanSource source(contents);
        if (auto written = provider_.write_buffer(**buffer, 0, source); !written)
            return std::unexpected(written.error());
        return buffer;
    }

    // Ends by the watchdog at the latest.
    Result<void> run(provider::Queue& queue, provider::Program& program,
                     std::span<const Binding> bindings) {
        auto submitted = provider_.submit(queue, program, bindings, 0);
        if (const auto* rejected = std::get_if<provider::SubmitRejected>(&submitted))
            return std::unexpected(rejected->error);
        auto& event = *std::get<provider::Accepted>(submitted).event;
        for (;;) {
            const auto state = provider_.poll_event(event);
            if (!state) return std::unexpected(state.error());
            if (state->phase == provider::EventPhase::Complete) return {};
            if (state->terminal()) return std::unexpected(state->error);
            std::this_thread::yield();
        }
    }

    XdnaProvider& provider_;
};

}  // namespace

std::expected<std::size_t, std::string> self_test(XdnaProvider& provider,
                                                  std::span<const KnownAnswer> answers) {
    Asker asker(provider);
    std::size_t right = 0;
    for (const KnownAnswer& known : answers) {
        const auto binary = provider.ready(known.spec);
        if (!binary) continue;
        const auto answer = provider::guarded([&] { return asker.ask(known, *binary); });
        if (!answer)
            return std::unexpected("the device fails to compute " + to_text(known.spec) + ": " +
                                   std::string(provider::name(answer.error().kind)));
        if (*answer != known.output)
            return std::unexpected("the device computes wrong: " + to_text(known.spec));
        ++right;
    }
    return right;
}

}  // namespace xdna
