// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/systemd.hpp"
#include "engine/policy.hpp"
#include "provider/fault/script.hpp"
#include "provider/mock/mock.hpp"
#include "sandbox/sandbox.hpp"
#include "wire/config.hpp"

namespace acceld {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

enum class Action : std::uint8_t { Serve, List, PrintCapabilities, PrintVersion };

inline constexpr std::array<std::string_view, 4> kProviderNames{"cpu", "mock", "vulkan", "xdna"};

// For the mock alone, which front ends are tested against. By default every event is seen
// pending once, and that of a barrier stays so until it is cancelled.
struct MockChoice {
    mock::Options options{.pending_polls = 1, .hold_barriers = true};
    fault::Script faults;
};

struct CpuChoice {
    unsigned threads = 0;  // 0: as many as there are processors
    std::string engine = "fast";
};

// What a kernel may take to come besides its compiler's time: a turn of the store's, and
// then the way to the worker and onto the array.
inline constexpr std::chrono::seconds kCompileMargin{60};

// Where the kernels of the array come from. Paths may be empty.
struct XdnaStoreChoice {
    std::string catalogue;
    std::string cache;
    std::string compiler;
    std::chrono::seconds compile_timeout{240};

    [[nodiscard]] bool wanted() const {
        return !(catalogue.empty() && cache.empty() && compiler.empty());
    }
};

struct XdnaChoice {
    XdnaStoreChoice store{};
    bool raw_binaries = false;
    std::chrono::seconds watchdog{120};
};

struct ProviderChoice {
    std::string name{};
    std::string device{};  // index or part of a name; empty for the provider's own choice
    CpuChoice cpu{};
    XdnaChoice xdna{};
    MockChoice mock{};

    [[nodiscard]] bool wants_store() const { return name == "xdna" && xdna.store.wanted(); }
};

struct Options {
    Action action = Action::Serve;
    std::vector<std::string> socket_paths;
    std::vector<PassedSocket> passed_sockets;  // by a service manager
    std::optional<int> fd;
    std::string control_path;  // or empty
    std::string log_file;      // or empty, for standard error
    ProviderChoice provider;
    wire::Config config;
    engine::Policy policy;
    unsigned max_provider_calls = 8;
    // What all guests may take together; each may take its share.
    std::optional<std::uint64_t> host_buffer_bytes;
    std::optional<std::uint64_t> host_program_bytes;
    bool once = false;
    bool single_process = false;
    unsigned max_guests = 1;
    sandbox::Policy sandbox;
    // How long a worker may take for a message, or for a command.
    std::chrono::seconds message_timeout{10};
    std::chrono::seconds command_timeout{300};
    // For a worker: the memory that its session shares with it, where the session's orders
    // come from, who has the kernels, and the number of the guest.
    std::optional<int> board_fd;
    std::optional<int> orders_fd;
    std::optional<int> store_fd;
    std::optional<unsigned> guest;
    // What of the command line and the configuration file a worker needs to make the device.
    std::vector<std::string> device_arguments;
};

// The error is an exit status: what there was to say has been said.
[[nodiscard]] std::expected<Options, int> parse_options(int argc, const char* const* argv);

}  // namespace acceld
