// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "xdna/hardware.hpp"
#include "xdna/quarantine.hpp"

namespace xdna {

// The hardware contexts of a provider: one for all programs of the same xclbin. The array has
// room for few, and configuring one takes long, so a few that no program uses any more are
// kept for the next that does. Thread-safe; nobody waits here for another's call of XRT.
class ContextPool {
 public:
    static constexpr std::size_t kIdle = 4;

    ContextPool(std::shared_ptr<Npu> npu, std::shared_ptr<Quarantine> quarantine)
        : npu_(std::move(npu)), quarantine_(std::move(quarantine)) {}

    // In use for as long as the caller keeps it. Those that are idle are given up, one after
    // another, for one that the driver refuses: ResourceLimit when none is left. May throw
    // bad_alloc.
    [[nodiscard]] Result<std::shared_ptr<Context>> acquire(std::span<const std::byte> xclbin);

    // For whoever has given one back: gives up all idle ones but the kIdle newest.
    void trim();

 private:
    struct Entry {
        Entry(std::span<const std::byte> bytes, std::shared_ptr<Context> c,
              const std::shared_ptr<Quarantine>& quarantine)
            : xclbin(bytes.begin(), bytes.end()), context(std::move(c), quarantine) {}
        const std::vector<std::byte> xclbin;
        const Native<Context> context;
    };
    using Entries = std::vector<std::shared_ptr<Entry>>;

    [[nodiscard]] std::shared_ptr<Context> find(std::span<const std::byte> xclbin);
    [[nodiscard]] std::shared_ptr<Context> insert(std::shared_ptr<Entry> made);
    [[nodiscard]] bool give_up_oldest();

    // Of the caller, who holds the mutex.
    [[nodiscard]] std::shared_ptr<Context> use(std::span<const std::byte> xclbin);
    [[nodiscard]] std::shared_ptr<Entry> take_oldest_idle(std::size_t but = 0);

    const std::shared_ptr<Npu> npu_;
    const std::shared_ptr<Quarantine> quarantine_;
    std::mutex mutex_;  // never held while XRT is called
    // Guarded by the mutex, the last acquired at the end. Only the pool has an idle one, and
    // hands out more under the mutex alone: so a use count of one stays so.
    Entries entries_;
};

}  // namespace xdna
