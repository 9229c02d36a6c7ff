// SPDX-License-Identifier: MIT
//
// What a command costs between a driver's ring and the provider: one process, one
// thread, nobody to wait for. docs/performance.md says what the numbers mean.
#include <cmath>
#include <cstring>
#include <format>
#include <iostream>
#include <string>
#include <vector>

#include "bench/link.hpp"
#include "bench/open_provider.hpp"
#include "bench/stopwatch.hpp"

namespace {

using bench::Cost;
using bench::Link;

std::string plain(double value, int digits) {
    return std::isnan(value) ? "-" : std::format("{:.{}f}", value, digits);
}

void print_row(const std::string& name, const Cost& cost, std::size_t bytes = 0,
               double memcpy_nanoseconds = 0) {
    std::cout << std::format("{:<28} {:>10.1f} {:>12.0f} {:>9} {:>6.2f}", name, cost.nanoseconds,
                             1e9 / cost.nanoseconds, plain(cost.instructions, 0), cost.allocations);
    if (bytes != 0)
        std::cout << std::format(" {:>7.2f} {:>8.2f}",
                                 static_cast<double>(bytes) / cost.nanoseconds,
                                 memcpy_nanoseconds / cost.nanoseconds);
    std::cout << '\n' << std::flush;
}

// A context, a queue and a program to work with.
struct Session {
    explicit Session(Link& to)
        : link(to),
          context(link.call(driver::create_context(link.next_id()))),
          queue(link.call(driver::create_queue(link.next_id(), context))),
          program(load(24)) {}

    std::uint64_t load(std::size_t bytes) {
        const driver::ProgramFields fields{
            .context = context, .format = 1, .target = {}, .resident_bytes = bytes};
        return link.call(driver::load_program(link.next_id(), fields, link.bulk().first(bytes)));
    }
    std::uint64_t allocate(std::uint64_t bytes) {
        return link.call(
            driver::allocate_buffer(link.next_id(), {.context = context, .bytes = bytes}));
    }
    void on_object(std::uint16_t opcode, std::uint64_t object) {
        link.call(driver::on_object(opcode, link.next_id(), object));
    }

    Link& link;
    std::uint64_t context;
    std::uint64_t queue;
    std::uint64_t program;
};

void bench_info(Session& session) {
    print_row("GET_DEVICE_INFO", bench::measure([&] {
                  session.link.call(driver::get_device_info(session.link.next_id()));
              }));
}

// Each binding is a buffer of its own, as in a real program.
void bench_submit(Session& session, std::uint32_t count) {
    std::vector<virtio_accel_binding> bindings;
    for (std::uint32_t slot = 0; slot < count; ++slot)
        bindings.push_back(
            driver::bind(session.allocate(64), slot, VIRTIO_ACCEL_ACCESS_READ, 0, 64));
    const auto raw = std::as_bytes(std::span(bindings));

    print_row(std::format("submit cycle, {} binding{}", count, count == 1 ? "" : "s"),
              bench::measure([&] {
                  Link& link = session.link;
                  std::ranges::copy(raw, link.bulk().begin());
                  const auto event = link.call(
                      driver::submit(link.next_id(), session.queue, session.program, bindings));
                  session.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, event);
                  session.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, event);
              }));

    for (const auto& binding : bindings)
        session.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, binding.buffer_id);
}

void bench_transfer(Session& session, std::size_t bytes) {
    Link& link = session.link;
    const auto buffer = session.allocate(bytes);
    const auto data = link.bulk().first(bytes);
    std::vector<std::byte> copy(bytes);
    const double memcpy_nanoseconds = bench::measure([&] {
                                          std::memcpy(copy.data(), data.data(), bytes);
                                          asm volatile("" : : "r"(copy.data()) : "memory");
                                      }).nanoseconds;
    print_row(std::format("WRITE_BUFFER, {} KiB", bytes / 1024), bench::measure([&] {
                  link.call(driver::write_buffer(link.next_id(), buffer, 0, data));
              }),
              bytes, memcpy_nanoseconds);
    print_row(std::format("READ_BUFFER, {} KiB", bytes / 1024), bench::measure([&] {
                  link.call(driver::read_buffer(link.next_id(), buffer, 0, bytes), bytes);
              }),
              bytes, memcpy_nanoseconds);
    session.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, buffer);
}

void bench_buffer(Session& session) {
    print_row("buffer create, free", bench::measure([&] {
                  session.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, session.allocate(64));
              }));
}

void bench_program(Session& session) {
    print_row("program load, unload, 1 MiB", bench::measure([&] {
                  session.on_object(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, session.load(1 << 20));
              }));
}

}  // namespace

int main() {
    Link link(std::make_unique<bench::OpenProvider>());
    Session session(link);
    std::cout << std::format("{:<28} {:>10} {:>12} {:>9} {:>6} {:>7} {:>8}\n", "operation", "ns/op",
                             "ops/s", "instr/op", "allocs", "GB/s", "x memcpy");
    bench_info(session);
    for (const std::uint32_t count : {1U, 3U, 16U, 128U})
        bench_submit(session, count);
    for (const std::size_t kib : {4U, 64U, 1024U})
        bench_transfer(session, kib * 1024);
    bench_buffer(session);
    bench_program(session);
}
