// SPDX-License-Identifier: MIT
#pragma once

#include "cpu/plan.hpp"

namespace cpu {

// Runs a sequence of a plan, step by step. `compute(kernel, operands)` runs a kernel and
// says whether to go on; false means that it did not once. It is asked at least once a
// round of a loop. Regions nest no deeper than their level allows, so neither do the calls.
template <class Compute>
[[nodiscard]] bool execute(const Plan& plan, const Frame& frame, std::uint32_t sequence,
                           Compute&& compute) {
    const auto run = [&](std::uint32_t next) { return execute(plan, frame, next, compute); };
    for (const Step& step : plan.steps_of(sequence)) {
        const Operands operands = plan.operands_of(step, frame);
        // TOSA's BOOL is 0 or 1, but these bytes may have come from the guest.
        const auto holds = [&] { return *operands.input<std::byte>(0) != std::byte{0}; };
        switch (step.kind) {
            case Step::Kind::Compute:
                if (!compute(*step.kernel, operands)) return false;
                break;
            case Step::Kind::Call:
                if (!run(step.sequences[0])) return false;
                break;
            case Step::Kind::If:
                if (!run(step.sequences[holds() ? 0 : 1])) return false;
                break;
            case Step::Kind::While:
                for (;;) {
                    if (!run(step.sequences[0])) return false;
                    if (!holds()) break;
                    if (!run(step.sequences[1])) return false;
                }
                break;
        }
    }
    return true;
}

}  // namespace cpu
