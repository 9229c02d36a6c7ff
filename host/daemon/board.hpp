// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "base/unique_fd.hpp"
#include "vhost/ring_state.hpp"

namespace acceld {

// What a worker leaves behind, in memory that its session has too. All zero at first.
struct Board {
    vhost::RingState ring;
    std::atomic<std::uint16_t> name_space;  // of the object ids; 0 before the first
};

// A board in a file that can neither shrink nor grow, whoever has it.
struct SharedBoard {
    base::UniqueFd file;
    std::shared_ptr<Board> board;

    [[nodiscard]] static std::expected<SharedBoard, std::string> create();
    [[nodiscard]] static std::expected<SharedBoard, std::string> map(base::UniqueFd file);
};

}  // namespace acceld
