// SPDX-License-Identifier: MIT
//
// virtio-acceld: the host's end of the virtio accelerator.
#include <cerrno>
#include <cstring>
#include <exception>
#include <print>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "daemon/log.hpp"
#include "daemon/options.hpp"
#include "daemon/supervisor.hpp"
#include "daemon/worker_process.hpp"

namespace {

// The schema has no type for accelerators, and no features of them.
std::string capabilities() {
    return nlohmann::json{{"type", "accel"}, {"features", nlohmann::json::array()}}.dump();
}

// What takes a provider is done by the program that has them, with the same arguments.
int become_worker(char** argv) {
    const auto program = acceld::worker_program();
    ::execv(program.c_str(), argv);
    std::println(stderr, "virtio-acceld: virtio-accel-worker: {}", std::strerror(errno));
    return acceld::kExitFailure;
}

int run(const acceld::Options& options, char** argv) {
    switch (options.action) {
        case acceld::Action::PrintCapabilities:
            std::println("{}", capabilities());
            return acceld::kExitOk;
        case acceld::Action::List:
            return become_worker(argv);
        case acceld::Action::Serve:
            break;
    }
    if (options.single_process) return become_worker(argv);
    acceld::set_up_log();
    const auto status = acceld::supervise(options);
    if (!status) std::println(stderr, "virtio-acceld: {}", status.error());
    return status.value_or(acceld::kExitFailure);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto options = acceld::parse_options(argc, argv);
        return options ? run(*options, argv) : options.error();
    } catch (const std::exception& error) {
        std::println(stderr, "virtio-acceld: {}", error.what());
        return acceld::kExitFailure;
    }
}
