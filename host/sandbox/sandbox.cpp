// SPDX-License-Identifier: MIT
#include "sandbox/sandbox.hpp"

#include <algorithm>
#include <cstdlib>
#include <format>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>

namespace sandbox {

namespace {

// The sanitizers trace their own process, read its /proc and write reports: their builds
// have neither filters nor a restricted view. Nothing else depends on this.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Where programs, libraries, their configuration and what they ask about the machine are;
// no home, no /var, no /run, no /tmp.
View::Paths system_files() {
    return {"/usr", "/lib",       "/lib64", "/etc",      "/opt",         "/nix/store",
            "/sys", "/gnu/store", "/proc",  "/dev/null", "/dev/urandom", "/dev/random"};
}

// Where whoever starts the daemon has libraries looked for.
View::Paths library_folders() {
    View::Paths folders;
    const char* named = std::getenv("LD_LIBRARY_PATH");
    for (const auto part : std::views::split(std::string_view(named ? named : ""), ':')) {
        std::filesystem::path folder{std::string_view(part)};
        if (folder.is_absolute()) folders.push_back(std::move(folder));
    }
    return folders;
}

// And where a worker has a library of its own, installed and in a build's tree.
View::Paths readable_files(const std::filesystem::path& program) {
    View::Paths paths = system_files();
    const auto folder = program.parent_path();
    paths.insert(paths.end(), {folder, folder / "../xdna/xrt"});
    std::ranges::move(library_folders(), std::back_inserter(paths));
    return paths;
}

View::Paths device_nodes(Needs needs) {
    if (needs == Needs::Memory) return {};
    if (needs == Needs::Npu) return {"/dev/accel"};
    View::Paths nodes{"/dev/dri", "/dev/accel", "/dev/kfd"};
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/dev", error))
        if (entry.path().filename().native().starts_with("nvidia")) nodes.push_back(entry.path());
    return nodes;
}

// A driver would keep what it compiled for one guest where it looks for the next one.
void keep_no_cache_on_disk() {
    ::setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    ::setenv("__GL_SHADER_DISK_CACHE", "0", 1);
}

}  // namespace

Result confine_helper(const Policy& policy, View own) {
    if (policy.off) return {};
    auto done = give_up_privileges(policy.user);
    if (!done || kSanitized) return done;
    std::ranges::move(system_files(), std::back_inserter(own.readable));
    std::ranges::copy(own.readable, std::back_inserter(own.executable));
    own.devices.emplace_back("/dev/null");
    return restrict_to(own);
}

Result confine_supervisor(const Policy& policy) {
    return policy.off ? Result() : give_up_privileges(policy.user);
}

Result confine_session(const Policy& policy, const std::filesystem::path& worker) {
    if (policy.off) return {};
    auto done =
        give_up_privileges(policy.user).and_then(keep_memory_private).and_then(limit_open_files);
    if (!done || kSanitized) return done;
    // A worker's view is a part of this one.
    return restrict_to({.readable = readable_files(worker),
                        .executable = to_execute(worker),
                        .devices = device_nodes(Needs::Driver)})
        .and_then(filter_session);
}

Result confine_opening(const Policy& policy, Needs needs) {
    if (policy.off) return {};
    keep_no_cache_on_disk();
    auto done = keep_memory_private();
    if (!done || kSanitized) return done;
    std::error_code error;
    const auto worker = std::filesystem::read_symlink("/proc/self/exe", error);
    return restrict_to(
        {.readable = readable_files(worker), .executable = {}, .devices = device_nodes(needs)});
}

Result confine_serving(const Policy& policy, Needs needs) {
    return policy.off || kSanitized ? Result() : filter_worker(needs);
}

std::string description(const Policy& policy) {
    if (policy.off) return "NOTHING IS CONFINED: --no-sandbox is for debugging";
    if (kSanitized) return "confined without filters: this build has a sanitizer";
    const int abi = landlock_abi();
    return std::format("confined by seccomp and {}",
                       abi > 0 ? std::format("Landlock {}", abi)
                               : "not by Landlock, which this kernel has not or does not use");
}

}  // namespace sandbox
