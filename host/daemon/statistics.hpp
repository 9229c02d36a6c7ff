// SPDX-License-Identifier: MIT
//
// What one guest has done and has, for those who look from outside.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "vhost/virtqueue.hpp"
#include "wire/status.hpp"

namespace acceld {

// Readers see some value that it had, which need not go with that of the next.
class Number {
 public:
    void add(std::uint64_t n) {
        if (n != 0) value_.fetch_add(n, std::memory_order_relaxed);
    }
    void set(std::uint64_t n) { value_.store(n, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
    std::atomic<std::uint64_t> value_;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

template <auto Last>
using NumberOfEach = std::array<Number, std::to_underlying(Last) + 1>;

enum class WorkerLoss : std::uint8_t {
    Died,            // of a signal, or it ended by itself
    Message,         // not answered in time, or not with what its session expects
    Stalled,         // it takes no chains
    CommandTimeout,  // a chain was in flight for too long
};
[[nodiscard]] std::string_view name(WorkerLoss loss);

// How the device of a provider was lost, to which nothing can be given any more.
enum class ProviderLoss : std::uint8_t {
    Poisoned,  // by an error: it has let go of all that it had
    Wedged,    // it does not end what it was given, and may still be at it
};
[[nodiscard]] std::string_view name(ProviderLoss loss);

// Answers are counted by status: slots 0 to 11, and the last for INTERNAL_ERROR.
inline constexpr std::size_t kStatusSlots = 13;
[[nodiscard]] constexpr std::size_t status_slot(wire::Status status) {
    return std::min<std::size_t>(std::to_underlying(status), kStatusSlots - 1);
}
[[nodiscard]] constexpr wire::Status status_of_slot(std::size_t slot) {
    return slot == kStatusSlots - 1 ? wire::Status::InternalError : static_cast<wire::Status>(slot);
}

// Lies in memory that the worker and the session of the guest write and the supervisor
// reads: numbers alone, so that nothing but the numbers can be wrong. All zero at first.
// Counters go on when a worker takes the place of another.
struct Statistics {
    // Counters of who serves the ring: the worker, or the session once that is lost. What
    // a worker has counted in the turn that it dies in is lost with it.
    Number chains;
    Number kicks;
    Number interrupts;
    Number suppressed_interrupts;
    NumberOfEach<vhost::ChainDefect::MissingDirection> unusable_chains;
    NumberOfEach<vhost::RingFault::KickDescriptor> ring_faults;
    Number commands;
    Number unusable_commands;
    std::array<Number, kStatusSlots> answers;
    std::array<Number, 2> bindings;  // direct, staged
    Number staged_bytes;
    Number transferred_bytes;
    Number resets;
    Number resets_with_objects;
    NumberOfEach<ProviderLoss::Wedged> provider_losses;

    // Counters of the session.
    NumberOfEach<WorkerLoss::CommandTimeout> workers_lost;
    Number worker_starts;
    Number messages_refused;

    // What the device has; nothing when there is no worker.
    std::array<Number, 5> objects;  // contexts, buffers, programs, queues, events
    Number buffer_bytes;
    Number program_bytes;
    Number commands_at_provider;
    Number device_wedged;

    // What the session sees, about once a second.
    Number connected;
    Number device_lost;
    Number chains_in_flight;
    Number oldest_chain_ms;
    Number worker_pid;

    void forget_worker();
};

// Adds what a ring has counted since `before`, which becomes `now`.
void publish(Statistics& to, vhost::QueueStatistics& before, const vhost::QueueStatistics& now);

}  // namespace acceld
