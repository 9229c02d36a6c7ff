// SPDX-License-Identifier: MIT
#include "sandbox/filter.hpp"

#include <csignal>
#include <cstdlib>
#include <latch>
#include <string>
#include <thread>

#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "sandbox/in_child.hpp"

using sandbox::Needs;
using sandbox_test::outcome;

TEST_SUITE_BEGIN("sandbox/filter");

namespace {

struct Attempt {
    const char* what;
    long (*make)();
    // What becomes of it: "ok", an errno or a signal.
    const char* in_session;
    const char* in_worker;         // of a provider that needs memory
    const char* in_driver_worker;  // or a driver
    // Or an NPU's driver, where that differs.
    const char* in_npu_worker = in_driver_worker;
};

long open_with(int flags) {
    return ::open("/dev/null", flags, 0600);
}

long map_with(int protection) {
    void* at = ::mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? -1 : 0;
}

long protect_with(int protection) {
    void* at = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return ::mprotect(at, 4096, protection);
}

long start_thread() {
    std::jthread([] {}).join();
    return 0;
}

long start_process() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    return child;
}

// The numbers that libraries hide, or that a 64-bit process does not usually use.
template <long number>
long call() {
    return ::syscall(number, 0, 0, 0, 0, 0, 0);
}

constexpr const char* kKilled = "SIGSYS";

// A descriptor that is none, or an operation that the object does not know, says EBADF or
// ENOTTY when the filter lets it through.
const Attempt kAttempts[] = {
    {"threads", start_thread, "ok", "ok", "ok"},
    {"memory", [] { return map_with(PROT_READ | PROT_WRITE); }, "ok", "ok", "ok"},
    {"files of memory", [] { return long{::memfd_create("x", MFD_CLOEXEC)}; }, "ok", "ok", "ok"},
    {"events", [] { return long{::eventfd(0, EFD_CLOEXEC)}; }, "ok", "ok", "ok"},
    {"waiting", [] { return long{::poll(nullptr, 0, 0)}; }, "ok", "ok", "ok"},
    {"reading a file", [] { return open_with(O_RDONLY); }, "ok", "ok", "ok"},
    {"a name for a thread", [] { return long{::prctl(PR_SET_NAME, "x")}; }, "ok", "ok", "ok"},
    {"abort",
     [] {
         std::abort();
         return 0L;
     },
     "SIGABRT", "SIGABRT", "SIGABRT"},

    {"writing to a file", [] { return open_with(O_WRONLY); }, "ok", kKilled, "ok"},
    {"truncating a file", [] { return open_with(O_TRUNC); }, "ok", kKilled, "ok"},
    {"making a file", [] { return open_with(O_RDONLY | O_CREAT); }, "ok", kKilled, "EACCES"},
    {"making a directory", [] { return long{::mkdir("/dev", 0700)}; }, "EPERM", kKilled, "EACCES"},
    {"removing a file", [] { return long{::unlink("/nowhere")}; }, "EPERM", kKilled, "EACCES"},
    {"memory with code", [] { return map_with(PROT_READ | PROT_EXEC); }, "ok", kKilled, "ok",
     "EACCES"},
    {"memory that becomes code", [] { return protect_with(PROT_READ | PROT_EXEC); }, "ok", kKilled,
     "ok", "EACCES"},
    {"an ioctl of a device", [] { return long{::ioctl(-1, _IO('d', 0))}; }, "EBADF", kKilled,
     "EBADF"},
    {"an ioctl of a GPU's own", [] { return long{::ioctl(-1, _IO('K', 1))}; }, "EBADF", kKilled,
     "EBADF", kKilled},

    {"input to a terminal", [] { return long{::ioctl(-1, TIOCSTI, "x")}; }, "EPERM", kKilled,
     kKilled},
    {"a network socket", [] { return long{::socket(AF_INET, SOCK_STREAM, 0)}; }, "EPERM", kKilled,
     kKilled},
    {"a netlink socket", [] { return long{::socket(AF_NETLINK, SOCK_RAW, 0)}; }, "EPERM", kKilled,
     kKilled},
    {"a socket", [] { return long{::socket(AF_UNIX, SOCK_STREAM, 0)}; }, "ok", kKilled, kKilled},
    {"another program", [] { return long{::execl("/nowhere", "x", nullptr)}; }, "ENOENT", kKilled,
     kKilled},
    {"another process", start_process, "ok", kKilled, kKilled},
    {"a namespace", [] { return long{::unshare(CLONE_NEWUSER)}; }, "EPERM", kKilled, kKilled},
    {"a process in a namespace",
     [] { return ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); }, "EPERM", kKilled,
     kKilled},
    {"a thread in a namespace",
     [] { return ::syscall(SYS_clone, CLONE_NEWNS | CLONE_THREAD, 0, 0, 0, 0); }, "EPERM", kKilled,
     kKilled},
    {"a signal to another process", [] { return long{::kill(::getppid(), 0)}; }, "EPERM", kKilled,
     kKilled},
    {"a signal to a thread of another process",
     [] { return ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0); }, "ok", kKilled, kKilled},
    {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }, "EPERM", kKilled,
     kKilled},
    {"being dumpable again", [] { return long{::prctl(PR_SET_DUMPABLE, 1)}; }, "ok", kKilled,
     kKilled},
    {"clone3, whose flags are not seen", call<SYS_clone3>, "ENOSYS", "ENOSYS", "ENOSYS"},
    {"openat2, whose flags are not seen", call<SYS_openat2>, "ENOSYS", "ENOSYS", "ENOSYS"},
    {"an x32 call", call<0x40000000 + SYS_getpid>, kKilled, kKilled, kKilled},
    {"kcmp", call<SYS_kcmp>, "EPERM", kKilled, "ENOSYS"},
    {"process_vm_readv", call<SYS_process_vm_readv>, "EPERM", kKilled, kKilled},
    {"process_vm_writev", call<SYS_process_vm_writev>, "EPERM", kKilled, kKilled},
    {"pidfd_getfd", call<SYS_pidfd_getfd>, "EPERM", kKilled, kKilled},
    {"bpf", call<SYS_bpf>, "EPERM", kKilled, kKilled},
    {"perf_event_open", call<SYS_perf_event_open>, "EPERM", kKilled, kKilled},
    {"userfaultfd", call<SYS_userfaultfd>, "EPERM", kKilled, kKilled},
    {"io_uring", call<SYS_io_uring_setup>, "EPERM", kKilled, kKilled},
    {"keys", call<SYS_keyctl>, "EPERM", kKilled, kKilled},
    {"modules", call<SYS_finit_module>, "EPERM", kKilled, kKilled},
    {"mount", call<SYS_mount>, "EPERM", kKilled, kKilled},
    {"fsopen", call<SYS_fsopen>, "EPERM", kKilled, kKilled},
    {"setns", call<SYS_setns>, "EPERM", kKilled, kKilled},
    {"chroot", call<SYS_chroot>, "EPERM", kKilled, kKilled},
    {"another user", call<SYS_setuid>, "EPERM", kKilled, kKilled},
    {"file handles", call<SYS_open_by_handle_at>, "EPERM", kKilled, kKilled},
    {"the clock", call<SYS_clock_settime>, "EPERM", kKilled, kKilled},
    {"another filter", call<SYS_seccomp>, "EINVAL", kKilled, kKilled},
};

void check_all(const char* Attempt::* expected, const std::function<sandbox::Result()>& confine) {
    if (sandbox_test::kSanitized) return;
    for (const Attempt& attempt : kAttempts) {
        CAPTURE(attempt.what);
        CHECK(outcome(confine, attempt.make) == attempt.*expected);
    }
}

}  // namespace

TEST_CASE("a session can start a worker, and what is not for it fails") {
    check_all(&Attempt::in_session, sandbox::filter_session);
}

TEST_CASE("a worker dies of what its provider has no need of") {
    check_all(&Attempt::in_worker, [] { return sandbox::filter_worker(Needs::Memory); });
}

TEST_CASE("a worker with a driver can use devices and make code, and dies of the rest") {
    check_all(&Attempt::in_driver_worker, [] { return sandbox::filter_worker(Needs::Driver); });
}

TEST_CASE("a worker with an NPU's driver can use the device, and makes no code") {
    check_all(&Attempt::in_npu_worker, [] { return sandbox::filter_worker(Needs::Npu); });
}

TEST_CASE("a filter holds for the threads that were there before") {
    if (sandbox_test::kSanitized) return;
    const auto both = [] {
        return sandbox::filter_session().and_then(
            [] { return sandbox::filter_worker(Needs::Memory); });
    };
    const auto in_older_thread = [&] {
        long result = 0;
        std::latch confined(1);
        std::jthread older([&] {
            confined.wait();
            result = ::socket(AF_INET, SOCK_STREAM, 0);
        });
        if (!both()) return 0L;
        confined.count_down();
        older.join();
        return result;
    };
    CHECK(outcome([] { return sandbox::Result(); }, in_older_thread) == kKilled);
}

TEST_SUITE_END();
