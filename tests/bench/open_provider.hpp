// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "provider/mock/mock.hpp"

namespace bench {

// A mock that takes any artifact, of which it keeps one copy, and any bindings, with
// which it does nothing: what remains is the cost of everything around a provider. Events
// are complete when they are made.
class OpenProvider final : public mock::Provider {
 public:
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Program>> load_program(
        provider::Context&, const provider::ProgramDesc&, provider::ByteSource& artifact) override {
        auto copy = std::make_unique_for_overwrite<std::byte[]>(artifact.size());
        if (const auto read = artifact.read(0, {copy.get(), artifact.size()}); !read)
            return std::unexpected(read.error());
        return std::make_unique<Program>(std::move(copy));
    }
    [[nodiscard]] provider::SubmitResult submit(provider::Queue&, provider::Program&,
                                                std::span<const provider::Binding> bindings,
                                                std::uint64_t) override {
        bound_ += bindings.size();
        return provider::Accepted{std::make_unique<provider::Event>()};
    }
    [[nodiscard]] provider::Result<provider::EventState> poll_event(provider::Event&) override {
        return provider::EventState{provider::EventPhase::Complete};
    }
    [[nodiscard]] provider::ReleaseResult<provider::Event> destroy_event(
        std::unique_ptr<provider::Event> event) override {
        event.reset();
        return provider::Released{};
    }
    [[nodiscard]] provider::CopyCounters copy_counters() const override {
        auto counters = mock::Provider::copy_counters();
        counters.direct_bindings = bound_;
        return counters;
    }

 private:
    struct Program final : provider::Program {
        explicit Program(std::unique_ptr<std::byte[]> bytes) : artifact(std::move(bytes)) {}
        std::unique_ptr<std::byte[]> artifact;
    };
    std::uint64_t bound_ = 0;
};

}  // namespace bench
