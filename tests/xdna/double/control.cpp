// SPDX-License-Identifier: MIT
#include "xdna/double/control.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <system_error>

#include "xdna/double/script.hpp"

namespace xrt_double {
namespace {

constexpr std::array<std::string_view, 5> kSettings{"devices", "broken", "contexts", "refusal",
                                                    "bank"};
constexpr std::array<std::string_view, 2> kFlags{"hold", "stall"};
constexpr std::array<std::string_view, 2> kNumbers{"delay", "end"};
constexpr std::array<std::string_view, 3> kKinds{"runtime", "alloc", "foreign"};

bool is_of_command(std::string_view key) {
    return std::ranges::contains(kFlags, key) || std::ranges::contains(kNumbers, key);
}

bool is_function(std::string_view key) {
    return key == "any" || std::ranges::contains(kFunctions, key);
}

template <class Number>
bool read(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

// Cuts off what stands behind the first such character, and the character.
std::optional<std::string_view> cut(std::string_view& text, char at) {
    const std::size_t found = text.find(at);
    if (found == std::string_view::npos) return std::nullopt;
    const std::string_view after = text.substr(found + 1);
    text = text.substr(0, found);
    return after;
}

// Whether the word has that value, or is one without.
bool takes(std::string_view key, std::optional<std::string_view> value) {
    if (std::ranges::contains(kFlags, key)) return !value;
    if (!value) return false;
    int number = 0;
    const bool is_number = read(*value, number);
    if (is_function(key)) return is_number || std::ranges::contains(kKinds, *value);
    if (std::ranges::contains(kNumbers, key) || std::ranges::contains(kSettings, key))
        return is_number;
    return key == "version";
}

std::optional<Rule> rule_from(std::string_view word) {
    Rule rule;
    const auto value = cut(word, '=');
    auto nth = cut(word, '#');
    const auto context = cut(word, '@');
    if (!takes(word, value)) return std::nullopt;
    rule.key = word;
    rule.value = value.value_or("");
    if (nth) {
        if (!is_of_command(word) && !is_function(word)) return std::nullopt;
        rule.onwards = nth->ends_with('+');
        if (rule.onwards) nth->remove_suffix(1);
        if (!read(*nth, rule.nth) || rule.nth == 0) return std::nullopt;
    }
    if (context && !(is_of_command(word) && read(*context, rule.context.emplace())))
        return std::nullopt;
    return rule;
}

std::optional<std::vector<Rule>> rules_from(std::string_view words) {
    std::vector<Rule> rules;
    while (!words.empty()) {
        std::string_view word = words;
        words = cut(word, ' ').value_or("");
        if (word.empty()) continue;
        auto rule = rule_from(word);
        if (!rule) return std::nullopt;
        rules.push_back(std::move(*rule));
    }
    return rules;
}

[[noreturn]] void fail(const std::string& kind, const std::string& function) {
    const std::string what = "XRT double: " + function + " fails as it was told to";
    if (kind == "runtime") throw std::runtime_error(what);
    if (kind == "alloc") throw std::bad_alloc();
    if (kind == "foreign") throw Foreign();
    throw std::system_error(std::stoi(kind), std::system_category(), what);
}

}  // namespace

Control::Control() {
    const char* const words = std::getenv("XRT_DOUBLE");
    if (script(words ? words : "")) return;
    std::fprintf(stderr, "XRT double: not a script: %s\n", words);
    std::abort();
}

bool Control::script(std::string_view words) {
    auto rules = rules_from(words);
    if (!rules) return false;
    rules_ = std::move(*rules);
    std::erase_if(counts_, [](const auto& entry) { return !entry.first.starts_with("live"); });
    contexts_ = 0;
    ++releases;
    return true;
}

std::uint64_t Control::count(std::string_view what) const {
    constexpr std::array<std::string_view, 5> kOthers{"commands", "ended", "most", "blocked.start",
                                                      "blocked.destructor"};
    const bool live = what == "live" || (what.starts_with("live.") &&
                                         std::ranges::contains(kObjects, what.substr(5)));
    if (!live && !is_function(what) && !std::ranges::contains(kOthers, what))
        throw std::out_of_range(std::string(what));
    const auto found = counts_.find(what);
    return found == counts_.end() ? 0 : found->second;
}

std::string Control::setting(std::string_view key, std::string_view fallback) const {
    const auto found = std::ranges::find(rules_, key, &Rule::key);
    return found == rules_.end() ? std::string(fallback) : found->value;
}

Fate Control::begin_command(std::uint64_t context) {
    add("commands");
    const std::uint64_t command = counts_["commands"];
    Fate fate{.release = releases + 1};
    for (const Rule& rule : rules_) {
        if (rule.context && *rule.context != context) continue;
        if (rule.applies("hold", command) || rule.applies("stall", command)) fate.held = true;
        if (rule.applies("delay", command))
            fate.delay = std::chrono::milliseconds(std::stoi(rule.value));
        if (rule.applies("end", command)) fate.state = std::stoi(rule.value);
    }
    return fate;
}

void Control::at_least(const std::string& what, std::uint64_t number) {
    auto& counted = counts_[what];
    counted = std::max(counted, number);
}

void Control::enter(const std::string& function) {
    std::string kind;
    {
        const std::lock_guard lock(mutex);
        const std::uint64_t call = ++counts_[function], any = ++counts_["any"];
        changed.notify_all();
        for (const Rule& rule : rules_)
            if (rule.applies(function, call) || rule.applies("any", any)) kind = rule.value;
    }
    if (!kind.empty()) fail(kind, function);
}

Control& control() {
    static auto* const made = new Control;  // NOLINT: see the header
    return *made;
}

Counted::Counted(std::string_view object) : name_("live." + std::string(object)) {
    const std::lock_guard lock(control().mutex);
    control().add(name_);
    control().add("live");
    control().changed.notify_all();
}

Counted::~Counted() {
    const std::lock_guard lock(control().mutex);
    control().subtract(name_);
    control().subtract("live");
    control().changed.notify_all();
}

extern "C" {

int xrt_double_script(const char* words) {
    const std::lock_guard lock(control().mutex);
    if (!control().script(words)) return 0;
    control().changed.notify_all();
    return 1;
}

void xrt_double_release() {
    const std::lock_guard lock(control().mutex);
    ++control().releases;
    control().changed.notify_all();
}

std::uint64_t xrt_double_count(const char* what) {
    const std::lock_guard lock(control().mutex);
    return control().count(what);
}

void xrt_double_await(const char* what, std::uint64_t at_least) {
    std::unique_lock lock(control().mutex);
    control().changed.wait(lock, [&] { return control().count(what) >= at_least; });
}

}  // extern "C"

}  // namespace xrt_double
