// SPDX-License-Identifier: MIT
#include "sandbox/calls.hpp"

#include <seccomp.h>

namespace sandbox {

namespace {

constexpr int kServing[] = {
    // memory
    SCMP_SYS(brk),
    SCMP_SYS(fallocate),
    SCMP_SYS(ftruncate),
    SCMP_SYS(get_mempolicy),
    SCMP_SYS(madvise),
    SCMP_SYS(mbind),
    SCMP_SYS(membarrier),
    SCMP_SYS(memfd_create),
    SCMP_SYS(mincore),
    SCMP_SYS(mlock),
    SCMP_SYS(mlock2),
    SCMP_SYS(mremap),
    SCMP_SYS(msync),
    SCMP_SYS(munlock),
    SCMP_SYS(munmap),
    // files and descriptors
    SCMP_SYS(access),
    SCMP_SYS(close),
    SCMP_SYS(close_range),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(fadvise64),
    SCMP_SYS(fcntl),
    SCMP_SYS(flock),
    SCMP_SYS(fstat),
    SCMP_SYS(fstatfs),
    SCMP_SYS(getcwd),
    SCMP_SYS(getdents64),
    SCMP_SYS(lseek),
    SCMP_SYS(lstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(pipe2),
    SCMP_SYS(pread64),
    SCMP_SYS(pwrite64),
    SCMP_SYS(read),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(readv),
    SCMP_SYS(stat),
    SCMP_SYS(statfs),
    SCMP_SYS(statx),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    // sockets that are there, and waiting
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(eventfd2),
    SCMP_SYS(getpeername),
    SCMP_SYS(getsockname),
    SCMP_SYS(getsockopt),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(pselect6),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg),
    SCMP_SYS(select),
    SCMP_SYS(sendmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(shutdown),
    SCMP_SYS(signalfd4),
    SCMP_SYS(timerfd_create),
    SCMP_SYS(timerfd_settime),
    // threads, signals, time
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(futex),
    SCMP_SYS(futex_requeue),
    SCMP_SYS(futex_wait),
    SCMP_SYS(futex_waitv),
    SCMP_SYS(futex_wake),
    SCMP_SYS(get_robust_list),
    SCMP_SYS(getcpu),
    SCMP_SYS(getpriority),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(nanosleep),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rseq),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_setaffinity),
    SCMP_SYS(sched_setscheduler),
    SCMP_SYS(sched_yield),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(setpriority),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(time),
    SCMP_SYS(times),
    // what a process is and what it runs on
    SCMP_SYS(getegid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(getrandom),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(gettid),
    SCMP_SYS(getuid),
    SCMP_SYS(sysinfo),
    SCMP_SYS(uname),
};

constexpr int kStarting[] = {
    SCMP_SYS(arch_prctl),
    SCMP_SYS(capget),
    SCMP_SYS(capset),
    SCMP_SYS(connect),
    SCMP_SYS(execve),
    SCMP_SYS(landlock_add_rule),
    SCMP_SYS(landlock_create_ruleset),
    SCMP_SYS(landlock_restrict_self),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(prctl),
    SCMP_SYS(prlimit64),
    SCMP_SYS(seccomp),
    SCMP_SYS(setrlimit),
    SCMP_SYS(setsockopt),
    SCMP_SYS(tgkill),
    SCMP_SYS(umask),
    SCMP_SYS(vfork),
    SCMP_SYS(wait4),
    SCMP_SYS(waitid),
};

constexpr int kChanging[] = {
    SCMP_SYS(chmod),     SCMP_SYS(chown),   SCMP_SYS(fchmod),   SCMP_SYS(fchmodat),
    SCMP_SYS(link),      SCMP_SYS(linkat),  SCMP_SYS(mkdir),    SCMP_SYS(mkdirat),
    SCMP_SYS(mknod),     SCMP_SYS(mknodat), SCMP_SYS(rename),   SCMP_SYS(renameat),
    SCMP_SYS(renameat2), SCMP_SYS(rmdir),   SCMP_SYS(symlink),  SCMP_SYS(symlinkat),
    SCMP_SYS(truncate),  SCMP_SYS(unlink),  SCMP_SYS(unlinkat), SCMP_SYS(utimensat),
};

}  // namespace

std::span<const int> serving_calls() {
    return kServing;
}

std::span<const int> starting_calls() {
    return kStarting;
}

std::span<const int> changing_calls() {
    return kChanging;
}

}  // namespace sandbox
