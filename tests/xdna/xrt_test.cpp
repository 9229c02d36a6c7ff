// SPDX-License-Identifier: MIT
//
// The library that is linked to XRT, on the double.
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "xdna/double/binaries.hpp"
#include "xdna/double/script.hpp"
#include "xdna/hardware.hpp"
#include "xdna/plugin.hpp"

using namespace std::chrono_literals;
using xdna::Argument;
using xdna::Error;
using xdna::ErrorKind;
using xdna::kErrorDomain;
using xdna::RunState;
using xrt_double::count;
using xrt_double::Script;

namespace provider {

std::ostream& operator<<(std::ostream& out, const Error& error) {
    return out << name(error.kind) << ' ' << error.code;
}

}  // namespace provider

TEST_SUITE_BEGIN("xdna/xrt");

namespace {

constexpr xdna::Spec kIdentity = xdna::Int8Identity{64};

std::shared_ptr<xdna::Xrt> load() {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    auto xrt = xdna::load_xrt(here / "../../host/xdna/xrt/libvirtio-accel-xrt.so");
    REQUIRE_MESSAGE(xrt, xrt.error());
    return *xrt;
}

std::shared_ptr<xdna::Npu> open_npu() {
    auto npu = load()->open(0);
    REQUIRE_MESSAGE(npu, npu.error());
    return *npu;
}

xdna::Result<std::shared_ptr<xdna::Context>> create_context(xdna::Npu& npu) {
    return npu.create_context(xrt_double::xclbin(kIdentity));
}

xdna::Result<std::shared_ptr<xdna::Executable>> load_identity(xdna::Context& context) {
    return context.load(xrt_double::kEntry, xrt_double::instructions(kIdentity));
}

template <class T>
T value(xdna::Result<T> result) {
    if (!result) FAIL(result.error());
    return std::move(*result);
}

template <class T>
Error error(const xdna::Result<T>& result) {
    REQUIRE_FALSE(result);
    return result.error();
}

Error external(std::int64_t code) {
    return {kErrorDomain, code};
}

// An identity of 64 bytes, from the begin of one buffer to the second word of another. Nothing
// but the run holds what it needs.
struct Ready {
    std::shared_ptr<xdna::Memory> from, to;
    std::unique_ptr<xdna::Run> run;

    Ready() {
        const auto npu = open_npu();
        from = value(npu->allocate(64));
        to = value(npu->allocate(128));
        const auto executable = value(load_identity(*value(create_context(*npu))));
        run = value(executable->make_run(std::array{Argument{from, 0, 64}, Argument{to, 4, 64}}));
    }
};

// What XRT throws, and what becomes of it.
const std::vector<std::pair<std::string, Error>> kKinds{
    {"12", ErrorKind::OutOfMemory},    {"-12", ErrorKind::OutOfMemory},
    {"28", ErrorKind::ResourceLimit},  {"-11", ErrorKind::ResourceLimit},
    {"24", ErrorKind::ResourceLimit},  {"23", ErrorKind::ResourceLimit},
    {"5", ErrorKind::DeviceLost},      {"-19", ErrorKind::DeviceLost},
    {"6", ErrorKind::DeviceLost},      {"1", external(EPERM)},
    {"-1", external(EPERM)},           {"22", external(EINVAL)},
    {"runtime", external(0)},          {"foreign", external(0)},
    {"alloc", ErrorKind::OutOfMemory},
};

// `act` with each of these thrown by each of the functions.
template <class Act>
void check_translation(std::initializer_list<const char*> functions, const Act& act) {
    for (const std::string function : functions) {
        for (const auto& [kind, expected] : kKinds) {
            CAPTURE(function);
            CAPTURE(kind);
            const Script script(function + "=" + kind);
            CHECK(error(act()) == expected);
        }
    }
}

}  // namespace

TEST_CASE("the version is the installed XRT's") {
    const auto xrt = load();
    const Script script("version=2.26.3");
    CHECK(xrt->version() == "2.26.3");
}

TEST_CASE("an NPU that does not open hides no other") {
    const Script script("devices=3 broken=1");
    const auto npus = load()->list();
    REQUIRE_MESSAGE(npus, npus.error());
    REQUIRE(npus->size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i)
        CHECK(npus->at(i).index == i);
    for (const auto& npu : {npus->at(0), npus->at(2)}) {
        CHECK(npu.unusable.empty());
        CHECK(npu.vendor_id == 0x1022);
        CHECK(npu.device_id == 0x17F0);
        CHECK(npu.revision == 0x20);
        CHECK(npu.xrt == "2.25.0");
        CHECK_FALSE(npu.untested.empty());
    }
    CHECK(npus->at(1).unusable.starts_with("XRT cannot open it: XRT double: broken"));
}

TEST_CASE("an NPU of which XRT says nothing is named and not used") {
    const auto xrt = load();
    const Script script("get_info=runtime");
    const auto npus = xrt->list();
    REQUIRE_MESSAGE(npus, npus.error());
    REQUIRE(npus->size() == 1);
    CHECK(npus->at(0).unusable.starts_with("XRT does not say where it is: "));
    CHECK_FALSE(xrt->open(0));
}

TEST_CASE("no NPU is no error, and XRT's failures are") {
    const auto xrt = load();
    {
        const Script script("devices=0");
        const auto npus = xrt->list();
        REQUIRE_MESSAGE(npus, npus.error());
        CHECK(npus->empty());
        const auto npu = xrt->open(0);
        REQUIRE_FALSE(npu);
        CHECK(npu.error() == "XRT cannot open it: Could not open device with index '0'");
    }
    for (const auto& [kind, expected] : kKinds) {
        CAPTURE(kind);
        const Script script("enumerate_devices=" + kind);
        CHECK_FALSE(xrt->list());
    }
    for (const auto& [kind, expected] : kKinds) {
        CAPTURE(kind);
        const Script script("device=" + kind);
        CHECK_FALSE(xrt->open(0));
    }
}

TEST_CASE("memory is zero at first, on both sides") {
    const auto npu = open_npu();
    const auto memory = value(npu->allocate(100));
    REQUIRE(memory->bytes().size() == 100);
    const auto zero = [&] { return std::ranges::count(memory->bytes(), std::byte{0}); };
    CHECK(zero() == 100);
    REQUIRE(memory->from_device(0, 100));
    CHECK(zero() == 100);
}

TEST_CASE("a sync moves its range and nothing else") {
    const auto npu = open_npu();
    const auto memory = value(npu->allocate(64));
    std::ranges::fill(memory->bytes(), std::byte{7});
    REQUIRE(memory->to_device(8, 16));
    REQUIRE(memory->from_device(0, 32));
    const std::vector<std::byte> bytes(memory->bytes().begin(), memory->bytes().end());
    for (std::size_t i = 0; i < 64; ++i) {
        CAPTURE(i);
        CHECK(bytes[i] == std::byte((i >= 8 && i < 24) || i >= 32 ? 7 : 0));
    }

    const Script script;
    REQUIRE(memory->to_device(64, 0));
    REQUIRE(memory->from_device(0, 0));
    CHECK(count("sync") == 0);
}

TEST_CASE("what XRT throws over memory is translated, and nothing of it is left") {
    const auto npu = open_npu();
    check_translation({"bo", "map", "sync"}, [&] { return npu->allocate(64); });
    CHECK(count("live.bo") == 0);
    const auto memory = value(npu->allocate(64));
    check_translation({"sync"}, [&] { return memory->to_device(0, 64); });
    check_translation({"sync"}, [&] { return memory->from_device(0, 64); });
}

TEST_CASE("what XRT throws over an xclbin or a kernel is translated") {
    const auto npu = open_npu();
    check_translation({"xclbin", "register_xclbin"}, [&] { return create_context(*npu); });
    const auto context = value(create_context(*npu));
    check_translation({"kernel", "group_id", "bo", "write", "sync"},
                      [&] { return load_identity(*context); });
    CHECK(error(context->load("another", xrt_double::instructions(kIdentity))) == external(0));
    CHECK(error(context->load(xrt_double::kEntry, {})) == external(EINVAL));
    CHECK(count("live.kernel") == 0);
    CHECK(count("live.bo") == 0);
}

TEST_CASE("a refused context is a limit, and only of a device that is gone a loss") {
    const auto npu = open_npu();
    for (const int number : {ENODEV, EINVAL, ENOENT, EBUSY, ENOSPC}) {
        for (const int sign : {1, -1}) {
            CAPTURE(number);
            const Script script("hw_context=" + std::to_string(sign * number));
            CHECK(error(create_context(*npu)) == ErrorKind::ResourceLimit);
        }
    }
    {
        const Script script("hw_context=-19 bo=-19");
        CHECK(error(create_context(*npu)) == ErrorKind::DeviceLost);
    }
    for (const auto& [number, expected] : {std::pair{"12", Error(ErrorKind::OutOfMemory)},
                                           {"5", ErrorKind::DeviceLost},
                                           {"1", external(EPERM)},
                                           {"runtime", external(0)},
                                           {"foreign", external(0)}}) {
        CAPTURE(number);
        const Script script(std::string("hw_context=") + number);
        CHECK(error(create_context(*npu)) == expected);
    }
}

TEST_CASE("a context that goes makes room for another") {
    const Script script("contexts=1 refusal=-22");
    const auto npu = open_npu();
    auto first = value(create_context(*npu));
    CHECK(error(create_context(*npu)) == ErrorKind::ResourceLimit);
    first.reset();
    CHECK(create_context(*npu));
}

TEST_CASE("what XRT keeps of xclbins is bounded, and one that it has already is no more") {
    const auto npu = open_npu();
    constexpr std::uint32_t kMany = 5000;  // of which each counts for 64 KiB at least
    const auto load_of = [&](std::uint32_t lines) {
        return npu->create_context(xrt_double::xclbin(xdna::Int8Identity{lines * 1024}));
    };
    std::uint32_t lines = 1;
    while (lines < kMany && load_of(lines))
        ++lines;
    CHECK(lines > 1000);
    REQUIRE(lines < kMany);
    CHECK(error(load_of(lines)) == ErrorKind::ResourceLimit);
    CHECK(load_of(1));
    CHECK(create_context(*open_npu()));
}

TEST_CASE("what XRT throws over a run is translated, and nothing of it is left") {
    const auto npu = open_npu();
    const auto memory = value(npu->allocate(128));
    const auto executable = value(load_identity(*value(create_context(*npu))));
    const std::array arguments{Argument{memory, 0, 64}, Argument{memory, 64, 64}};
    check_translation({"run", "set_arg", "set_arg#2", "set_arg#3", "set_arg#4", "set_arg#5",
                       "group_id", "group_id#2", "sub_bo"},
                      [&] { return executable->make_run(arguments); });
    CHECK(count("live.run") == 0);
    CHECK(count("live.sub_bo") == 0);
    CHECK(executable->make_run(arguments));
    CHECK(error(executable->make_run(std::array{arguments[0], arguments[0], arguments[1]})) ==
          external(0));
}

TEST_CASE("memory that a kernel does not reach is refused, as XRT would bind a copy") {
    const Script script("bank=1");
    const auto npu = open_npu();
    const auto memory = value(npu->allocate(128));
    const auto executable = value(load_identity(*value(create_context(*npu))));
    CHECK(error(executable->make_run(
              std::array{Argument{memory, 0, 64}, Argument{memory, 64, 64}})) == external(EXDEV));
}

TEST_CASE("a run keeps alive all it needs, and puts its result at the offset") {
    const Script script;
    {
        const Ready ready;
        CHECK(count("live.sub_bo") == 1);
        std::ranges::fill(ready.from->bytes(), std::byte{0x2A});
        REQUIRE(ready.from->to_device(0, 64));
        REQUIRE(ready.run->start());
        CHECK(value(ready.run->wait(10s)) == RunState::Completed);
        CHECK(value(ready.run->wait(10s)) == RunState::Completed);
        REQUIRE(ready.to->from_device(0, 128));
        for (std::size_t i = 0; i < 128; ++i) {
            CAPTURE(i);
            CHECK(ready.to->bytes()[i] == std::byte(i >= 4 && i < 68 ? 0x2A : 0));
        }
    }
    CHECK(count("live") == 0);
}

TEST_CASE("all offsets of words can be bound") {
    CHECK(open_npu()->binding_alignment() == 4);
}

TEST_CASE("a wait ends in time, also one for no time at all") {
    const Script script("hold");
    const Ready ready;
    REQUIRE(ready.run->start());
    CHECK(value(ready.run->wait(0ms)) == RunState::Running);
    CHECK(value(ready.run->wait(1ms)) == RunState::Running);
    CHECK(count("wait2") == 2);
    xrt_double::release();
    CHECK(value(ready.run->wait(10s)) == RunState::Completed);
}

TEST_CASE("runs overlap, as many as a context takes") {
    const Script script("hold");
    const auto npu = open_npu();
    const auto memory = value(npu->allocate(std::uint64_t{8} * 64));
    const auto executable = value(load_identity(*value(create_context(*npu))));
    std::vector<std::unique_ptr<xdna::Run>> runs;
    for (std::uint64_t at = 0; at < 8 * 64; at += 128) {
        runs.push_back(value(executable->make_run(
            std::array{Argument{memory, at, 64}, Argument{memory, at + 64, 64}})));
        REQUIRE(runs.back()->start());
    }
    for (const auto& run : runs)
        CHECK(value(run->wait(1ms)) == RunState::Running);
    CHECK(count("most") == 4);
    xrt_double::release();
    for (const auto& run : runs)
        CHECK(value(run->wait(10s)) == RunState::Completed);
}

TEST_CASE("each state that ends a command but COMPLETED is an error with its number") {
    for (const int state : {5, 6, 8, 9, 10, 11}) {
        CAPTURE(state);
        const Script script("end=" + std::to_string(state));
        const Ready ready;
        REQUIRE(ready.run->start());
        CHECK(error(ready.run->wait(10s)) == external(-state));
        CHECK(error(ready.run->wait(10s)) == external(-state));
    }
}

TEST_CASE("no state that does not end a command is taken for its end") {
    for (const int state : {1, 2, 3, 7, 12}) {
        CAPTURE(state);
        const Script script("end=" + std::to_string(state));
        const Ready ready;
        REQUIRE(ready.run->start());
        xrt_double::await("ended", 1);
        CHECK(value(ready.run->wait(1ms)) == RunState::Running);
    }
}

TEST_CASE("a wait that fails says nothing of the command: its state does") {
    for (const auto& [kind, expected] : kKinds) {
        CAPTURE(kind);
        const Script script("hold wait2=" + kind);
        const Ready ready;
        REQUIRE(ready.run->start());
        CHECK(value(ready.run->wait(1ms)) == RunState::Running);
        xrt_double::release();
        xrt_double::await("ended", 1);
        CHECK(value(ready.run->wait(1ms)) == RunState::Completed);
    }
    {
        const Script script("end=6 wait2=5");
        const Ready ready;
        REQUIRE(ready.run->start());
        xrt_double::await("ended", 1);
        CHECK(error(ready.run->wait(1ms)) == external(-6));
    }
    const Script script("wait2=5 state=5");
    const Ready ready;
    REQUIRE(ready.run->start());
    xrt_double::await("ended", 1);
    CHECK(value(ready.run->wait(1ms)) == RunState::Running);
}

TEST_CASE("what did not start is not waited for, and may start later") {
    const Ready ready;
    check_translation({"start"}, [&] { return ready.run->start(); });
    {
        const Script script;
        CHECK(error(ready.run->wait(10s)) == external(EINVAL));
        CHECK(count("wait2") == 0);
    }
    REQUIRE(ready.run->start());
    CHECK(value(ready.run->wait(10s)) == RunState::Completed);
}

TEST_SUITE_END();
