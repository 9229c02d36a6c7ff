// SPDX-License-Identifier: MIT
#include "daemon/options.hpp"

#include <algorithm>
#include <format>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

namespace acceld {

namespace {

constexpr const char* kVersion = "virtio-acceld 0.1.0 (protocol 1.0)";

constexpr const char* kAbout =
    "Give a virtual machine an accelerator of this host: the vhost-user back end of the virtio\n"
    "accelerator device.";

constexpr const char* kFooter =
    "Exit status: 0 after --once, SIGTERM or SIGINT; 1 when something failed; 2 for wrong usage.";

void add_serve_options(CLI::App& app, Options& options) {
    auto* path = app.add_option("--socket-path", options.socket_path,
                                "Listen on a Unix socket that is made here");
    app.add_option("--fd", options.fd, "Use this open socket, listening or connected")
        ->excludes(path)
        ->check(CLI::NonNegativeNumber);
    app.add_option("--provider", options.provider.name, "Who runs the programs")
        ->check(CLI::IsMember(provider_names()));
    app.add_option("--device", options.provider.device,
                   "Which device of the provider, by index or by a part of its name");
    app.add_option("--max-buffer-bytes", options.policy.max_buffer_bytes,
                   "What all buffers of a guest may take; 512MiB is understood")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--max-program-bytes", options.policy.max_program_bytes,
                   "What all programs of a guest may take")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--once", options.once, "Exit when the first front end has left");
    // For --help: it is looked for before anything else.
    app.add_flag("--print-capabilities", "Print what vhost-user managers ask for, as JSON");
}

std::string complaint(const Options& options) {
    if (options.socket_path.empty() && !options.fd) return "--socket-path or --fd is required";
    if (options.provider.name.empty()) return "--provider is required; see 'virtio-acceld list'";
    return "";
}

}  // namespace

std::expected<Options, int> parse_options(int argc, const char* const* argv) {
    Options options;
    // By the conventions of vhost-user, all other arguments are to be ignored then.
    const std::span words(argv, static_cast<std::size_t>(argc));
    if (std::ranges::contains(words, std::string_view("--print-capabilities"))) {
        options.action = Action::PrintCapabilities;
        return options;
    }

    CLI::App app{kAbout, "virtio-acceld"};
    app.footer(kFooter);
    app.set_version_flag("--version", kVersion);
    app.failure_message([](const CLI::App*, const CLI::Error& error) {
        return std::format("virtio-acceld: {}\n", error.what());
    });
    add_serve_options(app, options);
    const auto* list = app.add_subcommand("list", "Show the providers and devices of this host");
    try {
        app.parse(argc, argv);
        if (list->parsed()) {
            options.action = Action::List;
        } else if (const auto wrong = complaint(options); !wrong.empty()) {
            throw CLI::ValidationError(wrong);
        }
    } catch (const CLI::ParseError& error) {
        return std::unexpected(app.exit(error) == 0 ? kExitOk : kExitUsage);
    }
    return options;
}

}  // namespace acceld
