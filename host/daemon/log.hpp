// SPDX-License-Identifier: MIT
#pragma once

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace acceld {

// All processes of the daemon write to the same standard error, each line in one write.
inline void set_up_log() {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("virtio-acceld"));
    spdlog::set_pattern("%n: %l: %v");
}

}  // namespace acceld
