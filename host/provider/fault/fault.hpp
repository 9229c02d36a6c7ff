// SPDX-License-Identifier: MIT
//
// A provider that does what another one does, until its script says otherwise, and keeps
// books on how it is used. For tests of whoever calls a provider.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "provider/fault/audit.hpp"
#include "provider/fault/script.hpp"
#include "provider/provider.hpp"

namespace fault {

// Objects are those of the inner provider, not wrappers: what else is known about them
// stays true. As thread-safe as the inner provider.
//
// A failed create has retained nothing: after error-after the new object is released
// again. A submission that is indeterminate was accepted inside; a release that is
// indeterminate was not made, and the object is kept until the end. A completion is a
// final state that an event is made to show from then on: cancelling it is Busy, and
// destroying it first cancels the event inside.
//
// A call with an object that is not live is InvalidArgument and not passed on. Releasing
// an object twice, or one that something stands on, is indeterminate with DeviceLost.
// Both are violations of the contract, by the caller.
class Provider final : public provider::Provider {
 public:
    Provider(std::unique_ptr<provider::Provider> inner, Script script);

    [[nodiscard]] std::uint64_t violations() const { return audit_.violations(); }

    [[nodiscard]] const provider::DeviceInfo& device_info() const override;
    [[nodiscard]] provider::CopyCounters copy_counters() const override;
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
        provider::ByteSource& source) override;
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
    // Counts a call; the step that fires at it, if one does.
    [[nodiscard]] std::optional<Step> count(Operation operation);
    [[nodiscard]] bool may_submit(const provider::Queue& queue, const provider::Program& program,
                                  std::span<const provider::Binding> bindings);

    // `call` is the same call of the inner provider, `undo` the release that goes with it.
    template <class T, class Call, class Undo>
    [[nodiscard]] provider::Result<std::unique_ptr<T>> create(Operation operation,
                                                              const provider::Context* parent,
                                                              Call call, Undo undo);
    template <class Object, class Call>
    [[nodiscard]] provider::Result<void> use(Operation operation, const Object& object, Call call);
    template <class T, class Call>
    [[nodiscard]] provider::ReleaseResult<T> release(Operation operation, std::unique_ptr<T> object,
                                                     Call call);
    template <class T>
    void keep(std::unique_ptr<T> object) noexcept;

    const Script script_;
    std::array<std::atomic<std::uint32_t>, kOperations> calls_{};
    Audit audit_;
    // Objects that were never released go after the provider that made them.
    std::mutex kept_mutex_;
    std::vector<std::shared_ptr<void>> kept_;
    std::unique_ptr<provider::Provider> inner_;
};

}  // namespace fault
