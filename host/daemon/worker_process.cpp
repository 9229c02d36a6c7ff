// SPDX-License-Identifier: MIT
#include "daemon/worker_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <format>
#include <utility>

// glibc 2.41's header forgets to say that its functions are C.
extern "C" {
#include <sys/pidfd.h>
}
#include <sys/socket.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include "daemon/fd_passing.hpp"
#include "daemon/obituary.hpp"
#include "daemon/order.hpp"
#include "daemon/programs.hpp"
#include "vhost/failure.hpp"

namespace acceld {

using base::UniqueFd;
using std::chrono::steady_clock;
using vhost::failure;
using vhost::Request;

namespace {

constexpr const char* kName = "virtio-accel-worker";
// Descriptors of the worker.
constexpr int kSocket = 3;
constexpr int kBoard = 4;
constexpr int kOrders = 5;
constexpr int kStore = 6;

// What the worker gets, as one of its descriptors.
struct Given {
    const char* option;
    int place;
    UniqueFd fd;
};

// Out of the way of the numbers above.
Given give(const char* option, int place, int fd) {
    return {option, place, UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, kStore + 1))};
}

std::expected<pid_t, std::string> spawn(const std::filesystem::path& program,
                                        std::vector<std::string> arguments,
                                        const std::vector<Given>& given) {
    std::vector<char*> words;
    for (std::string& argument : arguments)
        words.push_back(argument.data());
    words.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const Given& one : given)
        posix_spawn_file_actions_adddup2(&actions, one.fd.value(), one.place);
    pid_t pid = -1;
    const int error =
        ::posix_spawn(&pid, program.c_str(), &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return failure(program.native(), error);
    return pid;
}

vhost::Message plain(Request request, vhost::Bytes payload = {}) {
    return {.request = std::to_underlying(request), .payload = std::move(payload), .fds = {}};
}

std::unexpected<std::string> not_a_reply() {
    return std::unexpected(std::string("its answer is no reply to what it was asked"));
}

}  // namespace

std::expected<WorkerProcess, std::string> WorkerProcess::start(
    const std::vector<std::string>& device_arguments, int board_fd, const UniqueFd& store) {
    const auto program = worker_program();
    if (program.empty())
        return std::unexpected(
            std::format("{} is not where it belongs, or not for this user to run", kName));
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failure("socketpair", errno);
    }
    UniqueFd ours(ends[0]);
    const UniqueFd theirs(ends[1]);
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failure("socketpair", errno);
    }
    UniqueFd our_orders(ends[0]);
    const UniqueFd their_orders(ends[1]);
    std::vector<Given> given;
    given.push_back(give("--fd", kSocket, theirs.value()));
    given.push_back(give("--board", kBoard, board_fd));
    given.push_back(give("--orders", kOrders, their_orders.value()));
    if (store) given.push_back(give("--store", kStore, store.value()));
    std::vector<std::string> arguments{kName};
    for (const Given& one : given) {
        if (!one.fd) return failure("F_DUPFD_CLOEXEC", errno);
        arguments.insert(arguments.end(), {one.option, std::to_string(one.place)});
    }
    arguments.insert(arguments.end(), device_arguments.begin(), device_arguments.end());
    const auto pid = spawn(program, std::move(arguments), given);
    if (!pid) return std::unexpected(pid.error());
    WorkerProcess worker(*pid, UniqueFd(::pidfd_open(*pid, 0)), std::move(ours),
                         std::move(our_orders));
    if (!worker.running()) return failure("pidfd_open", errno);
    return worker;
}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
    kill();
    pid_ = other.pid_;
    pidfd_ = std::move(other.pidfd_);
    socket_ = std::move(other.socket_);
    orders_ = std::move(other.orders_);
    status_ = other.status_;
    return *this;
}

WorkerProcess::Result WorkerProcess::wait_ready(Timeout timeout) {
    constexpr std::uint64_t kWanted =
        vhost::kReplyAck | vhost::kResetDevice | vhost::kConfigureMemSlots;
    if (auto sent = send(plain(Request::SetProtocolFeatures, vhost::to_bytes(kWanted))); !sent)
        return sent;
    if (auto sent = send(plain(Request::GetFeatures)); !sent) return sent;
    std::array<std::byte, sizeof(std::uint64_t)> features{};
    return receive(std::to_underlying(Request::GetFeatures), features, timeout);
}

WorkerProcess::Result WorkerProcess::tell(const vhost::Message& message, Timeout timeout) {
    if (auto sent = send(message); !sent) return sent;
    std::uint64_t refused = 0;
    const auto received =
        receive(message.request, std::as_writable_bytes(std::span(&refused, 1)), timeout);
    if (!received) return received;
    // Its session has taken what the front end said: the two differ in something.
    if (refused != 0) return std::unexpected("it refuses what its session has accepted");
    return {};
}

WorkerProcess::Result WorkerProcess::stop_ring(Timeout timeout) {
    const auto ring = vhost::to_bytes(vhost::VringState{0, 0});
    if (auto sent = send(plain(Request::GetVringBase, ring)); !sent) return sent;
    std::array<std::byte, sizeof(vhost::VringState)> state{};
    return receive(std::to_underlying(Request::GetVringBase), state, timeout);
}

WorkerProcess::Result WorkerProcess::log_to(const UniqueFd& file) const {
    return send_order(orders_.value(), Order::Kind::Log, file);
}

bool WorkerProcess::finish(Timeout timeout) {
    if (running()) {
        socket_.reset();
        pollfd ended{pidfd_.value(), POLLIN, 0};
        if (::poll(&ended, 1, static_cast<int>(timeout.count())) > 0)
            reap();
        else
            kill();
    }
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

void WorkerProcess::kill() {
    if (!running()) return;
    ::pidfd_send_signal(pidfd_.value(), SIGKILL, nullptr, 0);
    reap();
}

std::string WorkerProcess::obituary() const {
    return describe_end(status_);
}

void WorkerProcess::reap() {
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pidfd_.reset();
    socket_.reset();
    orders_.reset();
}

WorkerProcess::Result WorkerProcess::send(const vhost::Message& message) {
    const std::uint32_t flags = vhost::kVersion | (message.need_reply ? vhost::kNeedReplyFlag : 0);
    vhost::Bytes bytes = vhost::to_bytes(
        vhost::Header{message.request, flags, static_cast<std::uint32_t>(message.payload.size())});
    bytes.insert(bytes.end(), message.payload.begin(), message.payload.end());

    iovec piece{bytes.data(), bytes.size()};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    std::vector<int> fds;
    for (const auto& fd : message.fds)
        fds.push_back(fd.value());
    Rights rights;
    rights.attach(header, fds);
    ssize_t sent = 0;
    do {
        sent = ::sendmsg(socket_.value(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) return failure("sendmsg", errno);
    if (std::cmp_not_equal(sent, bytes.size())) return std::unexpected("it does not read");
    return {};
}

WorkerProcess::Result WorkerProcess::receive(std::uint32_t request, std::span<std::byte> payload,
                                             Timeout timeout) {
    const auto deadline = steady_clock::now() + timeout;
    vhost::Header header{};
    if (auto got = receive_exactly(std::as_writable_bytes(std::span(&header, 1)), deadline); !got)
        return got;
    if (header.request != request || header.flags != (vhost::kVersion | vhost::kReplyFlag) ||
        header.size != payload.size()) {
        return not_a_reply();
    }
    return receive_exactly(payload, deadline);
}

WorkerProcess::Result WorkerProcess::receive_exactly(std::span<std::byte> bytes,
                                                     steady_clock::time_point deadline) {
    while (!bytes.empty()) {
        const auto left = std::chrono::ceil<Timeout>(deadline - steady_clock::now()).count();
        pollfd ready{socket_.value(), POLLIN, 0};
        const int count = left <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return failure("poll", errno);
        if (count == 0) return std::unexpected("it does not answer");
        const ssize_t got = ::recv(socket_.value(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return std::unexpected("it has closed its socket");
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

}  // namespace acceld
