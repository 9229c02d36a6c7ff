// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <expected>
#include <vector>

#include <linux/filter.h>

#include "base/unique_fd.hpp"

namespace xdna {

// What a bounded process may not do, prepared by whoever starts it: between fork() and
// execve() of a process with threads there is no memory to be had.
class Confinement {
 public:
    // Of a process that may change what is below `directory` and no other file, as far as
    // the kernel has Landlock. The error is an errno.
    [[nodiscard]] static std::expected<Confinement, int> prepare(const base::UniqueFd& directory);

    // Of the calling thread and what it will be; safe after fork(). Without a network there
    // is none, so it fails with an errno rather than leave that out.
    [[nodiscard]] int enter() const;

 private:
    std::vector<sock_filter> filter_;
    base::UniqueFd ruleset_;  // none where the kernel has no Landlock
};

}  // namespace xdna
