// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>

#include "provider/lane/lane.hpp"
#include "provider/provider.hpp"
#include "xdna/context_pool.hpp"
#include "xdna/objects.hpp"
#include "xdna/xdna.hpp"

namespace xdna {

// All contexts share one lane of four places, so four events exist at a time. Neither a
// time limit can be kept nor a run cancelled.
//
// A definite error poisons the device: that event fails, what was not started fails with
// DeviceLost, and everything can be released. A device that stops to answer is wedged: what
// is pending stays so, and what it may still use is never destroyed (quarantine.hpp). Either
// is found by the next call, which and all later ones say DeviceLost, but for releases.
class XdnaProvider final : public provider::Provider {
 public:
    // The lane's runtime keeps the quarantine.
    XdnaProvider(std::shared_ptr<Npu> npu, std::unique_ptr<dispatch::Lane> lane,
                 std::shared_ptr<Quarantine> quarantine, Options options);
    ~XdnaProvider() override;

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

    // What load_program() makes of a binary.
    [[nodiscard]] Result<std::unique_ptr<provider::Program>> load_binary(
        provider::Context& context, const Binary& binary, std::uint64_t resident_bytes);

    // The kernels that are there without being compiled.
    [[nodiscard]] std::optional<Binary> ready(const Spec& spec);

    [[nodiscard]] std::uint32_t live_contexts() const { return contexts_; }

 private:
    [[nodiscard]] bool lost();
    [[nodiscard]] dispatch::Census look();
    void lose(bool wedged);
    // An error of the hardware's, on its way out.
    [[nodiscard]] std::unexpected<Error> failed(Error error);

    template <class T>
    [[nodiscard]] provider::ReleaseResult<T> release(std::unique_ptr<T> object,
                                                     dispatch::Gate& gate, std::uint32_t& count);
    [[nodiscard]] Result<void> check_desc(const provider::BufferDesc& desc) const;
    [[nodiscard]] Result<Storage*> open_transfer(provider::Buffer& buffer, std::uint32_t usage,
                                                 std::uint64_t offset, std::uint64_t bytes);
    [[nodiscard]] Result<void> check_bindings(const QueueObject& queue,
                                              const ProgramObject& program,
                                              std::span<const provider::Binding> bindings) const;
    [[nodiscard]] Result<void> look_for_room(std::span<const provider::Binding> bindings);
    [[nodiscard]] Result<std::unique_ptr<EventObject>> launch(
        const QueueObject& queue, const ProgramObject& program,
        std::span<const provider::Binding> bindings);

    const Options options_;
    const std::shared_ptr<Npu> npu_;
    const std::shared_ptr<Quarantine> quarantine_;
    ContextPool pool_;
    const provider::DeviceInfo info_;
    std::atomic<bool> lost_ = false;
    std::atomic<std::uint32_t> contexts_ = 0;
    std::atomic<std::uint64_t> direct_bindings_ = 0;
    std::atomic<std::uint64_t> transferred_bytes_ = 0;
    std::unique_ptr<dispatch::Lane> lane_;
};

}  // namespace xdna
