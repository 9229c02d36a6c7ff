// SPDX-License-Identifier: MIT
#include "vm/options.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <span>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace vm {
namespace {

constexpr const char* kAbout =
    "Start a Linux guest with a virtio accelerator attached, run a command in it and exit with\n"
    "its status (125: accel-vm itself failed). Without a command: a shell on this terminal.";

// QEMU's.
constexpr unsigned kMinRing = 2;
constexpr unsigned kMaxRing = 1024;

// FILE or FILE=PATH. Programs go to /bin unless told otherwise, other files to /.
FilePair added_file(const std::string& text) {
    const auto equals = text.find('=');
    const std::filesystem::path file = text.substr(0, equals);
    if (equals != std::string::npos) return {file, text.substr(equals + 1)};
    const bool program = ::access(file.c_str(), X_OK) == 0;
    return {file, (program ? "/bin/" : "/") + file.filename().native()};
}

// GUESTPATH=HOSTPATH
FilePair fetched_file(const std::string& text) {
    const auto equals = text.find('=');
    return {text.substr(equals + 1), text.substr(0, equals)};
}

std::string check_guest_path(const std::string& path) {
    return path.starts_with('/') ? "" : "'" + path + "' is not an absolute guest path";
}

std::string check_added(const std::string& text) {
    return check_guest_path(added_file(text).guest);
}

std::string check_fetched(const std::string& text) {
    if (!text.contains('=')) return "'" + text + "' is not GUESTPATH=HOSTPATH";
    return check_guest_path(fetched_file(text).guest);
}

// DIR or DIR=PATH
Share shared(const std::string& text, bool writable) {
    const auto equals = text.find('=');
    const auto path = equals == std::string::npos ? "/share" : text.substr(equals + 1);
    return {{text.substr(0, equals), path}, writable};
}

std::string check_shared(const std::string& text) {
    return check_guest_path(shared(text, false).directory.guest);
}

// QEMU takes a port modulo 65536.
std::string check_gdb(const std::string& text) {
    return !is_port(text) || CLI::Range(1, 65535)(text).empty() ? ""
                                                                : "'" + text + "' is not a port";
}

std::string check_ring_size(const std::string& text) {
    unsigned size = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, size);
    const bool allowed = error == std::errc() && rest == end && std::has_single_bit(size) &&
                         size >= kMinRing && size <= kMaxRing;
    return allowed ? "" : std::format("a power of two from {} to {}", kMinRing, kMaxRing);
}

}  // namespace

bool is_port(std::string_view address) {
    return address.find_first_not_of("0123456789") == std::string_view::npos;
}

std::expected<Options, OptionsEnd> parse_options(int argc, const char* const* argv) {
    // Split here: CLI11 takes the "--" after an option of several values for that option's end.
    const std::span words(argv, static_cast<std::size_t>(argc));
    const auto mark = std::ranges::find(words, std::string_view("--"));
    const std::span own(words.begin(), mark);

    Options options;
    if (mark != words.end()) options.command.assign(mark + 1, words.end());
    std::vector<std::string> add;
    std::vector<std::string> fetch;
    std::vector<std::string> share;
    std::vector<std::string> share_writable;
    CLI::App app{kAbout, "accel-vm"};
    app.usage("accel-vm [OPTIONS] [-- COMMAND...]");

    app.add_option("--kernel", options.kernel, "newest, lts, or a kernel image")
        ->capture_default_str();
    app.add_option("--module", options.module, "virtio_accel.ko for that kernel");
    app.add_option("--smp", options.smp, "virtual CPUs")->check(CLI::Range(1, 64));
    app.add_option("--memory", options.memory_mib, "guest memory in MiB")
        ->check(CLI::Range(128, 65536))
        ->capture_default_str();
    app.add_option("--append", options.append, "more kernel parameters");
    app.add_option("--add", add, "FILE[=PATH]: put a file into the guest, with its libraries")
        ->allow_extra_args(false)
        ->check(check_added);
    app.add_option("--fetch", fetch, "GUESTPATH=HOSTPATH: bring a file back")->check(check_fetched);
    app.add_option("--share", share, "DIR[=PATH]: show the guest a directory, at /share or PATH")
        ->allow_extra_args(false)
        ->check(check_shared);
    app.add_option("--share-writable", share_writable, "the same, where the guest may write")
        ->allow_extra_args(false)
        ->check(check_shared);

    auto* socket = app.add_option("--socket", options.sockets,
                                  "connect to this vhost-user socket; again for one more device")
                       ->allow_extra_args(false);
    app.add_option("--devices", options.devices, "accelerators, each with a daemon of its own")
        ->check(CLI::Range(1, 8))
        ->capture_default_str()
        ->excludes(socket);
    auto* daemon = app.add_option("--daemon", options.daemon,
                                  "start this instead of virtio-acceld; gets --socket-path PATH");
    app.add_option("--provider", options.provider, "virtio-acceld's provider")
        ->capture_default_str()
        ->excludes(socket)
        ->excludes(daemon);
    app.add_option("--device", options.device, "virtio-acceld's device")
        ->excludes(socket)
        ->excludes(daemon);
    daemon->excludes(socket);
    app.add_option("--ring-size", options.ring_size, "descriptors of the device's ring")
        ->check(check_ring_size)
        ->capture_default_str();
    app.add_flag("--root-port", options.root_port,
                 "a PCIe port for the device, where it can be unplugged and reset");
    app.add_flag("--iommu", options.iommu,
                 "the device behind an IOMMU; for a daemon that keeps an IOTLB");

    app.add_option("--timeout", options.timeout_s, "end the guest after this many seconds");
    app.add_option("--console", options.console, "write the kernel's messages to this file");
    app.add_option("--qmp", options.qmp, "QEMU's monitor protocol on a socket made here");
    app.add_option("--gdb", options.gdb, "PORT or PATH: wait there for gdb before the guest starts")
        ->check(check_gdb);
    app.add_flag("--reboot", options.reboot, "let the guest reboot, which ends it otherwise");
    auto* verbose = app.add_flag("-v,--verbose", options.verbose,
                                 "show the QEMU command and the messages of daemon and QEMU");
    app.add_flag("-q,--quiet", options.quiet, "no progress lines")->excludes(verbose);

    try {
        app.parse(static_cast<int>(own.size()), own.data());
    } catch (const CLI::CallForHelp&) {
        return std::unexpected(OptionsEnd{0, app.help()});
    } catch (const CLI::ParseError& error) {
        return std::unexpected(OptionsEnd{2, std::format("accel-vm: {}\n", error.what())});
    }
    if (options.iommu && options.sockets.empty() && options.daemon.empty())
        return std::unexpected(
            OptionsEnd{2,
                       "accel-vm: --iommu: virtio-acceld keeps no IOTLB, so name a daemon that "
                       "does with --socket or --daemon\n"});
    for (const auto& text : add)
        options.add.push_back(added_file(text));
    for (const auto& text : fetch)
        options.fetch.push_back(fetched_file(text));
    for (const auto& text : share)
        options.shares.push_back(shared(text, false));
    for (const auto& text : share_writable)
        options.shares.push_back(shared(text, true));
    return options;
}

}  // namespace vm
