// SPDX-License-Identifier: MIT
//
// Drivers that are broken, installed beside one that works.
#include <cstdlib>
#include <filesystem>
#include <format>
#include <fstream>

#include <unistd.h>

#include "vulkan/shimmed.hpp"

using namespace vulkan;
using namespace vulkan::test;

namespace {

// Installed for as long as it lives: the loader reads the variable for every instance.
class Installed {
 public:
    explicit Installed(std::string_view manifest) {
        std::ofstream(path_) << manifest;
        ::setenv("VK_ADD_DRIVER_FILES", path_.c_str(), 1);
    }
    ~Installed() {
        ::unsetenv("VK_ADD_DRIVER_FILES");
        std::filesystem::remove(path_);
    }
    Installed(const Installed&) = delete;
    Installed& operator=(const Installed&) = delete;

 private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / std::format("broken-driver-{}.json", ::getpid());
};

std::string manifest(std::string_view library) {
    return std::format(R"({{"file_format_version": "1.0.1",
                            "ICD": {{"library_path": "{}", "api_version": "1.3.0"}}}})",
                       library);
}

void check_works() {
    const auto devices = list();
    REQUIRE_MESSAGE(devices, devices.error_or(""));
    Rig rig;
    GraphBuilder graph;
    graph.input("x", {4}).output("y", {4}).clamp("x", "y", 0.0F, 1.0F);
    CHECK(rig.run(graph, {{-1, 0, 1, 2}}, 4) == Floats{0, 0, 1, 1});
}

}  // namespace

TEST_SUITE("vulkan/driver" * doctest::skip(skipped())) {
    TEST_CASE("a driver that is not what its manifest says does not hide the others") {
        SUBCASE("the manifest is no JSON") {
            const Installed broken("{ not at all");
            check_works();
        }
        SUBCASE("its library is not there") {
            const Installed broken(manifest("/nowhere/libvulkan_gone.so"));
            check_works();
        }
        SUBCASE("its library is no driver") {
            const Installed broken(manifest("libm.so.6"));
            check_works();
        }
    }

    TEST_CASE("a driver that fails does not hide the others") {
        const auto library =
            std::filesystem::path(shim_path()).parent_path() / "libbroken-driver.so";
        void* const driver = dlopen(library.c_str(), RTLD_NOW | RTLD_NODELETE);
        REQUIRE(driver);
        const auto failures = reinterpret_cast<int (*)()>(dlsym(driver, "broken_driver_failures"));
        const char* at = nullptr;
        SUBCASE("it speaks no version of the loader's") {
            at = "version";
        }
        SUBCASE("it makes no instance") {
            at = "instance";
        }
        SUBCASE("it does not list its devices") {
            at = "devices";
        }
        SUBCASE("it takes back the device that it has promised") {
            at = "second";
        }
        ::setenv("BROKEN_DRIVER", at, 1);
        const Installed broken(manifest(library.native()));
        const int before = failures();
        check_works();
        CHECK(failures() > before);
        ::unsetenv("BROKEN_DRIVER");
    }
}
