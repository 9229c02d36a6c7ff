// SPDX-License-Identifier: MIT
#include "xdna/plugin.hpp"

#include <filesystem>
#include <format>

#include <dlfcn.h>
#include <unistd.h>

#include "xdna/xrt/entry.hpp"

namespace xdna {

namespace {

constexpr const char* kLibrary = "libvirtio-accel-xrt.so";

// In a build's tree and where it is installed, as seen from the worker, and from programs
// that are installed beside virtio-acceld. Empty if it is nowhere.
std::filesystem::path own_library() {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* folder : {"../xdna/xrt", ".", "../libexec/virtio-accel"}) {
        auto library = here / folder / kLibrary;
        if (::access(library.c_str(), R_OK) == 0) return library;
    }
    return {};
}

std::string last_error() {
    const char* why = dlerror();
    return why ? why : "no reason is known";
}

}  // namespace

std::expected<std::shared_ptr<Xrt>, std::string> load_xrt(const std::string& library) {
    const auto path = library.empty() ? own_library().native() : library;
    if (path.empty())
        return std::unexpected(
            std::format("{} is not where it belongs: it is built only where XRT is", kLibrary));
    if (::access(path.c_str(), R_OK) != 0)
        return std::unexpected(std::format("{} is not there, or not for this user to read", path));
    // Never closed: XRT has threads, and destructors that run when the process ends.
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return std::unexpected(std::format("no XRT for it: {}", last_error()));
    const auto* const entry = static_cast<const Entry*>(dlsym(handle, kEntryName));
    if (!entry) return std::unexpected(std::format("{} is another library", path));
    if (entry->contract != kContract)
        return std::unexpected(std::format("{} is of another build", path));
    auto xrt = entry->create();
    if (!xrt) return std::unexpected("no memory for XRT");
    return xrt;
}

}  // namespace xdna
