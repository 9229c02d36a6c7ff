// SPDX-License-Identifier: MIT
//
// virtio-accel-worker: the part of virtio-acceld that has the engine and the providers.
// The daemon starts one for each guest; for --single-process and `list` it becomes one.
#include <print>

#include <spdlog/spdlog.h>

#include "base/command.hpp"
#include "daemon/log.hpp"
#include "daemon/options.hpp"
#include "worker/providers.hpp"
#include "worker/server.hpp"

namespace {

int run(const acceld::Options& options) {
    if (options.action == acceld::Action::List) {
        std::print("{}", acceld::list_providers());
        return acceld::kExitOk;
    }
    if (options.action == acceld::Action::PrintVersion) {
        std::print("{}", acceld::provider_versions());
        return acceld::kExitOk;
    }
    acceld::set_up_log();
    if (options.guest) acceld::name_guest_in_log(*options.guest);
    const auto served = acceld::serve(options);
    if (served) return acceld::kExitOk;
    if (options.guest)
        spdlog::error("{}", served.error());
    else
        acceld::complain(served.error());
    return acceld::kExitFailure;
}

}  // namespace

int main(int argc, char** argv) {
    return base::run_command("virtio-acceld", [&] {
        const auto options = acceld::parse_options(argc, argv);
        return options ? run(*options) : options.error();
    });
}
