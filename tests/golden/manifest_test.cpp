// SPDX-License-Identifier: MIT
//
// What this folder has written down against the published files themselves, where they
// lie beside the tree.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "golden/hex.hpp"
#include "golden/layout.hpp"
#include "golden/stage.hpp"
#include "golden/vectors.hpp"
#include "linux/virtio_accel.h"

using namespace golden;
using nlohmann::json;

TEST_SUITE_BEGIN("golden/manifest");

namespace {

const std::filesystem::path kFolder = "../shared/protocol";
const bool kMissing = !std::filesystem::exists(kFolder / "vectors.json");

json load(std::string_view file) {
    std::ifstream stream(kFolder / file);
    REQUIRE(stream.good());
    return json::parse(stream);
}

std::string status_name(std::uint64_t value) {
    return std::string(wire::name(static_cast<wire::Status>(value)));
}

// Vectors of one kind, by their position in the file.
template <class Vector>
void compare(const json& listed, std::string_view kind, std::span<const Vector> ours) {
    std::size_t count = 0;
    for (const json& vector : listed) {
        if (vector["kind"] != kind) continue;
        REQUIRE(count < ours.size());
        CHECK(vector["name"] == ours[count].name);
        CHECK(vector["hex"] == ours[count].hex);
        ++count;
    }
    CHECK(count == ours.size());
}

std::uint64_t number(const json& value) {
    return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 16)
                             : value.get<std::uint64_t>();
}

Entry entry_of(const json& listed) {
    Entry entry{.request_id = listed["request_id"],
                .opcode = listed["opcode"],
                .status = listed["status"],
                .used = listed["used"],
                .readable = {},
                .writable = {},
                .request = from_hex(listed["request"].get<std::string>()),
                .response = from_hex(listed["response"].get<std::string>())};
    for (const json& region : listed["regions"])
        (region["direction"] == "readable" ? entry.readable : entry.writable)
            .push_back(region["bytes"]);
    return entry;
}

// The counts of a reset control, without the bytes that it does not list.
engine::Counts counts_of(const json& listed) {
    return {.contexts = listed["contexts"],
            .buffers = listed["buffers"],
            .programs = listed["programs"],
            .queues = listed["queues"],
            .events = listed["events"]};
}

}  // namespace

TEST_CASE("layout.json is what the uapi header says, no more and no less" *
          doctest::skip(kMissing)) {
    const auto ours = layout();
    std::size_t compared = 0;
    const json listed = load("layout.json").flatten();
    for (const auto& [path, value] : listed.items()) {
        CAPTURE(path);
        // No flag and no feature bit is known, so the header has no name for one.
        if (path == "/schema") continue;
        if (path.starts_with("/known_flags/") || path == "/features/baseline") {
            CHECK(number(value) == 0);
            continue;
        }
        const auto found = ours.find(path.substr(1));
        REQUIRE(found != ours.end());
        CHECK(found->second == number(value));
        ++compared;
    }
    CHECK(compared == ours.size());
}

TEST_CASE("vectors.json has our vectors" * doctest::skip(kMissing)) {
    const json listed = load("vectors.json");
    const auto config_count = 2U;
    compare(listed["frames"], "config", configs().first(config_count));
    compare(listed["frames"], "request", requests());
    compare(listed["frames"], "response", responses());
    compare(listed["edge_cases"], "config", configs().subspan(config_count));
    compare(listed["edge_cases"], "request", bad_requests());

    const auto opcodes = layout();
    std::size_t request = 0;
    std::size_t response = 0;
    for (const json& vector : listed["frames"]) {
        CAPTURE(vector["name"].get<std::string>());
        if (vector["kind"] == "request")
            CHECK(opcodes.at("opcodes/" + vector["opcode"].get<std::string>()) ==
                  requests()[request++].opcode);
        if (vector["kind"] == "response")
            CHECK(opcodes.at("statuses/" + vector["status"].get<std::string>()) ==
                  static_cast<std::uint64_t>(responses()[response++].status));
    }
}

TEST_CASE("vectors.json classifies the edge cases as we do" * doctest::skip(kMissing)) {
    const json listed = load("vectors.json");
    std::vector<std::string> expected;
    for (const json& vector : listed["edge_cases"])
        expected.push_back(vector["expected"]);
    std::vector<std::string> ours{"ChainDescriptorLimit", "compatible-baseline", "Version"};
    for (const BadRequest& vector : bad_requests())
        ours.push_back(vector.answer ? status_name(static_cast<std::uint64_t>(*vector.answer))
                                     : "Size");
    ours.insert(ours.end(), {"opaque-failure", "recovery"});
    CHECK(expected == ours);
    const json& edges = listed["edge_cases"];
    CHECK(edges[10]["hex"] == kUnknownStatus);
    CHECK(edges[11]["hex"] == kUnknownEventState);
}

TEST_CASE("scenarios.json has our scenarios" * doctest::skip(kMissing)) {
    const json listed = load("scenarios.json");
    REQUIRE(listed["scenarios"].size() == scenarios().size());
    const auto opcodes = layout();
    for (std::size_t i = 0; i < scenarios().size(); ++i) {
        const json& theirs = listed["scenarios"][i];
        const Scenario& ours = scenarios()[i];
        CAPTURE(ours.name);
        CHECK(theirs["name"] == ours.name);
        CHECK(theirs["class"] == json(ours.classes));
        std::vector<Control> controls;
        for (const json& control : theirs["controls"])
            controls.push_back({control["at"], control["action"]});
        CHECK(controls == ours.controls);
        Trace trace;
        for (const json& entry : theirs["trace"]) {
            trace.push_back(entry_of(entry));
            CHECK(opcodes.at("opcodes/" + entry["operation"].get<std::string>()) ==
                  trace.back().opcode);
        }
        const auto differs = first_difference(trace, ours.trace);
        CHECK_MESSAGE(!differs, "entry ", differs.value_or(0));
    }
}

TEST_CASE("scenarios.json expects the reset reports that are tested for" *
          doctest::skip(kMissing)) {
    const json listed = load("scenarios.json");
    const engine::Counts one{1, 1, 1, 1, 1, 0, 0};
    int reports = 0;
    for (const json& theirs : listed["scenarios"]) {
        for (const json& control : theirs["controls"]) {
            if (control["kind"] != "reset") continue;
            const bool reusable = theirs["name"] == "reset_inflight";
            CHECK(control["action"] ==
                  (reusable ? "backend_reusable" : "backend_discard_required"));
            CHECK(counts_of(control["released"]) == (reusable ? one : engine::Counts{}));
            CHECK(counts_of(control["quarantined"]) == (reusable ? engine::Counts{} : one));
            ++reports;
        }
    }
    CHECK(reports == 2);
}

TEST_SUITE_END();
