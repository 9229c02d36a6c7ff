// SPDX-License-Identifier: MIT
//
// Writes the fuzzers' seeds: seeds DIRECTORY. Each is one well-formed input, in the form
// that its target's source describes; the rest is the fuzzer's work. The commands target
// needs none: any bytes are a schedule.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "driver/frames.hpp"
#include "tosa/graph_builder.hpp"
#include "vhost/protocol.hpp"
#include "vhost/ring_view.hpp"
#include "xdna/binary.hpp"

namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void append(Bytes& to, const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

void append(Bytes& to, const Bytes& bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

class Seeds {
 public:
    explicit Seeds(std::filesystem::path root) : root_(std::move(root)) {}

    void write(const char* target, const std::string& name, const Bytes& bytes) {
        std::filesystem::create_directories(root_ / target);
        std::ofstream file(root_ / target / name, std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        good_ = good_ && file.good();
    }
    [[nodiscard]] bool good() const { return good_; }

 private:
    std::filesystem::path root_;
    bool good_ = true;
};

void frames(Seeds& seeds) {
    constexpr std::uint64_t kObject = 0x0001'0002'0000'0001;
    const Bytes data(24, std::byte{0x5A});
    const std::array bindings{driver::bind(kObject, 1, 2, 0, 16),
                              driver::bind(kObject, 0, 1, 8, 4)};
    std::array<virtio_accel_binding, 4> too_many{};
    for (std::uint32_t slot = 0; slot < too_many.size(); ++slot)
        too_many[slot] = driver::bind(kObject, slot, 1, 0, 4);
    const std::vector<driver::Request> requests{
        driver::get_device_info(1),
        driver::create_context(2),
        driver::on_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, 3, kObject),
        driver::allocate_buffer(4, {.context = kObject, .bytes = 64}),
        driver::on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, 5, kObject),
        driver::write_buffer(6, kObject, 8, data),
        driver::read_buffer(7, kObject, 8, 24),
        driver::load_program(8, {.context = kObject, .format = 1, .resident_bytes = 64}, data),
        driver::on_object(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, 9, kObject),
        driver::create_queue(10, kObject),
        driver::on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, 11, kObject),
        driver::submit(12, kObject, kObject, bindings, 5),
        driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, 13, kObject),
        driver::on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, 14, kObject),
        driver::on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, 15, kObject),
        driver::submit(16, kObject, kObject, too_many),
    };
    for (const driver::Request& request : requests) {
        Bytes seed;
        append(seed, std::uint32_t{0x4321'8765});  // how the frame is split
        append(seed, request.bytes());
        seeds.write("frame", std::to_string(request.id()) + ".bin", seed);
    }
}

template <class... Payload>
void response(Seeds& seeds, const char* name, std::uint16_t opcode, std::uint16_t status,
              const Payload&... payload) {
    const auto bytes = static_cast<std::uint16_t>((std::size_t{0} + ... + sizeof(Payload)));
    Bytes seed;
    append(seed, opcode);
    append(seed, static_cast<std::uint16_t>(16 + bytes));  // used length
    append(seed, std::uint8_t{8});                         // bytes that a READ_BUFFER asked for
    append(seed, std::uint8_t{5});                         // bytes in the first of two pieces
    append(seed, virtio_accel_response_header{
                     .status = status, .flags = 0, .payload_bytes = bytes, .request_id = 7});
    (append(seed, payload), ...);
    seeds.write("response", std::string(name) + ".bin", seed);
}

void responses(Seeds& seeds) {
    const virtio_accel_object object{.object_id = 9};
    virtio_accel_device_info info{};
    info.capabilities = VIRTIO_ACCEL_CAP_SHARED_MEMORY;
    info.max_contexts = info.max_buffers_per_context = info.max_programs_per_context = 1;
    info.max_queues_per_context = info.max_events_per_context = 1;
    info.max_bindings_per_submission = 1;
    info.max_buffer_bytes = info.max_artifact_bytes = 1;
    response(seeds, "info", VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 0, info);
    response(seeds, "context", VIRTIO_ACCEL_OP_CREATE_CONTEXT, 0, object);
    response(seeds, "free", VIRTIO_ACCEL_OP_FREE_BUFFER, 0);
    response(seeds, "read", VIRTIO_ACCEL_OP_READ_BUFFER, 0, object);
    response(seeds, "busy", VIRTIO_ACCEL_OP_FREE_BUFFER, VIRTIO_ACCEL_S_BUSY);
    response(seeds, "indeterminate", VIRTIO_ACCEL_OP_SUBMIT, VIRTIO_ACCEL_S_DEADLINE_EXPIRED,
             object);
    response(
        seeds, "failed", VIRTIO_ACCEL_OP_POLL_EVENT, 0,
        virtio_accel_event_state{.state = VIRTIO_ACCEL_EVENT_FAILED, .error = 9, .reserved = 0});
}

// A table of four chains, each of a readable and a writable descriptor, one of which crosses
// into the ring target's second region; two of them are published.
Bytes ring_memory() {
    Bytes memory;
    for (std::uint16_t i = 0; i < 8; ++i) {
        const bool readable = i % 2 == 0;
        append(memory, vhost::Descriptor{
                           .address = 0x1000 + std::uint64_t{0x800} * i,
                           .length = 0x820,
                           .flags = readable ? vhost::kDescriptorNext : vhost::kDescriptorWrite,
                           .next = static_cast<std::uint16_t>(i + 1)});
    }
    append(memory, std::array<std::uint16_t, 6>{0, 2, 0, 6, 2, 4});  // flags, index, heads
    return memory;
}

void rings(Seeds& seeds) {
    Bytes chains;
    append(chains, std::array<std::uint8_t, 2>{3, 6});  // log2 of the size, limit less 2
    append(chains, ring_memory());
    seeds.write("chain", "table.bin", chains);

    Bytes seed;
    append(seed, std::array<std::uint8_t, 3>{3, 16, 0});  // log2 of the size, limit, usual places
    append(seed, static_cast<std::uint16_t>(ring_memory().size()));
    append(seed, ring_memory());
    // Starts and serves both chains; publishes two more, leaves one open; restarts.
    append(seed, std::array<std::uint8_t, 17>{0, 1, 1, 1, 1, 2, 1, 4, 1, 1, 5, 1, 6, 2, 4, 7, 0});
    seeds.write("ring", "serve.bin", seed);
}

void message(Bytes& to, vhost::Request request, const Bytes& payload = {},
             std::initializer_list<std::uint8_t> fds = {}) {
    append(to, static_cast<std::uint8_t>(request));
    append(to, static_cast<std::uint8_t>(vhost::kVersion | vhost::kNeedReplyFlag));
    append(to, static_cast<std::uint16_t>(payload.size()));
    append(to, static_cast<std::uint8_t>(fds.size()));
    for (const std::uint8_t fd : fds)
        append(to, fd);
    append(to, payload);
}

template <class... T>
Bytes payload(const T&... values) {
    Bytes bytes;
    (append(bytes, values), ...);
    return bytes;
}

// What QEMU says from its start to a pause and back.
void conversations(Seeds& seeds) {
    using enum vhost::Request;
    constexpr std::uint64_t kUser = 0x7F00'0000'0000;
    constexpr std::uint64_t kProtocol = vhost::kMq | vhost::kReplyAck | vhost::kBackendReq |
                                        vhost::kConfig | vhost::kResetDevice |
                                        vhost::kConfigureMemSlots;
    constexpr std::uint8_t kRam = 0;
    constexpr std::uint8_t kEvent = 1;
    const vhost::RegionDesc region{.guest = 0, .size = 1 << 16, .user = kUser, .offset = 0};
    Bytes negotiation;
    message(negotiation, GetFeatures);
    message(negotiation, GetProtocolFeatures);
    message(negotiation, SetProtocolFeatures, payload(kProtocol));
    message(negotiation, GetQueueNum);
    message(negotiation, SetOwner);
    message(negotiation, GetConfig,
            payload(vhost::ConfigHeader{.offset = 0, .size = 16, .flags = 0},
                    std::array<std::byte, 16>{}));
    message(negotiation, SetFeatures, payload(vhost::kVersion1 | vhost::kProtocolFeaturesBit));

    Bytes session = negotiation;
    message(session, SetMemTable, payload(vhost::MemTableHeader{1, 0}, region), {kRam});
    const auto start = [&](std::uint32_t base) {
        message(session, SetVringNum, payload(vhost::VringState{0, 8}));
        message(session, SetVringBase, payload(vhost::VringState{0, base}));
        message(session, SetVringAddr,
                payload(vhost::VringAddr{0, 0, kUser, kUser + 0x100, kUser + 0x80, 0}));
        message(session, SetVringKick, payload(std::uint64_t{0}), {kEvent});
        message(session, SetVringCall, payload(std::uint64_t{0}), {kEvent});
        message(session, SetVringErr, payload(std::uint64_t{vhost::kNoFdFlag}));
        message(session, SetVringEnable, payload(vhost::VringState{0, 1}));
    };
    start(0);
    append(session, std::array<std::uint8_t, 6>{0xF0, 0x82, 0, 1, 0, 0xF1});  // publish, kick
    message(session, GetVringBase, payload(vhost::VringState{0, 0}));
    start(1);
    message(session, ResetDevice);
    seeds.write("vhost_user", "session.bin", session);

    Bytes slots = negotiation;
    const vhost::MemRegion slot{.padding = 0, .region = region};
    message(slots, GetMaxMemSlots);
    message(slots, AddMemReg, payload(slot), {kRam});
    message(slots, RemMemReg, payload(slot));
    message(slots, SetBackendReqFd, {}, {kEvent});
    seeds.write("vhost_user", "slots.bin", slots);
}

void graphs(Seeds& seeds) {
    using tosa::Op;
    tosa::test::GraphBuilder identity;
    identity.input("in", {8}).output("out", {8}).op(Op::Identity, {"in"}, {"out"});
    seeds.write("tosa", "identity.tosa", identity.file());

    tosa::test::GraphBuilder matmul;
    matmul.input("a", {1, 2, 3}).input("b", {1, 3, 2}).output("y", {1, 2, 2}).matmul("a", "b", "y");
    seeds.write("tosa", "matmul.tosa", matmul.file());

    // Two regions that change one variable, named by an operator, and a block of no use.
    tosa::test::GraphBuilder branch;
    branch.input("x", {2}).output("y", {2}).variable("v", "state", {2});
    branch.find("v").data = tosa::test::bytes_of({1.F, 2.F});
    branch.op(Op::VariableRead, {}, {"v"}).op(Op::Add, {"v", "x"}, {"v"});
    branch.op(Op::VariableWrite, {"v"}, {}).op(Op::Identity, {"v"}, {"y"});
    tosa::test::GraphBuilder choice;
    choice.input("go", {1}, tosa::DType::Bool).input("a", {2}).output("b", {2});
    choice.cond_if({"go", "a"}, {"b"}, "left", "right").add_block("spare", identity);
    choice.add_region("left", branch).add_region("right", branch);
    seeds.write("tosa", "choice.tosa", choice.file());

    // A layer of a network, with an operator that nothing depends on.
    tosa::test::GraphBuilder layer;
    layer.input("x", {1, 4}).output("y", {4});
    layer.constant("bias", {1, 4}, tosa::test::bytes_of({1.F, 2.F, 3.F, 4.F})).shape("flat", {4});
    layer.tensor("sum", {1, 4}).tensor("act", {1, 4}).tensor("unused", {1, 4});
    layer.op(Op::Add, {"x", "bias"}, {"sum"}).clamp("sum", "act", 0.F, 6.F);
    layer.op(Op::Identity, {"sum"}, {"unused"}).op(Op::Reshape, {"act", "flat"}, {"y"});
    seeds.write("tosa", "layer.tosa", layer.file());

    // The same with its constant behind the graph, where weights of any size can be.
    tosa::test::TensorSpec& bias = layer.find("bias");
    layer.trailer = std::exchange(bias.data, {});
    bias.size = layer.trailer.size();
    bias.offset = 4;  // any number but 0 takes the same room
    bias.offset = layer.file().size() - layer.trailer.size();
    seeds.write("tosa", "external.tosa", layer.file());
}

void binaries(Seeds& seeds) {
    xdna::Binary binary{.entry = "MLIR_AIE",
                        .inputs = {8, 8},
                        .outputs = {16},
                        .xclbin = {},
                        .instructions = {1, 2, 3}};
    for (const char c : std::string("xclbin2"))
        binary.xclbin.push_back(static_cast<std::byte>(c));
    seeds.write("xdna_binary", "matmul", xdna::to_container(binary));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: seeds DIRECTORY\n", stderr);
        return 2;
    }
    Seeds seeds(argv[1]);
    frames(seeds);
    responses(seeds);
    rings(seeds);
    conversations(seeds);
    graphs(seeds);
    binaries(seeds);
    return seeds.good() ? 0 : 1;
}
