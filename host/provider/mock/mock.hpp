// SPDX-License-Identifier: MIT
//
// The mock provider: an accelerator made of bytes, for tests of everything around
// it. It runs the reference artifact of protocol.md 6.1 and has no timing of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "provider/provider.hpp"

namespace mock {

inline constexpr std::uint32_t kFormat = 0x56414D4B;  // "VAMK"
inline constexpr provider::Target kTarget{0x56414D4B, 0x00010000, 0x54455354, 0x4F4E4C59};
inline constexpr std::uint64_t kResidentBytes = 64;
inline constexpr std::size_t kArtifactBytes = 24;

// Polls that find an event pending before one finds it complete.
inline constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

struct Counters;

struct Options {
    std::uint32_t pending_polls = kNever;  // kNever: events end by complete() or cancel
    bool hold_barriers = false;            // barrier programs end by cancel only
    std::uint64_t max_buffer_bytes = 1ULL << 30;
    std::uint64_t max_artifact_bytes = 1ULL << 30;
};

class Provider : public provider::Provider {
 public:
    explicit Provider(const Options& options = {});
    ~Provider() override;

    // Executes a pending event's operation and makes it complete. False if the event
    // had ended before. Thread-safe against poll and cancel.
    static bool complete(provider::Event& event);

    // From now on every accepted submission completes before submit() returns.
    void complete_immediately() { options_.pending_polls = 0; }

    // Objects that were made and are not destroyed, of all kinds.
    [[nodiscard]] std::uint64_t live_objects() const;

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
    Options options_;
    provider::DeviceInfo info_;
    std::shared_ptr<Counters> counters_;
};

}  // namespace mock
