// SPDX-License-Identifier: MIT
//
// Random schedules on the engine and on the model of protocol.md: the same answers, always.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <doctest/doctest.h>

#include "model/generator.hpp"
#include "model/minimise.hpp"
#include "model/run.hpp"

using namespace model;

namespace {

// Devices that can do everything; that cannot cancel; that have host memory only.
constexpr std::array<std::uint64_t, 3> kCapabilities{0x27, 0x23, 0x05};
constexpr int kSchedules = 800;
constexpr std::uint32_t kSteps = 400;
// What a device that wants to be replaced still has to answer.
constexpr int kAfterDiscard = 12;

struct Explored {
    Schedule schedule;  // up to the mismatch
    Mismatch mismatch;
};

Explored explore(std::uint64_t seed) {
    Seeded choices(seed);
    Explored explored{.schedule = {.setup = {kCapabilities[seed % kCapabilities.size()]}},
                      .mismatch = std::nullopt};
    Run run(explored.schedule.setup);
    int left = kAfterDiscard;
    for (std::uint32_t label = 1; label <= kSteps && left > 0 && !explored.mismatch; ++label) {
        explored.schedule.steps.push_back(next_step(choices, run, label));
        explored.mismatch = run.step(explored.schedule.steps.back());
        if (run.model().health() != engine::Health::Running) --left;
        if (!explored.mismatch && label % 100 == 0) explored.mismatch = run.sweep();
    }
    if (!explored.mismatch) explored.mismatch = run.sweep();
    return explored;
}

bool fails(const Schedule& schedule) {
    return replay(schedule).has_value();
}

std::string read_file(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_SUITE_BEGIN("model");

TEST_CASE("the engine answers random commands as the protocol's text says") {
    std::size_t steps = 0;
    for (std::uint64_t seed = 1; seed <= kSchedules; ++seed) {
        const Explored explored = explore(seed);
        steps += explored.schedule.steps.size();
        if (!explored.mismatch) continue;
        CAPTURE(seed);
        const Schedule least =
            fails(explored.schedule) ? minimise(explored.schedule, fails) : explored.schedule;
        FAIL(replay(least).value_or(*explored.mismatch), "\nschedule:\n", to_text(least));
    }
    CHECK(steps > 100'000);
}

TEST_CASE("schedules that once found something, or that chance seldom finds") {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator("tests/model/schedules"))
        files.push_back(entry.path());
    std::ranges::sort(files);
    REQUIRE_FALSE(files.empty());
    for (const auto& file : files) {
        CAPTURE(file);
        const auto schedule = parse(read_file(file));
        REQUIRE_MESSAGE(schedule.has_value(), schedule.error());
        const Mismatch mismatch = replay(*schedule);
        CHECK_MESSAGE(!mismatch, mismatch.value_or(""));
    }
}

TEST_CASE("a slot whose 8192 generations are used up is never used again") {
    Run run({});
    std::uint32_t label = 0;
    Mismatch mismatch;
    for (int i = 0; i < 8194 && !mismatch; ++i) {
        mismatch = run.step({.label = ++label, .opcode = 0x0100, .fields = {{}, {}}});
        if (!mismatch)
            mismatch = run.step({.label = ++label, .opcode = 0x0101, .fields = {{0, label - 1}}});
    }
    CHECK_MESSAGE(!mismatch, mismatch.value_or(""));
    CHECK(run.ids().at(16383) == 0x0001'FFF9'0000'0001);
    CHECK(run.ids().at(16385) == 0x0001'0001'0000'0002);
}

TEST_CASE("the text form of a schedule says all of it") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Schedule schedule = explore(seed).schedule;
        const auto again = parse(to_text(schedule));
        REQUIRE_MESSAGE(again.has_value(), again.error());
        CHECK(*again == schedule);
    }
    for (const char* bad : {"1: NO_SUCH", "1:", "CREATE_CONTEXT 0 0", "1: reset", "1: POLL_EVENT x",
                            "1: POLL_EVENT 1 2", "1: POLL_EVENT 1 !poll_event:pad",
                            "1: POLL_EVENT 1 piece=0", "1: POLL_EVENT 1 tail=0"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse(bad));
    }
}

TEST_CASE("a minimised schedule holds only what its failure needs") {
    Schedule schedule = explore(1).schedule;
    const auto has = [](const Schedule& s, std::uint16_t opcode) {
        return std::ranges::contains(s.steps, opcode, &Step::opcode);
    };
    const Schedule least =
        minimise(schedule, [&](const Schedule& s) { return has(s, kSubmit) && has(s, 0x0503); });
    CHECK(least.steps.size() == 2);
    for (const Step& step : least.steps)
        CHECK(step.injections.empty());
}
