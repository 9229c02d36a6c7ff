// SPDX-License-Identifier: MIT
#include "daemon/log.hpp"

#include <cerrno>
#include <format>

#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/command.hpp"
#include "vhost/failure.hpp"

namespace acceld {

void set_up_log() {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("virtio-acceld"));
    spdlog::set_pattern("%n: %l: %v");
}

void complain(const std::string& why) {
    base::say("virtio-acceld: " + why);
}

void name_guest_in_log(unsigned guest) {
    spdlog::set_pattern(std::format("%n: %l: guest={} pid=%P %v", guest));
}

std::expected<base::UniqueFd, std::string> open_log(const std::string& path) {
    base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
    if (!file) return vhost::failure(path, errno);
    return file;
}

void log_to(const base::UniqueFd& file) {
    while (::dup2(file.value(), STDERR_FILENO) < 0 && errno == EINTR) {
    }
}

}  // namespace acceld
