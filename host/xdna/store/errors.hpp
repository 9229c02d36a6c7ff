// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "xdna/hardware.hpp"
#include "xdna/store.hpp"

namespace xdna {

// Of kErrorDomain, where there could have been a binary and something went wrong.
enum class StoreCode : std::uint8_t {
    ToolchainMissing = 100,
    SpawnFailed = 101,
    Timeout = 102,
    HelperFailed = 103,
    BadOutput = 104,
    InputOutput = 105,
};

// `why` is told to whoever asked: it names no path.
[[nodiscard]] inline NoBinary failed(StoreCode code, std::string why) {
    return {.error = Error(kErrorDomain, std::to_underlying(code)), .why = std::move(why)};
}

}  // namespace xdna
