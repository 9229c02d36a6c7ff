// SPDX-License-Identifier: MIT
//
// virtio-acceld: the host's end of the virtio accelerator.
#include <cerrno>
#include <print>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/command.hpp"
#include "daemon/log.hpp"
#include "daemon/options.hpp"
#include "daemon/programs.hpp"
#include "daemon/supervisor.hpp"
#include "vhost/failure.hpp"

namespace {

constexpr const char* kVersion = "virtio-acceld 0.1.0 (protocol 1.0)";

// The schema has no type for accelerators, and managers refuse what is not in it. They look
// for nothing of this type (docs/daemon.md).
std::string capabilities() {
    return nlohmann::json{{"type", "rpmsg"}}.dump();
}

// What takes a provider is done by the program that has them, with the same arguments.
int become_worker(char** argv) {
    const auto program = acceld::worker_program();
    ::execv(program.c_str(), argv);
    acceld::complain(vhost::failure("virtio-accel-worker", errno).error());
    return acceld::kExitFailure;
}

int run(const acceld::Options& options, char** argv) {
    switch (options.action) {
        case acceld::Action::PrintCapabilities:
            std::println("{}", capabilities());
            return acceld::kExitOk;
        case acceld::Action::PrintVersion:
            std::println("{}", kVersion);
            std::fflush(stdout);
            return become_worker(argv);
        case acceld::Action::List:
            return become_worker(argv);
        case acceld::Action::Serve:
            break;
    }
    if (options.single_process) return become_worker(argv);
    acceld::set_up_log();
    if (!options.log_file.empty()) {
        const auto file = acceld::open_log(options.log_file);
        if (!file) {
            acceld::complain(file.error());
            return acceld::kExitFailure;
        }
        acceld::log_to(*file);
    }
    const auto status = acceld::supervise(options);
    if (!status) acceld::complain(status.error());
    return status.value_or(acceld::kExitFailure);
}

}  // namespace

int main(int argc, char** argv) {
    return base::run_command("virtio-acceld", [&] {
        const auto options = acceld::parse_options(argc, argv);
        return options ? run(*options, argv) : options.error();
    });
}
