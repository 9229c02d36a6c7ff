// SPDX-License-Identifier: MIT
//
// A program that may do anything, as a process that is bounded in all of it: it has no
// network, nothing of this process but what it is given, and ends with all its descendants.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

namespace xdna {

struct ProcessLimits {
    std::chrono::milliseconds time = std::chrono::seconds(240);
    std::uint64_t memory = 32ULL << 30;       // addresses of each process
    std::uint64_t file_bytes = 512ULL << 20;  // of each file that it writes
    std::uint64_t work_bytes = 2ULL << 30;    // of all files in its directory
    std::uint64_t work_files = 20'000;
    std::size_t output_bytes = 256 << 10;  // that are kept, from the end
};

struct BoundedProcess {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path directory;  // where it works, and all it may change
    ProcessLimits limits;
    int stop_fd = -1;  // readable: it is to end
};

struct Ended {
    enum class How : std::uint8_t { Exited, Killed, OutOfTime, OutOfSpace, Stopped };
    How how = How::Killed;
    int status = 0;  // with which it exited, or the signal that killed it
    std::string output;
    std::string errors;
};

// Blocks until it and every descendant of it have ended and are reaped. This process becomes
// a subreaper, to which orphans of its descendants fall. The error is what could not be done
// to start it, in particular to bound it, with an errno.
struct NotStarted {
    const char* what;
    int error;
};
[[nodiscard]] std::expected<Ended, NotStarted> run(const BoundedProcess& process);

}  // namespace xdna
