// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace hostile {

enum class Kind : std::uint8_t {
    None,
    // A field has another value than it should.
    Config,    // of the configuration space
    Features,  // bits that are offered, for all lives
    Answer,    // of the response, header and payload
    UsedId,    // of the used ring
    UsedLength,
    UsedIndex,  // the value is added
    UsedFlags,
    // The answer as a whole.
    Payload,    // another length, in header and used element alike
    Refuse,     // a status without payload, and nothing is done
    Unwritten,  // the payload never gets into guest memory
    Duplicate,  // the id that the command of this opcode before it got
    Foreign,    // the id that CREATE_CONTEXT got
    Never,      // the event is in state `value` from then on, and cannot be destroyed
    // When and how often it is given.
    Silent,
    Late,     // after `value` milliseconds
    AtReset,  // when the driver stops the ring
    Reverse,  // once `value` of them have come, the last one first
    Twice,
    Former,  // the last one of the life before, at the start of this one
    // What the device never had a reason for.
    Interrupts,
    Changes,  // `value` times of the configuration, before the answer
};

// NAME[=VALUE][:OPCODE[:NTH[+]]]: what is lied about, in which command (any if there is
// none), and in which of these: the first one by default, with a + in all later ones, too.
// For the configuration space NTH counts how often the guest has read all of it.
struct Lie {
    std::string text = "honest";
    Kind kind = Kind::None;
    std::size_t offset = 0;  // of the field
    std::size_t bytes = 0;
    std::uint64_t value = 0;
    std::uint16_t opcode = 0;  // 0: any
    std::uint32_t first = 1;
    bool and_later = false;

    // Told by the life as a whole, not in a command.
    [[nodiscard]] bool is_of_life() const {
        return kind == Kind::Former || kind == Kind::Interrupts;
    }
    [[nodiscard]] bool is_about(std::uint16_t command) const {
        return kind != Kind::Config && (opcode == 0 || opcode == command);
    }
    [[nodiscard]] bool is_told_in(std::uint32_t nth) const {
        return nth == first || (and_later && nth > first);
    }
};

[[nodiscard]] std::expected<Lie, std::string> parse_lie(std::string_view text);

// All that can stand for NAME.
[[nodiscard]] std::vector<std::string_view> lie_names();

}  // namespace hostile
