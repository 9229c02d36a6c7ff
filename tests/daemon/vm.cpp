// SPDX-License-Identifier: MIT
#include "daemon/vm.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <doctest/doctest.h>
#include <poll.h>

namespace daemon_test {

using driver::Block;
using vhost::Bytes;
using vhost::Request;

namespace {

std::vector<std::string> arguments(const std::string& path, const std::vector<std::string>& more) {
    std::vector<std::string> all{"--socket-path", path, "--provider", "mock"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

Daemon::Daemon(const std::vector<std::string>& more)
    : acceld(arguments(directory_.file("s"), more)) {
    REQUIRE(acceld.wait_for("listening on"));
}

Client Daemon::connect() {
    acceld.listen();
    Client client(directory_.file("s"));
    REQUIRE(client.connected());
    return client;
}

Client Daemon::connect_at_rest() {
    Client client = connect();
    REQUIRE(client.ask(Request::GetFeatures).has_value());
    return client;
}

Usage Daemon::usage_at_rest() {
    const Client client = connect_at_rest();
    return settled_usage();
}

bool Daemon::returns_to(const Usage& at_rest) {
    const Client client = connect_at_rest();
    return daemon_test::returns_to(at_rest, acceld.pid());
}

bool Daemon::serves() {
    Vm vm(connect());
    vm.start();
    return vm.call(driver::get_device_info(1)).status() == wire::Status::Ok;
}

Bytes region(const vhost::RegionDesc& region) {
    return vhost::to_bytes(vhost::MemRegion{0, region});
}

Bytes table(std::initializer_list<vhost::RegionDesc> regions) {
    Bytes bytes =
        vhost::to_bytes(vhost::MemTableHeader{static_cast<std::uint32_t>(regions.size()), 0});
    for (const vhost::RegionDesc& each : regions) {
        const Bytes one = vhost::to_bytes(each);
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

Vm::Vm(Client connected, std::uint16_t ring_size)
    : client(std::move(connected)), ring(memory, ring_size), data_(memory.mark()) {}

void Vm::negotiate() {
    const Bytes features = client.ask(Request::GetFeatures).value();
    const Bytes protocol_features = client.ask(Request::GetProtocolFeatures).value();
    client.send(Request::SetProtocolFeatures, protocol_features);
    REQUIRE(client.ask(Request::GetQueueNum) == u64(1));
    REQUIRE(client.ask(Request::GetMaxMemSlots) == u64(512));
    client.send(Request::SetOwner);
    REQUIRE(client.done(Request::SetVringCall, u64(0), {call_fd.value()}));
    REQUIRE(client.done(Request::SetVringErr, u64(0), {err_fd.value()}));
    client.send(Request::SetFeatures, features);
}

void Vm::share_memory() {
    REQUIRE(client.done(Request::AddMemReg, region(memory.region()), {memory.file().value()}));
}

Bytes Vm::ring_addresses() const {
    const auto at = ring.memory().addresses();
    return vhost::to_bytes(vhost::VringAddr{.index = 0,
                                            .flags = 0,
                                            .descriptors = at.descriptors,
                                            .used = at.used,
                                            .available = at.available,
                                            .log = 0});
}

void Vm::start_ring(std::uint32_t base) {
    client.send(Request::SetVringNum, state(0, ring.memory().size()));
    client.send(Request::SetVringBase, state(0, base));
    client.send(Request::SetVringAddr, ring_addresses());
    REQUIRE(client.done(Request::SetVringKick, u64(0), {kick_fd.value()}));
    REQUIRE(client.done(Request::SetVringCall, u64(0), {call_fd.value()}));
    REQUIRE(client.done(Request::SetVringEnable, state(0, 1)));
}

void Vm::start() {
    negotiate();
    share_memory();
    start_ring();
}

std::uint32_t Vm::stop_ring() {
    REQUIRE(client.done(Request::SetVringEnable, state(0, 0)));
    const Bytes reply = client.ask(Request::GetVringBase, state(0, 0)).value();
    vhost::VringState stopped{};
    REQUIRE(reply.size() == sizeof(stopped));
    std::memcpy(&stopped, reply.data(), sizeof(stopped));
    return stopped.num;
}

void Vm::reset() {
    stop_ring();
    ring.restart();
    start_ring();
}

std::optional<std::uint16_t> Vm::publish(std::span<const std::byte> frame,
                                         const driver::Shape& shape) {
    if (ring.outstanding() == 0) memory.rewind(data_);
    std::vector<Block> readable;
    std::vector<Block> writable;
    for (const std::size_t size : shape.readable) {
        readable.push_back(memory.allocate(size));
        std::ranges::copy(frame.first(size), readable.back().bytes.begin());
        frame = frame.subspan(size);
    }
    for (const std::size_t size : shape.writable)
        writable.push_back(memory.allocate(size));
    return publish(readable, std::move(writable));
}

std::optional<std::uint16_t> Vm::publish(std::span<const Block> readable,
                                         std::vector<Block> writable) {
    for (const Block& block : writable)
        std::ranges::fill(block.bytes, driver::kSentinel);
    const auto head = ring.publish(readable, writable);
    if (head) writable_[*head] = std::move(writable);
    return head;
}

std::optional<Vm::Completion> Vm::pop() {
    const auto used = ring.pop();
    if (!used) {
        REQUIRE(used.error() == driver::NotPopped::Empty);
        return std::nullopt;
    }
    const auto head = static_cast<std::uint16_t>(used->head);
    const auto blocks = writable_.extract(head);
    driver::Bytes written;
    for (const Block& block : blocks.mapped())
        written.insert(written.end(), block.bytes.begin(), block.bytes.end());
    return Completion{head, {used->length, std::move(written)}};
}

std::optional<Vm::Completion> Vm::collect() {
    for (;;) {
        if (auto done = pop()) return done;
        std::array ready{pollfd{call_fd.value(), POLLIN, 0}, pollfd{client.fd(), 0, 0}};
        if (::poll(ready.data(), ready.size(), kPatienceMs) <= 0 || ready[1].revents != 0)
            return std::nullopt;
        vhost_test::drain(call_fd);
    }
}

std::optional<Vm::Completion> Vm::look() {
    pollfd gone{client.fd(), 0, 0};
    for (int waited = 0; waited < kPatienceMs && ::poll(&gone, 1, 1) == 0; ++waited)
        if (auto done = pop()) return done;
    return std::nullopt;
}

driver::Answer Vm::call(const driver::Request& request, std::size_t capacity) {
    const auto head = publish(request.bytes(), {{request.size()}, {capacity}});
    REQUIRE(head.has_value());
    kick();
    auto done = collect();
    REQUIRE(done.has_value());
    REQUIRE(done->head == *head);
    return std::move(done->answer);
}

}  // namespace daemon_test
