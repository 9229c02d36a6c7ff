// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "daemon/board.hpp"
#include "daemon/obituary.hpp"
#include "daemon/options.hpp"

namespace acceld {

// The supervisor's end of a session, which is a process.
class GuestProcess {
 public:
    enum class State : std::uint8_t { Starting, Ready, Serving, Ended };

    [[nodiscard]] static std::string_view name(State state);

    // Forks: the caller has one thread. The number tells one guest from all others.
    [[nodiscard]] static std::expected<GuestProcess, std::string> start(const Options& options,
                                                                        unsigned number);

    GuestProcess(GuestProcess&& other) noexcept;
    GuestProcess& operator=(GuestProcess&& other) noexcept;
    ~GuestProcess() { stop(); }

    // Readable when progress() has something to find out.
    [[nodiscard]] int fd() const { return channel_.value(); }
    void progress();
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] unsigned number() const { return number_; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] const Statistics& statistics() const { return board_->statistics; }
    // Once it has ended.
    [[nodiscard]] int exit_status() const {
        return died_of_signal() ? kExitFailure : WEXITSTATUS(status_);
    }
    [[nodiscard]] bool died_of_signal() const { return WIFSIGNALED(status_); }
    [[nodiscard]] std::string obituary() const { return describe_end(status_); }

    // Lets a ready session serve a front end.
    [[nodiscard]] std::expected<void, std::string> give(base::UniqueFd front_end);
    // Whether it has asked for a connection to the store of kernels since this was asked.
    [[nodiscard]] bool take_store_wish() { return std::exchange(wants_store_, false); }
    // It has one at a time: the one before is of no more use to anybody.
    void give_store(base::UniqueFd connection);
    // Has it, and its worker, write to another log.
    [[nodiscard]] std::expected<void, std::string> log_to(const base::UniqueFd& file) const;
    // Asks it to end.
    void ask_to_end() const;
    // The same, and waits.
    void stop();

 private:
    GuestProcess(unsigned number, std::shared_ptr<const Board> board, pid_t pid,
                 base::UniqueFd channel)
        : number_(number), board_(std::move(board)), pid_(pid), channel_(std::move(channel)) {}
    void reap();

    unsigned number_;
    std::shared_ptr<const Board> board_;
    pid_t pid_;
    base::UniqueFd channel_;
    base::UniqueFd store_{};
    State state_ = State::Starting;
    bool wants_store_ = false;
    int status_ = 0;
};

}  // namespace acceld
