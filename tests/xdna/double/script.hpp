// SPDX-License-Identifier: MIT
//
// What the double of XRT is told to do, and asked about. A program that is linked to it calls
// this; one that only loads it has XRT_DOUBLE=WORDS in its environment.
//
// Words, separated by spaces:
//   devices=N  broken=I         how many there are (1), and which cannot be opened
//   contexts=N  refusal=E       how many hardware contexts there may be (16), and the errno
//                               of one too many
//   bank=N                      the memory that kernels' data is in (0, the host's)
//   version=MAJOR.MINOR.PATCH   of XRT (2.25.0)
//   delay=MS                    how long a command takes
//   hold                        commands end after release()
//   stall                       the same, for tests that never release
//   end=STATE                   commands end in this ert_cmd_state, without a result
//   FUNCTION=KIND               calls throw: a number of a system_error, as it is; "runtime",
//                               a runtime_error; "alloc", a bad_alloc; "foreign", no exception;
//                               FUNCTION as in kFunctions, or "any"
// delay, hold, stall and end may be of one context (hold@0; numbered as they are made), and
// like FUNCTION of one command or call (end#2=6; from 1), or of all from it on (sync#3+=-5).
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace xrt_double {

// What may throw, by XRT's names.
inline constexpr std::array<std::string_view, 18> kFunctions{
    "enumerate_devices", "device", "get_info", "xclbin", "register_xclbin", "hw_context", "kernel",
    "group_id",          "bo",     "sub_bo",   "map",    "write",           "sync",       "run",
    "set_arg",           "start",  "wait2",    "state"};

// Of these, what is alive is counted.
inline constexpr std::array<std::string_view, 7> kObjects{
    "device", "xclbin", "hw_context", "kernel", "bo", "sub_bo", "run"};

extern "C" {

// Takes the place of the script before, sets all counts but those of the living to zero, and
// releases. Zero where a word is unknown, and then nothing has changed.
[[gnu::visibility("default")]] int xrt_double_script(const char* words);

// Lets all commands end that are held or stalled.
[[gnu::visibility("default")]] void xrt_double_release();

// "FUNCTION" or "any": the calls of it; "live.OBJECT" or "live": objects; "commands": started;
// "ended": of these, with whatever state; "most": that were under way in a context at once;
// "blocked.start": start() that found four under way; "blocked.destructor": of a run or
// context that had to wait for a command.
[[gnu::visibility("default")]] std::uint64_t xrt_double_count(const char* what);

// Waits until that is at least this.
[[gnu::visibility("default")]] void xrt_double_await(const char* what, std::uint64_t at_least);

}  // extern "C"

// A script for as long as this lives.
class Script {
 public:
    explicit Script(const std::string& words = {}) {
        if (!xrt_double_script(words.c_str())) throw std::invalid_argument(words);
    }
    ~Script() { xrt_double_script(""); }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;
};

[[nodiscard]] inline std::uint64_t count(const std::string& what) {
    return xrt_double_count(what.c_str());
}
inline void await(const std::string& what, std::uint64_t at_least) {
    xrt_double_await(what.c_str(), at_least);
}
inline void release() {
    xrt_double_release();
}

}  // namespace xrt_double
