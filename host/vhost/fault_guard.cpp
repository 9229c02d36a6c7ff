// SPDX-License-Identifier: MIT
#include "vhost/fault_guard.hpp"

#include <bit>
#include <cerrno>
#include <utility>

#include <sys/mman.h>
#include <sys/syscall.h>

#include <unistd.h>

namespace vhost {

namespace {

// The handler of a signal has no other way to know them.
constinit FaultGuard* guards = nullptr;  // guarded by busy
constinit struct sigaction before{};     // set once

// Held for moments. Who holds it touches no guest memory, so the handler, which runs in a
// thread that did, never waits for its own.
constinit std::atomic_flag busy;

struct Lock {
    [[gnu::always_inline]] Lock() {
        while (busy.test_and_set(std::memory_order_acquire)) {
        }
    }
    [[gnu::always_inline]] ~Lock() { busy.clear(std::memory_order_release); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

}  // namespace

FaultGuard::FaultGuard(std::span<std::byte> pages)
    : begin_(std::bit_cast<std::uintptr_t>(pages.data())), size_(pages.size()) {
    [[maybe_unused]] static const int installed = [] {
        struct sigaction action{};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO;
        return ::sigaction(SIGBUS, &action, &before);
    }();
    const Lock lock;
    next_ = std::exchange(guards, this);
}

FaultGuard::~FaultGuard() {
    const Lock lock;
    FaultGuard** link = &guards;
    while (*link != this)
        link = &(*link)->next_;
    *link = next_;
}

// ThreadSanitizer makes the accesses of atomics itself, inside of itself, and so the fault:
// it must not be entered again from here. The same goes for its mmap().
__attribute__((no_sanitize("thread"))) bool FaultGuard::cover(std::uintptr_t address) {
    const Lock lock;
    FaultGuard* guard = guards;
    while (guard != nullptr && address - guard->begin_ >= guard->size_)
        guard = guard->next_;
    if (guard == nullptr) return false;
    // Another thread may have been faster.
    if (guard->tripped_.test_and_set(std::memory_order_relaxed)) return true;
    return ::syscall(SYS_mmap, guard->begin_, guard->size_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != -1;
}

__attribute__((no_sanitize("thread"))) void FaultGuard::on_fault(int signal, siginfo_t* info,
                                                                 void*) {
    const int error = errno;
    // Not ours: the access is repeated, and meets the action from before.
    if (info->si_code <= 0 || !cover(std::bit_cast<std::uintptr_t>(info->si_addr)))
        ::sigaction(signal, &before, nullptr);
    errno = error;
}

}  // namespace vhost
