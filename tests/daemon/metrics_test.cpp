// SPDX-License-Identifier: MIT
#include "daemon/metrics.hpp"

#include <csignal>
#include <format>
#include <fstream>
#include <utility>

#include <sys/wait.h>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "daemon/board.hpp"
#include "daemon/http.hpp"
#include "daemon/prometheus.hpp"

using acceld::DaemonView;
using acceld::requested_path;
using acceld::Statistics;
using daemon_test::Labels;
using daemon_test::parse_metrics;
using nlohmann::json;

TEST_SUITE_BEGIN("daemon/metrics");

namespace {

struct Two {
    Statistics first{};
    Statistics second{};
    DaemonView daemon{.provider = "mock",
                      .max_guests = 4,
                      .front_ends = 5,
                      .sessions_failed = 3,
                      .guests = {{7, 70, "serving", &first}, {9, 90, "ready", &second}}};
};

}  // namespace

TEST_CASE("every number is a sample of its guest, in families that a strict reader takes") {
    Two two;
    two.first.commands.add(11);
    two.first.answers[12].add(2);
    two.second.answers[5].add(1);
    two.first.objects[2].set(6);
    two.first.workers_lost[std::to_underlying(acceld::WorkerLoss::CommandTimeout)].add(1);
    two.first.unusable_chains[9].add(4);
    two.first.oldest_chain_ms.set(1234);
    two.second.provider_losses[std::to_underlying(acceld::ProviderLoss::Wedged)].add(2);
    two.second.device_wedged.set(1);
    auto families = parse_metrics(acceld::metrics_text(two.daemon));

    const auto value = [&](const std::string& name, Labels labels = {}) {
        return families["virtio_accel_" + name].at(labels);
    };
    CHECK(value("commands_total", {{"guest", "7"}}) == 11);
    CHECK(value("commands_total", {{"guest", "9"}}) == 0);
    CHECK(value("answers_total", {{"guest", "7"}, {"status", "INTERNAL_ERROR"}}) == 2);
    CHECK(value("answers_total", {{"guest", "9"}, {"status", "BUSY"}}) == 1);
    CHECK(families["virtio_accel_answers_total"].samples.size() == 26);
    CHECK(value("objects", {{"guest", "7"}, {"kind", "program"}}) == 6);
    CHECK(value("workers_lost_total", {{"guest", "7"}, {"cause", "command timeout"}}) == 1);
    CHECK(value("unusable_chains_total",
                {{"guest", "7"}, {"defect", "nothing readable or nothing writable"}}) == 4);
    CHECK(value("oldest_chain_seconds", {{"guest", "7"}}) == 1.234);
    CHECK(value("provider_losses_total", {{"guest", "9"}, {"how", "wedged"}}) == 2);
    CHECK(value("provider_losses_total", {{"guest", "9"}, {"how", "poisoned"}}) == 0);
    CHECK(value("device_wedged", {{"guest", "7"}}) == 0);
    CHECK(value("device_wedged", {{"guest", "9"}}) == 1);
    CHECK(value("sessions", {{"guest", "7"}, {"state", "serving"}}) == 1);
    CHECK(value("sessions", {{"guest", "9"}, {"state", "ready"}}) == 1);
    CHECK(value("max_guests") == 4);
    CHECK(value("front_ends_total") == 5);
    CHECK(value("sessions_failed_total") == 3);
}

// The numbers come from processes that may have gone mad.
TEST_CASE("the largest numbers are said as they are") {
    Two two;
    two.first.commands.set(~0ULL);
    two.first.oldest_chain_ms.set(~0ULL);
    const std::string text = acceld::metrics_text(two.daemon);
    CHECK(text.contains("virtio_accel_commands_total{guest=\"7\"} 18446744073709551615\n"));
    CHECK(text.contains("virtio_accel_oldest_chain_seconds{guest=\"7\"} 18446744073709551.615\n"));
    CHECK(json::parse(acceld::status_json(two.daemon))["guests"][0]["commands"] == ~0ULL);
}

TEST_CASE("the status has the same numbers") {
    Two two;
    two.first.commands.add(11);
    two.first.answers[0].add(2);
    two.first.worker_pid.set(71);
    const json status = json::parse(acceld::status_json(two.daemon));
    CHECK(status["provider"] == "mock");
    CHECK(status["sessions_failed"] == 3);
    REQUIRE(status["guests"].size() == 2);
    const json& guest = status["guests"][0];
    CHECK(guest["guest"] == 7);
    CHECK(guest["pid"] == 70);
    CHECK(guest["worker_pid"] == 71);
    CHECK(guest["state"] == "serving");
    CHECK(guest["commands"] == 11);
    CHECK(guest["answers"]["OK"] == 2);
    CHECK(guest["objects"].size() == 5);
    CHECK(guest["oldest_chain_seconds"] == 0.0);
}

TEST_CASE("a daemon without guests has families without samples") {
    for (const auto& [name, family] : parse_metrics(acceld::metrics_text({.provider = "mock"})))
        CHECK(family.samples.size() ==
              (name == "virtio_accel_max_guests" || name == "virtio_accel_front_ends_total" ||
                       name == "virtio_accel_sessions_failed_total"
                   ? 1
                   : 0));
}

TEST_CASE("a request is served when its head is complete, and only a GET is") {
    CHECK(requested_path("").value() == std::nullopt);
    CHECK(requested_path("GET /metrics HTTP/1.1\r\nHost: x\r\n").value() == std::nullopt);
    CHECK(requested_path("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").value() == "/metrics");
    CHECK(requested_path("GET /metrics?x=/y HTTP/1.0\r\n\r\n").value() == "/metrics");
    for (const auto& [request, status] : std::initializer_list<std::pair<std::string, int>>{
             {"POST /metrics HTTP/1.1\r\n\r\n", 405},
             {"HEAD / HTTP/1.1\r\n\r\n", 405},
             {"GET /metrics\r\n\r\n", 400},
             {"GET metrics HTTP/1.1\r\n\r\n", 400},
             {"GET  HTTP/1.1\r\n\r\n", 400},
             {"GET / HTTP/2\r\n\r\n", 400},
             {" / HTTP/1.1\r\n\r\n", 400},
             {"\r\n\r\n", 400},
             {std::string("\0\r\n\r\n", 5), 400},
             {std::string(acceld::kMaxRequestHead, 'x'), 431},
             {"GET / HTTP/1.1\r\nX: " + std::string(acceld::kMaxRequestHead, 'x') + "\r\n\r\n",
              431}}) {
        CAPTURE(request.substr(0, 40));
        const auto path = requested_path(request);
        REQUIRE_FALSE(path.has_value());
        CHECK(path.error().status == status);
    }
}

TEST_CASE("a response says how long it is and that it is the last") {
    CHECK(to_bytes(acceld::HttpResponse{.type = "text/plain", .body = "hello"}) ==
          "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
          "Connection: close\r\n\r\nhello");
    CHECK(to_bytes(acceld::HttpResponse{.status = 405}).contains("\r\nAllow: GET\r\n"));
}

TEST_CASE("who watches a board sees it change and cannot write, and no child has it") {
    const auto file = acceld::make_board().value();
    const auto watched = acceld::watch_board(file).value();
    const auto shared =
        acceld::SharedBoard::map(base::UniqueFd(::fcntl(file.value(), F_DUPFD_CLOEXEC, 0))).value();
    shared.board->statistics.commands.add(3);
    CHECK(watched->statistics.commands.read() == 3);

    const auto dies = [](auto act) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (const int number : {SIGSEGV, SIGABRT})
                std::signal(number, SIG_DFL);
            act();
            ::_exit(0);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        return status != 0;
    };
    CHECK(dies([&] {
        volatile auto value = watched->statistics.commands.read();
        static_cast<void>(value);
    }));
    CHECK_FALSE(dies([&] {
        volatile auto value = shared.board->statistics.commands.read();
        static_cast<void>(value);
    }));
    std::string maps;
    for (std::ifstream in("/proc/self/maps"); std::getline(in, maps);)
        if (maps.starts_with(std::format("{:x}-", reinterpret_cast<std::uintptr_t>(watched.get()))))
            break;
    CHECK(maps.contains(" r--s "));
}

TEST_SUITE_END();
