// SPDX-License-Identifier: MIT
#include "sandbox/privileges.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace sandbox {

namespace {

// A region of guest memory takes up to three descriptors, and there are at most 512.
constexpr rlim_t kMostFiles = 4096;

Result become(const User& user) {
    if (::geteuid() == user.uid && ::getegid() == user.gid) return {};
    if (::setgroups(user.groups.size(), user.groups.data()) != 0)
        return failure("setgroups", errno);
    if (::setresgid(user.gid, user.gid, user.gid) != 0) return failure("setresgid", errno);
    if (::setresuid(user.uid, user.uid, user.uid) != 0) return failure("setresuid", errno);
    return {};
}

// Needs CAP_SETPCAP. Who does not have it has nothing to gain from the set either, as no
// program gives privileges any more.
void empty_bounding_set() {
    for (unsigned long capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;)
        ++capability;
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

Result drop_capabilities() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    if (::syscall(SYS_capset, &header, none.data()) != 0) return failure("capset", errno);
    return {};
}

}  // namespace

std::expected<User, std::string> find_user(const std::string& name) {
    const passwd* entry = ::getpwnam(name.c_str());
    if (entry == nullptr) return std::unexpected("no user '" + name + "'");
    User user{.uid = entry->pw_uid, .gid = entry->pw_gid, .groups = {}};
    int count = 0;
    ::getgrouplist(name.c_str(), user.gid, nullptr, &count);
    user.groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(name.c_str(), user.gid, user.groups.data(), &count) < 0)
        return std::unexpected("the groups of '" + name + "' change");
    return user;
}

Result give_up_privileges(const std::optional<User>& user) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failure("PR_SET_NO_NEW_PRIVS", errno);
    empty_bounding_set();
    if (user) {
        if (auto done = become(*user); !done) return done;
    }
    return drop_capabilities();
}

Result keep_memory_private() {
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return failure("PR_SET_DUMPABLE", errno);
    const rlimit none{};
    if (::setrlimit(RLIMIT_CORE, &none) != 0) return failure("RLIMIT_CORE", errno);
    return {};
}

Result limit_open_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return failure("RLIMIT_NOFILE", errno);
    const rlim_t most = std::min(limit.rlim_max, kMostFiles);
    limit = {.rlim_cur = most, .rlim_max = most};
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return failure("RLIMIT_NOFILE", errno);
    return {};
}

}  // namespace sandbox
