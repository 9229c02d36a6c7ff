// SPDX-License-Identifier: MIT
//
// Request frames in pieces: nothing outside the pieces is read, the split makes no
// difference, and a command that was accepted is what its bytes say.
#include <vector>

#include "driver/frames.hpp"
#include "fuzz/input.hpp"
#include "wire/config.hpp"
#include "wire/request.hpp"

namespace {

using wire::le;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kMaxRequestBytes = 4096;
constexpr wire::DecodeLimits kLimits{.capabilities = 0x23,
                                     .max_buffer_bytes = 1 << 20,
                                     .max_artifact_bytes = 2048,
                                     .max_bindings = 3};

// Each piece is an allocation of its own, so that a step outside is noticed.
std::vector<Bytes> split(std::span<const std::byte> frame, std::uint32_t pattern) {
    std::vector<Bytes> pieces;
    while (!frame.empty()) {
        const std::size_t size = std::min<std::size_t>(1 + (pattern & 0x3F), frame.size());
        pieces.emplace_back(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
        frame = frame.subspan(size);
        pattern = pattern >> 6 | pattern << 26;
    }
    return pieces;
}

struct Decoded {
    wire::RequestHeader header;
    wire::Status status = wire::Status::Ok;
    wire::Command command{};
    std::vector<wire::Binding> bindings = std::vector<wire::Binding>(kLimits.max_bindings);
};

Decoded decode(wire::Reader frame) {
    Decoded decoded;
    decoded.header = wire::decode_header(frame);
    decoded.status = wire::check_header(decoded.header, frame.size(), kMaxRequestBytes);
    if (decoded.status != wire::Status::Ok) return decoded;
    const auto command = wire::decode(decoded.header, frame, kLimits, decoded.bindings);
    if (command)
        decoded.command = *command;
    else
        decoded.status = command.error();
    return decoded;
}

// The frame that a driver would send for a command, bindings in slot order.
struct Encoder {
    std::uint64_t id;
    std::span<const std::byte> frame;

    Bytes operator()(const wire::GetDeviceInfo&) const {
        return driver::get_device_info(id).bytes();
    }
    Bytes operator()(const wire::CreateContext&) const {
        return driver::create_context(id).bytes();
    }
    Bytes operator()(const wire::AllocateBuffer& c) const {
        return driver::allocate_buffer(id, {.context = c.context,
                                            .bytes = c.bytes,
                                            .alignment = c.alignment,
                                            .domain = c.domain,
                                            .usage = c.usage})
            .bytes();
    }
    Bytes operator()(const wire::WriteBuffer& c) const {
        return driver::write_buffer(id, c.buffer, c.offset,
                                    frame.subspan(wire::WriteBuffer::kDataOffset))
            .bytes();
    }
    Bytes operator()(const wire::ReadBuffer& c) const {
        return driver::read_buffer(id, c.buffer, c.offset, c.bytes).bytes();
    }
    Bytes operator()(const wire::LoadProgram& c) const {
        return driver::load_program(id,
                                    {.context = c.context,
                                     .format = c.format,
                                     .target = c.target,
                                     .resident_bytes = c.resident_bytes},
                                    frame.subspan(wire::LoadProgram::kDataOffset))
            .bytes();
    }
    Bytes operator()(const wire::CreateQueue& c) const {
        return driver::create_queue(id, c.context).bytes();
    }
    Bytes operator()(const wire::Submit& c) const {
        std::vector<virtio_accel_binding> bindings;
        for (const wire::Binding& b : c.bindings)
            bindings.push_back(driver::bind(b.buffer, b.slot, b.access, b.offset, b.bytes));
        return driver::submit(id, c.queue, c.program, bindings, c.timeout_ns).bytes();
    }
    template <std::uint16_t Opcode>
    Bytes operator()(const wire::OnObject<Opcode>& c) const {
        return driver::on_object(Opcode, id, c.object).bytes();
    }
};

// The frame with its bindings in slot order.
Bytes sorted(std::span<const std::byte> frame) {
    constexpr std::size_t kPrefix = wire::kHeaderBytes + sizeof(virtio_accel_submit);
    std::vector<virtio_accel_binding> bindings((frame.size() - kPrefix) /
                                               sizeof(virtio_accel_binding));
    std::ranges::copy(frame.subspan(kPrefix), std::as_writable_bytes(std::span(bindings)).begin());
    std::ranges::sort(bindings, {}, [](const virtio_accel_binding& b) { return le(b.slot); });
    Bytes bytes(frame.begin(), frame.begin() + kPrefix);
    const auto tail = std::as_bytes(std::span(bindings));
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    return bytes;
}

void check_config(std::span<const std::byte> bytes) {
    if (bytes.size() < wire::kConfigBytes) return;
    const auto raw = bytes.first<wire::kConfigBytes>();
    const wire::Config config = wire::decode_config(raw);
    fuzz::require(std::ranges::equal(wire::encode(config), raw), "a configuration's round trip");
    static_cast<void>(wire::check(config));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto pattern = input.take<std::uint32_t>();
    const Bytes frame(input.rest().begin(), input.rest().end());
    check_config(frame);
    if (frame.size() < wire::kHeaderBytes) return 0;

    const auto pieces = split(frame, pattern);
    const std::vector<std::span<const std::byte>> views(pieces.begin(), pieces.end());
    const std::span<const std::byte> whole(frame);
    const Decoded decoded = decode(wire::Reader(views));
    fuzz::require(decoded.status == decode(wire::Reader(std::span(&whole, 1))).status,
                  "a frame's pieces make no difference");
    if (decoded.status != wire::Status::Ok) return 0;

    const bool submit = std::holds_alternative<wire::Submit>(decoded.command);
    const Bytes again = std::visit(Encoder{decoded.header.request_id, frame}, decoded.command);
    fuzz::require(again == (submit ? sorted(frame) : frame), "a command's round trip");
    fuzz::require(wire::response_capacity(decoded.command) >= wire::kHeaderBytes,
                  "room for a header");
    return 0;
}
