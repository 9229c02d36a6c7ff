// SPDX-License-Identifier: MIT
//
// Steps by chance: mostly such as a driver would take, on objects that live, so that the
// device gets into every corner of its limits; now and then with one thing wrong.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "model/run.hpp"

namespace model {

// Where chance comes from: a seed, or the bytes of a fuzzer.
class Choices {
 public:
    virtual ~Choices() = default;
    // Below `bound`, which is not 0.
    [[nodiscard]] virtual std::uint32_t below(std::uint32_t bound) = 0;

    [[nodiscard]] bool one_in(std::uint32_t n) { return below(n) == n - 1; }
    template <class T>
    [[nodiscard]] T any_of(std::initializer_list<T> values) {
        return values.begin()[below(static_cast<std::uint32_t>(values.size()))];
    }
};

class Seeded final : public Choices {
 public:
    explicit Seeded(std::uint64_t seed) : state_(seed) {}
    [[nodiscard]] std::uint32_t below(std::uint32_t bound) override;

 private:
    std::uint64_t state_;
};

// The next step of `run`, which has made no other use of `label`.
[[nodiscard]] Step next_step(Choices& choices, const Run& run, std::uint32_t label);

}  // namespace model
