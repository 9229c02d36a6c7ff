// SPDX-License-Identifier: MIT
//
// The device behind the shim.
#pragma once

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "vulkan/rig.hpp"
#include "vulkan/shim/shim.hpp"

namespace vulkan::test {

inline std::string shim_path() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    return program.parent_path().parent_path() / "vulkan/shim/libvulkan-shim.so";
}

// Starts over. Stays in memory, as what the provider is shown has to outlive it.
inline shim::Control& fresh_shim() {
    static void* const library = dlopen(shim_path().c_str(), RTLD_NOW | RTLD_NODELETE);
    REQUIRE_MESSAGE(library, shim_path());
    const auto get = reinterpret_cast<shim::GetControl>(dlsym(library, shim::kControl));
    REQUIRE(get);
    get()->start_over();
    return *get();
}

// For the length of a case. What is left alive in the end fails it, and so does every call
// that the device which is shown does not allow.
class Shimmed {
 public:
    Shimmed() = default;
    ~Shimmed() {
        CHECK(control_.alive() == "");
        for (const auto& complaint : control_.complaints())
            FAIL_CHECK(complaint);
        control_.start_over();
    }
    Shimmed(const Shimmed&) = delete;
    Shimmed& operator=(const Shimmed&) = delete;

    shim::Control* operator->() { return &control_; }
    [[nodiscard]] static Options options() {
        return {.name = device_name(), .loader = shim_path()};
    }

 private:
    shim::Control& control_ = fresh_shim();
};

}  // namespace vulkan::test
