// SPDX-License-Identifier: MIT
//
// Where the scenarios are played: a guest and its device over one ring in shared
// memory, set up as protocol.md 6.4 says.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "driver/guest.hpp"
#include "driver/validator.hpp"
#include "golden/trace.hpp"
#include "provider/mock/mock.hpp"

namespace golden {

// The mock, but for the one thing about time that a scenario needs.
class Accelerator final : public mock::Provider {
 public:
    using mock::Provider::Provider;

    bool refuses_deadlines = false;

    [[nodiscard]] provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                                std::span<const provider::Binding> bindings,
                                                std::uint64_t timeout_ns) override {
        if (refuses_deadlines && timeout_ns != 0)
            return provider::SubmitRejected{provider::ErrorKind::DeadlineExpired};
        return mock::Provider::submit(queue, program, bindings, timeout_ns);
    }
};

class Stage {
 public:
    // `faults` is a script of provider/fault/script.hpp.
    explicit Stage(std::string_view faults = {}, std::uint16_t ring_size = 32,
                   std::uint16_t max_chain_descriptors = 8);

    // The steps of one command, in their order. False when there is no room.
    [[nodiscard]] bool publish(const Entry& entry);
    // The device takes a chain and takes down what it sees of it.
    [[nodiscard]] vhost::DescriptorChain take();
    // It executes and completes the chain, `missing` bytes short of the truth.
    void serve(const vhost::DescriptorChain& chain, std::uint32_t missing = 0);
    // The driver pops the completion; what both sides saw of the command.
    [[nodiscard]] Entry collect();

    // All of them.
    [[nodiscard]] Entry play(const Entry& entry);
    [[nodiscard]] Trace play(std::span<const Entry> entries);

    // What a driver's checks say to an answer to the entry's request.
    [[nodiscard]] static std::expected<driver::Response, driver::Invalid> check(const Entry& entry);

    Accelerator& accelerator() { return *accelerator_; }
    driver::Guest& guest() { return guest_; }

 private:
    struct Seen {
        Entry entry;
        std::uint32_t written = 0;  // by the device, whatever it claims
    };

    Stage(std::unique_ptr<Accelerator> accelerator, std::string_view faults,
          const driver::Guest::Options& options);

    Accelerator* accelerator_;
    driver::Guest guest_;
    std::map<std::uint16_t, Seen> seen_;  // by head
};

}  // namespace golden
