// SPDX-License-Identifier: MIT
#include "vm/kernel.hpp"

#include <doctest/doctest.h>

#include "vm/files.hpp"

namespace {

struct Rig {
    Rig() : directory(vm::TemporaryDirectory::make().value()) {}

    void put(const char* name, std::string_view text) const {
        REQUIRE(vm::write_file(path() / name, text));
    }
    [[nodiscard]] const std::filesystem::path& path() const { return directory.path(); }

    vm::TemporaryDirectory directory;
};

std::string kernel_image(std::string_view version) {
    std::string image(0x400, '\0');
    image.replace(0x202, 4, "HdrS");
    image[0x20e] = '\x80';  // little-endian, from 0x200
    return image.replace(0x280, version.size(), version);
}

std::vector<std::string> names(const std::vector<std::filesystem::path>& files) {
    std::vector<std::string> out;
    for (const auto& file : files)
        out.push_back(file.filename().native());
    return out;
}

TEST_SUITE_BEGIN("vm/kernel");

TEST_CASE("newest is the highest version, lts the highest of its series") {
    const Rig rig;
    for (const char* name : {"vmlinuz-7.9.1-amd64", "vmlinuz-7.10.0-amd64", "config-8.0.0-amd64",
                             "vmlinuz-6.12.9-amd64", "vmlinuz-6.12.118-amd64"})
        rig.put(name, "");

    const auto newest = vm::find_kernel("newest", rig.path());
    const auto lts = vm::find_kernel("lts", rig.path());

    REQUIRE(newest);
    CHECK(newest->release == "7.10.0-amd64");
    CHECK(newest->image == rig.path() / "vmlinuz-7.10.0-amd64");
    REQUIRE(lts);
    CHECK(lts->release == "6.12.118-amd64");
}

TEST_CASE("a missing kernel is named") {
    const Rig rig;
    rig.put("vmlinuz-7.9.1-amd64", "");

    const auto lts = vm::find_kernel("lts", rig.path());
    const auto file = vm::find_kernel((rig.path() / "none").native(), rig.path());

    REQUIRE_FALSE(lts);
    CHECK(lts.error().text.starts_with("no lts kernel in " + rig.path().native()));
    REQUIRE_FALSE(file);
    CHECK(file.error().text == (rig.path() / "none").native() + ": No such file or directory");
}

TEST_CASE("an image by path says its own release") {
    const Rig rig;
    rig.put("image", kernel_image("7.3.4-debug (someone@somewhere) #1"));

    const auto kernel = vm::find_kernel((rig.path() / "image").native(), "/nowhere");

    REQUIRE(kernel);
    CHECK(kernel->release == "7.3.4-debug");
}

TEST_CASE("bytes that are no kernel image are refused") {
    auto image = kernel_image("7.3.4 ");
    SUBCASE("empty") {
        image.clear();
    }
    SUBCASE("cut before the version's offset ends") {
        image.resize(0x20f);
    }
    SUBCASE("cut before the version") {
        image.resize(0x280);
    }
    SUBCASE("other magic") {
        image[0x202] = 'X';
    }

    CHECK_FALSE(vm::kernel_release(image));
}

TEST_CASE("modules come once each, after what they need, and built-in ones not at all") {
    const Rig rig;
    rig.put("modules.dep",
            "kernel/a-shmem.ko.xz: kernel/kms.ko.xz kernel/drm.ko.xz\n"
            "kernel/kms.ko.xz: kernel/drm.ko.xz\n"
            "kernel/drm.ko.xz:\n"
            "kernel/other.ko.xz:\n");
    rig.put("modules.builtin", "kernel/virtio.ko\n");

    const auto files = vm::modules_for("a_shmem,drm,virtio", rig.path());

    REQUIRE(files);
    CHECK(names(*files) == std::vector<std::string>{"drm.ko.xz", "kms.ko.xz", "a-shmem.ko.xz"});
}

TEST_CASE("a kernel that has everything built in need not be installed") {
    const auto files = vm::modules_for("", "/nowhere");

    REQUIRE(files);
    CHECK(files->empty());
}

TEST_CASE("an unknown module is named") {
    const Rig rig;
    rig.put("modules.dep", "kernel/drm.ko.xz:\n");

    const auto files = vm::modules_for("drm,nothing", rig.path());

    REQUIRE_FALSE(files);
    CHECK(files.error().text == rig.path().native() + " has no module nothing");
}

TEST_CASE("a module is decompressed as its name says") {
    const Rig rig;
    rig.put("plain.ko", "bytes");
    rig.put("broken.ko.xz", "bytes");
    rig.put("other.ko.zst", "bytes");

    CHECK(vm::read_module(rig.path() / "plain.ko").value() == "bytes");
    CHECK_FALSE(vm::read_module(rig.path() / "broken.ko.xz"));
    CHECK_FALSE(vm::read_module(rig.path() / "other.ko.zst"));
}

TEST_SUITE_END();

}  // namespace
