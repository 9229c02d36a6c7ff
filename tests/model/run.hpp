// SPDX-License-Identifier: MIT
//
// The engine and the model side by side, through one schedule.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/model.hpp"
#include "model/schedule.hpp"

namespace model {

// What two answers disagree about, in words.
using Mismatch = std::optional<std::string>;

class Run {
 public:
    explicit Run(const Setup& setup);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Compares the answer, the calls that the provider saw, the live counts, the charges,
    // the statistics and the health. After a mismatch the run is of no further use.
    [[nodiscard]] Mismatch step(const Step& step);

    // Asks the engine about every object of this run, living or dead, by a release that the
    // provider refuses: it answers BUSY, what the provider says, or STALE_OBJECT, and
    // changes nothing.
    [[nodiscard]] Mismatch sweep();

    [[nodiscard]] const Model& model() const { return model_; }
    // By step: the ids that were answered, whether they still live or not.
    [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& ids() const { return ids_; }

 private:
    [[nodiscard]] Mismatch command(const Step& step);
    [[nodiscard]] Mismatch reset(const Step& step);
    [[nodiscard]] Mismatch compare_state() const;

    Script puppet_script_;
    Script model_script_;
    engine::Engine engine_;
    Model model_;
    std::map<std::uint32_t, std::uint64_t> ids_;
};

// The first mismatch of a schedule, with the step that it came at, and of a last sweep.
[[nodiscard]] Mismatch replay(const Schedule& schedule);

}  // namespace model
