// SPDX-License-Identifier: MIT
//
// What a provider's answer holds that must be a refusal.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include <doctest/doctest.h>

#include "provider/provider.hpp"

namespace provider::test {

template <class T>
ErrorKind error_of(const Result<T>& result) {
    REQUIRE(!result);
    return result.error().kind;
}

inline ErrorKind rejection(const SubmitResult& result) {
    const auto* rejected = std::get_if<SubmitRejected>(&result);
    REQUIRE(rejected);
    return rejected->error.kind;
}

// What a release that comes too early gives back.
template <class T>
std::unique_ptr<T> busy(ReleaseResult<T> result) {
    auto* rejected = std::get_if<ReleaseRejected<T>>(&result);
    REQUIRE(rejected);
    CHECK(rejected->error.kind == ErrorKind::Busy);
    return std::move(rejected->resource);
}

}  // namespace provider::test
