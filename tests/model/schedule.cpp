// SPDX-License-Identifier: MIT
#include "model/schedule.hpp"

#include <algorithm>
#include <array>

namespace model {

const std::vector<Layout>& layouts() {
    // protocol.md 1.8, written down once more.
    static const std::vector<Layout> all{
        {0x0001, "GET_DEVICE_INFO", {}, {}},
        {0x0100, "CREATE_CONTEXT", {4, 4}, {}},
        {0x0101, "DESTROY_CONTEXT", {8}, {}},
        {0x0200, "ALLOCATE_BUFFER", {8, 8, 8, 1, 7, 4, 4}, {}},
        {0x0201, "FREE_BUFFER", {8}, {}},
        {0x0202, "WRITE_BUFFER", {8, 8, 8}, {}},
        {0x0203, "READ_BUFFER", {8, 8, 8}, {}},
        {0x0300, "LOAD_PROGRAM", {8, 4, 4, 48, 8, 8}, {}},
        {0x0301, "UNLOAD_PROGRAM", {8}, {}},
        {0x0400, "CREATE_QUEUE", {8, 4, 4}, {}},
        {0x0401, "DESTROY_QUEUE", {8}, {}},
        {kSubmit, "SUBMIT", {8, 8, 4, 4, 8}, {8, 8, 8, 4, 1, 3}},
        {0x0501, "POLL_EVENT", {8}, {}},
        {0x0502, "CANCEL_EVENT", {8}, {}},
        {0x0503, "DESTROY_EVENT", {8}, {}},
    };
    return all;
}

const Layout* layout_of(std::uint16_t opcode) {
    const auto found = std::ranges::find(layouts(), opcode, &Layout::opcode);
    return found == layouts().end() ? nullptr : &*found;
}

namespace {

void append(Bytes& to, std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
        to.push_back(i < 8 ? static_cast<std::byte>(value >> 8 * i) : std::byte{0});
}

std::size_t width_of(const Layout& layout, std::size_t field) {
    if (field < layout.prefix.size()) return layout.prefix[field];
    return layout.group[(field - layout.prefix.size()) % layout.group.size()];
}

}  // namespace

Bytes frame(const Step& step, const std::function<std::uint64_t(std::uint32_t)>& id_of) {
    Bytes payload;
    if (const Layout* layout = layout_of(step.opcode)) {
        for (std::size_t i = 0; i < step.fields.size(); ++i) {
            const Word& word = step.fields[i];
            append(payload, word.label != 0 ? id_of(word.label) : word.value, width_of(*layout, i));
        }
    }
    payload.insert(payload.end(), step.tail.begin(), step.tail.end());
    payload.resize(payload.size() - std::min<std::size_t>(step.cut, payload.size()));

    Bytes bytes;
    append(bytes, step.opcode, 2);
    append(bytes, step.flags, 2);
    append(bytes, step.declared_bytes.value_or(static_cast<std::uint32_t>(payload.size())), 4);
    append(bytes, step.request_id.value_or(step.label), 8);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

}  // namespace model
