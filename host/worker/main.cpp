// SPDX-License-Identifier: MIT
//
// virtio-accel-worker: the part of virtio-acceld that has the engine and the providers.
// The daemon starts one for each guest; for --single-process and `list` it becomes one.
#include <exception>
#include <print>

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
    acceld::set_up_log();
    if (const auto served = acceld::serve(options); !served) {
        std::println(stderr, "virtio-acceld: {}", served.error());
        return acceld::kExitFailure;
    }
    return acceld::kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto options = acceld::parse_options(argc, argv);
        return options ? run(*options) : options.error();
    } catch (const std::exception& error) {
        std::println(stderr, "virtio-acceld: {}", error.what());
        return acceld::kExitFailure;
    }
}
