// SPDX-License-Identifier: MIT
//
// The golden scenarios of protocol 1.0 (protocol.md, 6.4 to 6.6 and appendix B).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/frames.hpp"

namespace golden {

// One command as it was completed.
struct Entry {
    std::uint64_t request_id = 0;
    std::uint16_t opcode = 0;
    std::uint16_t status = 0;
    std::uint32_t used = 0;
    std::vector<std::size_t> readable;  // bytes of each descriptor
    std::vector<std::size_t> writable;
    driver::Bytes request;
    driver::Bytes response;  // the used bytes

    friend bool operator==(const Entry&, const Entry&) = default;
};
using Trace = std::vector<Entry>;

// Something that happens beside the commands.
struct Control {
    std::string at;
    std::string action;

    friend bool operator==(const Control&, const Control&) = default;
};

struct Scenario {
    std::string name;
    std::vector<std::string> classes;
    std::vector<Control> controls;
    Trace trace;
};
[[nodiscard]] const std::vector<Scenario>& scenarios();
[[nodiscard]] const Scenario& scenario(std::string_view name);

// The first place where one is not as the other, if there is one.
[[nodiscard]] std::optional<std::size_t> first_difference(std::span<const Entry> a,
                                                          std::span<const Entry> b);

}  // namespace golden
