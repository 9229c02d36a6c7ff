// SPDX-License-Identifier: MIT
//
// What the real program says to those who ask at its control socket.
#include "daemon/control.hpp"

#include <csignal>
#include <ranges>
#include <thread>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "daemon/process.hpp"
#include "daemon/prometheus.hpp"
#include "daemon/vm.hpp"
#include "driver/frames.hpp"

using daemon_test::Acceld;
using daemon_test::Labels;
using daemon_test::RunningVm;
using daemon_test::TemporaryDirectory;
using nlohmann::json;

TEST_SUITE_BEGIN("daemon/control");

namespace {

class Asker {
 public:
    explicit Asker(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
        path.copy(address.sun_path, path.size());
        REQUIRE(::connect(socket_.value(), reinterpret_cast<const sockaddr*>(&address),
                          sizeof(address)) == 0);
    }
    void say(std::string_view text) {
        REQUIRE(::send(socket_.value(), text.data(), text.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(text.size()));
    }
    // All that comes until the daemon hangs up.
    std::string hear() {
        std::string all;
        std::array<char, 4096> bytes{};
        for (ssize_t got = 0; (got = ::recv(socket_.value(), bytes.data(), bytes.size(), 0)) > 0;)
            all.append(bytes.data(), static_cast<std::size_t>(got));
        return all;
    }

 private:
    base::UniqueFd socket_;
};

struct Daemon {
    explicit Daemon(std::vector<std::string> more = {})
        : acceld([&] {
              std::vector<std::string> all{"--socket-path",  directory.file("s"),
                                           "--control-path", directory.file("c"),
                                           "--provider",     "mock"};
              all.insert(all.end(), more.begin(), more.end());
              return all;
          }()) {
        REQUIRE(acceld.wait_for("listening on"));
    }

    [[nodiscard]] std::string get(const std::string& path) const {
        Asker asker(directory.file("c"));
        asker.say("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const std::string answer = asker.hear();
        REQUIRE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
        return answer.substr(answer.find("\r\n\r\n") + 4);
    }
    [[nodiscard]] json status() const { return json::parse(get("/status")); }
    [[nodiscard]] double metric(const std::string& name, const Labels& labels) const {
        return daemon_test::parse_metrics(get("/metrics"))["virtio_accel_" + name].at(labels);
    }
    // Asks until it is so: what a worker has done is told a moment after the guest knows.
    void wait_for(const std::string& name, const Labels& labels, double value) const {
        while (metric(name, labels) != value) {
        }
    }

    TemporaryDirectory directory;
    Acceld acceld;
};

const Labels kFirst{{"guest", "1"}};

Labels first(const std::string& label, const std::string& value) {
    return {{"guest", "1"}, {label, value}};
}

}  // namespace

TEST_CASE("the control socket is its owner's, and gone with the daemon") {
    Daemon daemon;
    struct stat file{};
    REQUIRE(::lstat(daemon.directory.file("c").c_str(), &file) == 0);
    CHECK((file.st_mode & 07777) == 0600);
    daemon.acceld.signal(SIGTERM);
    CHECK(daemon.acceld.wait() == 0);
    CHECK_FALSE(std::filesystem::exists(daemon.directory.file("c")));
}

TEST_CASE("a guest's commands, objects and mistakes are counted") {
    Daemon daemon;
    RunningVm machine(daemon.directory.file("s"));
    const auto context = machine.call(driver::create_context(1));
    REQUIRE(context.status() == wire::Status::Ok);
    REQUIRE(machine.call(driver::create_context(2)).status() == wire::Status::Ok);
    REQUIRE(machine.call(driver::create_queue(3, 77)).status() == wire::Status::StaleObject);
    const driver::Block alone = machine.memory.allocate(16);
    REQUIRE(machine.publish(std::span(&alone, 1), {}));  // nothing to write an answer to
    machine.kick();
    REQUIRE(machine.collect());

    daemon.wait_for("chains_total", kFirst, 4);
    CHECK(daemon.metric("objects", first("kind", "context")) == 2);
    CHECK(daemon.metric("objects", first("kind", "buffer")) == 0);
    CHECK(daemon.metric("commands_total", kFirst) == 3);
    CHECK(daemon.metric("answers_total", first("status", "OK")) == 2);
    CHECK(daemon.metric("answers_total", first("status", "STALE_OBJECT")) == 1);
    CHECK(daemon.metric("unusable_chains_total", first("defect", "too few descriptors")) == 1);
    CHECK(daemon.metric("kicks_total", kFirst) >= 1);
    CHECK(daemon.metric("interrupts_total", kFirst) == 4);
    CHECK(daemon.metric("front_end_connected", kFirst) == 1);
    CHECK(daemon.metric("worker_starts_total", kFirst) == 1);
    CHECK(daemon.metric("sessions", {{"guest", "1"}, {"state", "serving"}}) == 1);
    CHECK(daemon.metric("front_ends_total", {}) == 1);

    machine.reset();
    daemon.wait_for("resets_with_objects_total", kFirst, 1);
    daemon.wait_for("objects", first("kind", "context"), 0);
    CHECK(daemon.metric("commands_total", kFirst) == 3);
}

TEST_CASE("a refused message is counted before the front end is dropped") {
    Daemon daemon({"--max-guests", "2"});
    RunningVm machine(daemon.directory.file("s"));
    // With an acknowledgement the front end is told, and stays.
    CHECK_FALSE(machine.client.done(vhost::Request::SetVringNum, daemon_test::state(0, 3)));
    daemon.wait_for("messages_refused_total", kFirst, 1);
    CHECK(daemon.metric("messages_refused_total", {{"guest", "2"}}) == 0);
}

TEST_CASE("a worker that is killed is a loss, and what it had is gone") {
    Daemon daemon;
    RunningVm machine(daemon.directory.file("s"));
    REQUIRE(machine.call(driver::create_context(1)).status() == wire::Status::Ok);
    daemon.wait_for("objects", first("kind", "context"), 1);

    const json before = daemon.status()["guests"][0];
    const pid_t worker = before["worker_pid"].get<pid_t>();
    REQUIRE(worker > 0);
    REQUIRE(::kill(worker, SIGKILL) == 0);
    daemon.wait_for("workers_lost_total", first("cause", "died"), 1);
    daemon.wait_for("device_lost", kFirst, 1);
    CHECK(daemon.metric("objects", first("kind", "context")) == 0);
    CHECK(daemon.metric("workers_lost_total", first("cause", "message")) == 0);
    CHECK(daemon.status()["guests"][0]["worker_pid"] == 0);

    // The session answers for it, and its answers are counted with the others.
    CHECK(machine.call(driver::create_context(2)).status() == wire::Status::DeviceLost);
    daemon.wait_for("answers_total", first("status", "DEVICE_LOST"), 1);
    CHECK(daemon.metric("answers_total", first("status", "OK")) == 1);
    CHECK(daemon.metric("commands_total", kFirst) == 2);

    machine.reset();
    REQUIRE(machine.call(driver::create_context(3)).status() == wire::Status::Ok);
    daemon.wait_for("answers_total", first("status", "OK"), 2);
    CHECK(daemon.metric("device_lost", kFirst) == 0);
    CHECK(daemon.metric("worker_starts_total", kFirst) == 2);
}

TEST_CASE("guests are told apart, and one that leaves is not asked any more") {
    Daemon daemon({"--max-guests", "2"});
    RunningVm one(daemon.directory.file("s"));
    RunningVm two(daemon.directory.file("s"));
    REQUIRE(one.call(driver::create_context(1)).status() == wire::Status::Ok);
    REQUIRE(two.call(driver::create_context(1)).status() == wire::Status::Ok);
    REQUIRE(two.call(driver::create_context(2)).status() == wire::Status::Ok);
    daemon.wait_for("commands_total", {{"guest", "1"}}, 1);
    daemon.wait_for("commands_total", {{"guest", "2"}}, 2);
    one.client = daemon_test::Client(base::UniqueFd());
    const auto numbers = [&] {
        std::vector<int> all;
        const json status = daemon.status();
        for (const json& guest : status["guests"])
            all.push_back(guest["guest"].get<int>());
        return all;
    };
    while (std::ranges::contains(numbers(), 1)) {
    }
    CHECK(numbers() == std::vector{2, 3});
    CHECK(daemon.metric("sessions_failed_total", {}) == 0);
}

TEST_CASE("a session that dies is counted, and the next guest is served") {
    Daemon daemon;
    RunningVm machine(daemon.directory.file("s"));
    REQUIRE(::kill(daemon.status()["guests"][0]["pid"].get<pid_t>(), SIGKILL) == 0);
    CHECK(daemon.acceld.wait_for("error: guest=1 pid="));
    CHECK(daemon.acceld.wait_for(" session died of signal 9"));
    CHECK(daemon.metric("sessions_failed_total", {}) == 1);
    RunningVm next(daemon.directory.file("s"));
    CHECK(next.call(driver::create_context(1)).status() == wire::Status::Ok);
}

TEST_CASE("what is no GET of something that is there is answered and ends the connection") {
    Daemon daemon;
    for (const auto& [request, answer] : std::initializer_list<std::pair<std::string, std::string>>{
             {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n"},
             {"POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed\r\n"},
             {"hello\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
             {std::string(acceld::kMaxRequestHead, 'x'), "HTTP/1.1 431 "}}) {
        Asker asker(daemon.directory.file("c"));
        asker.say(request);
        CHECK(asker.hear().starts_with(answer));
    }
}

TEST_CASE("clients that say nothing, or read nothing, keep nobody away") {
    Daemon daemon;
    const std::size_t before = daemon.acceld.open_fds();
    std::vector<Asker> silent;
    for (std::size_t i = 0; i < 10 * acceld::Control::kMostClients; ++i) {
        silent.emplace_back(daemon.directory.file("c"));
        silent.back().say(i % 2 == 0 ? "GET /metr" : "GET /metrics HTTP/1.1\r\n\r\n");
        if (i % 10 == 0) CHECK_FALSE(daemon.status()["guests"].empty());
    }
    // One more while it is let in.
    REQUIRE(daemon.acceld.open_fds() <= before + acceld::Control::kMostClients + 1);
    RunningVm machine(daemon.directory.file("s"));
    CHECK(machine.call(driver::create_context(1)).status() == wire::Status::Ok);
    // The one that came first had to go, the last one is still heard.
    CHECK(silent.front().hear().empty());
    Asker last(daemon.directory.file("c"));
    last.say("GET /status HTT");
    last.say("P/1.1\r\n\r\n");
    CHECK(last.hear().contains("\"provider\":\"mock\""));
}

TEST_CASE("an answer that is not read waits, whole, and keeps nobody from theirs") {
    TemporaryDirectory directory;
    auto control = acceld::Control::bind(directory.file("c")).value();
    const std::string body(8U << 20, 'b');
    const auto turn = [&] {
        auto ready = control.wanted();
        REQUIRE(::poll(ready.data(), ready.size(), 0) >= 0);
        control.progress(ready, [&](std::string_view path) {
            return acceld::HttpResponse{.body = path == "/long" ? body : "short"};
        });
    };
    const auto turns = [&] {
        for (int i = 0; i < 10; ++i)
            turn();
    };
    Asker slow(directory.file("c"));
    slow.say("GET /long HTTP/1.1\r\n\r\n");
    turns();
    Asker quick(directory.file("c"));
    quick.say("GET /short HTTP/1.1\r\n\r\n");
    turns();
    CHECK(quick.hear().ends_with("\r\n\r\nshort"));

    std::string heard;
    std::jthread reader([&] { heard = slow.hear(); });
    while (control.wanted().size() > 1)
        turn();
    reader.join();
    CHECK(heard.ends_with("\r\n\r\n" + body));
}

TEST_CASE("a control socket that cannot be is an end with a reason") {
    TemporaryDirectory directory;
    Acceld acceld({"--socket-path", directory.file("s"), "--control-path",
                   directory.file("missing/c"), "--provider", "mock"});
    CHECK(acceld.wait() == 1);
    CHECK(acceld.output().contains("missing/c: No such file or directory"));
}

TEST_SUITE_END();
