// SPDX-License-Identifier: MIT
//
// The one place where the three outcomes of a provider's release are told apart.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "engine/device.hpp"

namespace engine {

template <class Record, class Native>
Device::Release Device::settle(Record& record, provider::ReleaseResult<Native> result) {
    if (std::holds_alternative<provider::Released>(result))
        return {Outcome::Released, wire::Status::Ok};
    if (auto* rejected = std::get_if<provider::ReleaseRejected<Native>>(&result)) {
        record.native = std::move(rejected->resource);
        return {Outcome::Rejected, fail(rejected->error)};
    }
    // Whatever the error was, nobody can say what the provider still holds.
    return {Outcome::Unknown, discard()};
}

}  // namespace engine
