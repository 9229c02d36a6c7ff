// SPDX-License-Identifier: MIT
#include "xdna/store/confinement.hpp"

#include <cerrno>
#include <cstdint>
#include <memory>

#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <unistd.h>

namespace xdna {

namespace {

using base::UniqueFd;

// A network; and what leaves the process group, which is killed as one; and what reaches
// other processes of the user.
constexpr int kDenied[] = {
    SCMP_SYS(socket),          SCMP_SYS(connect),          SCMP_SYS(bind),
    SCMP_SYS(io_uring_setup),  SCMP_SYS(setsid),           SCMP_SYS(setpgid),
    SCMP_SYS(setns),           SCMP_SYS(unshare),          SCMP_SYS(mount),
    SCMP_SYS(umount2),         SCMP_SYS(pivot_root),       SCMP_SYS(chroot),
    SCMP_SYS(open_tree),       SCMP_SYS(move_mount),       SCMP_SYS(fsopen),
    SCMP_SYS(ptrace),          SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),     SCMP_SYS(process_madvise),  SCMP_SYS(bpf),
    SCMP_SYS(keyctl),          SCMP_SYS(add_key),          SCMP_SYS(request_key),
    SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),      SCMP_SYS(kexec_load),
};

constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr unsigned kTypeOfSocket = 0xF;

struct Release {
    void operator()(void* context) const { seccomp_release(context); }
};

// Negative, of libseccomp, is an errno.
int deny(void* filter) {
    const auto refuse = SCMP_ACT_ERRNO(EPERM);
    for (const int call : kDenied)
        if (const int error = seccomp_rule_add(filter, refuse, call, 0); error != 0) return error;
    for (unsigned bit = 0; bit < 32; ++bit) {
        const std::uint64_t flag = 1ULL << bit;
        if ((kNamespaces & flag) == 0) continue;
        const int error = seccomp_rule_add(filter, refuse, SCMP_SYS(clone), 1,
                                           SCMP_A0_64(SCMP_CMP_MASKED_EQ, flag, flag));
        if (error != 0) return error;
    }
    // Datagrams can be sent to sockets of others from any of one's own.
    const int error = seccomp_rule_add(filter, refuse, SCMP_SYS(socketpair), 1,
                                       SCMP_A1_64(SCMP_CMP_MASKED_EQ, kTypeOfSocket, SOCK_DGRAM));
    if (error != 0) return error;
    // Its flags are where no filter sees them. The C library has clone() instead.
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

std::expected<std::vector<sock_filter>, int> make_filter() {
    const std::unique_ptr<void, Release> filter(seccomp_init(SCMP_ACT_ALLOW));
    if (!filter) return std::unexpected(ENOMEM);
    int error = seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (error == 0) error = deny(filter.get());
    std::size_t bytes = 0;
    if (error == 0) error = seccomp_export_bpf_mem(filter.get(), nullptr, &bytes);
    std::vector<sock_filter> program(bytes / sizeof(sock_filter));
    if (error == 0) error = seccomp_export_bpf_mem(filter.get(), program.data(), &bytes);
    if (error != 0) return std::unexpected(-error);
    return program;
}

constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
constexpr std::uint64_t kChange =
    kWrite | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;

// What each version can deny of it.
landlock_ruleset_attr denied(long abi) {
    landlock_ruleset_attr all{};
    all.handled_access_fs = kChange;
    if (abi < 2) all.handled_access_fs &= ~std::uint64_t{LANDLOCK_ACCESS_FS_REFER};
    if (abi < 3) all.handled_access_fs &= ~std::uint64_t{LANDLOCK_ACCESS_FS_TRUNCATE};
    if (abi >= 6) all.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
    return all;
}

int allow(int ruleset, int place, std::uint64_t access) {
    const landlock_path_beneath_attr rule{.allowed_access = access, .parent_fd = place};
    const long result =
        ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    return result == 0 ? 0 : errno;
}

std::expected<UniqueFd, int> make_ruleset(const UniqueFd& directory) {
    const long abi =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi <= 0) return UniqueFd();
    const landlock_ruleset_attr attributes = denied(abi);
    UniqueFd ruleset(static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0)));
    if (!ruleset) return std::unexpected(errno);
    const std::uint64_t change = attributes.handled_access_fs;
    int error = allow(ruleset.value(), directory.value(), change);
    const UniqueFd null(::open("/dev/null", O_PATH | O_CLOEXEC));
    if (error == 0 && null) error = allow(ruleset.value(), null.value(), change & kWrite);
    if (error != 0) return std::unexpected(error);
    return ruleset;
}

}  // namespace

std::expected<Confinement, int> Confinement::prepare(const UniqueFd& directory) {
    Confinement confinement;
    auto filter = make_filter();
    if (!filter) return std::unexpected(filter.error());
    confinement.filter_ = std::move(*filter);
    auto ruleset = make_ruleset(directory);
    if (!ruleset) return std::unexpected(ruleset.error());
    confinement.ruleset_ = std::move(*ruleset);
    return confinement;
}

int Confinement::enter() const {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (ruleset_ && ::syscall(SYS_landlock_restrict_self, ruleset_.value(), 0) != 0) return errno;
    const sock_fprog program{.len = static_cast<unsigned short>(filter_.size()),
                             .filter = const_cast<sock_filter*>(filter_.data())};
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) return errno;
    return 0;
}

}  // namespace xdna
