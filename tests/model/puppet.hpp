// SPDX-License-Identifier: MIT
//
// A provider that does what a script says, and otherwise works: programs overwrite or xor
// the ranges that they may write with the xor of their artifact's bytes.
#pragma once

#include "model/script.hpp"
#include "model/setup.hpp"
#include "provider/provider.hpp"

namespace model {

class Puppet final : public provider::Provider {
 public:
    // The script outlives the puppet.
    Puppet(const Setup& setup, Script& script)
        : info_(model::device_info(setup)), script_(script) {}

    [[nodiscard]] const provider::DeviceInfo& device_info() const override { return info_; }
    [[nodiscard]] provider::CopyCounters copy_counters() const override { return {}; }

    [[nodiscard]] provider::Result<std::unique_ptr<provider::Context>> create_context(
        std::uint32_t flags) override;
    [[nodiscard]] provider::ReleaseResult<provider::Context> destroy_context(
        std::unique_ptr<provider::Context> context) override;
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
        provider::Context& context, const provider::BufferDesc& desc) override;
    [[nodiscard]] provider::ReleaseResult<provider::Buffer> free_buffer(
        std::unique_ptr<provider::Buffer> buffer) override;
    [[nodiscard]] provider::Result<void> write_buffer(provider::Buffer& buffer,
                                                      std::uint64_t offset,
                                                      provider::ByteSource& source) override;
    [[nodiscard]] provider::Result<void> read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                                     provider::ByteSink& sink) override;
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Program>> load_program(
        provider::Context& context, const provider::ProgramDesc& desc,
        provider::ByteSource& artifact) override;
    [[nodiscard]] provider::ReleaseResult<provider::Program> unload_program(
        std::unique_ptr<provider::Program> program) override;
    [[nodiscard]] provider::Result<std::unique_ptr<provider::Queue>> create_queue(
        provider::Context& context, std::uint32_t flags) override;
    [[nodiscard]] provider::ReleaseResult<provider::Queue> destroy_queue(
        std::unique_ptr<provider::Queue> queue) override;
    [[nodiscard]] provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                                std::span<const provider::Binding> bindings,
                                                std::uint64_t timeout_ns) override;
    [[nodiscard]] provider::Result<provider::EventState> poll_event(
        provider::Event& event) override;
    [[nodiscard]] provider::Result<void> cancel_event(provider::Event& event) override;
    [[nodiscard]] provider::ReleaseResult<provider::Event> destroy_event(
        std::unique_ptr<provider::Event> event) override;

 private:
    template <class Mine, class T>
    provider::ReleaseResult<T> release(Op op, std::unique_ptr<T> object);

    provider::DeviceInfo info_;
    Script& script_;
    std::uint64_t last_serial_ = 0;
};

}  // namespace model
