// SPDX-License-Identifier: MIT
#include "golden/stage.hpp"

#include <doctest/doctest.h>

#include "provider/fault/fault.hpp"
#include "wire/request.hpp"

namespace golden {

namespace {

constexpr wire::Config kConfig{.max_request_bytes = 4096, .max_response_bytes = 4096};

driver::Guest::Options options(std::uint16_t ring_size, std::uint16_t max_chain_descriptors) {
    wire::Config config = kConfig;
    config.max_chain_descriptors = max_chain_descriptors;
    return {.ring_size = ring_size, .device = {.config = config}};
}

std::vector<std::size_t> sizes(const auto& pieces) {
    std::vector<std::size_t> bytes;
    for (const auto& piece : pieces)
        bytes.push_back(piece.size());
    return bytes;
}

}  // namespace

Stage::Stage(std::string_view faults, std::uint16_t ring_size, std::uint16_t max_chain_descriptors)
    : Stage(std::make_unique<Accelerator>(
                mock::Options{.max_buffer_bytes = 4096, .max_artifact_bytes = 4000}),
            faults, options(ring_size, max_chain_descriptors)) {}

Stage::Stage(std::unique_ptr<Accelerator> accelerator, std::string_view faults,
             const driver::Guest::Options& guest_options)
    : accelerator_(accelerator.get()),
      guest_(std::make_unique<fault::Provider>(std::move(accelerator),
                                               fault::Script::parse(faults).value()),
             guest_options) {}

bool Stage::publish(const Entry& entry) {
    return guest_.publish(entry.request, {entry.readable, entry.writable}).has_value();
}

vhost::DescriptorChain Stage::take() {
    vhost::DescriptorChain chain;
    REQUIRE(guest_.device.take(chain));
    REQUIRE_FALSE(chain.defect().has_value());
    const wire::Chain pieces = chain.pieces();
    wire::Reader reader(pieces.readable);
    const wire::RequestHeader header = wire::decode_header(reader);

    Entry& entry = seen_[chain.head()].entry;
    entry.request_id = header.request_id;
    entry.opcode = header.opcode;
    entry.readable = sizes(pieces.readable);
    entry.writable = sizes(pieces.writable);
    entry.request.resize(reader.size());
    reader.read(0, entry.request);
    return chain;
}

void Stage::serve(const vhost::DescriptorChain& chain, std::uint32_t missing) {
    const std::uint32_t written = guest_.device.execute(chain);
    seen_[chain.head()].written = written;
    guest_.device.complete(chain, written - missing);
}

Entry Stage::collect() {
    auto done = guest_.pop();
    REQUIRE(done.has_value());
    auto [entry, written] = std::move(seen_.extract(done->head).mapped());
    const driver::Answer& answer = done->answer;
    entry.used = answer.used;
    entry.status = static_cast<std::uint16_t>(answer.status());
    entry.response.assign(answer.response().begin(), answer.response().end());
    CHECK(driver::Answer{written, answer.written}.rest_untouched());
    return entry;
}

Entry Stage::play(const Entry& entry) {
    REQUIRE(publish(entry));
    serve(take());
    return collect();
}

Trace Stage::play(std::span<const Entry> entries) {
    Trace trace;
    for (const Entry& entry : entries)
        trace.push_back(play(entry));
    return trace;
}

std::expected<driver::Response, driver::Invalid> Stage::check(const Entry& entry) {
    const std::span<const std::byte> bytes(entry.response);
    wire::Reader written(std::span(&bytes, 1));
    const std::uint64_t read = entry.opcode == VIRTIO_ACCEL_OP_READ_BUFFER ? entry.used - 16 : 0;
    return driver::Validator(kConfig.max_response_bytes)
        .check({entry.opcode, entry.request_id, read}, written, entry.used);
}

}  // namespace golden
