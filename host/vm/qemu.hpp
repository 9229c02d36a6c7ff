// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vm/kernel.hpp"
#include "vm/options.hpp"

namespace vm {

// Sockets that QEMU inherits, one for each thing that the guest talks to.
struct QemuSockets {
    std::vector<int> devices;  // each connected to its vhost-user daemon
    int console = -1;          // the kernel's messages
    int output = -1;           // the command's standard output; not with a shell
    int errors = -1;           // the command's standard error; not with a shell
    int outcome = -1;          // initramfs.hpp, Outcome
    int monitor = -1;          // monitor.hpp
};

// /dev/kvm may open on a machine whose nested variant cannot start a stock kernel, so the
// processor must also say that it virtualises.
bool kvm_works();

std::vector<std::string> qemu_command(const Options& options, const Kernel& kernel,
                                      const std::filesystem::path& initramfs,
                                      const QemuSockets& sockets, bool kvm);

}  // namespace vm
