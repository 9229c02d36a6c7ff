// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "golden/hex.hpp"
#include "golden/trace.hpp"
#include "provider/mock/artifact.hpp"
#include "wire/status.hpp"

namespace golden {

namespace {

using driver::Bytes;
using driver::Request;
using wire::Status;
using Regions = std::pair<std::vector<std::size_t>, std::vector<std::size_t>>;

// Object ids are the reference's: namespace 1, generation, kind, slot 1 (protocol.md 4.4).
constexpr std::uint64_t id(std::uint64_t kind, std::uint64_t generation = 0) {
    return 1ULL << 48 | generation << 35 | kind << 32 | 1;
}
constexpr std::uint64_t kContext = id(1);
constexpr std::uint64_t kBuffer = id(2);
constexpr std::uint64_t kProgram = id(3);
constexpr std::uint64_t kQueue = id(4);
constexpr std::uint64_t kEvent = id(5);
constexpr std::uint64_t kSecondEvent = id(5, 1);

constexpr std::string_view kInfo =
    "76697274696f2d616363656c6d6f636b01000000000000000000000027000000000000004000000000040000"
    "000100001000000000100000000100000010000000000000a00f000000000000";
constexpr std::string_view kArtifact = "56414d4b0100030100000000ffffffff5a00000000000000";
constexpr std::string_view kData = "706f727461626c65";  // "portable"

Bytes object(std::uint64_t value) {
    const auto raw = wire::to_bytes(virtio_accel_object{.object_id = wire::le(value)});
    return {raw.begin(), raw.end()};
}

Bytes event_state(std::uint16_t state) {
    const auto raw = wire::to_bytes(virtio_accel_event_state{wire::le(state), 0, 0});
    return {raw.begin(), raw.end()};
}

Entry entry(const Request& request, Regions regions, Status status, const Bytes& payload) {
    Bytes response;
    const auto header = wire::to_bytes(virtio_accel_response_header{
        .status = wire::le(static_cast<std::uint16_t>(status)),
        .flags = 0,
        .payload_bytes = wire::le(static_cast<std::uint32_t>(payload.size())),
        .request_id = wire::le(request.id()),
    });
    response.insert(response.end(), header.begin(), header.end());
    response.insert(response.end(), payload.begin(), payload.end());
    return {request.id(),
            request.opcode(),
            static_cast<std::uint16_t>(status),
            static_cast<std::uint32_t>(response.size()),
            std::move(regions.first),
            std::move(regions.second),
            request.bytes(),
            std::move(response)};
}

// Appends commands with ids that count up. Without regions a command has one
// descriptor each way, the writable one as long as its largest answer.
class Writer {
 public:
    void info(Regions regions) {
        add(driver::get_device_info(next()), Status::Ok, from_hex(kInfo), std::move(regions));
    }
    void create_context(Regions regions = {}) {
        add(driver::create_context(next()), Status::Ok, object(kContext), std::move(regions), 24);
    }
    void allocate(Status status = Status::Ok, Regions regions = {}) {
        add(driver::allocate_buffer(next(), {kContext, 64, 16, 3, 0x1f}), status,
            status == Status::Ok ? object(kBuffer) : Bytes{}, std::move(regions), 24);
    }
    void load(Regions regions = {}) {
        const Bytes artifact = from_hex(kArtifact);
        add(driver::load_program(next(), {kContext, mock::kFormat, mock::kTarget, 64}, artifact),
            Status::Ok, object(kProgram), std::move(regions), 24);
    }
    void create_queue(Regions regions = {}) {
        add(driver::create_queue(next(), kContext), Status::Ok, object(kQueue), std::move(regions),
            24);
    }
    void submit(Status status, const Bytes& payload, std::uint64_t timeout_ns = 0) {
        const std::array binding{driver::bind(kBuffer, 0, 3, 0, 16)};
        add(driver::submit(next(), kQueue, kProgram, binding, timeout_ns), status, payload, {}, 24);
    }
    void on_object(std::uint16_t opcode, std::uint64_t value, Status status = Status::Ok,
                   const Bytes& payload = {}, Regions regions = {}) {
        add(driver::on_object(opcode, next(), value), status, payload, std::move(regions),
            opcode == VIRTIO_ACCEL_OP_POLL_EVENT ? 24 : 16);
    }
    void add(const Request& request, Status status, const Bytes& payload, Regions regions,
             std::size_t capacity = 0) {
        if (regions.first.empty()) regions = {{request.size()}, {capacity}};
        trace.push_back(entry(request, std::move(regions), status, payload));
    }
    // A context with one of everything.
    void resources() {
        create_context();
        allocate();
        load();
        create_queue();
    }
    std::uint64_t next() { return ++last_id; }

    Trace trace;
    std::uint64_t last_id = 0;
};

const Regions kWholeInfo{{16}, {92}};
const Regions kCutInfo{{3, 13}, {5, 87}};
const Regions kCutObject{{3, 21}, {5, 11}};
const Regions kCutPoll{{3, 21}, {5, 19}};

Trace complete_lifecycle() {
    Writer w;
    w.info(kCutInfo);
    w.create_context({{3, 21}, {5, 19}});
    w.allocate(Status::Ok, {{3, 53}, {5, 19}});
    const Bytes data = from_hex(kData);
    w.add(driver::write_buffer(w.next(), kBuffer, 8, data), Status::Ok, {}, {{7, 33, 8}, {5, 11}});
    w.add(driver::read_buffer(w.next(), kBuffer, 8, 8), Status::Ok, data, {{3, 37}, {5, 19}});
    w.load({{7, 89, 24}, {5, 19}});
    w.create_queue({{3, 29}, {5, 19}});

    w.submit(Status::Ok, object(kEvent));
    w.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, kBuffer, Status::Busy, {}, kCutObject);
    w.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, kEvent, Status::Ok, event_state(0), kCutPoll);
    w.on_object(VIRTIO_ACCEL_OP_CANCEL_EVENT, kEvent, Status::Ok, {}, kCutObject);
    w.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, kEvent, Status::Ok, event_state(3), kCutPoll);
    w.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, kEvent, Status::Ok, {}, kCutObject);

    w.submit(Status::Ok, object(kSecondEvent));
    w.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, kSecondEvent, Status::Ok, event_state(1));
    w.on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, kSecondEvent);
    w.on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, kQueue);
    w.on_object(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, kProgram);
    w.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, kBuffer);
    w.on_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, kContext);
    return w.trace;
}

Trace two_infos() {
    Writer w;
    w.info(kWholeInfo);
    w.info(kWholeInfo);
    return w.trace;
}

Trace out_of_order() {
    Trace trace = two_infos();
    std::ranges::reverse(trace);
    return trace;
}

Trace one_info(const Regions& regions) {
    Writer w;
    w.info(regions);
    return w.trace;
}

// What the driver sees: one byte less than the device wrote.
Trace short_response() {
    Trace trace = one_info(kWholeInfo);
    trace[0].response.resize(--trace[0].used);
    return trace;
}

Trace timeout() {
    Writer w;
    w.info(kCutInfo);
    w.resources();
    w.submit(Status::DeadlineExpired, {}, 1000000);
    w.on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, kQueue);
    w.on_object(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, kProgram);
    w.on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, kBuffer);
    w.on_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, kContext);
    return w.trace;
}

Trace indeterminate_recovery() {
    Writer w;
    w.info(kCutInfo);
    w.create_context();
    w.allocate(Status::OutOfMemory);
    w.allocate();
    w.load();
    w.create_queue();
    w.submit(Status::DeadlineExpired, object(kEvent));
    return w.trace;
}

// The poll that the reset overtakes has no entry; ids start again behind it.
Trace reset_inflight() {
    Writer w;
    w.info(kCutInfo);
    w.resources();
    w.submit(Status::Ok, object(kEvent));
    w.last_id = 0;
    w.info(kCutInfo);
    return w.trace;
}

Trace device_loss() {
    Writer w;
    w.info(kCutInfo);
    w.resources();
    w.submit(Status::Ok, object(kEvent));
    w.on_object(VIRTIO_ACCEL_OP_POLL_EVENT, kEvent, Status::DeviceLost);
    return w.trace;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all{
        {"complete_lifecycle",
         {"happy_path", "boundary", "cancellation"},
         {{"before_request_id:14", "complete_submissions_immediately"}},
         complete_lifecycle()},
        {"out_of_order",
         {"scheduling", "nondeterministic_completion_order_specified_by_trace"},
         {{"scenario_start", "complete_next_pair_in_reverse_order"}},
         out_of_order()},
        {"backpressure",
         {"exhaustion", "queue_pressure"},
         {{"scenario_start", "defer_device_service_until_pressure_observed"}},
         two_infos()},
        {"notification_suppression",
         {"notification"},
         {{"scenario_start", "suppress_available_notifications"},
          {"before_disable_used_notifications", "service_one_chain"}},
         one_info(kCutInfo)},
        {"short_response",
         {"malformed", "recovery"},
         {{"before_request_id:1", "publish_used_length_minus_one"}},
         short_response()},
        {"timeout",
         {"boundary", "timeout_rejection"},
         {{"before_request_id:6", "reject_finite_timeouts_with_deadline_expired"}},
         timeout()},
        {"indeterminate_recovery",
         {"indeterminate", "recovery"},
         {{"before_request_id:3", "allocate_buffer_error_after_out_of_memory"},
          {"before_request_id:7", "submit_indeterminate_deadline_expired"},
          {"after_trace", "backend_discard_required"}},
         indeterminate_recovery()},
        {"reset_inflight",
         {"reset", "recovery"},
         {{"after_request_id:6", "defer_poll_event_then_reset"},
          {"before_reconfigured_request_id:1", "backend_reusable"}},
         reset_inflight()},
        {"device_loss",
         {"device_loss", "recovery"},
         {{"before_request_id:7", "poll_event_returns_device_lost"}},
         device_loss()},
    };
    return all;
}

const Scenario& scenario(std::string_view name) {
    return *std::ranges::find(scenarios(), name, &Scenario::name);
}

std::optional<std::size_t> first_difference(std::span<const Entry> a, std::span<const Entry> b) {
    const auto [in_a, in_b] = std::ranges::mismatch(a, b);
    if (in_a == a.end() && in_b == b.end()) return std::nullopt;
    return static_cast<std::size_t>(in_a - a.begin());
}

}  // namespace golden
