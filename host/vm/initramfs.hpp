// SPDX-License-Identifier: MIT
// The guest's whole user space, packed for the kernel: busybox, the driver and its
// dependencies, the added files with their libraries, and the init that runs the command.
#pragma once

#include <cstddef>
#include <format>
#include <string>

#include "vm/kernel.hpp"
#include "vm/options.hpp"

namespace vm {

// The device id that driver and VMM agree on: QEMU's generic device aborts on the
// protocol's experimental id 63, and no Linux driver claims this one.
inline constexpr unsigned kVirtioId = 38;

// The guest's ports, by the number that both sides know them by. A command's output and
// its outcome have a port each, so that no kernel message can fall between them.
enum Port : unsigned { Output = 1, Errors = 2, Outcome = 3 };

// What QEMU calls a shared directory and the guest mounts it by.
inline std::string share_tag(std::ptrdiff_t index) {
    return std::format("share{}", index);
}

// What the guest leaves on the Outcome port when the command has ended: a cpio archive
// with these files, and the fetched ones under their index.
inline constexpr std::string_view kStatusFile = "status";  // the exit status, decimal
inline constexpr std::string_view kBootFile = "boot";      // seconds of guest clock at the start

Result<std::string> build_initramfs(const Options& options, const Kernel& kernel,
                                    const std::filesystem::path& module);

}  // namespace vm
