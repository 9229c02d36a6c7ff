// SPDX-License-Identifier: MIT
//
// The command engine: protocol 1.0 on one side, the provider contract on the other.
//
// It makes no system call, starts no thread, takes no lock, and neither logs nor
// reads a clock. One thread at a time: whoever owns an engine serialises the calls.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>

#include "engine/policy.hpp"
#include "engine/report.hpp"
#include "engine/work.hpp"
#include "provider/provider.hpp"
#include "wire/chain.hpp"
#include "wire/config.hpp"

namespace engine {

class Device;

class Engine {
 public:
    // Validates the configuration first, then asks the provider for its device info
    // and validates that (protocol.md 5.9). `name_space` is nonzero and is the top
    // of every object id until the next reset.
    [[nodiscard]] static std::expected<Engine, CreateError> create(
        const wire::Config& config, std::unique_ptr<provider::Provider> provider,
        const Policy& policy, std::uint16_t name_space = 1);

    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    ~Engine();

    // Serves one command. It is answered through host.complete(), at once or later:
    // control commands hand provider work out through host.start(), and a command that
    // depends on such work waits for it. Commands complete in any order. The chain's
    // pieces, and the arrays that list them, stay valid until its completion.
    void serve(Host& host, Ticket ticket, const wire::Chain& chain);

    // Commits work that was run. Work that a reset has overtaken is given back, too; its
    // chain must not be completed any more, which is up to the host.
    void finish(Host& host, Work work);

    // Works handed out and not given back. An engine is destroyed when there are none.
    [[nodiscard]] std::uint32_t working() const;

    // Serves one command from admission to answer on the calling thread, for an owner
    // that never has work under way. Returns the used length.
    [[nodiscard]] std::uint32_t process(const wire::Chain& chain);

    // The transport has stopped fetching and completing chains (protocol.md 5.8). Work
    // that is under way makes the provider unfit for reuse. On Disposition::Discard this engine
    // serves nothing any more and the caller makes a new one with a new provider instance.
    // `name_space` differs from the current one.
    [[nodiscard]] std::expected<ResetReport, ResetError> reset(std::uint16_t name_space);

    [[nodiscard]] Health health() const;
    [[nodiscard]] const provider::DeviceInfo& device_info() const;
    [[nodiscard]] Counts live() const;
    [[nodiscard]] const Statistics& statistics() const;
    [[nodiscard]] provider::CopyCounters copy_counters() const;

 private:
    explicit Engine(std::unique_ptr<Device> device);
    std::unique_ptr<Device> device_;
};

}  // namespace engine
