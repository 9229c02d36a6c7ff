// SPDX-License-Identifier: MIT
#include "hostile/lie.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "linux/virtio_accel.h"
#include "wire/config.hpp"

namespace hostile {

namespace {

struct Subject {
    std::string_view name;
    Kind kind;
    std::uint16_t opcode = 0;  // the only one that makes sense
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

#define CONFIG_FIELD(field)                                                      \
    Subject {                                                                    \
        "config." #field, Kind::Config, 0, offsetof(virtio_accel_config, field), \
            sizeof(virtio_accel_config::field)                                   \
    }
#define ANSWER_FIELD(name, type, field, base, opcode)                                              \
    Subject {                                                                                      \
        name "." #field, Kind::Answer, opcode, (base) + offsetof(type, field), sizeof(type::field) \
    }
#define HEADER_FIELD(field) ANSWER_FIELD("header", virtio_accel_response_header, field, 0, 0)
#define INFO_FIELD(field) \
    ANSWER_FIELD("info", virtio_accel_device_info, field, kHeader, VIRTIO_ACCEL_OP_GET_DEVICE_INFO)
#define EVENT_FIELD(field) \
    ANSWER_FIELD("event", virtio_accel_event_state, field, kHeader, VIRTIO_ACCEL_OP_POLL_EVENT)

constexpr std::size_t kHeader = sizeof(virtio_accel_response_header);

constexpr auto kSubjects = std::to_array<Subject>({
    {"honest", Kind::None},
    CONFIG_FIELD(protocol_major),
    CONFIG_FIELD(protocol_minor),
    CONFIG_FIELD(command_queue_count),
    CONFIG_FIELD(max_chain_descriptors),
    CONFIG_FIELD(max_request_bytes),
    CONFIG_FIELD(max_response_bytes),
    {"features", Kind::Features},
    HEADER_FIELD(status),
    HEADER_FIELD(flags),
    HEADER_FIELD(payload_bytes),
    HEADER_FIELD(request_id),
    INFO_FIELD(device_class),
    INFO_FIELD(reserved),
    INFO_FIELD(capabilities),
    INFO_FIELD(max_contexts),
    INFO_FIELD(max_buffers_per_context),
    INFO_FIELD(max_programs_per_context),
    INFO_FIELD(max_queues_per_context),
    INFO_FIELD(max_events_per_context),
    INFO_FIELD(max_bindings_per_submission),
    INFO_FIELD(max_buffer_bytes),
    INFO_FIELD(max_artifact_bytes),
    ANSWER_FIELD("object", virtio_accel_object, object_id, kHeader, 0),
    EVENT_FIELD(state),
    EVENT_FIELD(error),
    EVENT_FIELD(reserved),
    // State and error, which only make sense together.
    {"event.outcome", Kind::Answer, VIRTIO_ACCEL_OP_POLL_EVENT, kHeader, 4},
    {"used.id", Kind::UsedId},
    {"used.length", Kind::UsedLength},
    {"used.index", Kind::UsedIndex},
    {"used.flags", Kind::UsedFlags},
    {"payload", Kind::Payload},
    {"refuse", Kind::Refuse},
    {"unwritten", Kind::Unwritten, VIRTIO_ACCEL_OP_READ_BUFFER},
    {"duplicate", Kind::Duplicate},
    {"foreign", Kind::Foreign},
    {"never", Kind::Never},
    {"silent", Kind::Silent},
    {"late", Kind::Late},
    {"at-reset", Kind::AtReset},
    {"reverse", Kind::Reverse},
    {"twice", Kind::Twice},
    {"former", Kind::Former},
    {"interrupts", Kind::Interrupts},
    {"changes", Kind::Changes},
});

constexpr auto kOpcodes = std::to_array<std::pair<std::string_view, std::uint16_t>>({
    {"GET_DEVICE_INFO", VIRTIO_ACCEL_OP_GET_DEVICE_INFO},
    {"CREATE_CONTEXT", VIRTIO_ACCEL_OP_CREATE_CONTEXT},
    {"DESTROY_CONTEXT", VIRTIO_ACCEL_OP_DESTROY_CONTEXT},
    {"ALLOCATE_BUFFER", VIRTIO_ACCEL_OP_ALLOCATE_BUFFER},
    {"FREE_BUFFER", VIRTIO_ACCEL_OP_FREE_BUFFER},
    {"WRITE_BUFFER", VIRTIO_ACCEL_OP_WRITE_BUFFER},
    {"READ_BUFFER", VIRTIO_ACCEL_OP_READ_BUFFER},
    {"LOAD_PROGRAM", VIRTIO_ACCEL_OP_LOAD_PROGRAM},
    {"UNLOAD_PROGRAM", VIRTIO_ACCEL_OP_UNLOAD_PROGRAM},
    {"CREATE_QUEUE", VIRTIO_ACCEL_OP_CREATE_QUEUE},
    {"DESTROY_QUEUE", VIRTIO_ACCEL_OP_DESTROY_QUEUE},
    {"SUBMIT", VIRTIO_ACCEL_OP_SUBMIT},
    {"POLL_EVENT", VIRTIO_ACCEL_OP_POLL_EVENT},
    {"CANCEL_EVENT", VIRTIO_ACCEL_OP_CANCEL_EVENT},
    {"DESTROY_EVENT", VIRTIO_ACCEL_OP_DESTROY_EVENT},
});

// Cuts `text` at the first `mark` and returns what stood behind it.
std::string_view cut(std::string_view& text, char mark) {
    const auto at = text.find(mark);
    if (at == std::string_view::npos) return {};
    const auto rest = text.substr(at + 1);
    text = text.substr(0, at);
    return rest;
}

template <class T>
bool parse_number(std::string_view text, T& value) {
    int base = 10;
    if (text.starts_with("0x")) {
        base = 16;
        text.remove_prefix(2);
    }
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, base);
    return error == std::errc() && rest == end;
}

}  // namespace

std::expected<Lie, std::string> parse_lie(std::string_view text) {
    Lie lie{.text = std::string(text)};
    const auto no_lie = [&] { return std::unexpected(lie.text + ": no such lie"); };
    std::string_view name = text;
    std::string_view opcode = cut(name, ':');
    std::string_view nth = cut(opcode, ':');
    const std::string_view value = cut(name, '=');

    const auto* subject = std::ranges::find(kSubjects, name, &Subject::name);
    if (subject == kSubjects.end()) return no_lie();
    lie.kind = subject->kind;
    lie.offset = subject->offset;
    lie.bytes = subject->bytes;
    lie.opcode = subject->opcode;
    if (!value.empty() && !parse_number(value, lie.value)) return no_lie();
    if (!opcode.empty()) {
        const auto* found =
            std::ranges::find(kOpcodes, opcode, &std::pair<std::string_view, std::uint16_t>::first);
        if (found == kOpcodes.end()) return no_lie();
        lie.opcode = found->second;
    }
    if (nth.ends_with('+')) {
        lie.and_later = true;
        nth.remove_suffix(1);
    }
    if (!nth.empty() && (!parse_number(nth, lie.first) || lie.first == 0)) return no_lie();
    return lie;
}

std::vector<std::string_view> lie_names() {
    std::vector<std::string_view> names;
    for (const Subject& subject : kSubjects)
        names.push_back(subject.name);
    return names;
}

}  // namespace hostile
