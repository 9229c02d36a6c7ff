// SPDX-License-Identifier: MIT
#include "model/run.hpp"

#include <algorithm>
#include <array>
#include <format>
#include <memory>

#include "model/puppet.hpp"

namespace model {

namespace {

constexpr std::byte kSentinel{0xA5};
// Of a label whose step was removed or answered no id.
constexpr std::uint64_t kNoObject = 0x0BAD'0005'0000'0BAD;

template <class Byte>
std::vector<std::span<Byte>> in_pieces(std::span<Byte> bytes, std::size_t piece) {
    std::vector<std::span<Byte>> pieces;
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size())))
        pieces.push_back(bytes.first(std::min(piece, bytes.size())));
    return pieces;
}

std::string text(std::span<const std::byte> bytes) {
    std::string text = std::format("{} bytes:", bytes.size());
    for (const std::byte byte : bytes)
        text += std::format(" {:02x}", std::to_integer<unsigned>(byte));
    return text;
}

std::string text(const std::vector<Call>& calls) {
    std::string text;
    for (const Call& call : calls) {
        text += std::format(" {}(", name(call.op));
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
            text += std::format("{}{}", i == 0 ? "" : " ", call.arguments[i]);
        text += ')';
    }
    return text.empty() ? " none" : text;
}

std::string text(const engine::Counts& c) {
    return std::format(
        "{} contexts {} buffers ({} bytes) {} programs ({} bytes) {} queues {} "
        "events",
        c.contexts, c.buffers, c.buffer_bytes, c.programs, c.program_bytes, c.queues, c.events);
}

std::string text(const std::optional<engine::ResetReport>& report) {
    if (!report) return "refused";
    return std::format(
        "{}, released {}, quarantined {}",
        report->disposition == engine::Disposition::Reusable ? "reusable" : "discard",
        text(report->released), text(report->quarantined));
}

Mismatch differ(std::string_view what, const std::string& engine, const std::string& model) {
    return std::format("{}:\n  engine: {}\n  model:  {}", what, engine, model);
}

// A release that the provider refuses, so that the object stays.
Step probe(std::uint32_t label, Kind kind) {
    struct Release {
        std::uint16_t opcode;
        Op op;
    };
    constexpr std::array kReleases{
        Release{0x0101, Op::DestroyContext}, Release{0x0201, Op::FreeBuffer},
        Release{0x0301, Op::UnloadProgram}, Release{0x0401, Op::DestroyQueue},
        Release{0x0503, Op::DestroyEvent}};
    const Release& release = kReleases.at(static_cast<std::size_t>(kind) - 1);
    return {.label = label,
            .opcode = release.opcode,
            .fields = {{.label = label}},
            .injections = {{release.op, Action::Error, ErrorKind::Incompatible, 0}}};
}

}  // namespace

Run::Run(const Setup& setup)
    : engine_(*engine::Engine::create(kConfig, std::make_unique<Puppet>(setup, puppet_script_),
                                      kPolicy)),
      model_(setup) {}

Mismatch Run::step(const Step& step) {
    puppet_script_.begin(step.injections);
    model_script_.begin(step.injections);
    Mismatch mismatch = step.reset ? reset(step) : command(step);
    if (!mismatch && puppet_script_.calls() != model_script_.calls())
        mismatch = differ("calls of the provider", text(puppet_script_.calls()),
                          text(model_script_.calls()));
    if (!mismatch) mismatch = compare_state();
    return mismatch;
}

Mismatch Run::command(const Step& step) {
    const Bytes request = frame(step, [this](std::uint32_t label) {
        const auto id = ids_.find(label);
        return id == ids_.end() ? kNoObject : id->second;
    });
    Bytes written(step.room, kSentinel);
    const auto readable = in_pieces(std::span<const std::byte>(request), step.piece);
    const auto writable = in_pieces(std::span(written), step.piece);
    const std::uint32_t used = engine_.process({readable, writable});
    const Answer expected = model_.process(request, step.room, model_script_);

    if (used > written.size())
        return differ("used length", std::to_string(used), "within the chain");
    const auto answered = std::span(written).first(used);
    if (!std::ranges::equal(answered, expected.response))
        return differ("response", text(answered), text(expected.response));
    const auto rest =
        std::span(written).subspan(std::min<std::size_t>(used + expected.dirty, written.size()));
    if (std::ranges::any_of(rest, [](std::byte byte) { return byte != kSentinel; }))
        return "bytes behind the response were written";

    const Layout* layout = layout_of(step.opcode);
    const bool creates =
        layout != nullptr && used == 24 && step.opcode != 0x0203 && step.opcode != 0x0501;
    if (creates) {
        std::uint64_t id = 0;
        for (std::size_t i = 0; i < 8; ++i)
            id |= std::to_integer<std::uint64_t>(answered[16 + i]) << 8 * i;
        ids_[step.label] = id;
    }
    return std::nullopt;
}

Mismatch Run::reset(const Step& step) {
    const auto result = engine_.reset(*step.reset);
    const auto report = result ? std::optional(*result) : std::nullopt;
    const auto expected = model_.reset(*step.reset, model_script_);
    if (report != expected) return differ("reset", text(report), text(expected));
    return std::nullopt;
}

Mismatch Run::compare_state() const {
    if (engine_.live() != model_.live())
        return differ("live objects", text(engine_.live()), text(model_.live()));
    if (engine_.health() != model_.health())
        return differ("health", std::to_string(static_cast<int>(engine_.health())),
                      std::to_string(static_cast<int>(model_.health())));
    const engine::Statistics& statistics = engine_.statistics();
    if (statistics.commands != model_.commands() || statistics.unusable != model_.unusable())
        return differ("commands and unusable chains",
                      std::format("{} {}", statistics.commands, statistics.unusable),
                      std::format("{} {}", model_.commands(), model_.unusable()));
    return std::nullopt;
}

Mismatch Run::sweep() {
    for (const auto& [label, id] : std::map(ids_)) {
        const Step question = probe(label, static_cast<Kind>(id >> 32 & 7));
        if (Mismatch mismatch = step(question))
            return std::format("sweep, {}\n{}", to_text(question), *mismatch);
    }
    return std::nullopt;
}

Mismatch replay(const Schedule& schedule) {
    Run run(schedule.setup);
    for (const Step& step : schedule.steps)
        if (Mismatch mismatch = run.step(step))
            return std::format("{}\n{}", to_text(step), *mismatch);
    return run.sweep();
}

}  // namespace model
