// SPDX-License-Identifier: MIT
#include "vm/elf.hpp"

#include <cstring>

#include <doctest/doctest.h>
#include <elf.h>

#include "vm/files.hpp"

namespace {

template <typename T>
void put(std::string& file, std::size_t at, const T& value) {
    if (file.size() < at + sizeof value) file.resize(at + sizeof value);
    std::memcpy(file.data() + at, &value, sizeof value);
}

constexpr std::size_t kSections = 512;

// A module's .modinfo as section 1, section names as section 2.
std::string module_file(std::string_view modinfo) {
    constexpr std::string_view kNames("\0.modinfo\0", 10);
    constexpr std::size_t kNamesAt = 128;
    constexpr std::size_t kInfoAt = 160;
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shoff = kSections;
    header.e_shnum = 3;
    header.e_shstrndx = 2;
    Elf64_Shdr info{};
    info.sh_name = 1;
    info.sh_offset = kInfoAt;
    info.sh_size = modinfo.size();
    Elf64_Shdr names{};
    names.sh_offset = kNamesAt;
    names.sh_size = kNames.size();

    std::string file;
    put(file, 0, header);
    put(file, kSections, Elf64_Shdr{});
    put(file, kSections + sizeof info, info);
    put(file, kSections + 2 * sizeof info, names);
    file.replace(kNamesAt, kNames.size(), kNames);
    file.replace(kInfoAt, modinfo.size(), modinfo);
    return file;
}

constexpr std::string_view kInfo("xdepends=no\0depends=drm,gem\0vermagic=7.3.4 SMP \0", 48);

TEST_SUITE_BEGIN("vm/elf");

TEST_CASE("a dynamic program names its loader, a static one none") {
    const auto dynamic = vm::read_file("/proc/self/exe");
    const auto fixed = vm::read_file("/bin/busybox");
    REQUIRE(dynamic);
    REQUIRE(fixed);

    CHECK(vm::program_interpreter(*dynamic) == "/lib64/ld-linux-x86-64.so.2");
    CHECK(vm::program_interpreter(*fixed) == std::nullopt);
    CHECK(vm::program_interpreter("#!/bin/sh\n") == std::nullopt);
}

TEST_CASE("module_info finds a whole key") {
    const auto file = module_file(kInfo);

    CHECK(vm::module_info(file, "depends") == "drm,gem");
    CHECK(vm::module_info(file, "vermagic") == "7.3.4 SMP ");
    CHECK(vm::module_info(file, "ver") == std::nullopt);
}

TEST_CASE("a value without its NUL ends with the section") {
    CHECK(vm::module_info(module_file("depends=drm"), "depends") == "drm");
}

TEST_CASE("a file that is cut anywhere has no values") {
    const auto file = module_file(kInfo);

    for (std::size_t size = 0; size < file.size(); ++size) {
        CAPTURE(size);
        CHECK(vm::module_info(file.substr(0, size), "depends") == std::nullopt);
        CHECK(vm::program_interpreter(file.substr(0, size)) == std::nullopt);
    }
}

TEST_CASE("tables and sections outside of the file are not followed") {
    auto file = module_file(kInfo);
    SUBCASE("section table") {
        put(file, offsetof(Elf64_Ehdr, e_shoff), ~std::uint64_t{0});
    }
    SUBCASE("section bytes") {
        put(file, kSections + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset),
            ~std::uint64_t{0});
    }
    SUBCASE("section size") {
        put(file, kSections + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size),
            ~std::uint64_t{0});
    }
    SUBCASE("section name") {
        put(file, kSections + sizeof(Elf64_Shdr), ~std::uint32_t{0});
    }

    CHECK(vm::module_info(file, "depends") == std::nullopt);
}

TEST_SUITE_END();

}  // namespace
