// SPDX-License-Identifier: MIT
//
// What a provider's answer must be, as a value that CHECK can compare.
#pragma once

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

}  // namespace provider::test
