// SPDX-License-Identifier: MIT
#include "driver/guest.hpp"

#include <numeric>
#include <stdexcept>

namespace driver {

namespace {

std::vector<Block> cut(const Block& whole, std::span<const std::size_t> sizes) {
    std::vector<Block> parts;
    std::size_t offset = 0;
    for (const std::size_t size : sizes) {
        parts.push_back(whole.part(offset, size));
        offset += size;
    }
    return parts;
}

std::size_t sum(std::span<const std::size_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

}  // namespace

std::vector<std::size_t> pieces_of(std::size_t bytes, std::size_t piece) {
    std::vector<std::size_t> sizes(bytes / piece, piece);
    if (bytes % piece != 0) sizes.push_back(bytes % piece);
    return sizes;
}

Guest::Guest(std::unique_ptr<provider::Provider> provider) : Guest(std::move(provider), {}) {}

Guest::Guest(std::unique_ptr<provider::Provider> provider, const Options& options)
    : memory(options.memory_bytes),
      ring(memory, options.ring_size),
      device(std::move(provider), options.device),
      data_(memory.mark()),
      writable_(options.ring_size) {
    device.start(memory, ring.memory());
}

std::optional<std::uint16_t> Guest::publish(std::span<const std::byte> frame, const Shape& shape) {
    if (ring.outstanding() == 0) memory.rewind(data_);
    const std::size_t before = memory.mark();
    const Block request = memory.allocate(sum(shape.readable));
    const Block response = memory.allocate(sum(shape.writable));
    std::ranges::copy(frame, request.bytes.begin());
    std::ranges::fill(response.bytes, kSentinel);

    const auto head = ring.publish(cut(request, shape.readable), cut(response, shape.writable));
    if (head) {
        writable_[*head] = response;
    } else {
        memory.rewind(before);
    }
    return head;
}

std::expected<Guest::Completion, NotPopped> Guest::pop() {
    const auto used = ring.pop();
    if (!used) return std::unexpected(used.error());
    const auto head = static_cast<std::uint16_t>(used->head);
    const auto written = writable_[head].bytes;
    return Completion{head, {used->length, Bytes(written.begin(), written.end())}};
}

Answer Guest::call(std::span<const std::byte> frame, const Shape& shape) {
    const std::uint16_t head = publish(frame, shape).value();
    device.service();
    Completion done = pop().value();
    if (done.head != head) throw std::logic_error("another chain was outstanding");
    return std::move(done.answer);
}

Answer Guest::call(std::span<const std::byte> frame, std::size_t capacity) {
    return call(frame, Shape{{frame.size()}, {capacity}});
}

engine::ResetReport Guest::reset() {
    const engine::ResetReport report = device.reset();
    last_id_ = 0;
    restart(0);
    return report;
}

void Guest::restart(std::uint16_t index) {
    device.stop();
    reclaimed = ring.restart(index);
    device.start(memory, ring.memory(), index);
}

}  // namespace driver
