// SPDX-License-Identifier: MIT
//
// What the dispatch lane asks of an NPU.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "provider/lane/runtime.hpp"
#include "xdna/hardware.hpp"
#include "xdna/quarantine.hpp"

namespace xdna {

struct Job final : dispatch::Job {
    Job(std::unique_ptr<Run> r, std::vector<Argument> o, std::shared_ptr<Quarantine> quarantine)
        : run(std::move(r), std::move(quarantine)), outputs(std::move(o)) {}

    const Native<Run> run;
    const std::vector<Argument> outputs;
};

// Each run has a completion of its own, so it takes no timeline.
class Runtime final : public dispatch::Runtime {
 public:
    explicit Runtime(std::shared_ptr<Quarantine> quarantine) : quarantine_(std::move(quarantine)) {}

    [[nodiscard]] dispatch::Contract contract() const override { return dispatch::kPipelined; }
    [[nodiscard]] Result<void> start(dispatch::Job& job) override;
    [[nodiscard]] Result<dispatch::Progress> wait(dispatch::Job& job, dispatch::Tick tick,
                                                  std::chrono::milliseconds at_most) override;
    [[nodiscard]] Result<void> sync_outputs(dispatch::Job& job) override;

 private:
    // For those who come to it: a lane that is left behind keeps its runtime.
    const std::shared_ptr<Quarantine> quarantine_;
};

}  // namespace xdna
