// SPDX-License-Identifier: MIT
#include "vm/options.hpp"

#include <doctest/doctest.h>

namespace {

auto parse(std::vector<const char*> words) {
    words.insert(words.begin(), "accel-vm");
    return vm::parse_options(static_cast<int>(words.size()), words.data());
}

TEST_SUITE_BEGIN("vm/options");

TEST_CASE("what follows -- is the command, options and all") {
    const auto options = parse({"--smp", "2", "--", "accelctl", "--help", "-v"});

    REQUIRE(options);
    CHECK(options->smp == 2);
    CHECK(options->command == std::vector<std::string>{"accelctl", "--help", "-v"});
    CHECK_FALSE(options->verbose);
}

TEST_CASE("an added file goes to /bin if it can run, else to /, or where it is told to") {
    const auto options =
        parse({"--add", "/bin/busybox", "--add", "/etc/passwd", "--add", "/etc/passwd=/etc/p"});

    REQUIRE(options);
    REQUIRE(options->add.size() == 3);
    CHECK(options->add[0].guest == "/bin/busybox");
    CHECK(options->add[1].guest == "/passwd");
    CHECK(options->add[2].host == "/etc/passwd");
    CHECK(options->add[2].guest == "/etc/p");
}

TEST_CASE("a fetched file names guest, then host") {
    const auto options = parse({"--fetch", "/tmp/out=here/out", "--", "sh", "-c", "a=b"});

    REQUIRE(options);
    REQUIRE(options->fetch.size() == 1);
    CHECK(options->fetch[0].guest == "/tmp/out");
    CHECK(options->fetch[0].host == "here/out");
    CHECK(options->command == std::vector<std::string>{"sh", "-c", "a=b"});
}

TEST_CASE("a shared directory is at /share or where it is told to be") {
    const auto options = parse({"--share", "models", "--share-writable", "out=/out", "--", "true"});

    REQUIRE(options);
    REQUIRE(options->shares.size() == 2);
    CHECK(options->shares[0].directory.host == "models");
    CHECK(options->shares[0].directory.guest == "/share");
    CHECK_FALSE(options->shares[0].writable);
    CHECK(options->shares[1].directory.host == "out");
    CHECK(options->shares[1].directory.guest == "/out");
    CHECK(options->shares[1].writable);
}

TEST_CASE("there is a device for each socket, or as many as are asked for") {
    const auto sockets = parse({"--socket", "a", "--socket", "b"});
    const auto devices = parse({"--devices", "2"});

    REQUIRE(sockets);
    CHECK(sockets->sockets == std::vector<std::filesystem::path>{"a", "b"});
    REQUIRE(devices);
    CHECK(devices->devices == 2);
}

TEST_CASE("an IOMMU needs a daemon that is known to keep an IOTLB") {
    const auto options = parse({"--iommu"});

    REQUIRE_FALSE(options);
    CHECK(options.error().status == 2);
    CHECK(options.error().text.contains("virtio-acceld keeps no IOTLB"));
    CHECK(parse({"--iommu", "--socket", "a"}));
    CHECK(parse({"--iommu", "--daemon", "a"}));
}

TEST_CASE("a wrong command line is one line and status 2") {
    std::vector<const char*> words;
    SUBCASE("relative guest path to add") {
        words = {"--add", "a=b"};
    }
    SUBCASE("relative guest path to fetch") {
        words = {"--fetch", "a=b"};
    }
    SUBCASE("fetch without a target") {
        words = {"--fetch", "/a"};
    }
    SUBCASE("no CPU") {
        words = {"--smp", "0"};
    }
    SUBCASE("not a number") {
        words = {"--timeout", "soon"};
    }
    SUBCASE("a ring that is no power of two") {
        words = {"--ring-size", "48"};
    }
    SUBCASE("a ring that is longer than QEMU's") {
        words = {"--ring-size", "2048"};
    }
    SUBCASE("a socket and a daemon") {
        words = {"--socket", "a", "--daemon", "b"};
    }
    SUBCASE("a socket and a provider") {
        words = {"--socket", "a", "--provider", "cpu"};
    }
    SUBCASE("a socket and a number of devices") {
        words = {"--socket", "a", "--devices", "2"};
    }
    SUBCASE("no device") {
        words = {"--devices", "0"};
    }
    SUBCASE("a share at a relative guest path") {
        words = {"--share", "a=b"};
    }
    SUBCASE("an IOMMU in front of virtio-acceld") {
        words = {"--iommu"};
    }
    SUBCASE("a port that there is not") {
        words = {"--gdb", "65536"};
    }
    SUBCASE("no address for gdb") {
        words = {"--gdb", ""};
    }
    SUBCASE("unknown option") {
        words = {"--nonsense"};
    }

    const auto options = parse(words);

    REQUIRE_FALSE(options);
    CHECK(options.error().status == 2);
    CHECK(options.error().text.find('\n') == options.error().text.size() - 1);
}

TEST_CASE("--help is no error") {
    const auto options = parse({"--help"});

    REQUIRE_FALSE(options);
    CHECK(options.error().status == 0);
    CHECK(options.error().text.contains("--provider"));
}

TEST_SUITE_END();

}  // namespace
