// SPDX-License-Identifier: MIT
#pragma once

#include "provider/provider.hpp"

namespace conformance {

// Does what another provider does; what derives from it does one thing differently.
class Forwarding : public provider::Provider {
 public:
    explicit Forwarding(provider::Provider& inner) : inner_(inner) {}

    [[nodiscard]] const provider::DeviceInfo& device_info() const override {
        return inner_.device_info();
    }
    [[nodiscard]] provider::CopyCounters copy_counters() const override {
        return inner_.copy_counters();
    }
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Context>> create_context(
        std::uint32_t flags) override {
        return inner_.create_context(flags);
    }
    [[nodiscard]] provider::ReleaseResult<provider::Context> destroy_context(
        std::unique_ptr<provider::Context> context) override {
        return inner_.destroy_context(std::move(context));
    }
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
        provider::Context& context, const provider::BufferDesc& desc) override {
        return inner_.allocate_buffer(context, desc);
    }
    [[nodiscard]] provider::ReleaseResult<provider::Buffer> free_buffer(
        std::unique_ptr<provider::Buffer> buffer) override {
        return inner_.free_buffer(std::move(buffer));
    }
    [[nodiscard]] provider::Result<void> write_buffer(provider::Buffer& buffer,
                                                      std::uint64_t offset,
                                                      provider::ByteSource& source) override {
        return inner_.write_buffer(buffer, offset, source);
    }
    [[nodiscard]] provider::Result<void> read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                                     provider::ByteSink& sink) override {
        return inner_.read_buffer(buffer, offset, sink);
    }
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Program>> load_program(
        provider::Context& context, const provider::ProgramDesc& desc,
        provider::ByteSource& source) override {
        return inner_.load_program(context, desc, source);
    }
    [[nodiscard]] provider::ReleaseResult<provider::Program> unload_program(
        std::unique_ptr<provider::Program> program) override {
        return inner_.unload_program(std::move(program));
    }
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Queue>> create_queue(
        provider::Context& context, std::uint32_t flags) override {
        return inner_.create_queue(context, flags);
    }
    [[nodiscard]] provider::ReleaseResult<provider::Queue> destroy_queue(
        std::unique_ptr<provider::Queue> queue) override {
        return inner_.destroy_queue(std::move(queue));
    }
    [[nodiscard]] provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                                std::span<const provider::Binding> bindings,
                                                std::uint64_t timeout_ns) override {
        return inner_.submit(queue, program, bindings, timeout_ns);
    }
    [[nodiscard]] provider::Result<provider::EventState> poll_event(
        provider::Event& event) override {
        return inner_.poll_event(event);
    }
    [[nodiscard]] provider::Result<void> cancel_event(provider::Event& event) override {
        return inner_.cancel_event(event);
    }
    [[nodiscard]] provider::ReleaseResult<provider::Event> destroy_event(
        std::unique_ptr<provider::Event> event) override {
        return inner_.destroy_event(std::move(event));
    }

 private:
    provider::Provider& inner_;
};

}  // namespace conformance
