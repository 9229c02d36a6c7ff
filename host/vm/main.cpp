// SPDX-License-Identifier: MIT
// accel-vm: a Linux guest with a virtio accelerator attached.
#include <exception>
#include <iostream>

#include "vm/guest.hpp"

namespace {

// Apart from any status that a command is likely to have, as env(1) and its like do.
constexpr int kOwnFailure = 125;

}  // namespace

int main(int argc, char** argv) try {
    const auto options = vm::parse_options(argc, argv);
    if (!options) {
        (options.error().status == 0 ? std::cout : std::cerr) << options.error().text;
        return options.error().status;
    }
    const auto status = vm::run_guest(*options);
    if (status) return *status;
    std::cerr << "accel-vm: " << status.error().text << '\n';
    return kOwnFailure;
} catch (const std::exception& error) {
    std::cerr << "accel-vm: " << error.what() << '\n';
    return kOwnFailure;
}
