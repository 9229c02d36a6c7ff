// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>

namespace vhost {

// Memory that is shared can be taken away: who shortens its file makes every later access
// of ours a SIGBUS. While a guard stands over a mapping, the first such access puts zeros of
// our own in the place of the whole mapping and goes on, so that only the device of who did
// it comes to an end. Faults elsewhere are left to the signal's action from before.
class FaultGuard {
 public:
    // Whole pages, of the mapping's own size. No two guards overlap.
    explicit FaultGuard(std::span<std::byte> pages);
    FaultGuard(const FaultGuard&) = delete;
    FaultGuard& operator=(const FaultGuard&) = delete;
    ~FaultGuard();

    // What is read there since is not what was shared.
    [[nodiscard]] bool tripped() const { return tripped_.test(std::memory_order_relaxed); }

 private:
    static void on_fault(int signal, siginfo_t* info, void* context);
    [[nodiscard]] static bool cover(std::uintptr_t address);

    std::uintptr_t begin_;
    std::size_t size_;
    std::atomic_flag tripped_;
    FaultGuard* next_ = nullptr;  // in the list of all
};

}  // namespace vhost
