// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "daemon/options.hpp"

namespace acceld {

// The supervisor's end of a session, which is a process.
class GuestProcess {
 public:
    enum class State : std::uint8_t { Starting, Ready, Serving, Ended };

    // Forks: the caller has one thread.
    [[nodiscard]] static std::expected<GuestProcess, std::string> start(const Options& options);

    GuestProcess(GuestProcess&& other) noexcept;
    GuestProcess& operator=(GuestProcess&& other) noexcept;
    ~GuestProcess() { stop(); }

    // Readable when progress() has something to find out.
    [[nodiscard]] int fd() const { return channel_.value(); }
    void progress();
    [[nodiscard]] State state() const { return state_; }
    // Once it has ended.
    [[nodiscard]] int exit_status() const { return exit_status_; }

    // Lets a ready session serve a front end.
    [[nodiscard]] std::expected<void, std::string> give(base::UniqueFd front_end);
    // Asks it to end.
    void ask_to_end() const;
    // The same, and waits.
    void stop();

 private:
    GuestProcess(pid_t pid, base::UniqueFd channel) : pid_(pid), channel_(std::move(channel)) {}
    void reap();

    pid_t pid_;
    base::UniqueFd channel_;
    State state_ = State::Starting;
    int exit_status_ = 0;
};

}  // namespace acceld
