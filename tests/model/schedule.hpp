// SPDX-License-Identifier: MIT
//
// A schedule: what a guest and a provider do, step by step, in a form that survives the
// removal of steps. An object is named by the step that created it, never by its id.
//
// The text form has one line a step:
//
//     capabilities 0x27
//     1: CREATE_CONTEXT 0 0
//     2: CREATE_QUEUE @1 0 0 room=16
//     3: reset 2 !destroy_queue:unknown:DEVICE_LOST
//
// A line holds a label, an opcode's name or number, the payload's fields in wire order
// (those of a SUBMIT's bindings follow in groups of six), and what is out of the ordinary:
// tail=HEX (bytes after the fields), cut=N (bytes left out at the end), flags=N, id=N (the
// request id), declare=N (payload_bytes), room=N (writable bytes), piece=N (both sides lie in
// pieces of N bytes) and any number of !OP:ACTION[:ERROR][#NTH].
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/script.hpp"
#include "model/setup.hpp"

namespace model {

using Bytes = std::vector<std::byte>;

inline constexpr std::uint16_t kSubmit = 0x0500;

// A field of a payload: a number, or the id that a step was answered.
struct Word {
    std::uint64_t value = 0;
    std::uint32_t label = 0;  // nonzero: that step's object, whatever `value` is

    friend bool operator==(const Word&, const Word&) = default;
};

struct Step {
    std::uint32_t label = 0;
    std::optional<std::uint16_t> reset{};  // to this namespace, instead of a command
    std::uint16_t opcode = 0;
    std::vector<Word> fields{};
    Bytes tail{};
    std::uint32_t cut = 0;
    std::uint16_t flags = 0;
    std::optional<std::uint64_t> request_id{};      // else the label
    std::optional<std::uint32_t> declared_bytes{};  // else the true length
    std::uint32_t room = kConfig.max_response_bytes;
    std::uint32_t piece = 4096;
    std::vector<Injection> injections{};

    friend bool operator==(const Step&, const Step&) = default;
};

struct Schedule {
    Setup setup;
    std::vector<Step> steps{};

    friend bool operator==(const Schedule&, const Schedule&) = default;
};

// The widths of a payload's fields in bytes; `group` repeats. A field of more than eight
// bytes holds its value in the first eight.
struct Layout {
    std::uint16_t opcode;
    std::string_view name;
    std::vector<std::size_t> prefix;
    std::vector<std::size_t> group;
};
[[nodiscard]] const Layout* layout_of(std::uint16_t opcode);
[[nodiscard]] const std::vector<Layout>& layouts();

// The request frame of a step that is a command.
[[nodiscard]] Bytes frame(const Step& step,
                          const std::function<std::uint64_t(std::uint32_t label)>& id_of);

[[nodiscard]] std::string to_text(const Step& step);
[[nodiscard]] std::string to_text(const Schedule& schedule);
// An error names the line. Empty lines and lines that start with '#' are passed over.
[[nodiscard]] std::expected<Schedule, std::string> parse(std::string_view text);

[[nodiscard]] std::string_view name(Op op);
[[nodiscard]] std::string_view name(Action action);

}  // namespace model
