// SPDX-License-Identifier: MIT
//
// What a run touches is said before the runtime is called, so that a release that races
// the call sees it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "provider/provider.hpp"

namespace dispatch {

using provider::Error;
using provider::ErrorKind;
using provider::Result;

// The runs that use one resource, or that it has been released. Either is one atomic step,
// so a submission and a release that race cannot both succeed.
class Gate {
 public:
    static constexpr std::uint32_t kMany = ~std::uint32_t{0} - 1;

    // A buffer admits one outstanding submission, a program any number.
    explicit Gate(std::uint32_t places = 1) : places_(places) {}

    [[nodiscard]] bool enter();  // false: no place, or closed
    void leave();
    [[nodiscard]] bool close();  // false: in use, or closed before. Nobody enters any more
    [[nodiscard]] bool in_use() const;

 private:
    static constexpr std::uint32_t kClosed = ~std::uint32_t{0};

    const std::uint32_t places_;
    std::atomic<std::uint32_t> users_ = 0;
};

// A pointer keeps alive what the gate belongs to: make it with shared_ptr's aliasing
// constructor. So these are all that a run needs to own of executables and buffers.
using Touched = std::vector<std::shared_ptr<Gate>>;

// The gates of one run. A gate that is named twice is entered once.
class Uses {
 public:
    explicit Uses(Touched gates);
    Uses(const Uses&) = delete;
    Uses& operator=(const Uses&) = delete;
    ~Uses() { end(); }

    [[nodiscard]] bool enter();  // all or none
    void end();                  // leaves them, and lets go of what they belong to

 private:
    void leave();

    Touched gates_;
    std::size_t entered_ = 0;  // the first of them
};

// The answer to a release: what a run uses comes back alive.
template <class T>
[[nodiscard]] provider::ReleaseResult<T> release(std::unique_ptr<T> resource, Gate& gate) {
    if (!gate.close()) return provider::ReleaseRejected<T>{ErrorKind::Busy, std::move(resource)};
    return provider::Released{};
}

}  // namespace dispatch
