// SPDX-License-Identifier: MIT
//
// virtio-acceld: the host's end of the virtio accelerator.
#include <exception>
#include <print>

#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "daemon/options.hpp"
#include "daemon/server.hpp"

namespace {

void set_up_log() {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("virtio-acceld"));
    spdlog::set_pattern("%n: %l: %v");
}

// The schema has no type for accelerators, and no features of them.
std::string capabilities() {
    return nlohmann::json{{"type", "accel"}, {"features", nlohmann::json::array()}}.dump();
}

int run(const acceld::Options& options) {
    switch (options.action) {
        case acceld::Action::PrintCapabilities:
            std::println("{}", capabilities());
            return acceld::kExitOk;
        case acceld::Action::List:
            std::print("{}", acceld::list_providers());
            return acceld::kExitOk;
        case acceld::Action::Serve:
            break;
    }
    set_up_log();
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
