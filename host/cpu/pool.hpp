// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "cpu/kernel.hpp"

namespace cpu {

// Memory of the threads that run one slice, a part each.
struct Scratch {
    std::byte* data = nullptr;
    std::uint64_t stride = 0;

    [[nodiscard]] std::byte* of(unsigned thread) const { return data + thread * stride; }
};

// Units [first, last) of a kernel.
struct Slice {
    const Kernel& kernel;
    const Operands& operands;  // but for the scratch memory
    std::uint64_t first;
    std::uint64_t last;
};

// Threads that help the lanes of a provider. No more threads run than it was made for,
// lanes that run a job included, as long as there are no more such lanes. Thread-safe.
class Pool {
 public:
    // Of as many threads as there are processors for 0.
    explicit Pool(unsigned threads);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // The most threads that one slice has, its lane's own included.
    [[nodiscard]] unsigned threads() const { return threads_; }

    // Starts the helpers, once. Fewer if the system has no more threads for us. May throw
    // std::bad_alloc.
    void start();

    // A lane counts as busy from construction to destruction.
    class Busy {
     public:
        explicit Busy(Pool& pool);
        ~Busy();
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

     private:
        Pool& pool_;
    };

    // For a busy lane: takes helpers that are idle, no more than its fair part nor than this
    // much work is worth. run() gives them back.
    [[nodiscard]] unsigned take(const Kernel& kernel, std::uint64_t units);

    // Returns once every unit has run and every helper has left. The lane works itself and
    // does not wait for a helper that has not come yet. Allocates nothing.
    void run(const Slice& slice, unsigned helpers, const Scratch& scratch);

 private:
    using Lock = std::unique_lock<std::mutex>;

    struct Call {
        const Slice& slice;
        const Scratch& scratch;
        std::uint64_t portion;  // units that a thread takes at a time
        std::atomic<std::uint64_t> next;
        // Guarded by the pool's mutex:
        unsigned awaited;  // helpers yet to come
        unsigned came = 0;
        unsigned inside = 0;  // of these
        std::condition_variable all_left{};
        Call* following = nullptr;
    };

    // How many helpers a lane may have now.
    [[nodiscard]] unsigned fair_part() const;
    static void work_on(Call& call, unsigned thread);
    void help(const std::stop_token& stop);
    [[nodiscard]] Call* awaiting() const;
    void open(Call& call);
    void close(Call& call, Lock& lock);

    const unsigned threads_;
    std::mutex mutex_;
    std::condition_variable_any called_;
    Call* calls_ = nullptr;  // those that run() is in
    unsigned busy_lanes_ = 0;
    unsigned idle_ = 0;  // helpers that nobody has taken
    std::vector<std::jthread> helpers_;
};

}  // namespace cpu
