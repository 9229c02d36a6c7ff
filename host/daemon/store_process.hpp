// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <utility>

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "daemon/options.hpp"
#include "sandbox/sandbox.hpp"

namespace acceld {

// The process that has the kernels of the XDNA provider, for all guests: it reads files and
// starts compilers, which no worker may (docs/security.md). One that is lost is not replaced:
// what it has died of is still there, and guests go on with what they have loaded.
class StoreProcess {
 public:
    // Forks: the caller has one thread, and no privilege of its own to lose.
    [[nodiscard]] static std::expected<StoreProcess, std::string> start(
        const XdnaStoreChoice& choice, const sandbox::Policy& policy);

    StoreProcess(StoreProcess&& other) noexcept
        : pid_(std::exchange(other.pid_, -1)),
          pidfd_(std::move(other.pidfd_)),
          control_(std::move(other.control_)) {}
    StoreProcess& operator=(StoreProcess&&) = delete;
    // Has it end, and kills it if it does not.
    ~StoreProcess();

    // For one client. Where there is no store any more nobody is at the other end.
    [[nodiscard]] std::expected<base::UniqueFd, std::string> connect() const;

    [[nodiscard]] pid_t pid() const { return pid_; }
    // Readable when it has ended; -1 when that has been seen.
    [[nodiscard]] int pidfd() const { return pidfd_.value(); }
    // How it ended.
    [[nodiscard]] std::string bury();

 private:
    static constexpr std::chrono::milliseconds kPatience{5000};

    StoreProcess(pid_t pid, base::UniqueFd pidfd, base::UniqueFd control)
        : pid_(pid), pidfd_(std::move(pidfd)), control_(std::move(control)) {}

    // What waitpid() says.
    int wait();

    pid_t pid_;
    base::UniqueFd pidfd_;
    base::UniqueFd control_;
};

}  // namespace acceld
