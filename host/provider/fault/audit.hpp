// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "provider/provider.hpp"

namespace fault {

// What a provider has given out, and what stands on what: a child on its context, an
// event on its queue, its program and each bound buffer. Objects are known by address and
// never looked into, so that a dangling pointer can be asked about.
//
// Thread-safe. Without memory for its books it ends the process.
class Audit {
 public:
    using Object = const void*;

    struct Record {
        std::vector<Object> stands_on{};
        std::uint32_t dependants = 0;                      // stand on it
        bool lost = false;                                 // its release is indeterminate
        std::optional<provider::EventState> completion{};  // of an event, made up
    };

    void add(Object object, Record record) noexcept;

    // Whether the object is live, so that a call may use it; else that is a violation.
    [[nodiscard]] bool may_use(Object object) noexcept;

    // Takes a live object that nothing stands on out of the books, to be released: until
    // it is added again its address may come back as another object's. Anything else is a
    // violation; an object that was released too early is lost.
    enum class Violation : std::uint8_t { NotLive, TooEarly };
    [[nodiscard]] std::expected<Record, Violation> take(Object object) noexcept;

    [[nodiscard]] std::optional<provider::EventState> completion(Object event) const noexcept;
    void complete(Object event, provider::EventState state) noexcept;

    [[nodiscard]] std::uint64_t violations() const { return violations_; }

 private:
    [[nodiscard]] bool live(Object object) const;

    mutable std::mutex mutex_;
    std::unordered_map<Object, Record> records_;
    std::atomic<std::uint64_t> violations_ = 0;
};

}  // namespace fault
