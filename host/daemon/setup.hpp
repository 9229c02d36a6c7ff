// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "vhost/message.hpp"

namespace acceld {

// With descriptors of its own.
[[nodiscard]] std::expected<vhost::Message, std::string> duplicate(const vhost::Message& message);

// What a front end has set up so far, to be told to a worker that takes its place.
class Setup {
 public:
    // A message that was not refused.
    void note(vhost::Message message);

    // The messages, in order, that start the ring at `base`.
    [[nodiscard]] std::expected<std::vector<vhost::Message>, std::string> messages(
        std::uint16_t base) const;

 private:
    void note_table(vhost::Message message);

    std::map<vhost::Request, vhost::Message> last_;  // of those whose last one counts
    std::vector<vhost::Message> regions_;            // as ADD_MEM_REG
};

}  // namespace acceld
