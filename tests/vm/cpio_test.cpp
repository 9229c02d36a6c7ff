// SPDX-License-Identifier: MIT
#include "vm/cpio.hpp"

#include <doctest/doctest.h>

namespace {

std::string sample() {
    vm::CpioWriter writer;
    writer.add_file("/bin/deep/tool", "#!", true);
    writer.add_file("/bin/deep/data", "12345", false);
    return std::move(writer).finish();
}

TEST_SUITE_BEGIN("vm/cpio");

TEST_CASE("files come back with their names and bytes") {
    const auto archive = sample();

    const auto files = vm::read_cpio(archive);

    REQUIRE(files);
    REQUIRE(files->size() == 2);
    CHECK(files->at(0).name == "bin/deep/tool");
    CHECK(files->at(0).bytes == "#!");
    CHECK(files->at(1).name == "bin/deep/data");
    CHECK(files->at(1).bytes == "12345");
}

TEST_CASE("a directory is added once, before what is in it") {
    const auto archive = sample();

    CHECK(archive.find("bin\0") < archive.find("bin/deep\0"));
    CHECK(archive.find("bin/deep\0") < archive.find("bin/deep/tool"));
    const std::string deep("bin/deep\0", 9);
    CHECK(archive.find(deep) == archive.rfind(deep));
}

TEST_CASE("every header starts on a multiple of four bytes") {
    const auto archive = sample();

    CHECK(archive.size() % 4 == 0);
    for (auto at = archive.find("070701"); at != std::string::npos;
         at = archive.find("070701", at + 1))
        CHECK(at % 4 == 0);
}

TEST_CASE("a leading ./ is dropped, as cpio -o adds it to what find prints") {
    vm::CpioWriter writer;
    writer.add_file("/./status", "0\n", false);
    const auto archive = std::move(writer).finish();

    const auto files = vm::read_cpio(archive);

    REQUIRE(files);
    CHECK(files->at(0).name == "status");
}

TEST_CASE("an archive that is cut anywhere is refused") {
    const auto archive = sample();
    // The trailer's own padding carries nothing.
    const auto whole = archive.find("TRAILER!!!") + std::string_view("TRAILER!!!").size() + 1;

    for (std::size_t size = 0; size < whole; ++size) {
        CAPTURE(size);
        CHECK_FALSE(vm::read_cpio(archive.substr(0, size)));
    }
}

TEST_CASE("a header that lies is refused") {
    auto archive = sample();
    const auto file = archive.find("bin/deep/tool") - 110;
    std::size_t at = 0;
    std::string value = "ffffffff";
    SUBCASE("magic") {
        at = file, value = "070702";
    }
    SUBCASE("no digits in the mode") {
        at = file + 6 + 8, value = "zzzzzzzz";
    }
    SUBCASE("a sign in the size") {
        at = file + 6 + 6 * 8, value = "-0000001";
    }
    SUBCASE("the largest size") {
        at = file + 6 + 6 * 8;
    }
    SUBCASE("the largest name") {
        at = file + 6 + 11 * 8;
    }
    SUBCASE("a name without its NUL") {
        at = file + 6 + 11 * 8, value = "00000000";
    }
    archive.replace(at, value.size(), value);

    CHECK_FALSE(vm::read_cpio(archive));
}

TEST_SUITE_END();

}  // namespace
