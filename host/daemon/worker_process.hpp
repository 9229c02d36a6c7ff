// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>
#include <sys/wait.h>

#include "base/unique_fd.hpp"
#include "vhost/message.hpp"

namespace acceld {

// A worker as a child process, and the front end's side of a vhost-user connection to it.
class WorkerProcess {
 public:
    using Timeout = std::chrono::milliseconds;
    using Result = std::expected<void, std::string>;

    // Starts a worker that makes the device of `device_arguments` and shares the board, with
    // a connection to the store of kernels if there is one.
    [[nodiscard]] static std::expected<WorkerProcess, std::string> start(
        const std::vector<std::string>& device_arguments, int board_fd,
        const base::UniqueFd& store);

    WorkerProcess(WorkerProcess&&) = default;
    WorkerProcess& operator=(WorkerProcess&& other) noexcept;
    ~WorkerProcess() { kill(); }

    // Waits until the device is made. An error is a worker that is of no use.
    [[nodiscard]] Result wait_ready(Timeout timeout);
    // Waits until the worker has done what the message says. An error says that it cannot
    // be known what it has done.
    [[nodiscard]] Result tell(const vhost::Message& message, Timeout timeout);
    // Makes it serve no more chains.
    [[nodiscard]] Result stop_ring(Timeout timeout);

    // Makes it write to another log. It need not have read that when this returns.
    [[nodiscard]] Result log_to(const base::UniqueFd& file) const;

    // Ends the connection, which a worker ends upon, and kills it if it does not. Whether
    // the worker has ended well.
    bool finish(Timeout timeout);
    // Afterwards it runs no instruction any more.
    void kill();

    [[nodiscard]] pid_t pid() const { return pid_; }
    // Readable when it has ended.
    [[nodiscard]] int pidfd() const { return pidfd_.value(); }
    [[nodiscard]] bool running() const { return static_cast<bool>(pidfd_); }
    // How it ended, once it is not running.
    [[nodiscard]] std::string obituary() const;
    [[nodiscard]] bool killed_by_signal() const { return WIFSIGNALED(status_); }

 private:
    WorkerProcess(pid_t pid, base::UniqueFd pidfd, base::UniqueFd socket, base::UniqueFd orders)
        : pid_(pid),
          pidfd_(std::move(pidfd)),
          socket_(std::move(socket)),
          orders_(std::move(orders)) {}

    [[nodiscard]] Result send(const vhost::Message& message);
    // The payload of the reply.
    [[nodiscard]] Result receive(std::uint32_t request, std::span<std::byte> payload,
                                 Timeout timeout);
    [[nodiscard]] Result receive_exactly(std::span<std::byte> bytes,
                                         std::chrono::steady_clock::time_point deadline);
    void reap();

    pid_t pid_;
    base::UniqueFd pidfd_;
    base::UniqueFd socket_;
    base::UniqueFd orders_;
    int status_ = 0;  // once reaped
};

}  // namespace acceld
