// SPDX-License-Identifier: MIT
#include <thread>

#include "xdna/provider/rig.hpp"

namespace xdna::test {
namespace {

constexpr std::size_t kDepth = 4;

std::vector<Pair> pairs(Rig& rig, std::uint64_t first = 0) {
    std::vector<Pair> all;
    for (std::size_t i = 0; i < kDepth; ++i)
        all.emplace_back(rig, payload(first + i));
    return all;
}

// Five handles, of which a run in flight lets none go.
void check_all_busy(Rig& rig, Pair& pair, std::unique_ptr<provider::Program>& program,
                    std::unique_ptr<provider::Event>& event) {
    for (auto* buffer : {&pair.in, &pair.out}) {
        auto* const was = buffer->get();
        busy(rig->free_buffer(std::move(*buffer)), *buffer, was);
    }
    auto* const program_was = program.get();
    busy(rig->unload_program(std::move(program)), program, program_was);
    auto* const event_was = event.get();
    busy(rig->destroy_event(std::move(event)), event, event_was);
    auto* const queue_was = rig.queue.get();
    busy(rig->destroy_queue(std::move(rig.queue)), rig.queue, queue_was);
    auto* const context_was = rig.context.get();
    busy(rig->destroy_context(std::move(rig.context)), rig.context, context_was);
}

TEST_SUITE("xdna/submit") {
    TEST_CASE("four in flight, eight times: each ends after those before it, with its own bytes") {
        Rig rig("hold");
        auto program = rig.load();
        auto all = pairs(rig);
        for (std::uint64_t round = 0; round < 8; ++round) {
            std::vector<std::unique_ptr<provider::Event>> events;
            for (std::uint64_t i = 0; i < kDepth; ++i) {
                rig.write(*all[i].in, 0, payload(round * kDepth + i));
                events.push_back(rig.submit(*program, all[i].bindings()));
            }
            xrt_double::await("commands", (round + 1) * kDepth);
            for (const auto& event : events)
                CHECK(rig.pending(*event));
            xrt_double::release();
            CHECK(rig.wait(*events.back()).phase == EventPhase::Complete);
            for (std::uint64_t i = 0; i < kDepth; ++i) {
                CHECK_FALSE(rig.pending(*events[i]));
                CHECK(Rig::seen(*all[i].out) == payload(round * kDepth + i));
                rig.finish(std::move(events[i]));
            }
        }
        CHECK(xrt_double::count("most") == kDepth);
        for (Pair& pair : all)
            pair.free(rig);
        rig.unload(std::move(program));
    }

    TEST_CASE("the fifth is Busy, and an event that goes makes room for one") {
        Rig rig;
        auto program = rig.load();
        auto all = pairs(rig);
        Pair fifth(rig, payload(5));
        Pair sixth(rig, payload(6));
        std::vector<std::unique_ptr<provider::Event>> events;
        for (const Pair& pair : all)
            events.push_back(rig.submit(*program, pair.bindings()));
        for (const auto& event : events)
            CHECK(rig.wait(*event).phase == EventPhase::Complete);

        const auto runs = xrt_double::count("run");
        CHECK(rejection(rig.try_submit(*program, fifth.bindings())) == ErrorKind::Busy);
        CHECK(xrt_double::count("run") == runs);  // none was made for it
        rig.finish(std::move(events[2]));
        events[2] = rig.submit(*program, fifth.bindings());
        CHECK(rejection(rig.try_submit(*program, sixth.bindings())) == ErrorKind::Busy);

        for (auto& event : events)
            rig.finish(std::move(event));
        CHECK(rig.read(*fifth.out) == payload(5));
        for (Pair& pair : all)
            pair.free(rig);
        fifth.free(rig);
        sixth.free(rig);
        rig.unload(std::move(program));
    }

    TEST_CASE("what a pending run uses is neither released nor transferred nor used twice") {
        Rig rig("hold");
        auto program = rig.load();
        auto in = rig.buffer(payload(1));
        auto out = rig.buffer(16);
        Pair other(rig);
        Pair pair(rig);
        auto event = rig.submit(*program, {{pair.in.get(), 0, 8, 0, Access::Read},
                                           {out.get(), 8, 8, 1, Access::Write}});
        const auto runs = xrt_double::count("run");
        for (const auto& bindings : {Rig::bind(*pair.in, *other.out),
                                     std::vector<Binding>{{other.in.get(), 0, 8, 0, Access::Read},
                                                          {out.get(), 0, 8, 1, Access::Write}}})
            CHECK(rejection(rig.try_submit(*program, bindings)) == ErrorKind::Busy);
        CHECK(xrt_double::count("run") == runs);
        // Also of the bytes beside: they may share a line of the cache with what it writes.
        Bytes four(4);
        provider::SpanSource source(four);
        provider::SpanSink sink(four);
        CHECK(error_of(rig->write_buffer(*out, 0, source)) == ErrorKind::Busy);
        CHECK(error_of(rig->read_buffer(*out, 0, sink)) == ErrorKind::Busy);
        std::swap(pair.out, out);
        check_all_busy(rig, pair, program, event);

        xrt_double::await("commands", 1);
        xrt_double::release();
        rig.finish(std::move(event));
        CHECK(rig.read(*pair.in) == payload(0));
        for (Pair* each : {&pair, &other})
            each->free(rig);
        rig.free(std::move(in));
        rig.free(std::move(out));
        rig.unload(std::move(program));
    }

    TEST_CASE("a release that comes between acceptance and start finds everything in use") {
        Rig rig;
        auto program = rig.load();
        Pair pair(rig, payload(9));
        REQUIRE(
            rig.faults->hold_dispatch(dispatch::test::kWatchdog / 2, dispatch::test::kWatchdog));
        auto event = rig.submit(*program, pair.bindings());
        rig.faults->wait_for_arrival();
        CHECK(xrt_double::count("start") == 0);
        CHECK(rig.pending(*event));
        check_all_busy(rig, pair, program, event);

        rig.faults->let_go();
        rig.finish(std::move(event));
        CHECK(rig.read(*pair.out) == payload(9));
        pair.free(rig);
        rig.unload(std::move(program));
    }

    TEST_CASE("who sees the end sees the results, without a transfer") {
        Rig rig;
        auto program = rig.load();
        Pair pair(rig, payload(3));
        rig.finish(rig.submit(*program, pair.bindings()));
        CHECK(Rig::seen(*pair.out) == payload(3));
        pair.free(rig);
        rig.unload(std::move(program));
    }

    TEST_CASE("of two hardware contexts the second may be done first, and still ends second") {
        Rig rig("hold@0");
        auto slow = rig.load(Int8Identity{8});
        auto fast = rig.load(Int8Identity{12});
        Pair of_slow(rig, Bytes(8, std::byte{1}));
        Pair of_fast(rig, Bytes(12, std::byte{2}));
        auto first = rig.submit(*slow, of_slow.bindings());
        auto second = rig.submit(*fast, of_fast.bindings());
        xrt_double::await("ended", 1);
        CHECK(rig.pending(*first));
        CHECK(rig.pending(*second));
        xrt_double::release();
        CHECK(rig.wait(*second).phase == EventPhase::Complete);
        CHECK_FALSE(rig.pending(*first));
        rig.finish(std::move(first));
        rig.finish(std::move(second));
        CHECK(rig.read(*of_slow.out) == Bytes(8, std::byte{1}));
        CHECK(rig.read(*of_fast.out) == Bytes(12, std::byte{2}));
        of_slow.free(rig);
        of_fast.free(rig);
        rig.unload(std::move(slow));
        rig.unload(std::move(fast));
    }

    TEST_CASE("a submission that does not fit is rejected, and nothing is made for it") {
        Rig rig;
        auto program = rig.load();
        auto in = rig.buffer(16);
        auto out = rig.buffer(16);
        auto only_out = rig.buffer(8, provider::kUsageProgramOutput);
        const auto at = [&](std::uint64_t offset, std::uint64_t bytes) {
            return std::vector<Binding>{{in.get(), offset, bytes, 0, Access::Read},
                                        {out.get(), 0, 8, 1, Access::Write}};
        };
        const auto rejected = [&](const std::vector<Binding>& bindings) {
            return rejection(rig.try_submit(*program, bindings));
        };
        CHECK(rejected({}) == ErrorKind::ResourceLimit);
        CHECK(rejected(at(9, 8)) == ErrorKind::OutOfBounds);
        CHECK(rejected(at(2, 8)) == ErrorKind::Incompatible);  // no whole word
        CHECK(rejected(at(0, 7)) == ErrorKind::Incompatible);
        CHECK(rejected(at(0, 12)) == ErrorKind::Incompatible);
        CHECK(rejected({at(0, 8)[0]}) == ErrorKind::Incompatible);
        auto bindings = at(0, 8);
        bindings[1].access = Access::ReadWrite;
        CHECK(rejected(bindings) == ErrorKind::Incompatible);
        bindings[1] = {in.get(), 4, 8, 1, Access::Write};  // of which a part is read
        CHECK(rejected(bindings) == ErrorKind::Incompatible);
        bindings[1] = {out.get(), 0, 8, 0, Access::Write};
        CHECK(rejected(bindings) == ErrorKind::InvalidArgument);
        bindings = at(0, 8);
        bindings[0].buffer = only_out.get();
        CHECK(rejected(bindings) == ErrorKind::PermissionDenied);
        CHECK(rejection(rig.try_submit(*program, at(0, 8), 1)) == ErrorKind::DeadlineExpired);

        auto other = make(rig->create_context(0));
        auto foreign = rig.buffer(8, kEveryUsage, other.get());
        bindings = at(0, 8);
        bindings[0].buffer = foreign.get();
        CHECK(rejected(bindings) == ErrorKind::InvalidArgument);
        auto foreign_queue = make(rig->create_queue(*other, 0));
        CHECK(rejection(rig->submit(*foreign_queue, *program, at(0, 8), 0)) ==
              ErrorKind::InvalidArgument);
        CHECK(xrt_double::count("run") == 0);
        rig.finish(rig.submit(*program, at(4, 8)));

        rig.free(std::move(foreign));
        released(rig->destroy_queue(std::move(foreign_queue)));
        released(rig->destroy_context(std::move(other)));
        for (auto* buffer : {&in, &out, &only_out})
            rig.free(std::move(*buffer));
        rig.unload(std::move(program));
    }

    TEST_CASE("one buffer may fill several slots that are read") {
        Rig rig;
        auto program = rig.load(Int8Matmul{{2, 2, 2}, 0, 0});
        auto both = rig.buffer(bytes_of<std::int8_t>({1, 2, 3, 4}));
        auto out = rig.buffer(16);
        rig.finish(rig.submit(*program, {{both.get(), 0, 4, 0, Access::Read},
                                         {both.get(), 0, 4, 1, Access::Read},
                                         {out.get(), 0, 16, 2, Access::Write}}));
        CHECK(rig.read(*out) == bytes_of<std::int32_t>({7, 10, 15, 22}));
        rig.free(std::move(both));
        rig.free(std::move(out));
        rig.unload(std::move(program));
    }

    TEST_CASE("nothing is cancelled") {
        Rig rig("hold");
        auto program = rig.load();
        Pair pair(rig);
        auto event = rig.submit(*program, pair.bindings());
        CHECK(error_of(rig->cancel_event(*event)) == ErrorKind::Unsupported);
        xrt_double::await("commands", 1);
        xrt_double::release();
        rig.finish(std::move(event));
        pair.free(rig);
        rig.unload(std::move(program));
    }
}

// One of several guests: its own context, and calls that do not wait for the others.
class Guest {
 public:
    Guest(Rig& rig, std::uint64_t number) : rig_(rig), number_(number) {}

    // How many rounds went as they should.
    int live(int rounds) {
        auto context = make(rig_->create_context(0));
        auto queue = make(rig_->create_queue(*context, 0));
        int good = 0;
        for (int round = 0; round < rounds; ++round)
            good += compute(*context, *queue, payload(number_ + static_cast<std::uint64_t>(round)));
        released(rig_->destroy_queue(std::move(queue)));
        released(rig_->destroy_context(std::move(context)));
        return good;
    }

 private:
    // Two xclbins are shared with the other guests, more than there is room for.
    int compute(provider::Context& context, provider::Queue& queue, const Bytes& bytes) {
        const Binary binary = xrt_double::binary(kCopy);
        auto loaded = rig_->load_binary(context, binary, kNoCeiling);
        auto other = rig_->load_binary(
            context, xrt_double::binary(Int8Identity{static_cast<std::uint32_t>(4 * number_)}),
            kNoCeiling);
        auto in = rig_.buffer(8, kEveryUsage, &context);
        auto out = rig_.buffer(8, kEveryUsage, &context);
        rig_.write(*in, 0, bytes);
        bool good = false;
        if (loaded) {
            auto result = rig_->submit(queue, **loaded, Rig::bind(*in, *out), 0);
            while (!std::holds_alternative<provider::Accepted>(result)) {
                if (rejection(result) != ErrorKind::Busy) return 0;
                std::this_thread::yield();
                result = rig_->submit(queue, **loaded, Rig::bind(*in, *out), 0);
            }
            auto event = std::move(std::get<provider::Accepted>(result).event);
            good = rig_.wait(*event).phase == EventPhase::Complete && rig_.read(*out) == bytes;
            released(rig_->destroy_event(std::move(event)));
        }
        rig_.free(std::move(in));
        rig_.free(std::move(out));
        for (auto* program : {&loaded, &other})
            if (*program) rig_.unload(std::move(**program));
        return good ? 1 : 0;
    }

    Rig& rig_;
    const std::uint64_t number_;
};

TEST_CASE("xdna: guests on threads of their own share the lane and the hardware contexts") {
    constexpr int kRounds = 50;
    Rig rig("contexts=4");
    auto keeps_the_shared_one = rig.load();
    std::vector<int> good(6);
    {
        std::vector<std::jthread> guests;
        for (std::size_t i = 0; i < good.size(); ++i)
            guests.emplace_back([&, i] { good[i] = Guest(rig, 3 + i).live(kRounds); });
    }
    CHECK(good == std::vector<int>(good.size(), kRounds));
    rig.unload(std::move(keeps_the_shared_one));
}

}  // namespace
}  // namespace xdna::test
