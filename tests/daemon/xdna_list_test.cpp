// SPDX-License-Identifier: MIT
//
// What an operator is told of NPUs.
#include <filesystem>

#include <doctest/doctest.h>

#include "daemon/xdna_guest.hpp"

using namespace daemon_test;

TEST_SUITE_BEGIN("daemon/xdna-list");

namespace {

// The provider's part of it.
std::string list(const std::string& script) {
    // It looks at Vulkan's devices as well, whose drivers leave things behind (options_test.cpp).
    Acceld acceld("export ASAN_OPTIONS=detect_leaks=0\n" + script, {"list"});
    REQUIRE(acceld.wait() == 0);
    return acceld.output().substr(acceld.output().find("xdna "));
}

}  // namespace

TEST_CASE("list shows every NPU with its versions, and why one cannot be used" *
          doctest::skip(!xdna_is_built())) {
    const std::string lines = list(on_double("devices=2 broken=1"));
    CAPTURE(lines);
    CHECK(lines.starts_with("xdna     available, --device is one of\n    0  "));
    CHECK(lines.contains("driver "));
    CHECK(lines.contains("XRT 2.25.0"));
    CHECK(lines.contains("PRO-INT"));
    CHECK(lines.contains("\n    1  "));
    CHECK(lines.contains("cannot be used: "));
}

TEST_CASE("list says that there is no NPU" * doctest::skip(!xdna_is_built())) {
    CHECK(list(on_double("devices=0")).starts_with("xdna     not available: no NPU"));
}

TEST_CASE("on a machine without an NPU list says what is missing") {
    if (std::filesystem::exists("/dev/accel")) return;
    CHECK(list("exec \"$@\"").starts_with("xdna     not available: "));
}

TEST_CASE("a daemon on an NPU says which one and whose XRT, and what nobody has tested" *
          doctest::skip(!xdna_is_built())) {
    XdnaDaemon daemon({});
    REQUIRE(daemon.acceld.wait_for("provider: xdna, "));
    CHECK(daemon.acceld.wait_for("listening on"));
    CAPTURE(daemon.acceld.output());
    CHECK(daemon.acceld.output().contains("double"));
}

TEST_SUITE_END();
