// SPDX-License-Identifier: MIT
#include "vm/guest.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <iostream>
#include <span>

#include <sys/signalfd.h>
#include <sys/socket.h>

#include <fcntl.h>
#include <poll.h>

#include "vm/backend.hpp"
#include "vm/cpio.hpp"
#include "vm/initramfs.hpp"
#include "vm/monitor.hpp"
#include "vm/qemu.hpp"
#include "vm/shell.hpp"

namespace vm {
namespace {

using std::chrono::steady_clock;

// What is kept of the console to explain a guest that ended without an outcome.
constexpr std::size_t kConsoleTail = 64 * 1024;

// The signals that end a run, as a descriptor. SIGPIPE becomes EPIPE.
Result<UniqueFd> open_signals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        ::sigaddset(&signals, signal);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC));
    if (!fd) return fail("signalfd: {}", errno_text(errno));
    return fd;
}

// Our end of a socket whose other end QEMU holds.
struct Channel {
    UniqueFd ours;
    UniqueFd theirs;

    static Result<Channel> make() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
            return fail("socketpair: {}", errno_text(errno));
        return Channel{UniqueFd(ends[0]), UniqueFd(ends[1])};
    }
};

// A guest that runs, and what it has said so far.
class Guest {
 public:
    Guest(const Options& options, const Kernel& kernel) : options_(options), kernel_(kernel) {}

    Result<void> start(const std::filesystem::path& directory,
                       const std::vector<Backend>& backends);

    // Passes output on until QEMU has ended and all it wrote is read.
    Result<void> follow(std::vector<Backend>& backends, int signals);

    // The command's status, with the fetched files written.
    Result<ExitStatus> outcome();

 private:
    enum Stream : std::size_t { Console, CommandOutput, CommandErrors, CommandOutcome, kStreams };

    Result<void> too_late();

    Result<void> read_from(Stream stream, std::size_t& open);
    Result<void> take(Stream stream, std::string_view bytes);
    [[nodiscard]] std::string why_no_outcome();

    const Options& options_;
    const Kernel& kernel_;
    std::optional<Child> qemu_;
    std::array<Channel, kStreams> channels_;
    Channel monitor_;
    UniqueFd console_file_;
    std::string console_;
    std::string outcome_;
    steady_clock::time_point started_;
};

Result<void> Guest::start(const std::filesystem::path& directory,
                          const std::vector<Backend>& backends) {
    for (auto& channel : channels_) {
        auto made = Channel::make();
        if (!made) return std::unexpected(made.error());
        channel = std::move(*made);
    }
    auto monitor = Channel::make();
    if (!monitor) return std::unexpected(monitor.error());
    monitor_ = std::move(*monitor);
    if (!options_.console.empty()) {
        console_file_ = UniqueFd(
            ::open(options_.console.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (!console_file_) return fail("{}: {}", options_.console.native(), errno_text(errno));
    }
    QemuSockets sockets{.devices = {},
                        .console = channels_[Console].theirs.value(),
                        .output = channels_[CommandOutput].theirs.value(),
                        .errors = channels_[CommandErrors].theirs.value(),
                        .outcome = channels_[CommandOutcome].theirs.value(),
                        .monitor = monitor_.theirs.value()};
    for (const auto& backend : backends)
        sockets.devices.push_back(backend.connection.value());
    const bool kvm = kvm_works();
    auto command = qemu_command(options_, kernel_, directory / "initramfs", sockets, kvm);
    if (options_.verbose) std::cerr << shell_line(command) << '\n';
    if (!options_.quiet)
        std::cerr << std::format("guest    Linux {} under {}\n", kernel_.release,
                                 kvm ? "kvm" : "tcg");

    SpawnOptions spawn;
    spawn.inherit = sockets.devices;
    spawn.inherit.insert(spawn.inherit.end(), {sockets.console, sockets.output, sockets.errors,
                                               sockets.outcome, sockets.monitor});
    spawn.foreground = options_.command.empty();
    if (!options_.verbose) spawn.log = directory / "qemu.log";
    auto qemu = Child::spawn(std::move(command), spawn);
    if (!qemu) return std::unexpected(qemu.error());
    qemu_.emplace(std::move(*qemu));
    for (auto& channel : channels_)
        channel.theirs = {};
    monitor_.theirs = {};
    started_ = steady_clock::now();
    return {};
}

Result<void> Guest::take(Stream stream, std::string_view bytes) {
    switch (stream) {
        case CommandOutput:
        case CommandErrors: {
            const int fd = stream == CommandOutput ? STDOUT_FILENO : STDERR_FILENO;
            if (!write_all(fd, bytes)) return fail("output: {}", errno_text(errno));
            return {};
        }
        case CommandOutcome:
            // All of it once was guest memory; more is a guest that does not end.
            if (bytes.size() > (std::size_t{options_.memory_mib} << 20) - outcome_.size())
                return fail("the guest sends more than it can hold");
            outcome_.append(bytes);
            return {};
        default:
            if (console_file_ && !write_all(console_file_.value(), bytes))
                return fail("{}: {}", options_.console.native(), errno_text(errno));
            console_.append(bytes);
            if (console_.size() > kConsoleTail) console_.erase(0, console_.size() - kConsoleTail);
            return {};
    }
}

Result<void> Guest::follow(std::vector<Backend>& backends, int signals) {
    const auto limit = started_ + std::chrono::seconds(options_.timeout_s);
    std::vector<pollfd> events(kStreams + 1 + backends.size(), pollfd{-1, POLLIN, 0});
    const std::span streams(events.begin(), kStreams);
    const std::span daemons(events.begin() + kStreams + 1, backends.size());
    auto& signalled = events[kStreams];
    signalled.fd = signals;
    for (std::size_t i = 0; i < backends.size(); ++i)
        if (backends[i].daemon) daemons[i].fd = backends[i].daemon->pidfd();

    std::size_t open = kStreams;
    while (open > 0) {
        for (std::size_t i = 0; i < kStreams; ++i)
            streams[i].fd = channels_[i].ours.value();

        const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - steady_clock::now());
        const auto wait = options_.timeout_s == 0 ? -1 : std::max<std::int64_t>(left.count(), 0);
        const int ready = ::poll(events.data(), events.size(), static_cast<int>(wait));
        if (ready == 0) return too_late();
        if (signalled.revents != 0) return fail("interrupted");

        bool all_read = true;
        for (std::size_t i = 0; i < kStreams; ++i) {
            if (streams[i].revents == 0) continue;
            all_read = false;
            if (auto read = read_from(static_cast<Stream>(i), open); !read) return read;
        }

        // A daemon may end when QEMU lets go of it, which is after the outcome was sent: so
        // it is too early only if all that was sent is read and holds no outcome. QEMU does
        // not tell the guest, which might wait for the device for ever.
        for (std::size_t i = 0; all_read && i < daemons.size(); ++i) {
            if (daemons[i].revents == 0) continue;
            if (!read_cpio(outcome_))
                return fail("the daemon ended while the guest ran: {}",
                            backends[i].daemon->obituary());
            daemons[i].fd = -1;
        }
    }
    return {};
}

// A guest that is stuck cannot explain itself: the file of its messages gets what QEMU knows.
Result<void> Guest::too_late() {
    if (console_file_)
        write_all(console_file_.value(), "accel-vm: time is up. The machine, as QEMU has it:\n" +
                                             machine_state(monitor_.ours.value()));
    return fail("the guest is not done after {} s", options_.timeout_s);
}

Result<void> Guest::read_from(Stream stream, std::size_t& open) {
    auto& channel = channels_[stream].ours;
    std::array<char, 65536> block;
    const ssize_t got = ::read(channel.value(), block.data(), block.size());
    if (got > 0) return take(stream, {block.data(), static_cast<std::size_t>(got)});
    if (got == 0 || errno != EINTR) {
        channel = {};
        --open;
    }
    return {};
}

std::string Guest::why_no_outcome() {
    if (const auto at = console_.find("Kernel panic"); at != std::string::npos)
        return console_.substr(at, console_.find_first_of("\r\n", at) - at);
    if (qemu_->wait() != 0) return "QEMU failed: " + qemu_->obituary();
    return "the guest ended without an outcome";
}

Result<ExitStatus> Guest::outcome() {
    const auto files = read_cpio(outcome_);
    if (!files) return fail("{}", why_no_outcome());

    const auto find = [&](std::string_view name) -> const CpioEntry* {
        const auto found = std::ranges::find(*files, name, &CpioEntry::name);
        return found == files->end() ? nullptr : &*found;
    };
    const auto* status = find(kStatusFile);
    ExitStatus value = 0;
    if (!status ||
        std::from_chars(status->bytes.begin(), status->bytes.end(), value).ec != std::errc{} ||
        value < 0 || value > 255)
        return fail("the guest's outcome has no status");

    if (const auto* boot = find(kBootFile); boot && !options_.quiet) {
        const auto took = std::chrono::duration<double>(steady_clock::now() - started_);
        std::cerr << std::format("guest    done in {:.1f} s (up after {} s)\n", took.count(),
                                 boot->bytes.substr(0, boot->bytes.find('\n')));
    }
    for (std::size_t i = 0; i < options_.fetch.size(); ++i) {
        const auto& file = options_.fetch[i];
        const auto* entry = find(std::to_string(i));
        if (!entry) return fail("the guest has no file {}", file.guest);
        if (auto written = write_file(file.host, entry->bytes); !written)
            return std::unexpected(written.error());
    }
    return value;
}

Result<std::filesystem::path> find_module(const Options& options, const Kernel& kernel) {
    if (!options.module.empty()) return options.module;
    const auto file = std::format("module-{}/virtio_accel.ko", kernel.release);
    auto found = find_beside("../../" + file, "../lib/virtio-accel/" + file);
    if (found.empty())
        return fail("no virtio_accel.ko for Linux {}: run 'make modules', or name it with --module",
                    kernel.release);
    return found;
}

}  // namespace

Result<ExitStatus> run_guest(const Options& options) {
    const auto signals = open_signals();
    if (!signals) return std::unexpected(signals.error());
    for (const auto& share : options.shares) {
        std::error_code error;
        if (!std::filesystem::is_directory(share.directory.host, error))
            return fail("{}: not a directory", share.directory.host.native());
    }
    const auto kernel = find_kernel(options.kernel, "/boot");
    if (!kernel) return std::unexpected(kernel.error());
    const auto module = find_module(options, *kernel);
    if (!module) return std::unexpected(module.error());
    const auto initramfs = build_initramfs(options, *kernel, *module);
    if (!initramfs) return std::unexpected(initramfs.error());

    // Declared in the order of need: QEMU ends before its daemon, the directory goes last.
    const auto directory = TemporaryDirectory::make();
    if (!directory) return std::unexpected(directory.error());
    if (auto written = write_file(directory->path() / "initramfs", *initramfs); !written)
        return std::unexpected(written.error());
    auto backends = open_backends(options, directory->path(), signals->value());
    if (!backends) return std::unexpected(backends.error());
    Guest guest(options, *kernel);
    if (auto started = guest.start(directory->path(), *backends); !started)
        return std::unexpected(started.error());
    for (auto& backend : *backends)
        backend.connection = {};
    if (auto followed = guest.follow(*backends, signals->value()); !followed)
        return std::unexpected(followed.error());
    return guest.outcome();
}

}  // namespace vm
