// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "daemon/process.hpp"

using daemon_test::Acceld;

TEST_SUITE_BEGIN("daemon/options");

TEST_CASE("wrong usage exits with 2 and says what is wrong") {
    struct {
        std::vector<std::string> arguments;
        std::string says;
    } cases[] = {
        {{}, "--socket-path or --fd is required"},
        {{"--provider", "cpu"}, "--socket-path or --fd is required"},
        {{"--socket-path", "/x"}, "--provider is required"},
        {{"--socket-path", "/x", "--socket-path", "/y", "--provider", "cpu", "--single-process"},
         "on one socket"},
        {{"--socket-path", "/x", "--provider", "gpu"}, "--provider"},
        {{"--fd", "-1", "--provider", "cpu"}, "--fd"},
        {{"--fd", "nine", "--provider", "cpu"}, "--fd"},
        {{"--fd", "9", "--provider", "cpu", "--max-buffer-bytes", "0"}, "--max-buffer-bytes"},
        {{"--fd", "9", "--provider", "cpu", "--max-program-bytes", "-5"}, "--max-program-bytes"},
        {{"--fd", "9", "--provider", "cpu", "--max-chain-descriptors", "1"}, "[2 - 256]"},
        {{"--fd", "9", "--provider", "cpu", "--max-chain-descriptors", "257"}, "[2 - 256]"},
        {{"--fd", "9", "--provider", "cpu", "--max-request-bytes", "96"}, "--max-request-bytes"},
        {{"--fd", "9", "--provider", "cpu", "--max-request-bytes", "17MiB"}, "--max-request-bytes"},
        {{"--fd", "9", "--provider", "cpu", "--max-response-bytes", "91"}, "--max-response-bytes"},
        {{"--fd", "9", "--provider", "cpu", "--max-response-bytes", "-1"}, "--max-response-bytes"},
        {{"--fd", "9", "--provider", "cpu", "--bogus"}, "--bogus"},
        {{"--fd", "9", "--provider", "cpu", "--mock-polls", "1"}, "are for --provider mock"},
        {{"--fd", "9", "--provider", "mock", "--cpu-threads", "1"}, "are for --provider cpu"},
        {{"--fd", "9", "--provider", "cpu", "--cpu-engine", "slow"}, "--cpu-engine"},
        {{"--fd", "9", "--provider", "vulkan", "--fault", ""}, "are for --provider mock"},
        {{"--fd", "9", "--provider", "cpu", "--xdna-raw-binaries"}, "are for --provider xdna"},
        {{"--fd", "9", "--provider", "vulkan", "--xdna-watchdog", "9"}, "are for --provider xdna"},
        {{"--fd", "9", "--provider", "xdna", "--xdna-watchdog", "0"}, "--xdna-watchdog"},
        {{"--fd", "9", "--provider", "xdna", "--xdna-compiler", "x"}, "wants --xdna-cache"},
        {{"--fd", "9", "--provider", "xdna", "--xdna-cache", "x"}, "and a cache a compiler"},
        {{"--fd", "9", "--provider", "xdna", "--xdna-compiler", "x", "--xdna-cache", "y",
          "--command-timeout", "299"},
         "--xdna-compile-timeout must be 60s less than --command-timeout"},
        {{"--fd", "9", "--provider", "mock", "--mock-polls", "often"}, "--mock-polls"},
        {{"--fd", "9", "--provider", "mock", "--mock-limits", "4096"}, "--mock-limits"},
        {{"--fd", "9", "--provider", "mock", "--mock-limits", "4096,0"}, "--mock-limits"},
        {{"--fd", "9", "--provider", "mock", "--fault", "submit:1:explodes"},
         "--fault: step 'submit:1:explodes': no action 'explodes'"},
        {{"--fd", "9", "--provider", "cpu", "--user", "no-such-user"},
         "--user: no user 'no-such-user'"},
        {{"--fd", "9", "--provider", "cpu", "--user", "root", "--no-sandbox"},
         "--no-sandbox leaves the user as it is"},
        {{"--fd", "9", "--provider", "cpu", "--user", "root", "--single-process"},
         "--single-process confines nothing"},
        {{"--fd", "9", "--provider", "cpu", "--single-process", "--control-path", "/x"},
         "--single-process has neither"},
        {{"--fd", "9", "--provider", "cpu", "--single-process", "--log-file", "/x"},
         "--single-process has neither"},
        {{"lst"}, "lst"},
    };
    for (auto& [arguments, says] : cases) {
        CAPTURE(says);
        Acceld acceld(arguments);
        CHECK(acceld.wait() == 2);
        CHECK(acceld.output().contains(says));
    }
}

TEST_CASE("--help names the exit statuses, --version the protocol and the providers") {
    Acceld help({"--help"});
    CHECK(help.wait() == 0);
    CHECK(help.output().contains("Exit status: 0 after --once"));
    Acceld version({"--version"});
    CHECK(version.wait() == 0);
    CHECK(version.output().contains("protocol 1.0"));
    CHECK(version.output().contains("\nvulkan   headers of Vulkan 1."));
    const bool with_xrt =
        std::filesystem::exists(std::filesystem::path(Acceld::built()).parent_path() /
                                "../xdna/xrt/libvirtio-accel-xrt.so");
    CHECK(version.output().contains(with_xrt ? "\nxdna     XRT 2."
                                             : "\nxdna     not part of this build: no XRT\n"));
}

TEST_CASE("--print-capabilities prints JSON and ignores everything else") {
    Acceld acceld({"--bogus", "--fd", "x", "--print-capabilities"});
    REQUIRE(acceld.wait() == 0);
    const auto json = nlohmann::json::parse(acceld.output());
    // Of the types of the schema the one that the installed description of the program has.
    CHECK(json.at("type") == "rpmsg");
}

TEST_CASE("list shows every provider and why one cannot be used") {
    // A Vulkan driver that is unloaded after its devices were listed may leave a table
    // behind (Mesa's lavapipe does), which is not ours to answer for.
    REQUIRE(::setenv("ASAN_OPTIONS", "detect_leaks=0", 1) == 0);
    Acceld acceld({"list"});
    REQUIRE(::unsetenv("ASAN_OPTIONS") == 0);
    REQUIRE(acceld.wait() == 0);
    for (const char* name : {"cpu ", "mock ", "vulkan ", "xdna "}) {
        CHECK(acceld.output().contains(name));
    }
    CHECK(acceld.output().contains("cpu      available, TOSA 1.0.0 PRO-INT PRO-FP, no level, "));
    CHECK(acceld.output().contains("xdna     not available: "));
}

TEST_CASE("list says that there is no Vulkan driver") {
    Acceld acceld("exec env VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none \"$@\"", {"list"});
    REQUIRE(acceld.wait() == 0);
    CHECK(acceld.output().contains(
        "vulkan   not available: no Vulkan driver is installed for this machine\n"));
}

TEST_SUITE_END();
