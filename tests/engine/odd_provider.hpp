// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/rig.hpp"
#include "provider/mock/mock.hpp"

namespace rig {

// A mock that counts its calls and fails, or lies, on demand.
class OddProvider final : public mock::Provider {
 public:
    enum class Outcome : std::uint8_t { Success, Rejected, Unknown };

    std::uint64_t calls = 0;                             // of the fourteen that do something
    std::optional<provider::ErrorKind> error;            // of every call
    std::optional<provider::AllocationInfo> allocation;  // what a new buffer claims to be
    Outcome free_outcome = Outcome::Success;
    Outcome submit_outcome = Outcome::Success;
    provider::ErrorKind outcome_error = provider::ErrorKind::DeadlineExpired;
    std::vector<std::uint32_t> slots;  // of the last submission
    provider::DeviceInfo info = mock::Provider::device_info();

    [[nodiscard]] const provider::DeviceInfo& device_info() const override { return info; }

    provider::Result<std::unique_ptr<provider::Context>> create_context(
        std::uint32_t flags) override {
        if (fails()) return std::unexpected(*error);
        return mock::Provider::create_context(flags);
    }
    provider::Result<std::unique_ptr<provider::Queue>> create_queue(provider::Context& context,
                                                                    std::uint32_t flags) override {
        if (fails()) return std::unexpected(*error);
        return mock::Provider::create_queue(context, flags);
    }
    provider::Result<std::unique_ptr<provider::Program>> load_program(
        provider::Context& context, const provider::ProgramDesc& desc,
        provider::ByteSource& source) override {
        if (fails()) return std::unexpected(*error);
        return mock::Provider::load_program(context, desc, source);
    }
    provider::Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
        provider::Context& context, const provider::BufferDesc& desc) override {
        if (fails()) return std::unexpected(*error);
        if (allocation) return std::make_unique<Claimed>(*allocation);
        return mock::Provider::allocate_buffer(context, desc);
    }
    provider::ReleaseResult<provider::Buffer> free_buffer(
        std::unique_ptr<provider::Buffer> buffer) override {
        ++calls;
        if (free_outcome == Outcome::Rejected)
            return provider::ReleaseRejected<provider::Buffer>{outcome_error, std::move(buffer)};
        if (free_outcome == Outcome::Unknown) return provider::ReleaseUnknown{outcome_error};
        return mock::Provider::free_buffer(std::move(buffer));
    }
    provider::Result<void> write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                        provider::ByteSource& source) override {
        if (fails()) return std::unexpected(*error);
        return mock::Provider::write_buffer(buffer, offset, source);
    }
    provider::Result<void> read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                       provider::ByteSink& sink) override {
        // A read that fails has written some of its bytes.
        const auto read = mock::Provider::read_buffer(buffer, offset, sink);
        if (fails()) return std::unexpected(*error);
        return read;
    }
    provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                  std::span<const provider::Binding> bindings,
                                  std::uint64_t timeout_ns) override {
        ++calls;
        slots.clear();
        for (const provider::Binding& binding : bindings)
            slots.push_back(binding.slot);
        if (submit_outcome == Outcome::Rejected) return provider::SubmitRejected{outcome_error};
        auto result = mock::Provider::submit(queue, program, bindings, timeout_ns);
        auto* accepted = std::get_if<provider::Accepted>(&result);
        if (submit_outcome == Outcome::Success || accepted == nullptr) return result;
        return provider::SubmitUnknown{outcome_error, std::move(accepted->event)};
    }
    provider::Result<provider::EventState> poll_event(provider::Event& event) override {
        if (fails()) return std::unexpected(*error);
        return mock::Provider::poll_event(event);
    }
    provider::Result<void> cancel_event(provider::Event& event) override {
        if (fails()) return std::unexpected(*error);
        return mock::Provider::cancel_event(event);
    }

 private:
    struct Claimed final : provider::Buffer {
        explicit Claimed(const provider::AllocationInfo& claim) : allocation(claim) {}
        [[nodiscard]] const provider::AllocationInfo& info() const override { return allocation; }
        provider::AllocationInfo allocation;
    };

    bool fails() {
        ++calls;
        return error.has_value();
    }
};

struct OddRig {
    OddProvider* odd = nullptr;
    Rig rig;

    explicit OddRig(const engine::Policy& policy = {})
        : OddRig(std::make_unique<OddProvider>(), policy) {}
    explicit OddRig(std::unique_ptr<OddProvider> owned, const engine::Policy& policy = {})
        : odd(owned.get()), rig(std::move(owned), policy) {}
};

}  // namespace rig
