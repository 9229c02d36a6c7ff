// SPDX-License-Identifier: MIT
//
// The text form of schedules.
#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <ranges>

#include "model/schedule.hpp"

namespace model {

namespace {

constexpr std::array<std::string_view, kOps> kOpNames{
    "create_context", "destroy_context", "allocate_buffer", "free_buffer",   "write_buffer",
    "read_buffer",    "load_program",    "unload_program",  "create_queue",  "destroy_queue",
    "submit",         "poll_event",      "cancel_event",    "destroy_event",
};
constexpr std::array<std::string_view, kActions> kActionNames{"error", "unknown", "complete",
                                                              "fail",  "pad",     "lie"};
constexpr std::array<std::string_view, 11> kErrorNames{
    "UNSUPPORTED", "INCOMPATIBLE",      "INVALID_ARGUMENT", "OUT_OF_BOUNDS",
    "BUSY",        "OUT_OF_MEMORY",     "RESOURCE_LIMIT",   "DEADLINE_EXPIRED",
    "DEVICE_LOST", "PERMISSION_DENIED", "EXTERNAL",
};
static_assert(static_cast<std::size_t>(ErrorKind::External) + 1 == kErrorNames.size());

std::string hex(const Bytes& bytes) {
    std::string text;
    for (const std::byte byte : bytes)
        text += std::format("{:02x}", std::to_integer<unsigned>(byte));
    return text;
}

template <class T>
std::optional<T> number(std::string_view text) {
    const bool is_hex = text.starts_with("0x");
    if (is_hex) text.remove_prefix(2);
    T value{};
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

template <class Enum, std::size_t N>
std::optional<Enum> named(const std::array<std::string_view, N>& names, std::string_view text) {
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

// Splits off what is before the first `mark`.
std::string_view cut_at(std::string_view& text, char mark) {
    const std::size_t at = std::min(text.find(mark), text.size());
    const std::string_view before = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return before;
}

std::optional<Injection> parse_injection(std::string_view text) {
    std::string_view rest = text;
    std::string_view what = cut_at(rest, '#');
    const auto nth = rest.empty() ? 0 : number<std::uint32_t>(rest);
    const auto op = named<Op>(kOpNames, cut_at(what, ':'));
    const auto action = named<Action>(kActionNames, cut_at(what, ':'));
    if (!op || !action || !nth || !legal(*op, *action)) return std::nullopt;
    const auto error =
        has_error(*action) ? named<ErrorKind>(kErrorNames, what) : ErrorKind::External;
    if (!error) return std::nullopt;
    return Injection{*op, *action, *error, *nth};
}

template <class To>
bool assign(To& to, std::string_view text) {
    const auto value = number<std::uint64_t>(text);
    if (value) to = static_cast<To>(*value);
    return value.has_value();
}
template <class T>
bool assign(std::optional<T>& to, std::string_view text) {
    return assign(to.emplace(), text);
}

bool parse_tail(Bytes& tail, std::string_view text) {
    for (; text.size() >= 2; text.remove_prefix(2)) {
        const auto byte = number<std::uint32_t>(std::format("0x{}", text.substr(0, 2)));
        if (!byte) return false;
        tail.push_back(static_cast<std::byte>(*byte));
    }
    return text.empty();
}

bool parse_token(Step& step, std::string_view token) {
    if (token.starts_with('!')) {
        const auto injection = parse_injection(token.substr(1));
        if (injection) step.injections.push_back(*injection);
        return injection.has_value();
    }
    if (token.find('=') == std::string_view::npos) {
        Word word;
        const bool label = token.starts_with('@');
        const bool good = label ? assign(word.label, token.substr(1)) : assign(word.value, token);
        step.fields.push_back(word);
        return good;
    }
    const std::string_view key = cut_at(token, '=');
    if (key == "tail") return parse_tail(step.tail, token);
    if (key == "cut") return assign(step.cut, token);
    if (key == "flags") return assign(step.flags, token);
    if (key == "id") return assign(step.request_id, token);
    if (key == "declare") return assign(step.declared_bytes, token);
    if (key == "room") return assign(step.room, token);
    if (key == "piece") return assign(step.piece, token) && step.piece > 0;
    return false;
}

bool parse_step(Step& step, std::string_view line) {
    if (!assign(step.label, cut_at(line, ':'))) return false;
    auto tokens = line | std::views::split(' ') |
                  std::views::transform([](auto part) { return std::string_view(part); }) |
                  std::views::filter([](std::string_view token) { return !token.empty(); });
    bool first = true;
    for (const std::string_view token : tokens) {
        if (std::exchange(first, false)) {
            const auto layout = std::ranges::find(layouts(), token, &Layout::name);
            if (layout != layouts().end())
                step.opcode = layout->opcode;
            else if (token == "reset")
                step.reset = 0;
            else if (!assign(step.opcode, token))
                return false;
        } else if (!parse_token(step, token)) {
            return false;
        }
    }
    if (first) return false;
    if (step.reset) {
        if (step.fields.size() != 1) return false;
        step.reset = static_cast<std::uint16_t>(step.fields.front().value);
        step.fields.clear();
    }
    const Layout* layout = layout_of(step.opcode);
    if (layout == nullptr) return step.fields.empty();
    return !layout->group.empty() || step.fields.size() <= layout->prefix.size();
}

}  // namespace

std::string_view name(Op op) {
    return kOpNames[static_cast<std::size_t>(op)];
}

std::string_view name(Action action) {
    return kActionNames[static_cast<std::size_t>(action)];
}

std::string to_text(const Step& step) {
    const Layout* layout = layout_of(step.opcode);
    std::string text = std::format("{}: ", step.label);
    if (step.reset)
        text += std::format("reset {}", *step.reset);
    else if (layout != nullptr)
        text += layout->name;
    else
        text += std::format("{:#x}", step.opcode);
    for (const Word& word : step.fields) {
        if (word.label != 0)
            text += std::format(" @{}", word.label);
        else if (word.value < 4096)
            text += std::format(" {}", word.value);
        else
            text += std::format(" {:#x}", word.value);
    }
    const Step usual{};
    if (!step.tail.empty()) text += " tail=" + hex(step.tail);
    if (step.cut != usual.cut) text += std::format(" cut={}", step.cut);
    if (step.flags != usual.flags) text += std::format(" flags={:#x}", step.flags);
    if (step.request_id) text += std::format(" id={}", *step.request_id);
    if (step.declared_bytes) text += std::format(" declare={}", *step.declared_bytes);
    if (step.room != usual.room) text += std::format(" room={}", step.room);
    if (step.piece != usual.piece) text += std::format(" piece={}", step.piece);
    for (const Injection& injection : step.injections) {
        text += std::format(" !{}:{}", name(injection.op), name(injection.action));
        if (has_error(injection.action))
            text += std::format(":{}", kErrorNames[static_cast<std::size_t>(injection.error)]);
        if (injection.nth != 0) text += std::format("#{}", injection.nth);
    }
    return text;
}

std::string to_text(const Schedule& schedule) {
    std::string text = std::format("capabilities {:#x}\n", schedule.setup.capabilities);
    for (const Step& step : schedule.steps)
        text += to_text(step) + '\n';
    return text;
}

std::expected<Schedule, std::string> parse(std::string_view text) {
    constexpr std::string_view kCapabilities = "capabilities ";
    Schedule schedule;
    while (!text.empty()) {
        std::string_view line = cut_at(text, '\n');
        if (line.empty() || line.starts_with('#')) continue;
        bool good = false;
        if (line.starts_with(kCapabilities)) {
            good = assign(schedule.setup.capabilities, line.substr(kCapabilities.size()));
        } else {
            good = parse_step(schedule.steps.emplace_back(), line);
        }
        if (!good) return std::unexpected(std::format("not a step: {}", line));
    }
    return schedule;
}

}  // namespace model
