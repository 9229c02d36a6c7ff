// SPDX-License-Identifier: MIT
// Child processes that never outlive their owner. Bound to one thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "vm/failure.hpp"
#include "vm/files.hpp"

namespace vm {

// A shell's view of how a process ended: its status, or 128 plus the signal.
using ExitStatus = int;

struct SpawnOptions {
    std::vector<int> inherit;   // kept open, under the same numbers
    int output = -1;            // becomes standard output; -1: see `log`
    std::filesystem::path log;  // takes what it prints; empty: stays with ours
    bool foreground = false;    // keeps our terminal: input, output, process group
};

class Child {
 public:
    // Starts argv[0], looked up in PATH. A program that cannot be run is a failure
    // here, not an exit status later.
    static Result<Child> spawn(std::vector<std::string> argv, const SpawnOptions& options);

    Child(Child&& other) noexcept = default;
    Child& operator=(Child&&) = delete;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { stop(); }

    // Readable once the process has ended.
    [[nodiscard]] int pidfd() const { return pidfd_.value(); }

    // The status, if it has ended.
    std::optional<ExitStatus> ended();

    // Waits for the end.
    ExitStatus wait();

    // Ends it and all of its process group: politely first, then by force.
    void stop();

    // Waits for the end and tells of it: the status and the last line in the log.
    std::string obituary();

 private:
    Child() = default;
    std::optional<ExitStatus> reap(int flags);

    UniqueFd pidfd_;
    pid_t pid_ = 0;
    pid_t group_ = 0;  // 0 if it shares ours
    std::filesystem::path log_;
    std::optional<ExitStatus> status_;
};

// What a command prints, if it succeeds.
Result<std::string> output_of(const std::vector<std::string>& argv);

}  // namespace vm
