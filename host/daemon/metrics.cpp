// SPDX-License-Identifier: MIT
#include "daemon/metrics.hpp"

#include <array>
#include <format>
#include <iterator>
#include <span>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace acceld {

namespace {

using Values = std::span<const Number>;

template <auto Member>
Values values(const Statistics& statistics) {
    const auto& member = statistics.*Member;
    if constexpr (requires { member.size(); })
        return member;
    else
        return {&member, 1};
}

template <class Enum>
std::string_view name_of(std::size_t index) {
    return name(static_cast<Enum>(index));
}

std::string_view status_name(std::size_t slot) {
    return name(status_of_slot(slot));
}

std::string_view object_name(std::size_t kind) {
    return std::array{"context", "buffer", "program", "queue", "event"}[kind];
}

std::string_view binding_name(std::size_t mode) {
    return std::array{"direct", "staged"}[mode];
}

enum class Type : std::uint8_t { Counter, Gauge, GaugeOfMilliseconds };

// A metric of each guest. With a label it has a value for each of the label's values.
struct Metric {
    Type type;
    std::string_view name;  // without prefix, and without the "_total" of a counter
    std::string_view help;
    Values (*values)(const Statistics& statistics);
    std::string_view label{};
    std::string_view (*label_value)(std::size_t index) = nullptr;
};

using enum Type;
using S = Statistics;
constexpr Metric kMetrics[] = {
    {Gauge, "front_end_connected", "Whether a front end is being served.", values<&S::connected>},
    {Gauge, "device_lost", "Whether the device answers DEVICE_LOST for want of a worker.",
     values<&S::device_lost>},
    {Gauge, "objects", "Objects that the guest has on its device.", values<&S::objects>, "kind",
     object_name},
    {Gauge, "buffer_bytes", "Memory of the guest's buffers.", values<&S::buffer_bytes>},
    {Gauge, "program_bytes", "Declared memory of the guest's programs.", values<&S::program_bytes>},
    {Gauge, "commands_at_provider", "Commands that wait for a call to the provider.",
     values<&S::commands_at_provider>},
    {Gauge, "device_wedged", "Whether the provider's device does not end what it was given.",
     values<&S::device_wedged>},
    {Gauge, "chains_in_flight", "Chains taken from the ring and not answered, a second ago.",
     values<&S::chains_in_flight>},
    {GaugeOfMilliseconds, "oldest_chain_seconds", "Age of the oldest of these chains.",
     values<&S::oldest_chain_ms>},
    {Counter, "commands", "Commands given to the device.", values<&S::commands>},
    {Counter, "answers", "Answers to commands, by status.", values<&S::answers>, "status",
     status_name},
    {Counter, "unusable_commands", "Commands that could not be answered: too small a chain.",
     values<&S::unusable_commands>},
    {Counter, "chains", "Chains taken from the ring.", values<&S::chains>},
    {Counter, "unusable_chains", "Chains that break the rules of the ring, by defect.",
     values<&S::unusable_chains>, "defect", name_of<vhost::ChainDefect>},
    {Counter, "ring_faults", "Ends of a ring that cannot be served any further, by fault.",
     values<&S::ring_faults>, "fault", name_of<vhost::RingFault>},
    {Counter, "kicks", "Notifications by the guest.", values<&S::kicks>},
    {Counter, "interrupts", "Interrupts of the guest.", values<&S::interrupts>},
    {Counter, "suppressed_interrupts", "Interrupts that the guest did not want.",
     values<&S::suppressed_interrupts>},
    {Counter, "bindings", "Buffers bound to submissions, in place or by a copy.",
     values<&S::bindings>, "mode", binding_name},
    {Counter, "staged_bytes", "Bytes copied for staged bindings.", values<&S::staged_bytes>},
    {Counter, "transferred_bytes", "Bytes moved by READ_BUFFER and WRITE_BUFFER.",
     values<&S::transferred_bytes>},
    {Counter, "resets", "Resets of the device by the guest.", values<&S::resets>},
    {Counter, "resets_with_objects", "Resets that found objects.", values<&S::resets_with_objects>},
    {Counter, "provider_losses", "Losses of the provider's device, by how it was lost.",
     values<&S::provider_losses>, "how", name_of<ProviderLoss>},
    {Counter, "worker_starts", "Workers started for the guest.", values<&S::worker_starts>},
    {Counter, "workers_lost", "Workers lost, by cause.", values<&S::workers_lost>, "cause",
     name_of<WorkerLoss>},
    {Counter, "messages_refused", "Messages of the front end that were refused.",
     values<&S::messages_refused>},
};

class Text {
 public:
    void begin(Type type, std::string_view metric, std::string_view help) {
        name_ = std::format("virtio_accel_{}{}", metric, type == Counter ? "_total" : "");
        std::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help,
                       type == Counter ? "counter" : "gauge");
    }
    void sample(std::string_view labels, std::string_view value) {
        std::format_to(std::back_inserter(text_), "{}{} {}\n", name_, labels, value);
    }
    std::string take() { return std::move(text_); }

 private:
    std::string name_;
    std::string text_;
};

std::string decimal(Type type, const Number& number) {
    const std::uint64_t value = number.read();
    return type == GaugeOfMilliseconds ? std::format("{}.{:03}", value / 1000, value % 1000)
                                       : std::to_string(value);
}

nlohmann::json json_value(Type type, const Number& number) {
    if (type == GaugeOfMilliseconds) return static_cast<double>(number.read()) / 1000;
    return number.read();
}

void add_metric(Text& text, const Metric& metric, const DaemonView& daemon) {
    text.begin(metric.type, metric.name, metric.help);
    for (const GuestView& guest : daemon.guests) {
        const Values all = metric.values(*guest.statistics);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto label = metric.label.empty()
                                   ? ""
                                   : std::format(",{}=\"{}\"", metric.label, metric.label_value(i));
            text.sample(std::format("{{guest=\"{}\"{}}}", guest.number, label),
                        decimal(metric.type, all[i]));
        }
    }
}

nlohmann::json json_of(const Metric& metric, const Statistics& statistics) {
    const Values all = metric.values(statistics);
    if (metric.label.empty()) return json_value(metric.type, all.front());
    auto object = nlohmann::json::object();
    for (std::size_t i = 0; i < all.size(); ++i)
        object.emplace(metric.label_value(i), json_value(metric.type, all[i]));
    return object;
}

nlohmann::json json_of(const GuestView& guest) {
    nlohmann::json object{{"guest", guest.number},
                          {"pid", guest.pid},
                          {"worker_pid", guest.statistics->worker_pid.read()},
                          {"state", guest.state}};
    for (const Metric& metric : kMetrics)
        object.emplace(metric.name, json_of(metric, *guest.statistics));
    return object;
}

}  // namespace

std::string metrics_text(const DaemonView& daemon) {
    Text text;
    text.begin(Gauge, "sessions", "Sessions, of which one may stand by for the next front end.");
    for (const GuestView& guest : daemon.guests)
        text.sample(std::format(R"({{guest="{}",state="{}"}})", guest.number, guest.state), "1");
    text.begin(Gauge, "max_guests", "Front ends that are served at a time.");
    text.sample("", std::to_string(daemon.max_guests));
    text.begin(Counter, "front_ends", "Front ends that were let in.");
    text.sample("", std::to_string(daemon.front_ends));
    text.begin(Counter, "sessions_failed", "Sessions that did not end well.");
    text.sample("", std::to_string(daemon.sessions_failed));
    for (const Metric& metric : kMetrics)
        add_metric(text, metric, daemon);
    return text.take();
}

std::string status_json(const DaemonView& daemon) {
    auto guests = nlohmann::json::array();
    for (const GuestView& guest : daemon.guests)
        guests.push_back(json_of(guest));
    const nlohmann::json status{{"pid", ::getpid()},
                                {"provider", daemon.provider},
                                {"max_guests", daemon.max_guests},
                                {"front_ends", daemon.front_ends},
                                {"sessions_failed", daemon.sessions_failed},
                                {"guests", guests}};
    return status.dump() + "\n";
}

}  // namespace acceld
