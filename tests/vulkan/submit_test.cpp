// SPDX-License-Identifier: MIT
#include "vulkan/rig.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

// y = clamp(x), 8 floats.
GraphBuilder clamp_graph() {
    GraphBuilder graph;
    graph.input("x", {8}).output("y", {8}).clamp("x", "y", 0.0F, 1.0F);
    return graph;
}

const Floats kIn{-1, 0, 0.25, 0.5, 1, 2, 3, 4};
const Floats kOut{0, 0, 0.25, 0.5, 1, 1, 1, 1};

// A program with buffers for it.
struct Bound {
    explicit Bound(Rig& r)
        : rig(r),
          program(r.load(clamp_graph())),
          in(r.buffer(bytes_of(kIn))),
          out(r.buffer(32)),
          bindings{{in.get(), 0, 32, 0, Access::Read}, {out.get(), 0, 32, 1, Access::Write}} {}
    ~Bound() {
        if (in) rig.free(std::move(in));
        if (out) rig.free(std::move(out));
        if (program) rig.unload(std::move(program));
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

    [[nodiscard]] ErrorKind refusal(const std::vector<Binding>& with) {
        return rejection(rig.try_submit(*program, with));
    }
    [[nodiscard]] Floats result() { return values_of<float>(rig.read(*out, 0, 32)); }

    Rig& rig;
    std::unique_ptr<provider::Program> program;
    std::unique_ptr<provider::Buffer> in, out;
    std::vector<Binding> bindings;
};

template <class T>
ErrorKind refused(provider::ReleaseResult<T> result, std::unique_ptr<T>& back) {
    auto* rejected = std::get_if<provider::ReleaseRejected<T>>(&result);
    REQUIRE(rejected);
    back = std::move(rejected->resource);
    REQUIRE(back);
    return rejected->error.kind;
}

}  // namespace

TEST_SUITE("vulkan/submit" * doctest::skip(skipped())) {
    TEST_CASE("a submission binds the caller's buffers and stages nothing") {
        Rig rig;
        Bound bound(rig);
        const auto before = rig->copy_counters();
        rig.finish(rig.submit(*bound.program, bound.bindings));
        const auto after = rig->copy_counters();
        CHECK(bound.result() == kOut);
        CHECK(after.direct_bindings == before.direct_bindings + 2);
        CHECK(after.explicit_transfer_bytes == before.explicit_transfer_bytes);
    }

    TEST_CASE("bindings that the program does not take are refused, each with its own error") {
        Rig rig;
        Bound bound(rig);
        auto bad = bound.bindings;
        auto expected = ErrorKind::Incompatible;
        SUBCASE("none") {
            bad.clear();
            expected = ErrorKind::ResourceLimit;
        }
        SUBCASE("too many") {
            while (bad.size() <= rig->device_info().max_bindings_per_submission)
                bad.push_back(
                    {bound.in.get(), 0, 32, static_cast<std::uint32_t>(bad.size()), Access::Read});
            expected = ErrorKind::ResourceLimit;
        }
        SUBCASE("a slot twice") {
            bad[1].slot = 0;
            expected = ErrorKind::InvalidArgument;
        }
        SUBCASE("outside the buffer") {
            bad[1].offset = 32;
            expected = ErrorKind::OutOfBounds;
        }
        SUBCASE("a range that wraps") {
            bad[1].offset = ~0ULL;
            expected = ErrorKind::OutOfBounds;
        }
        SUBCASE("too few") {
            bad.pop_back();
        }
        SUBCASE("an unknown slot") {
            bad[1].slot = 2;
        }
        SUBCASE("too short") {
            bad[0].bytes = 28;
        }
        SUBCASE("read for write") {
            bad[1].access = Access::Read;
        }
        SUBCASE("read and write") {
            bad[1].access = Access::ReadWrite;
        }
        SUBCASE("write for read") {
            bad[0].access = Access::Write;
        }
        SUBCASE("input over output") {
            bad[0].buffer = bound.out.get();
        }
        CHECK(bound.refusal(bad) == expected);

        rig.finish(rig.submit(*bound.program, bound.bindings));
        CHECK(bound.result() == kOut);
    }

    TEST_CASE("access must be within the usage of the buffer") {
        Rig rig;
        Bound bound(rig);
        auto input = rig.buffer(32, MemoryDomain::Host, provider::kUsageProgramInput);
        auto output = rig.buffer(32, MemoryDomain::Host, provider::kUsageProgramOutput);
        auto bad = bound.bindings;
        bad[0].buffer = output.get();
        CHECK(bound.refusal(bad) == ErrorKind::PermissionDenied);
        bad[0].buffer = input.get();
        bad[1].buffer = input.get();
        CHECK(bound.refusal(bad) == ErrorKind::PermissionDenied);
        bad[1].buffer = output.get();
        rig.finish(rig.submit(*bound.program, bad));
        rig.free(std::move(input));
        rig.free(std::move(output));
    }

    TEST_CASE("objects of another context are refused") {
        Rig rig;
        Bound bound(rig);
        auto other = rig.make(rig->create_context(0));
        auto queue = rig.make(rig->create_queue(*other, 0));
        auto foreign = rig.make(rig->allocate_buffer(
            *other, {.bytes = 32, .domain = MemoryDomain::Host, .usage = kEveryUsage}));
        auto bad = bound.bindings;
        bad[1].buffer = foreign.get();
        CHECK(bound.refusal(bad) == ErrorKind::InvalidArgument);
        CHECK(rejection(rig->submit(*queue, *bound.program, bound.bindings, 0)) ==
              ErrorKind::InvalidArgument);
        rig.free(std::move(foreign));
        rig.released(rig->destroy_queue(std::move(queue)));
        rig.released(rig->destroy_context(std::move(other)));
    }

    TEST_CASE("ranges of one buffer are bound where they are and leave their neighbours alone") {
        Rig rig;
        Bound bound(rig);
        const auto step =
            std::max<std::uint64_t>(32, rig.device().limits().minStorageBufferOffsetAlignment);
        auto whole = rig.buffer(Bytes(4 * step, std::byte{0xAB}));
        rig.write(*whole, step, bytes_of(kIn));
        auto bindings = bound.bindings;
        bindings[0] = {whole.get(), step, 32, 0, Access::Read};
        bindings[1] = {whole.get(), 2 * step, 32, 1, Access::Write};
        rig.finish(rig.submit(*bound.program, bindings));

        CHECK(values_of<float>(rig.read(*whole, 2 * step, 32)) == kOut);
        CHECK(values_of<float>(rig.read(*whole, step, 32)) == kIn);
        CHECK(rig.read(*whole, 0, step) == Bytes(step, std::byte{0xAB}));
        CHECK(rig.read(*whole, 2 * step + 32, step) == Bytes(step, std::byte{0xAB}));

        bindings[1].offset = 2 * step + 2;
        CHECK(bound.refusal(bindings) == ErrorKind::Incompatible);
        rig.free(std::move(whole));
    }

    TEST_CASE("a pending event cannot be destroyed, and a terminal one stays what it is") {
        Rig rig;
        Bound bound(rig);
        QueueHold hold(rig.device());
        auto event = rig.submit(*bound.program, bound.bindings);
        CHECK(rig.poll(*event).phase == EventPhase::Pending);
        CHECK(refused(rig->destroy_event(std::move(event)), event) == ErrorKind::Busy);
        CHECK(error_of(rig->cancel_event(*event)) == ErrorKind::Unsupported);
        hold.let_go();
        CHECK(rig.wait(*event).phase == EventPhase::Complete);
        CHECK(rig.poll(*event).phase == EventPhase::Complete);
        CHECK(bound.result() == kOut);  // readable while the event still exists
        rig.released(rig->destroy_event(std::move(event)));
    }

    TEST_CASE("what is in flight is shared between readers and closed to everything else") {
        Rig rig;
        Bound bound(rig);
        auto out2 = rig.buffer(32);
        auto second = bound.bindings;
        second[1].buffer = out2.get();
        QueueHold hold(rig.device());
        auto event = rig.submit(*bound.program, bound.bindings);
        auto reader = rig.submit(*bound.program, second);

        Source in(Bytes(4));
        Sink out(4);
        CHECK(error_of(rig->write_buffer(*bound.in, 0, in)) == ErrorKind::Busy);
        CHECK(rig->read_buffer(*bound.in, 0, out));
        CHECK(error_of(rig->read_buffer(*bound.out, 0, out)) == ErrorKind::Busy);
        CHECK(bound.refusal(bound.bindings) == ErrorKind::Busy);  // two writers
        auto chained = bound.bindings;
        chained[0].buffer = out2.get();
        CHECK(bound.refusal(chained) == ErrorKind::Busy);  // reads what is being written
        CHECK(refused(rig->free_buffer(std::move(bound.in)), bound.in) == ErrorKind::Busy);
        CHECK(refused(rig->unload_program(std::move(bound.program)), bound.program) ==
              ErrorKind::Busy);
        CHECK(refused(rig->destroy_queue(std::move(rig.queue)), rig.queue) == ErrorKind::Busy);

        hold.let_go();
        rig.finish(std::move(event));
        CHECK(error_of(rig->write_buffer(*bound.in, 0, in)) == ErrorKind::Busy);  // one reader left
        rig.finish(std::move(reader));
        CHECK(rig->write_buffer(*bound.in, 0, in));
        rig.free(std::move(out2));
    }

    TEST_CASE("a full ring refuses, and takes again when an event is destroyed") {
        Rig rig;
        Bound bound(rig);
        std::vector<std::unique_ptr<provider::Buffer>> outs;
        std::vector<std::unique_ptr<provider::Event>> events;
        const auto bindings = [&](std::size_t i) {
            return std::vector<Binding>{bound.bindings[0],
                                        {outs[i].get(), 0, 32, 1, Access::Write}};
        };
        while (outs.size() < 65)
            outs.push_back(rig.buffer(32));
        QueueHold hold(rig.device());
        while (events.size() < 64)
            events.push_back(rig.submit(*bound.program, bindings(events.size())));
        CHECK(rejection(rig.try_submit(*bound.program, bindings(64))) == ErrorKind::ResourceLimit);

        hold.let_go();
        rig.finish(std::move(events.back()));
        events.back() = rig.submit(*bound.program, bindings(64));
        for (auto& event : events)
            rig.finish(std::move(event));
        for (auto& out : outs) {
            if (&out != &outs[63]) CHECK(values_of<float>(rig.read(*out, 0, 32)) == kOut);
            rig.free(std::move(out));
        }
    }

    TEST_CASE("an event seen running past its deadline fails, once the device is done") {
        Rig rig;
        Bound bound(rig);
        QueueHold hold(rig.device());
        auto event = rig.submit(*bound.program, bound.bindings, 1);
        CHECK(rig.poll(*event).phase == EventPhase::Pending);
        Sink out(4);
        CHECK(error_of(rig->read_buffer(*bound.out, 0, out)) == ErrorKind::Busy);
        hold.let_go();
        const auto state = rig.wait(*event);
        CHECK(state.phase == EventPhase::Failed);
        CHECK(state.error.kind == ErrorKind::DeadlineExpired);
        CHECK(rig.poll(*event).error.kind == ErrorKind::DeadlineExpired);
        rig.released(rig->destroy_event(std::move(event)));
    }

    TEST_CASE("a deadline beyond the end of the clock is none") {
        Rig rig;
        Bound bound(rig);
        rig.finish(rig.submit(*bound.program, bound.bindings, ~0ULL));
        CHECK(bound.result() == kOut);
    }

    TEST_CASE("runs of one program share its arena one after the other") {
        Rig rig;
        GraphBuilder graph;
        graph.input("x", {5000}).output("y", {5000}).tensor("a", {5000}).tensor("b", {5000});
        graph.clamp("x", "a", 0.0F, 100.0F).op(tosa::Op::Add, {"a", "a"}, {"b"});
        graph.op(tosa::Op::Add, {"b", "a"}, {"y"});
        auto program = rig.load(graph);
        std::vector<std::unique_ptr<provider::Buffer>> buffers;
        std::vector<std::unique_ptr<provider::Event>> events;
        for (int i = 0; i < 8; ++i) {
            const auto x = bytes_of(Floats(5000, static_cast<float>(i)));
            buffers.push_back(rig.buffer(x));
            auto* in = buffers.back().get();
            buffers.push_back(rig.buffer(20000));
            events.push_back(
                rig.submit(*program, {{in, 0, 20000, 0, Access::Read},
                                      {buffers.back().get(), 0, 20000, 1, Access::Write}}));
        }
        for (auto& event : events)
            rig.finish(std::move(event));
        for (std::size_t i = 0; i < 8; ++i)
            CHECK(values_of<float>(rig.read(*buffers[2 * i + 1], 0, 20000)) ==
                  Floats(5000, 3.0F * static_cast<float>(i)));
        for (auto& buffer : buffers)
            rig.free(std::move(buffer));
        rig.unload(std::move(program));
    }

    TEST_CASE("programs are admitted only as what they say they are") {
        Rig rig;
        const auto file = clamp_graph().file();
        Source source(file);
        const auto target = tosa::encode_target(tosa::kFloatTarget);
        auto other = target;
        other[6] = 0;
        CHECK(error_of(rig->load_program(*rig.context, {1, target, ~0ULL}, source)) ==
              ErrorKind::Unsupported);
        CHECK(error_of(rig->load_program(*rig.context, {tosa::kFormat, other, ~0ULL}, source)) ==
              ErrorKind::Incompatible);
        CHECK(error_of(rig.try_load(Bytes(64))) == ErrorKind::InvalidArgument);
        CHECK(error_of(rig.try_load(Bytes())) == ErrorKind::InvalidArgument);
        GraphBuilder no_kernel;
        no_kernel.input("x", {2}, tosa::DType::Int32).input("z", {2}, tosa::DType::Int32);
        no_kernel.output("y", {2}, tosa::DType::Int32);
        no_kernel.op(tosa::Op::IntDiv, {"x", "z"}, {"y"});
        CHECK(error_of(rig.try_load(no_kernel.file())) == ErrorKind::Unsupported);
    }

    TEST_CASE("an artifact that is too long is not read") {
        struct Endless final : provider::ByteSource {
            std::uint64_t size() const override { return (256ULL << 20) + 1; }
            Result<void> read(std::uint64_t, std::span<std::byte>) override {
                FAIL_CHECK("read");
                return {};
            }
        };
        Rig rig;
        Endless source;
        CHECK(error_of(rig->load_program(
                  *rig.context, {tosa::kFormat, tosa::encode_target(tosa::kFloatTarget), ~0ULL},
                  source)) == ErrorKind::ResourceLimit);
    }

    TEST_CASE("a program retains no more than it was allowed") {
        Rig rig;
        GraphBuilder graph;
        graph.input("x", {1000}).output("y", {1000});
        graph.constant("k", {1000}, Bytes(4000)).op(tosa::Op::Add, {"x", "k"}, {"y"});
        CHECK(error_of(rig.try_load(graph.file(), 4000)) == ErrorKind::ResourceLimit);
        auto program = rig.make(rig.try_load(graph.file(), 16384));
        rig.unload(std::move(program));
    }

    TEST_CASE("an event that is only dropped keeps its buffers until the work has ended") {
        Rig rig;
        Bound bound(rig);
        {
            QueueHold hold(rig.device());
            auto event = rig.submit(*bound.program, bound.bindings);
            event.reset();
            CHECK(refused(rig->free_buffer(std::move(bound.in)), bound.in) == ErrorKind::Busy);
        }
        // Nobody can release these any more: they go after the provider, as the contract
        // says, and the ring waits for the work before it lets go of anything.
        bound.program.reset();
        bound.in.reset();
        bound.out.reset();
        rig.queue.reset();
        rig.context.reset();
    }

    TEST_CASE("a lost device stays lost, and what was running on it has failed") {
        Rig rig;
        Bound bound(rig);
        auto done = rig.submit(*bound.program, bound.bindings);
        CHECK(rig.wait(*done).phase == EventPhase::Complete);
        {
            QueueHold hold(rig.device());
            auto event = rig.submit(*bound.program, bound.bindings);
            CHECK(rig.device().error(VK_ERROR_DEVICE_LOST) == ErrorKind::DeviceLost);
            CHECK(rig.poll(*event).error.kind == ErrorKind::DeviceLost);
            CHECK(rig.poll(*event).phase == EventPhase::Failed);
            CHECK(refused(rig->destroy_event(std::move(event)), event) == ErrorKind::DeviceLost);
        }
        CHECK(rig.poll(*done).phase == EventPhase::Complete);
        CHECK(bound.refusal(bound.bindings) == ErrorKind::DeviceLost);
        Source in(Bytes(4));
        Sink out(4);
        CHECK(error_of(rig->write_buffer(*bound.in, 0, in)) == ErrorKind::DeviceLost);
        CHECK(error_of(rig->read_buffer(*bound.in, 0, out)) == ErrorKind::DeviceLost);
        CHECK(error_of(rig->create_context(0)) == ErrorKind::DeviceLost);
        CHECK(error_of(rig->create_queue(*rig.context, 0)) == ErrorKind::DeviceLost);
        CHECK(error_of(rig.try_load(clamp_graph().file())) == ErrorKind::DeviceLost);
        CHECK(refused(rig->free_buffer(std::move(bound.in)), bound.in) == ErrorKind::DeviceLost);
        bound.program.reset();
        bound.in.reset();
        bound.out.reset();
        rig.queue.reset();
        rig.context.reset();
    }
}
