// SPDX-License-Identifier: MIT
#include "daemon/options.hpp"

#include <algorithm>
#include <format>
#include <iterator>
#include <set>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

#include "daemon/config_file.hpp"
#include "daemon/provider_options.hpp"
#include "linux/virtio_accel.h"

namespace acceld {

namespace {

constexpr const char* kAbout =
    "Give a virtual machine an accelerator of this host: the vhost-user back end of the virtio\n"
    "accelerator device.";

constexpr const char* kFooter =
    "Sockets that systemd passes are listened on as well.\n\n"
    "Exit status: 0 after --once, SIGTERM or SIGINT; 1 when something failed; 2 for wrong usage,\n"
    "on the command line or in the configuration file.";

// The ranges are the protocol's (protocol.md 2.3).
void add_config_options(CLI::App& app, wire::Config& config) {
    app.add_option("--max-chain-descriptors", config.max_chain_descriptors,
                   "The descriptors of the longest chain")
        ->check(CLI::Range(VIRTIO_ACCEL_MIN_CHAIN_DESCRIPTORS, VIRTIO_ACCEL_MAX_CHAIN_DESCRIPTORS))
        ->capture_default_str();
    app.add_option("--max-request-bytes", config.max_request_bytes, "The largest request")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(VIRTIO_ACCEL_MIN_REQUEST_BYTES, VIRTIO_ACCEL_MAX_REQUEST_BYTES))
        ->capture_default_str();
    app.add_option("--max-response-bytes", config.max_response_bytes, "The largest response")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(VIRTIO_ACCEL_MIN_RESPONSE_BYTES, VIRTIO_ACCEL_MAX_RESPONSE_BYTES))
        ->capture_default_str();
}

// What becomes the guest's device: a worker gets the same options.
void add_device_options(CLI::App& app, Options& options) {
    app.add_option("--provider", options.provider.name, "Who runs the programs")
        ->check(CLI::IsMember(std::set<std::string>(kProviderNames.begin(), kProviderNames.end())));
    app.add_option("--device", options.provider.device,
                   "Which device of the provider, by index or by a part of its name");
    app.add_option("--max-contexts", options.policy.max_contexts,
                   "Contexts of a guest, if the provider would allow more")
        ->check(CLI::PositiveNumber);
    app.add_option("--max-provider-calls", options.max_provider_calls,
                   "Slow calls for a guest, such as to compile a program, that run at a time")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    add_config_options(app, options.config);
}

void add_bytes(CLI::App& app, const char* name, auto& bytes, const char* about) {
    app.add_option(name, bytes, about)
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
}

void add_budget_options(CLI::App& app, Options& options) {
    add_bytes(app, "--max-buffer-bytes", options.policy.max_buffer_bytes,
              "What all buffers of a guest may take; 512MiB is understood");
    add_bytes(app, "--max-program-bytes", options.policy.max_program_bytes,
              "What all programs of a guest may take");
    add_bytes(app, "--host-buffer-bytes", options.host_buffer_bytes,
              "What the buffers of all guests may take: each gets its part of --max-guests");
    add_bytes(app, "--host-program-bytes", options.host_program_bytes,
              "What the programs of all guests may take");
}

// A fixed share each, so that no guest can take what another one counts on.
void share_budgets(Options& options) {
    const auto share = [&](std::uint64_t& mine, const std::optional<std::uint64_t>& all) {
        if (all) mine = std::max<std::uint64_t>(1, std::min(mine, *all / options.max_guests));
    };
    share(options.policy.max_buffer_bytes, options.host_buffer_bytes);
    share(options.policy.max_program_bytes, options.host_program_bytes);
    options.device_arguments.insert(
        options.device_arguments.end(),
        {"--max-buffer-bytes", std::to_string(options.policy.max_buffer_bytes),
         "--max-program-bytes", std::to_string(options.policy.max_program_bytes)});
}

void add_sandbox_options(CLI::App& app, sandbox::Policy& policy) {
    const auto find = [&policy](const std::string& name) {
        const auto user = sandbox::find_user(name);
        if (!user) throw CLI::ValidationError("--user: " + user.error());
        policy.user = *user;
    };
    app.add_option_function<std::string>(
        "--user", find, "When started by root, run as this user, with all groups of it");
    app.add_flag("--no-sandbox", policy.off, "Confine nothing: for debugging");
}

void add_serve_options(CLI::App& app, Options& options) {
    app.add_option("--socket-path", options.socket_paths,
                   "Listen on a Unix socket that is made here; may be given many times")
        ->allow_extra_args(false);
    app.add_option("--fd", options.fd, "Use this open socket, listening or connected")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--control-path", options.control_path,
                   "Listen here for acceld-ctl and for GET /metrics over HTTP");
    app.add_option("--log-file", options.log_file,
                   "Append to this file instead of standard error; SIGHUP opens it anew");
    app.add_option("--max-guests", options.max_guests,
                   "Front ends that are served at a time, on all sockets together")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    add_seconds(app, "--message-timeout", options.message_timeout,
                "Seconds after which a worker that does not answer the front end is killed");
    add_seconds(app, "--command-timeout", options.command_timeout,
                "Seconds after which a worker that is still at a command is killed");
    app.add_flag("--once", options.once, "Exit when the first front end has left");
    app.add_flag("--single-process", options.single_process,
                 "Serve from this process, one front end after the other: for debugging");
    add_sandbox_options(app, options.sandbox);
    app.add_option("--board", options.board_fd)->group("")->configurable(false);
    app.add_option("--orders", options.orders_fd)->group("")->configurable(false);
    app.add_option("--store", options.store_fd)->group("")->configurable(false);
    app.add_option("--guest", options.guest)->group("")->configurable(false);
}

void add_other_options(CLI::App& app, std::string& config_path) {
    app.add_option("--config", config_path,
                   "Read settings from a TOML file, whose keys are the names of options without\n"
                   "the dashes. What the command line says comes first")
        ->type_name("FILE")
        ->configurable(false);
    app.add_flag("--version", "Print the versions of the program and of its providers")
        ->configurable(false);
    // For --help: it is looked for before anything else.
    app.add_flag("--print-capabilities", "Print what vhost-user managers ask for, as JSON")
        ->configurable(false);
}

std::string complaint(const Options& options) {
    const XdnaStoreChoice& store = options.provider.xdna.store;
    if (store.compiler.empty() != store.cache.empty())
        return "--xdna-compiler wants --xdna-cache for what it makes, and a cache a compiler";
    if (!store.compiler.empty() &&
        store.compile_timeout + kCompileMargin > options.command_timeout) {
        return std::format(
            "--xdna-compile-timeout must be {} less than --command-timeout: a "
            "worker that waits longer for a kernel is killed",
            kCompileMargin);
    }
    const std::size_t sockets =
        options.socket_paths.size() + options.passed_sockets.size() + (options.fd ? 1 : 0);
    if (sockets == 0) return "--socket-path or --fd is required";
    if (options.provider.name.empty()) return "--provider is required; see 'virtio-acceld list'";
    if (options.single_process && (options.max_guests > 1 || sockets > 1))
        return "--single-process serves one front end at a time, on one socket";
    if (options.sandbox.off && options.sandbox.user)
        return "--no-sandbox leaves the user as it is: --user is not for it";
    if (options.single_process && options.sandbox.user)
        return "--single-process confines nothing: --user is not for it";
    if (options.single_process && !(options.control_path.empty() && options.log_file.empty()))
        return "--single-process has neither --control-path nor --log-file";
    return "";
}

// The program's options, and what was given for them.
struct CommandLine {
    CommandLine() {
        app.footer(kFooter);
        add_serve_options(app, options);
        add_other_options(app, config_path);
        add_device_options(*device, options);
        add_budget_options(*budgets, options);
    }
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    ~CommandLine() = default;

    void parse(std::vector<std::string> words) {
        std::ranges::reverse(words);  // as CLI11 wants them
        app.parse(std::move(words));
    }

    Options options;
    std::string config_path;
    CLI::App app{kAbout, "virtio-acceld"};
    CLI::App* device = app.add_option_group("The guest's device");
    CLI::App* budgets = app.add_option_group("Budgets");
    const ProviderOptions provider{app, options.provider};
    const CLI::App* list =
        app.add_subcommand("list", "Show the providers and devices of this host");
};

// By itself, so that what is wrong is told with its place.
void check_setting(const Setting& setting) {
    CommandLine line;
    const CLI::Option* option = line.app.get_option_no_throw("--" + setting.key);
    if (option == nullptr || !option->get_configurable())
        throw CLI::ValidationError(
            std::format("{}: there is no setting '{}'", setting.place, setting.key));
    try {
        line.parse(setting.arguments());
    } catch (const CLI::ParseError& error) {
        throw CLI::ValidationError(std::format("{}: {}", setting.place, error.what()));
    }
}

// The settings of the file that the command line says nothing about.
std::vector<std::string> file_arguments(const CommandLine& given) {
    std::vector<std::string> all;
    if (given.config_path.empty()) return all;
    const auto settings = read_settings(given.config_path);
    if (!settings) throw CLI::ValidationError(settings.error());
    for (const Setting& setting : *settings) {
        check_setting(setting);
        if (given.app.count("--" + setting.key) == 0)
            std::ranges::move(setting.arguments(), std::back_inserter(all));
    }
    return all;
}

Options finish(CommandLine& line) {
    Options& options = line.options;
    append_arguments(*line.device, options.device_arguments);
    line.provider.append_to(options.device_arguments);
    share_budgets(options);
    if (options.sandbox.off) options.device_arguments.emplace_back("--no-sandbox");
    if (line.app.count("--version") > 0) {
        options.action = Action::PrintVersion;
    } else if (line.list->parsed()) {
        options.action = Action::List;
    } else if (!options.board_fd) {
        auto passed = passed_sockets();
        if (!passed) throw CLI::ValidationError(passed.error());
        options.passed_sockets = *std::move(passed);
        for (const auto& wrong : {line.provider.complaint(), complaint(options)})
            if (!wrong.empty()) throw CLI::ValidationError(wrong);
    }
    return std::move(options);
}

}  // namespace

std::expected<Options, int> parse_options(int argc, const char* const* argv) {
    const std::span words(argv, static_cast<std::size_t>(argc));
    // By the conventions of vhost-user, all other arguments are to be ignored then.
    if (std::ranges::contains(words, std::string_view("--print-capabilities"))) {
        Options options;
        options.action = Action::PrintCapabilities;
        return options;
    }

    CommandLine given;
    CommandLine all;
    all.app.failure_message([](const CLI::App*, const CLI::Error& error) {
        return std::format("virtio-acceld: {}\n", error.what());
    });
    const std::vector<std::string> typed(words.begin() + 1, words.end());
    try {
        given.parse(typed);
        std::vector<std::string> arguments = file_arguments(given);
        arguments.insert(arguments.end(), typed.begin(), typed.end());
        all.parse(std::move(arguments));
        return finish(all);
    } catch (const CLI::ParseError& error) {
        return std::unexpected(all.app.exit(error) == 0 ? kExitOk : kExitUsage);
    }
}

}  // namespace acceld
