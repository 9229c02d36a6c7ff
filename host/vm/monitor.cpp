// SPDX-License-Identifier: MIT
#include "vm/monitor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <poll.h>
#include <unistd.h>

#include "vm/files.hpp"

namespace vm {
namespace {

using std::chrono::steady_clock;

// Where each processor is, and whether an interrupt or a timer could still move it.
constexpr std::string_view kQuestions =
    "info status\ninfo cpus\ninfo registers -a\ninfo lapic 0\ninfo lapic 1\ninfo pic\ninfo irq\n";

constexpr std::chrono::milliseconds kLimit{2000};
constexpr int kSilenceMs = 500;  // after this long without a word it has said all

// The monitor edits its line as one types, with control sequences, and answers in whole
// lines. Vector registers tell nothing here.
std::string plain_lines(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\033') {
            at = std::min(text.find_first_of("ABCDHJKm", at), text.size() - 1);
            continue;
        }
        if (text[at] != '\r' && text[at] != '\b') plain += text[at];
    }
    std::string kept;
    for (std::size_t at = 0; at < plain.size();) {
        const std::size_t end = std::min(plain.find('\n', at), plain.size() - 1) + 1;
        const std::string_view line(&plain[at], end - at);
        const bool vector = line.starts_with("XMM") || line.starts_with("YMM") ||
                            line.starts_with("ZMM") || line.starts_with("FPR") ||
                            line.starts_with("Opmask");
        if (!vector && !line.contains("(qemu)")) kept += line;
        at = end;
    }
    return kept;
}

}  // namespace

std::string machine_state(int socket) {
    std::string answer;
    if (!write_all(socket, kQuestions)) return answer;
    const auto limit = steady_clock::now() + kLimit;
    pollfd readable{socket, POLLIN, 0};
    while (steady_clock::now() < limit && ::poll(&readable, 1, kSilenceMs) > 0) {
        std::array<char, 16384> block;
        const ssize_t got = ::read(socket, block.data(), block.size());
        if (got <= 0) break;
        answer.append(block.data(), static_cast<std::size_t>(got));
    }
    return plain_lines(answer);
}

}  // namespace vm
