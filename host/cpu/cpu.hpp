// SPDX-License-Identifier: MIT
//
// The CPU provider: TOSA programs, computed in order, straight from and to
// the caller's buffers. Every other provider is held against its results.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "cpu/kernel.hpp"
#include "provider/provider.hpp"
#include "provider/tosa_artifact.hpp"
#include "tosa/target.hpp"

namespace cpu {

// Any target within it is served.
inline constexpr tosa::Target kTarget = tosa::kEveryTarget;

struct Options {
    std::uint64_t max_buffer_bytes = std::uint64_t{1} << 30;
    std::uint64_t max_program_bytes = std::uint64_t{4} << 30;  // artifact, intermediates, plan

    Engine engine = Engine::Fast;

    // The most threads that compute at a time, as long as there are no more busy contexts;
    // 0: as many as there are processors.
    unsigned threads = 0;

    provider::ProgramRefused program_refused{};

    // Nanoseconds that never run backwards; by default those of the steady clock.
    std::function<std::uint64_t()> now{};

    // For tests, which hold a job by not returning. Both run on a context's worker
    // thread: while the next job is still queued, and before each slice of a job.
    std::function<void()> before_job{};
    std::function<void()> before_slice{};
};

// Each context has a worker thread of its own, so contexts do not delay each other. What
// is left of the threads helps them, shared out evenly.
//
// A job is checked for cancellation and for its deadline between slices of at most
// a few milliseconds; its event is pending until all threads have left its buffers.
// destroy_event() of a job whose cancellation won waits for that, one slice at most.
[[nodiscard]] std::expected<std::unique_ptr<provider::Provider>, std::string> open(
    const Options& options);

}  // namespace cpu
