// SPDX-License-Identifier: MIT
//
// Where the double could lie: what is seen of memory, how commands end and what is counted.
#include <thread>

#include <doctest/doctest.h>

#include "xdna/double/control.hpp"
#include "xdna/double/rig.hpp"

TEST_SUITE_BEGIN("xdna/double");

using xrt_double::await;
using xrt_double::count;
using xrt_double::got;
using xrt_double::outcome;
using xrt_double::put;
using xrt_double::Rig;
using xrt_double::Script;
using xrt_double::seen;

namespace {

const xdna::Spec kCopy = xdna::Int8Identity{8};
const std::vector<std::int8_t> kOne(8, 1), kTwo(8, 2);

std::vector<xrt::bo> filled(const Rig& rig) {
    auto data = rig.buffers();
    put(data[0], kOne);
    put(data[1], kTwo);
    return data;
}

}  // namespace

TEST_CASE("a run sees what the host has written after a sync only, and of its range only") {
    const Script script;
    const Rig rig(kCopy);
    auto data = filled(rig);
    data[0].write(kTwo.data(), 8, 0);

    REQUIRE(outcome(rig.run(data)) == ERT_CMD_STATE_COMPLETED);
    CHECK(got<std::int8_t>(data[1], 8) == kOne);

    data[0].sync(XCL_BO_SYNC_BO_TO_DEVICE, 2, 4);
    REQUIRE(outcome(rig.run(data)) == ERT_CMD_STATE_COMPLETED);
    CHECK(got<std::int8_t>(data[1], 8) == std::vector<std::int8_t>{1, 1, 1, 1, 2, 2, 1, 1});
}

TEST_CASE("the host sees what a run has written after a sync only, and of its range only") {
    const Script script;
    const Rig rig(kCopy);
    auto data = filled(rig);
    const void* const mapped = data[1].map();

    REQUIRE(outcome(rig.run(data)) == ERT_CMD_STATE_COMPLETED);
    CHECK(seen<std::int8_t>(data[1], 8) == kTwo);

    data[1].sync(XCL_BO_SYNC_BO_FROM_DEVICE, 2, 4);
    CHECK(seen<std::int8_t>(data[1], 8) == std::vector<std::int8_t>{2, 2, 2, 2, 1, 1, 2, 2});
    CHECK(data[1].map() == mapped);
}

TEST_CASE("memory is not zero at first, on neither side") {
    const Script script;
    const Rig rig(kCopy);
    auto data = rig.buffers();
    CHECK(seen<std::int8_t>(data[1], 8) != std::vector<std::int8_t>(8));
    CHECK(got<std::int8_t>(data[1], 8) != std::vector<std::int8_t>(8));
}

TEST_CASE("part of a buffer is bound and synced where it is") {
    const Script script;
    const Rig rig(kCopy);
    auto whole = rig.buffer(32);
    put(whole, std::vector<std::int8_t>(32, 7));
    auto data = filled(rig);
    data[1] = xrt::bo(whole, 8, 12);

    REQUIRE(outcome(rig.run(data)) == ERT_CMD_STATE_COMPLETED);
    data[1].sync(XCL_BO_SYNC_BO_FROM_DEVICE, 8, 0);
    auto expected = std::vector<std::int8_t>(32, 7);
    std::fill_n(expected.begin() + 12, 8, std::int8_t{1});
    CHECK(seen<std::int8_t>(whole, 32) == expected);
    CHECK_THROWS_AS(xrt::bo(whole, 8, 25), std::system_error);
    CHECK_THROWS_AS(whole.sync(XCL_BO_SYNC_BO_TO_DEVICE, 1, 32), std::system_error);
}

TEST_CASE("a command that no kernel of MLIR-AIE would take ends in ERROR, and writes nothing") {
    const Script script;
    Rig rig(kCopy);
    auto data = filled(rig);
    auto run = rig.run(data);

    SUBCASE("another opcode") {
        run.set_arg(0, std::uint64_t{2});
    }
    SUBCASE("a length in bytes") {
        run.set_arg(2, static_cast<std::uint32_t>(rig.words.size() * 4));
    }
    SUBCASE("instructions that were not synced") {
        xrt::bo again(rig.device, rig.words.size() * 4, xrt::bo::flags::cacheable, 1);
        again.write(rig.words.data(), rig.words.size() * 4, 0);
        run.set_arg(1, again);
        data.push_back(again);
    }
    SUBCASE("instructions of another kernel") {
        ++rig.words.back();
        put(rig.program, rig.words);
    }
    SUBCASE("an offset that the DMA does not reach") {
        data.push_back(rig.buffer(16));
        data.push_back(xrt::bo(data.back(), 8, 2));
        run.set_arg(3, data.back());
    }
    SUBCASE("less than the slot") {
        data.push_back(rig.buffer(4));
        run.set_arg(3, data.back());
    }
    SUBCASE("data where instructions belong") {
        data.emplace_back(rig.device, 8, xrt::bo::flags::cacheable, 0);
        run.set_arg(3, data.back());
    }
    SUBCASE("a buffer that is gone") {
        run.set_arg(3, rig.buffer(8));
    }
    CHECK(outcome(run) == ERT_CMD_STATE_ERROR);
    CHECK(got<std::int8_t>(data[1], 8) == kTwo);
}

TEST_CASE("to memory that the kernel does not reach, a copy is bound") {
    const Script script;
    const Rig rig(kCopy);
    auto data = filled(rig);
    data[1] = xrt::bo(rig.device, 8, xrt::bo::flags::host_only, 1);
    put(data[1], kTwo);
    CHECK(outcome(rig.run(data)) == ERT_CMD_STATE_COMPLETED);
    CHECK(got<std::int8_t>(data[1], 8) == kTwo);
}

TEST_CASE("the fifth start in a context blocks until a command has ended, and is counted") {
    const Script script("hold");
    const Rig rig(kCopy);
    const auto data = filled(rig);
    std::vector<xrt::run> runs;
    for (int i = 0; i < 5; ++i)
        runs.push_back(rig.run(data));
    for (int i = 0; i < 4; ++i)
        runs[static_cast<std::size_t>(i)].start();
    CHECK(count("most") == 4);
    CHECK(count("blocked.start") == 0);

    std::thread fifth([&] { runs[4].start(); });
    await("blocked.start", 1);
    CHECK(count("commands") == 4);
    CHECK(count("ended") == 0);
    xrt_double::release();
    await("commands", 5);
    xrt_double::release();
    fifth.join();
    for (const xrt::run& run : runs)
        run.wait2();
    CHECK(count("most") == 4);
    CHECK(count("blocked.start") == 1);
}

TEST_CASE("commands end in order within a context, and in any order between contexts") {
    const Script script("hold@0");
    const Rig first(kCopy), second(kCopy);
    const auto data = filled(first);
    auto held = first.run(data), behind = first.run(data), free = second.run(data);
    held.start();
    behind.start();
    free.start();
    free.wait2();
    CHECK(held.wait2(std::chrono::milliseconds(1)) == std::cv_status::timeout);
    CHECK(behind.state() != ERT_CMD_STATE_COMPLETED);
    xrt_double::release();
    behind.wait2();
    CHECK(held.state() == ERT_CMD_STATE_COMPLETED);
}

TEST_CASE("a late command is waited for") {
    const Script script("delay#1=20");
    const Rig rig(kCopy);
    const auto data = filled(rig);
    auto run = rig.run(data);
    run.start();
    CHECK(run.wait2(std::chrono::milliseconds(0)) == std::cv_status::no_timeout);
}

TEST_CASE("a command ends in the state that the script gives it, and computes nothing") {
    for (const int state : {5, 6, 8, 9, 14}) {
        CAPTURE(state);
        const Script script("end#2=" + std::to_string(state));
        const Rig rig(kCopy);
        auto data = filled(rig);
        CHECK(outcome(rig.run(data)) == ERT_CMD_STATE_COMPLETED);
        put(data[1], kTwo);
        CHECK(outcome(rig.run(data)) == state);
        CHECK(got<std::int8_t>(data[1], 8) == kTwo);
        CHECK(outcome(rig.run(data)) == ERT_CMD_STATE_COMPLETED);
    }
}

TEST_CASE("whoever destroys the run of a command that does not end is blocked, and counted") {
    const Script script("stall");
    const Rig rig(kCopy);
    const auto data = filled(rig);
    auto run = std::make_unique<xrt::run>(rig.run(data));
    run->start();
    std::thread destroys([&] { run.reset(); });
    await("blocked.destructor", 1);
    CHECK(count("live.run") == 1);
    xrt_double::release();
    destroys.join();
    CHECK(count("live.run") == 0);
}

TEST_CASE("each function throws on the call and of the kind that the script says") {
    for (const std::string_view function : xrt_double::kFunctions) {
        const std::string name(function);
        CAPTURE(name);
        const auto live = [&] {
            const Rig rig(kCopy);
            xrt::system::enumerate_devices();
            const auto data = filled(rig);
            (void)xrt::bo(data[0], 4, 0);
            (void)data[0].get_memory_group();
            xrt::bo mapped = data[0];
            mapped.map();
            (void)rig.device.get_info<xrt::info::device::name>();
            auto run = rig.run(data);
            run.start();
            run.wait2();
            (void)run.state();
        };
        {
            const Script script(name + "=-5");
            CHECK_THROWS_AS(live(), std::system_error);
            CHECK(count(name) == 1);
        }
        {
            const Script script(name + "#1=runtime");
            CHECK_THROWS_AS(live(), std::runtime_error);
            CHECK_NOTHROW(live());
        }
        {
            const Script script(name + "#1+=alloc");
            CHECK_THROWS_AS(live(), std::bad_alloc);
            CHECK_THROWS_AS(live(), std::bad_alloc);
        }
        const Script script(name + "=foreign");
        CHECK_THROWS_AS(live(), xrt_double::Foreign);
        CHECK(count("live") == 0);
    }
}

TEST_CASE("an errno comes out as it was scripted, negative ones too") {
    for (const int number : {ENOMEM, -ENODEV}) {
        const Script script("enumerate_devices=" + std::to_string(number));
        try {
            xrt::system::enumerate_devices();
            FAIL("does not throw");
        } catch (const std::system_error& error) {
            CHECK(error.code().value() == number);
        }
    }
}

TEST_CASE("the n-th call is counted over all functions where any is named") {
    const Script script("any#2=runtime");
    CHECK_NOTHROW(xrt::system::enumerate_devices());
    CHECK_THROWS_AS(xrt::device(0U), std::runtime_error);
    CHECK_NOTHROW(xrt::device(0U));
    CHECK(count("any") == 3);
    CHECK(count("device") == 2);
}

TEST_CASE("there are as many devices and contexts as the script has") {
    const Script script("devices=2 broken=1 contexts=1 refusal=28 version=2.19.7");
    CHECK(xrt::system::enumerate_devices() == 2);
    CHECK(xrt::device(0U).get_info<xrt::info::device::name>() == "XRT double: no NPU");
    CHECK_THROWS_AS(xrt::device(1U), std::system_error);
    CHECK_THROWS_AS(xrt::device(2U), std::runtime_error);
    CHECK(xrt::version::major() == 2);
    CHECK(xrt::version::minor() == 19);
    CHECK(xrt::version::patch() == 7);

    auto first = std::make_unique<Rig>(kCopy);
    CHECK_THROWS_AS(Rig{kCopy}, std::system_error);
    first.reset();
    CHECK_NOTHROW(Rig{kCopy});
}

TEST_CASE("an xclbin that is not the double's is refused, and so is an unknown kernel") {
    const Script script;
    auto file = xrt_double::xclbin(kCopy);
    const auto parsed = [](std::span<const std::byte> bytes) {
        (void)xrt::xclbin(
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    };
    CHECK_NOTHROW(parsed(file));
    CHECK_THROWS(parsed(std::span(file).first(file.size() - 1)));
    file.back() = std::byte{'x'};
    CHECK_THROWS(parsed(file));
    const Rig rig(kCopy);
    CHECK_THROWS(xrt::kernel(rig.context, "MLIR"));
    CHECK_THROWS(xrt::hw_context(rig.device, xrt::uuid(), xrt::hw_context::access_mode::shared));
}

TEST_CASE("a script of unknown words is refused and changes nothing") {
    const Script script("devices=0");
    for (const char* words : {"device", "devices=x", "hold=1", "hold#0", "bo=never", "nothing=1",
                              "delay", "bo@1=runtime", "end#=5", "contexts#1=2", "bo#1-=5"}) {
        CAPTURE(words);
        CHECK(xrt_double::xrt_double_script(words) == 0);
    }
    CHECK(xrt::system::enumerate_devices() == 0);
}

TEST_SUITE_END();
