// SPDX-License-Identifier: MIT
#include "sandbox/files.hpp"

#include <array>
#include <cerrno>
#include <cstdint>

#include <linux/landlock.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace sandbox {

namespace {

using base::UniqueFd;

// Of later versions than the oldest headers that this builds with.
constexpr std::uint64_t kResolveUnix = 1U << 16;
constexpr std::uint64_t kUdp = 3U << 2;

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kDevice =
    kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_IOCTL_DEV;
constexpr std::uint64_t kChange = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                  LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                  LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;
constexpr std::uint64_t kWrite =
    kRead | kChange | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
// A rule for what is no directory must not name these.
constexpr std::uint64_t kOfDirectories = LANDLOCK_ACCESS_FS_READ_DIR | kChange;

struct Ruleset {
    std::uint64_t files;
    std::uint64_t network;
    std::uint64_t scope;
};

// What each version can deny.
Ruleset deniable(int abi) {
    Ruleset all{.files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1, .network = 0, .scope = 0};
    if (abi >= 2) all.files |= LANDLOCK_ACCESS_FS_REFER;
    if (abi >= 3) all.files |= LANDLOCK_ACCESS_FS_TRUNCATE;
    if (abi >= 4) all.network |= LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP;
    if (abi >= 5) all.files |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
    if (abi >= 6) all.scope |= LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
    if (abi >= 9) all.files |= kResolveUnix;
    if (abi >= 10) all.network |= kUdp;
    return all;
}

// An older kernel takes the longer structure, as what it does not know is 0.
UniqueFd create_ruleset(const Ruleset& denied) {
    landlock_ruleset_attr attributes{};
    attributes.handled_access_fs = denied.files;
    attributes.handled_access_net = denied.network;
    attributes.scoped = denied.scope;
    return UniqueFd(static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0)));
}

Result allow(const UniqueFd& ruleset, const View::Paths& paths, std::uint64_t access) {
    for (const auto& path : paths) {
        const UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
        if (!place) {
            if (errno == ENOENT || errno == EACCES) continue;
            return failure(path.native(), errno);
        }
        std::error_code error;
        const bool directory = std::filesystem::is_directory(path, error);
        const landlock_path_beneath_attr rule{
            .allowed_access = directory ? access : access & ~kOfDirectories,
            .parent_fd = place.value()};
        if (::syscall(SYS_landlock_add_rule, ruleset.value(), LANDLOCK_RULE_PATH_BENEATH, &rule,
                      0) != 0) {
            return failure(path.native(), errno);
        }
    }
    return {};
}

}  // namespace

int landlock_abi() {
    const long abi =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return abi < 0 ? 0 : static_cast<int>(abi);
}

Result restrict_to(const View& view) {
    const int abi = landlock_abi();
    if (abi == 0) return {};
    const Ruleset denied = deniable(abi);
    const UniqueFd ruleset = create_ruleset(denied);
    if (!ruleset) return failure("landlock_create_ruleset", errno);
    return allow(ruleset, view.readable, kRead)
        .and_then([&] { return allow(ruleset, view.executable, kExecute); })
        .and_then([&] { return allow(ruleset, view.devices, kDevice & denied.files); })
        .and_then([&] { return allow(ruleset, view.writable, kWrite & denied.files); })
        .and_then([&]() -> Result {
            if (::syscall(SYS_landlock_restrict_self, ruleset.value(), 0) != 0)
                return failure("landlock_restrict_self", errno);
            return {};
        });
}

View::Paths to_execute(const std::filesystem::path& program) {
    View::Paths paths{program};
    // The first that is told of is the program that runs.
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& header = info->dlpi_phdr[i];
                if (header.p_type != PT_INTERP) continue;
                static_cast<View::Paths*>(data)->emplace_back(
                    reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr));
            }
            return 1;
        },
        &paths);
    return paths;
}

}  // namespace sandbox
