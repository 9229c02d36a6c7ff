// SPDX-License-Identifier: MIT
#include "cpu/pool.hpp"

#include <algorithm>
#include <system_error>

namespace cpu {

Pool::Pool(unsigned threads)
    : threads_(std::max(1U, threads != 0 ? threads : std::thread::hardware_concurrency())) {}

Pool::~Pool() {
    for (auto& helper : helpers_)
        helper.request_stop();
    helpers_.clear();  // joins before what they use goes
}

void Pool::start() {
    const std::scoped_lock lock(mutex_);
    if (!helpers_.empty()) return;
    helpers_.reserve(threads_ - 1);
    try {
        while (helpers_.size() < threads_ - 1) {
            helpers_.emplace_back([this](const std::stop_token& stop) { help(stop); });
            ++idle_;
        }
    } catch (const std::system_error&) {
        // Results do not depend on how many help.
    }
}

Pool::Busy::Busy(Pool& pool) : pool_(pool) {
    const std::scoped_lock lock(pool_.mutex_);
    ++pool_.busy_lanes_;
}

Pool::Busy::~Busy() {
    const std::scoped_lock lock(pool_.mutex_);
    --pool_.busy_lanes_;
}

unsigned Pool::take(const Kernel& kernel, std::uint64_t units) {
    const unsigned worth = kernel.worthwhile_threads(units, threads_) - 1;
    if (worth == 0) return 0;
    const std::scoped_lock lock(mutex_);
    const unsigned taken = std::min(worth, fair_part());
    idle_ -= taken;
    return taken;
}

// Lanes come first: helpers get the threads that they leave, in even parts, rounded up so
// that none is left over.
unsigned Pool::fair_part() const {
    if (busy_lanes_ >= threads_) return 0;
    const unsigned spare = threads_ - busy_lanes_;
    const unsigned taken = static_cast<unsigned>(helpers_.size()) - idle_;
    const unsigned even = (spare + busy_lanes_ - 1) / busy_lanes_;
    return std::min({even, idle_, spare - std::min(spare, taken)});
}

void Pool::run(const Slice& slice, unsigned helpers, const Scratch& scratch) {
    // Small portions, so that a thread that was delayed does not leave the others waiting.
    constexpr std::uint64_t kPortionsPerThread = 4;
    const std::uint64_t portions = kPortionsPerThread * (helpers + 1);
    Call call{.slice = slice,
              .scratch = scratch,
              .portion = std::max<std::uint64_t>(1, (slice.last - slice.first) / portions),
              .next = slice.first,
              .awaited = helpers};
    if (helpers > 0) open(call);
    work_on(call, 0);
    if (helpers == 0) return;
    Lock lock(mutex_);
    close(call, lock);
}

void Pool::work_on(Call& call, unsigned thread) {
    Operands operands = call.slice.operands;
    operands.scratch = call.scratch.of(thread);
    for (;;) {
        const std::uint64_t first = call.next.fetch_add(call.portion, std::memory_order_relaxed);
        if (first >= call.slice.last) return;
        call.slice.kernel.run(operands, first, std::min(first + call.portion, call.slice.last));
    }
}

void Pool::open(Call& call) {
    // By the call only while locked: helpers that are awake already may come at once.
    unsigned awaited = 0;
    {
        const std::scoped_lock lock(mutex_);
        awaited = call.awaited;
        call.following = calls_;
        calls_ = &call;
    }
    for (unsigned i = 0; i < awaited; ++i)
        called_.notify_one();
}

void Pool::close(Call& call, Lock& lock) {
    Call** link = &calls_;
    while (*link != &call)
        link = &(*link)->following;
    *link = call.following;
    idle_ += call.awaited;
    call.all_left.wait(lock, [&] { return call.inside == 0; });
}

Pool::Call* Pool::awaiting() const {
    Call* call = calls_;
    while (call != nullptr && call->awaited == 0)
        call = call->following;
    return call;
}

void Pool::help(const std::stop_token& stop) {
    Lock lock(mutex_);
    for (;;) {
        Call* call = nullptr;
        if (!called_.wait(lock, stop, [&] { return (call = awaiting()) != nullptr; })) return;
        --call->awaited;
        ++call->inside;
        const unsigned thread = ++call->came;
        lock.unlock();
        work_on(*call, thread);
        lock.lock();
        ++idle_;
        // Under the lock: the call is gone as soon as its lane sees this.
        if (--call->inside == 0) call->all_left.notify_one();
    }
}

}  // namespace cpu
