// SPDX-License-Identifier: MIT
//
// The engine against the model of protocol.md (tests/model), with chance in the fuzzer's
// hands.
#include <cstdio>

#include "fuzz/input.hpp"
#include "model/generator.hpp"
#include "model/run.hpp"

namespace {

class Bytes final : public model::Choices {
 public:
    explicit Bytes(fuzz::Input& input) : input_(input) {}

    [[nodiscard]] std::uint32_t below(std::uint32_t bound) override {
        const std::uint32_t any =
            bound <= 256 ? input_.take<std::uint8_t>() : input_.take<std::uint32_t>();
        return any % bound;
    }

 private:
    fuzz::Input& input_;
};

void demand(const model::Mismatch& mismatch, const model::Schedule& schedule) {
    if (!mismatch) return;
    std::fprintf(stderr, "%s\nschedule:\n%s", mismatch->c_str(), model::to_text(schedule).c_str());
    fuzz::require(false, "the engine answers as the model does");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    Bytes choices(input);
    model::Schedule schedule{.setup = {choices.any_of<std::uint64_t>({0x27, 0x23, 0x05})}};
    model::Run run(schedule.setup);
    for (std::uint32_t label = 1; label <= 200 && !input.empty(); ++label) {
        schedule.steps.push_back(model::next_step(choices, run, label));
        demand(run.step(schedule.steps.back()), schedule);
    }
    demand(run.sweep(), schedule);
    return 0;
}
