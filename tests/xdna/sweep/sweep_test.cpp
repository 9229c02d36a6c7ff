// SPDX-License-Identifier: MIT
//
// Every call of XRT fails in every way, once or from then on: nothing crashes, nothing leaks
// unless the device is wedged, no answer is wrong, and errors are what hardware.hpp says.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "xdna/double/script.hpp"
#include "xdna/sweep/life.hpp"

TEST_SUITE_BEGIN("xdna/sweep");

using xdna::ErrorKind;
using xdna::sweep::Bytes;
using xdna::sweep::Life;
using xdna::sweep::Story;
using xrt_double::count;
using xrt_double::Script;

namespace {

constexpr xdna::Spec kSpec = xdna::Int8Identity{64};
const Bytes kInput(64, std::byte{0x2A});

// As how a caller may see it.
const std::map<std::string, ErrorKind> kKinds{
    {"12", ErrorKind::OutOfMemory},   {"-12", ErrorKind::OutOfMemory},
    {"28", ErrorKind::ResourceLimit}, {"-5", ErrorKind::DeviceLost},
    {"-19", ErrorKind::DeviceLost},   {"1", ErrorKind::External},
    {"runtime", ErrorKind::External}, {"alloc", ErrorKind::OutOfMemory},
    {"foreign", ErrorKind::External}};

Story story(const std::string& words, const xdna::Options& options = {}) {
    const Script script(words);
    return Life(kSpec, {kInput}, options).live();
}

// What XRT failed with, unless the device was lost by it.
void check_errors(const Story& story, ErrorKind expected, bool of_context) {
    for (const xdna::Error& error : story.errors) {
        CAPTURE(name(error.kind));
        const bool refused = of_context && error.kind == ErrorKind::ResourceLimit;
        CHECK((refused || error.kind == expected || error.kind == ErrorKind::DeviceLost));
    }
    if (story.complete && !story.result.empty()) CHECK(story.result == kInput);
    if (story.not_opened)
        CHECK_FALSE(story.not_opened->empty());
    else if (story.errors.empty())
        CHECK(story.result == kInput);
}

xdna::Options without_self_test() {
    xdna::Options options;
    options.self_test = false;
    return options;
}

}  // namespace

TEST_CASE("a life without faults computes, and leaves nothing") {
    const std::uint64_t before = count("live");
    const Story told = story("", without_self_test());
    CHECK_FALSE(told.not_opened);
    CHECK(told.errors.empty());
    CHECK(told.result == kInput);
    CHECK(told.losses == 0);
    CHECK(count("live") == before);
}

TEST_CASE("any one call that fails is an error of its kind, and nothing is left") {
    std::uint64_t calls = 0;
    {
        const Script script;
        REQUIRE(Life(kSpec, {kInput}, without_self_test()).live().errors.empty());
        calls = count("any");
    }
    REQUIRE(calls > 20);
    std::map<std::string, int> failed;
    for (const auto& [kind, expected] : kKinds)
        for (std::uint64_t n = 1; n <= calls; ++n) {
            const std::string words = "any#" + std::to_string(n) + "=" + kind;
            CAPTURE(words);
            const std::uint64_t before = count("live");
            const Script script(words);
            const Story told = Life(kSpec, {kInput}, without_self_test()).live();
            check_errors(told, expected, count("hw_context") > 0);
            if (!told.errors.empty() || told.not_opened) ++failed[kind];
            CHECK_FALSE(told.pending);
            CHECK(count("live") == before);
            CHECK(count("blocked.destructor") == 0);
            CHECK(count("most") <= 1);
        }
    // Few calls are made again, or for what may be missing.
    for (const auto& [kind, times] : failed) {
        CAPTURE(kind);
        CHECK(static_cast<std::uint64_t>(times) > calls / 2);
    }
}

TEST_CASE("a device that fails for good ends every life, and only one that is wedged leaks") {
    xdna::Options options = without_self_test();
    options.watchdog = std::chrono::milliseconds(300);
    std::uint64_t calls = 0;
    {
        const Script script;
        REQUIRE(Life(kSpec, {kInput}, options).live().errors.empty());
        calls = count("any");
    }
    int wedged = 0;
    for (const std::string kind : {"-19", "runtime"})
        for (std::uint64_t n = 1; n <= calls; ++n) {
            const std::string words = "any#" + std::to_string(n) + "+=" + kind;
            CAPTURE(words);
            const std::uint64_t before = count("live");
            const Script script(words);
            const Story told = Life(kSpec, {kInput}, options).live();
            if (told.pending) {
                ++wedged;
                CHECK(told.lost_wedged);
                CHECK(count("live") > before);
            } else {
                check_errors(told, kKinds.at(kind), count("hw_context") > 0);
                CHECK(count("live") == before);
            }
            CHECK(told.losses <= 1);
            CHECK(count("blocked.destructor") == 0);
        }
    CHECK(wedged > 0);
}

TEST_CASE("a command that ends badly fails its run, and the device is lost") {
    for (const int state : {5, 6, 8, 9, 10, 11}) {
        CAPTURE(state);
        const std::uint64_t before = count("live");
        const Script script("end=" + std::to_string(state));
        const Story told = Life(kSpec, {kInput}, without_self_test()).live();
        REQUIRE(!told.errors.empty());
        CHECK(told.errors[0] == xdna::Error(xdna::kErrorDomain, -state));
        CHECK_FALSE(told.complete);
        CHECK(told.losses == 1);
        CHECK_FALSE(told.lost_wedged);
        CHECK(count("live") == before);
    }
}

TEST_CASE("a command that never ends, or in an unknown state, wedges; nobody destroys its run") {
    xdna::Options options = without_self_test();
    options.watchdog = std::chrono::milliseconds(300);
    for (const std::string words : {"stall", "end=14"}) {
        CAPTURE(words);
        const Script script(words);
        const Story told = Life(kSpec, {kInput}, options).live();
        CHECK(told.pending);
        CHECK(told.lost_wedged);
        CHECK(told.losses == 1);
        CHECK(count("live.run") >= 1);
        CHECK(count("live.hw_context") >= 1);
        CHECK(count("blocked.destructor") == 0);
    }
}

TEST_SUITE_END();
