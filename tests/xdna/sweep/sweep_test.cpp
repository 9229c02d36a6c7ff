// SPDX-License-Identifier: MIT
//
// Every call of XRT fails in every way, once or from then on: nothing crashes, nothing leaks
// unless the device is wedged, no answer is wrong, and errors are what hardware.hpp says.
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "xdna/double/script.hpp"
#include "xdna/double/store.hpp"
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

// What XRT throws, and what that is to a caller.
const std::map<std::string, ErrorKind> kKinds{
    {"12", ErrorKind::OutOfMemory},   {"-12", ErrorKind::OutOfMemory},
    {"28", ErrorKind::ResourceLimit}, {"-5", ErrorKind::DeviceLost},
    {"-19", ErrorKind::DeviceLost},   {"1", ErrorKind::External},
    {"runtime", ErrorKind::External}, {"alloc", ErrorKind::OutOfMemory},
    {"foreign", ErrorKind::External}};

// ENODEV is a refusal too, of a device that still works.
ErrorKind expected(std::string_view function, const std::string& kind, bool for_good) {
    if (function == "hw_context" && kind == "-19" && !for_good) return ErrorKind::ResourceLimit;
    return kKinds.at(kind);
}

xdna::Options untested() {
    xdna::Options options;
    options.self_test = false;
    return options;
}

// For what wedges, or may: a machine that is busy must not look like it anywhere else.
xdna::Options impatient() {
    xdna::Options options = untested();
    options.watchdog = std::chrono::milliseconds(300);
    return options;
}

Story live(const xdna::Options& options = untested()) {
    return Life(kSpec, {kInput}, options).live();
}

// How often each function is called in a life that nothing disturbs.
std::map<std::string, std::uint64_t> calls(const xdna::Options& options = untested()) {
    const Script script;
    const Story told = live(options);
    REQUIRE_FALSE(told.not_opened);
    REQUIRE(told.errors.empty());
    std::map<std::string, std::uint64_t> calls;
    for (const std::string_view function : xrt_double::kFunctions)
        calls[std::string(function)] = count(std::string(function));
    return calls;
}

// The first error is XRT's. Later ones may come of the loss of the device.
void check(const Story& told, ErrorKind wanted) {
    if (told.not_opened)
        CHECK_FALSE(told.not_opened->empty());
    else if (told.errors.empty() || told.complete)
        CHECK((told.result.empty() || told.result == kInput));
    if (!told.not_opened && told.errors.empty()) CHECK(told.result == kInput);
    if (told.errors.empty()) return;
    CHECK(name(told.errors[0].kind) == name(wanted));
    for (const xdna::Error& error : told.errors)
        CHECK((error.kind == wanted || error.kind == ErrorKind::DeviceLost));
}

// Descriptions may lack something, and waiting is done again.
bool spared(std::string_view function) {
    return function == "get_info" || function == "wait2" || function == "state";
}

}  // namespace

TEST_CASE("a life without faults computes, and leaves nothing") {
    const std::uint64_t before = count("live");
    const Script script;
    const Story told = live();
    CHECK_FALSE(told.not_opened);
    CHECK(told.errors.empty());
    CHECK(told.result == kInput);
    CHECK(told.losses == 0);
    CHECK(count("live") == before);
}

TEST_CASE("a call that fails is an error of its kind, and nothing is left") {
    for (const auto& [function, times] : calls())
        for (const auto& [kind, _] : kKinds)
            for (std::uint64_t n = 1; n <= times; ++n) {
                const std::string words = function + "#" + std::to_string(n) + "=" + kind;
                CAPTURE(words);
                const std::uint64_t before = count("live");
                const Script script(words);
                const Story told = live();
                check(told, expected(function, kind, false));
                CHECK_FALSE(told.pending);
                CHECK(count("live") == before);
                CHECK(count("blocked.destructor") == 0);
                if (!spared(function)) CHECK((told.not_opened || !told.errors.empty()));
            }
}

TEST_CASE("a device that fails for good ends every life, and only one that is wedged leaks") {
    std::uint64_t all = 0;
    for (const auto& [function, times] : calls())
        all += times;
    int wedged = 0;
    for (const std::string kind : {"-19", "runtime"})
        for (std::uint64_t n = 1; n <= all; ++n) {
            const std::string words = "any#" + std::to_string(n) + "+=" + kind;
            CAPTURE(words);
            const std::uint64_t before = count("live");
            const Script script(words);
            const Story told = live(impatient());
            CHECK(told.losses <= 1);
            CHECK(count("blocked.destructor") == 0);
            if (!told.pending) {
                check(told, expected("any", kind, true));
                CHECK(count("live") == before);
                continue;
            }
            ++wedged;
            CHECK(told.lost_wedged);
            CHECK(count("live.run") > 0);
            CHECK(count("live.hw_context") > 0);
        }
    CHECK(wedged > 0);
}

TEST_CASE("a fault in the self test is why the device is not opened, and nothing is left") {
    xdna::Options options;
    options.store = std::make_shared<xrt_double::Store>();
    const auto counted = calls(options);
    CHECK(counted.at("start") > 5);
    for (const auto& [function, times] : counted)
        for (std::uint64_t n = 1; n <= times; ++n) {
            const std::string kind = n % 2 == 0 ? "-5" : "foreign";
            const std::string words = function + "#" + std::to_string(n) + "=" + kind;
            CAPTURE(words);
            const std::uint64_t before = count("live");
            const Script script(words);
            const Story told = live(options);
            if (told.not_opened)
                CHECK_FALSE(told.not_opened->empty());
            else
                check(told, expected(function, kind, false));
            if (!spared(function)) CHECK((told.not_opened || !told.errors.empty()));
            CHECK(count("live") == before);
            CHECK(count("blocked.destructor") == 0);
        }
}

TEST_CASE("a command that ends badly fails its run, and the device is lost") {
    for (const int state : {5, 6, 8, 9, 10, 11}) {
        CAPTURE(state);
        const std::uint64_t before = count("live");
        const Script script("end=" + std::to_string(state));
        const Story told = live();
        REQUIRE(!told.errors.empty());
        CHECK(told.errors[0] == xdna::Error(xdna::kErrorDomain, -state));
        CHECK_FALSE(told.complete);
        CHECK(told.losses == 1);
        CHECK_FALSE(told.lost_wedged);
        CHECK(count("live") == before);
    }
}

TEST_CASE("a command that never ends, or in an unknown state, wedges; nobody destroys its run") {
    for (const std::string words : {"stall", "end=14"}) {
        CAPTURE(words);
        const Script script(words);
        const Story told = live(impatient());
        CHECK(told.pending);
        CHECK(told.lost_wedged);
        CHECK(told.losses == 1);
        CHECK(count("live.run") >= 1);
        CHECK(count("live.hw_context") >= 1);
        CHECK(count("blocked.destructor") == 0);
    }
}

TEST_SUITE_END();
