// SPDX-License-Identifier: MIT
#include "sandbox/sandbox.hpp"

#include <cstdlib>
#include <format>

#include "sandbox/files.hpp"

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

View::Paths device_nodes() {
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

Result confine_supervisor(const Policy& policy) {
    return policy.off ? Result() : give_up_privileges(policy.user);
}

Result confine_session(const Policy& policy, const std::filesystem::path& worker) {
    if (policy.off) return {};
    auto done =
        give_up_privileges(policy.user).and_then(keep_memory_private).and_then(limit_open_files);
    if (!done || kSanitized) return done;
    // A worker's view is a part of this one.
    return restrict_to({.readable = system_files(),
                        .executable = to_execute(worker),
                        .devices = device_nodes()})
        .and_then(filter_session);
}

Result confine_opening(const Policy& policy, Needs needs) {
    if (policy.off) return {};
    keep_no_cache_on_disk();
    auto done = keep_memory_private();
    if (!done || kSanitized) return done;
    return restrict_to({.readable = system_files(),
                        .executable = {},
                        .devices = needs == Needs::Driver ? device_nodes() : View::Paths()});
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
