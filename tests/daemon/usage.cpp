// SPDX-License-Identifier: MIT
#include "daemon/usage.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "daemon/process.hpp"

namespace daemon_test {

namespace {

namespace fs = std::filesystem;

// 0 for one that has gone meanwhile.
pid_t parent_of(const std::string& pid) {
    std::string stat;
    std::getline(std::ifstream("/proc/" + pid + "/stat"), stat);
    // PID (NAME) STATE PARENT, where the name may hold anything.
    const auto after = stat.rfind(") ");
    return after == std::string::npos ? 0 : std::stoi(stat.substr(after + 4));
}

std::set<pid_t> tree(pid_t root) {
    std::multimap<pid_t, pid_t> children;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
        children.emplace(parent_of(name), std::stoi(name));
    }
    std::set<pid_t> found;
    std::vector<pid_t> todo{root};
    while (!todo.empty()) {
        const pid_t pid = todo.back();
        todo.pop_back();
        found.insert(pid);
        const auto [first, last] = children.equal_range(pid);
        std::for_each(first, last, [&](const auto& child) { todo.push_back(child.second); });
    }
    return found;
}

// ThreadSanitizer has a thread of its own in each process, which wakes ten times a second.
#if defined(__SANITIZE_THREAD__)
constexpr bool kWakesByItself = true;
#else
constexpr bool kWakesByItself = false;
#endif

// How often the threads of a process and all its descendants have stopped to run, or nothing
// while one of them runs or waits for its turn: a process that starts on a busy machine
// may hold the same for a long time, and is not at rest.
std::optional<std::uint64_t> stops(pid_t root) {
    std::uint64_t sum = 0;
    for (const pid_t pid : tree(root)) {
        std::error_code gone;
        for (const auto& task :
             fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
            std::ifstream status(task.path() / "status");
            for (std::string line; std::getline(status, line);) {
                if (line.starts_with("State:") && !line.contains("S (sleeping)"))
                    return std::nullopt;
                if (!kWakesByItself && line.contains("voluntary_ctxt_switches:"))
                    sum += std::stoull(line.substr(line.find(':') + 1));
            }
        }
    }
    return sum;
}

}  // namespace

std::vector<pid_t> children(pid_t pid) {
    const std::string number = std::to_string(pid);
    std::ifstream file("/proc/" + number + "/task/" + number + "/children");
    return {std::istream_iterator<pid_t>(file), {}};
}

Usage usage(pid_t root) {
    Usage sum;
    for (const pid_t pid : tree(root)) {
        const std::string process = "/proc/" + std::to_string(pid);
        std::error_code gone;
        const fs::directory_iterator fds(process + "/fd", gone);
        if (gone) continue;
        ++sum.processes;
        sum.fds += static_cast<std::size_t>(std::distance(begin(fds), end(fds)));
        std::ifstream status(process + "/status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with("VmRSS:")) sum.resident_kib += std::stoul(line.substr(6));
        std::ifstream maps(process + "/maps");
        for (std::string line; std::getline(maps, line);)
            sum.guest_mappings += line.contains("memfd:guest");
    }
    return sum;
}

Usage settled_usage(pid_t root) {
    constexpr int kPauseMs = 100;
    Usage before = usage(root);
    auto stopped = stops(root);
    for (int waited = 0; waited < kPatienceMs; waited += kPauseMs) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
        const Usage now = usage(root);
        const auto still = stops(root);
        if (still && still == stopped && now.processes == before.processes && now.fds == before.fds)
            return now;
        before = now;
        stopped = still;
    }
    return before;
}

bool returns_to(const Usage& before, pid_t root) {
    constexpr int kPauseMs = 10;
    for (int waited = 0; waited < kPatienceMs; waited += kPauseMs) {
        const Usage now = usage(root);
        if (now.processes <= before.processes && now.fds <= before.fds &&
            now.guest_mappings <= before.guest_mappings)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
    }
    return false;
}

}  // namespace daemon_test
