// SPDX-License-Identifier: MIT
//
// The double for programs that are built without XRT as well: they load it, and before the
// provider's library asks for XRT.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include <dlfcn.h>

#include "xdna/double/script.hpp"

namespace xrt_double {

class Loaded {
 public:
    // For a program of $(O)/tests/FOLDER. The error is the reason why there is none.
    [[nodiscard]] static std::expected<Loaded, std::string> load() {
        const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        const auto path = here / "../xdna/double/libxrt_coreutil.so.2";
        void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) return std::unexpected(std::string(dlerror()));
        Loaded loaded;
        loaded.plugin = here / "../../host/xdna/xrt/libvirtio-accel-xrt.so";
        loaded.script = function<decltype(xrt_double_script)>(handle, "xrt_double_script");
        loaded.release = function<decltype(xrt_double_release)>(handle, "xrt_double_release");
        return loaded;
    }

    std::string plugin;  // what a provider reaches it through
    decltype(xrt_double_script)* script = nullptr;
    decltype(xrt_double_release)* release = nullptr;

 private:
    template <class Function>
    static Function* function(void* handle, const char* name) {
        return reinterpret_cast<Function*>(dlsym(handle, name));
    }
};

}  // namespace xrt_double
