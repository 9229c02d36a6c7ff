// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "base/unique_fd.hpp"
#include "daemon/statistics.hpp"
#include "vhost/ring_state.hpp"

namespace acceld {

// What a worker leaves behind, in memory that its session has too, and what is to be seen
// of both. All zero at first.
struct Board {
    vhost::RingState ring;
    std::atomic<std::uint16_t> name_space;  // of the object ids; 0 before the first
    Statistics statistics;
};

// The file of a board, which can neither shrink nor grow, whoever has it.
[[nodiscard]] std::expected<base::UniqueFd, std::string> make_board();

// A board, to write to.
struct SharedBoard {
    base::UniqueFd file;
    std::shared_ptr<Board> board;

    [[nodiscard]] static std::expected<SharedBoard, std::string> map(base::UniqueFd file);
};

// A board, to look at. The children of this process do not inherit it: what belongs to one
// guest is out of reach of another's session.
[[nodiscard]] std::expected<std::shared_ptr<const Board>, std::string> watch_board(
    const base::UniqueFd& file);

}  // namespace acceld
