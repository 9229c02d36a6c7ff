// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>

#include "vulkan/objects.hpp"

namespace vulkan {

// A finite timeout is accepted, although running work cannot be stopped: an event that
// a poll has seen running past its deadline ends as Failed(DeadlineExpired), but only
// once the device is done with its buffers. Nothing is ever reported as late that may
// have ended in time.
//
// Device loss is latched: every later call is refused with DeviceLost.
class VulkanProvider final : public provider::Provider {
 public:
    VulkanProvider(std::shared_ptr<Kernels> kernels, provider::ProgramRefused program_refused);

    [[nodiscard]] Device& device() const { return kernels_->device(); }
    [[nodiscard]] const Grid& grid() const { return kernels_->grid(); }
    [[nodiscard]] std::uint32_t live_contexts() const { return contexts_.taken(); }

    [[nodiscard]] const provider::DeviceInfo& device_info() const override { return info_; }
    [[nodiscard]] provider::CopyCounters copy_counters() const override;
    [[nodiscard]] Result<std::unique_ptr<provider::Context>> create_context(
        std::uint32_t flags) override;
    [[nodiscard]] provider::ReleaseResult<provider::Context> destroy_context(
        std::unique_ptr<provider::Context> context) override;
    [[nodiscard]] Result<std::unique_ptr<provider::Buffer>> allocate_buffer(
        provider::Context& context, const provider::BufferDesc& desc) override;
    [[nodiscard]] provider::ReleaseResult<provider::Buffer> free_buffer(
        std::unique_ptr<provider::Buffer> buffer) override;
    [[nodiscard]] Result<void> write_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                            provider::ByteSource& source) override;
    [[nodiscard]] Result<void> read_buffer(provider::Buffer& buffer, std::uint64_t offset,
                                           provider::ByteSink& sink) override;
    [[nodiscard]] Result<std::unique_ptr<provider::Program>> load_program(
        provider::Context& context, const provider::ProgramDesc& desc,
        provider::ByteSource& source) override;
    [[nodiscard]] provider::ReleaseResult<provider::Program> unload_program(
        std::unique_ptr<provider::Program> program) override;
    [[nodiscard]] Result<std::unique_ptr<provider::Queue>> create_queue(
        provider::Context& context, std::uint32_t flags) override;
    [[nodiscard]] provider::ReleaseResult<provider::Queue> destroy_queue(
        std::unique_ptr<provider::Queue> queue) override;
    [[nodiscard]] provider::SubmitResult submit(provider::Queue& queue, provider::Program& program,
                                                std::span<const provider::Binding> bindings,
                                                std::uint64_t timeout_ns) override;
    [[nodiscard]] Result<provider::EventState> poll_event(provider::Event& event) override;
    [[nodiscard]] Result<void> cancel_event(provider::Event& event) override;
    [[nodiscard]] provider::ReleaseResult<provider::Event> destroy_event(
        std::unique_ptr<provider::Event> event) override;

 private:
    template <class T>
    [[nodiscard]] provider::ReleaseResult<T> release(std::unique_ptr<T> object, bool busy) const;
    [[nodiscard]] Result<void> check_desc(const provider::BufferDesc& desc) const;
    [[nodiscard]] Result<void> check_bindings(const Queue& queue, const Program& program,
                                              std::span<const provider::Binding> bindings) const;

    std::shared_ptr<Kernels> kernels_;
    provider::DeviceInfo info_;
    provider::ProgramRefused program_refused_;
    Quota contexts_{kContexts};
    std::atomic<std::uint64_t> direct_bindings_ = 0;
    std::atomic<std::uint64_t> transferred_bytes_ = 0;
};

}  // namespace vulkan
