// SPDX-License-Identifier: MIT
#include "daemon/provider_options.hpp"

#include <charconv>
#include <format>
#include <utility>

namespace acceld {

namespace {

const CLI::App* add_cpu_options(CLI::App& app, CpuChoice& cpu) {
    auto* group = app.add_option_group("With --provider cpu");
    group
        ->add_option("--cpu-threads", cpu.threads,
                     "The threads that compute for a guest; 0: as many as there are processors")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    group
        ->add_option("--cpu-engine", cpu.engine,
                     "fast, or reference: plain and slow, to check results against")
        ->check(CLI::IsMember({"fast", "reference"}))
        ->capture_default_str();
    return group;
}

const CLI::App* add_xdna_options(CLI::App& app, XdnaChoice& xdna) {
    auto* group = app.add_option_group("With --provider xdna");
    group
        ->add_option("--xdna-catalogue", xdna.store.catalogue,
                     "Take compiled kernels from this folder")
        ->type_name("DIR");
    group
        ->add_option("--xdna-cache", xdna.store.cache,
                     "Keep what was compiled in this folder, for all guests")
        ->type_name("DIR");
    group
        ->add_option("--xdna-compiler", xdna.store.compiler,
                     "Have this program compile the kernels that are in neither")
        ->type_name("PROGRAM");
    add_seconds(*group, "--xdna-compile-timeout", xdna.store.compile_timeout,
                "Seconds after which a compiler is killed");
    group->add_flag("--xdna-raw-binaries", xdna.raw_binaries,
                    "Let guests load kernels of their own making: only for guests that are\n"
                    "trusted with the device");
    add_seconds(*group, "--xdna-watchdog", xdna.watchdog,
                "Seconds without an end of a command after which the device counts as lost");
    return group;
}

std::uint32_t parse_polls(const std::string& word) {
    if (word == "never") return mock::kNever;
    if (word == "immediate") return 0;
    std::uint32_t polls = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, polls);
    if (error != std::errc() || rest != end)
        throw CLI::ValidationError("--mock-polls: a number, never or immediate is wanted");
    return polls;
}

fault::Script parse_faults(const std::string& text) {
    const auto script = fault::Script::parse(text);
    if (!script) throw CLI::ValidationError("--fault: " + script.error());
    return *script;
}

// With these a front end can replay the golden traces of the protocol, all of which want
// --mock-limits 4096,4000 and --mock-polls never:
//
//     complete_lifecycle      --fault poll_event:4:completion:complete
//     timeout                 --fault submit:1:rejected:DeadlineExpired
//     indeterminate_recovery  --fault allocate_buffer:1:error-after:OutOfMemory, and
//                             submit:1:indeterminate:DeadlineExpired, and
//                             destroy_event:1:indeterminate:DeviceLost
//     device_loss             --fault poll_event:1:error-before:DeviceLost
//
// Given with another provider they are a mistake, which complaint() says.
const CLI::App* add_mock_options(CLI::App& app, MockChoice& mock) {
    auto* group = app.add_option_group("For tests, with --provider mock");
    group->add_option_function<std::string>(
        "--mock-polls",
        [&mock](const std::string& word) { mock.options.pending_polls = parse_polls(word); },
        "How many polls find an event pending: a number (1 by default),\n"
        "never (it ends when it is cancelled) or immediate");
    group
        ->add_option_function<std::pair<std::uint64_t, std::uint64_t>>(
            "--mock-limits",
            [&mock](const auto& limits) {
                mock.options.max_buffer_bytes = limits.first;
                mock.options.max_artifact_bytes = limits.second;
            },
            "The largest buffer and artifact, in bytes: BUFFER,ARTIFACT")
        ->delimiter(',')
        ->check(CLI::PositiveNumber);
    group->add_option_function<std::string>(
        "--fault", [&mock](const std::string& text) { mock.faults = parse_faults(text); },
        "What shall fail: OPERATION:N:ACTION[,...], at the Nth call of an\n"
        "OPERATION such as submit, where ACTION is error-before:ERROR,\n"
        "error-after:ERROR, rejected:ERROR, indeterminate:ERROR, escape or\n"
        "completion:complete|cancelled|failed:ERROR and ERROR a name\n"
        "such as OutOfMemory");
    return group;
}

}  // namespace

ProviderOptions::ProviderOptions(CLI::App& app, ProviderChoice& choice)
    : choice_(choice),
      groups_{{{"cpu", "--cpu-threads and --cpu-engine", add_cpu_options(app, choice.cpu)},
               {"xdna", "options that begin with --xdna", add_xdna_options(app, choice.xdna)},
               {"mock", "--mock-polls, --mock-limits and --fault",
                add_mock_options(app, choice.mock)}}} {}

std::string ProviderOptions::complaint() const {
    for (const Group& one : groups_)
        if (one.group->count_all() > 0 && one.provider != choice_.name)
            return std::format("{} are for --provider {}", one.options, one.provider);
    return "";
}

void ProviderOptions::append_to(std::vector<std::string>& arguments) const {
    for (const Group& one : groups_)
        append_arguments(*one.group, arguments);
}

// A flag takes no word of its own.
void append_arguments(const CLI::App& group, std::vector<std::string>& arguments) {
    for (const CLI::Option* option : group.get_options()) {
        if (option->count() == 0) continue;
        const std::string value = CLI::detail::join(option->results(), ",");
        if (option->get_expected_max() == 0) {
            arguments.push_back(std::format("{}={}", option->get_name(), value));
            continue;
        }
        arguments.push_back(option->get_name());
        arguments.push_back(value);
    }
}

void add_seconds(CLI::App& app, const char* name, std::chrono::seconds& value, const char* about) {
    app.add_option_function<unsigned>(
           name, [&value](unsigned seconds) { value = std::chrono::seconds(seconds); }, about)
        ->check(CLI::Range(1, 86400))
        ->default_str(std::to_string(value.count()));
}

}  // namespace acceld
