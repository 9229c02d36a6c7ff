// SPDX-License-Identifier: MIT
#include "daemon/programs.hpp"

#include <initializer_list>
#include <system_error>

#include <unistd.h>

namespace acceld {

namespace {

// As seen from virtio-acceld, and from the worker that it becomes for --single-process.
std::filesystem::path find_program(const char* name, std::initializer_list<const char*> folders) {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* folder : folders) {
        const auto program = (here / folder / name).lexically_normal();
        if (::access(program.c_str(), X_OK) == 0) return program;
    }
    return {};
}

}  // namespace

std::filesystem::path worker_program() {
    return find_program("virtio-accel-worker", {"../worker", "../libexec/virtio-accel"});
}

std::filesystem::path store_program() {
    return find_program("virtio-accel-xdna-store",
                        {"../xdna/store", "../libexec/virtio-accel", "."});
}

}  // namespace acceld
