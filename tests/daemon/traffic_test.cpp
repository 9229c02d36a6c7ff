// SPDX-License-Identifier: MIT
//
// Four guests at one daemon for a while: work whose results are checked, mistakes, resets,
// and deaths of workers. Seconds here; ten minutes with SOAK=1.
#include <array>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <sys/wait.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include "daemon/soak.hpp"
#include "daemon/vm.hpp"
#include "provider/mock/artifact.hpp"

using namespace daemon_test;
using Clock = std::chrono::steady_clock;
using wire::Status;

TEST_SUITE_BEGIN("daemon/traffic");

namespace {

constexpr int kGuests = 4;
constexpr std::byte kOperand{0x5a};

// What a guest of its own process does. Any status but OK is a failure, unless the device
// was lost, which only a reset ends.
class Traffic {
 public:
    Traffic(Client client, unsigned seed) : vm_(std::move(client)), random_(seed) {}

    void run(Clock::time_point end) {
        while (Clock::now() < end) {
            if (!round()) {
                REQUIRE(lost_);
                lost_ = false;
                vm_.reset();
            } else if (random_() % 64 == 0) {
                vm_.reset();  // with or without objects
            }
        }
    }

 private:
    std::optional<driver::Answer> ask(const driver::Request& request) {
        auto answer = vm_.call(request, 4096 + kBytes);
        if (answer.status() == Status::Ok) return answer;
        lost_ = answer.status() == Status::DeviceLost;
        return std::nullopt;
    }
    std::uint64_t make(const driver::Request& request) {
        const auto answer = ask(request);
        return answer ? answer->id() : 0;
    }
    bool done(const driver::Request& request) { return ask(request).has_value(); }

    // One context from its creation to its end, unless it is left behind.
    bool round() {
        const std::uint64_t context = make(driver::create_context(++id_));
        const std::uint64_t queue = context ? make(driver::create_queue(++id_, context)) : 0;
        const std::uint64_t program = queue ? load(context) : 0;
        if (!program) return false;
        for (unsigned jobs = random_() % 8; jobs > 0; --jobs)
            if (!job(context, queue, program)) return false;
        mistake();
        if (random_() % 16 == 0) return !lost_ && leave_to_reset();
        return done(driver::on_object(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, ++id_, program)) &&
               done(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE, ++id_, queue)) &&
               done(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, ++id_, context));
    }

    std::uint64_t load(std::uint64_t context) {
        const auto artifact =
            mock::encode({.operation = mock::Operation::Xor, .first_slot = 0, .operand = kOperand});
        return make(driver::load_program(++id_,
                                         {.context = context,
                                          .format = mock::kFormat,
                                          .target = mock::kTarget,
                                          .resident_bytes = mock::kResidentBytes},
                                         artifact));
    }

    bool job(std::uint64_t context, std::uint64_t queue, std::uint64_t program) {
        std::vector<std::byte> data(1 + random_() % kBytes);
        for (auto& byte : data)
            byte = static_cast<std::byte>(random_());
        const std::uint64_t buffer =
            make(driver::allocate_buffer(++id_, {.context = context, .bytes = data.size()}));
        if (!buffer || !done(driver::write_buffer(++id_, buffer, 0, data))) return false;
        const auto binding =
            driver::bind(buffer, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE, 0, data.size());
        const std::uint64_t event =
            make(driver::submit(++id_, queue, program, std::span(&binding, 1)));
        if (!event || !finish(event)) return false;
        const auto read = ask(driver::read_buffer(++id_, buffer, 0, data.size()));
        if (!read) return false;
        for (std::size_t i = 0; i < data.size(); ++i)
            REQUIRE(read->payload()[i] == (data[i] ^ kOperand));
        return done(driver::on_object(VIRTIO_ACCEL_OP_FREE_BUFFER, ++id_, buffer));
    }

    bool finish(std::uint64_t event) {
        for (;;) {
            const auto state = ask(driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, ++id_, event));
            if (!state) return false;
            const auto now = state->load<std::uint16_t>(16);
            REQUIRE(now <= VIRTIO_ACCEL_EVENT_COMPLETE);
            if (now == VIRTIO_ACCEL_EVENT_COMPLETE) break;
        }
        return done(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, ++id_, event));
    }

    // A frame of noise, which is answered all the same.
    void mistake() {
        std::array<std::byte, 40> noise{};
        for (auto& byte : noise)
            byte = static_cast<std::byte>(random_());
        REQUIRE(vm_.publish(noise, {{noise.size()}, {64}}).has_value());
        vm_.kick();
        REQUIRE(vm_.collect().has_value());
    }

    bool leave_to_reset() {
        vm_.reset();
        return true;
    }

    static constexpr unsigned kBytes = 8192;

    RunningVm vm_;
    std::mt19937 random_;
    std::uint64_t id_ = 0;
    bool lost_ = false;
};

// A guest in a process of its own, for the assertions of doctest are for one thread.
pid_t start(Daemon& daemon, unsigned seed, Clock::time_point end) {
    Client client = daemon.connect();
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    int status = 0;
    try {
        Traffic(std::move(client), seed).run(end);
    } catch (...) {
        status = 1;
    }
    ::_exit(status);
}

}  // namespace

TEST_CASE("four guests work, err and lose their workers, and nothing is left of them") {
    using namespace std::chrono_literals;
    const auto length = soaking() ? 600s : 2s;
    const auto between_deaths = soaking() ? 3s : 500ms;
    Daemon daemon({"--max-guests", std::to_string(kGuests)});
    // One guest, and the session that stands by for the next.
    std::optional<Client> one = daemon.connect();
    REQUIRE(one->ask(vhost::Request::GetFeatures).has_value());
    REQUIRE(daemon.acceld.wait_for("provider: "));
    const Usage at_rest = settled_usage(daemon.acceld.pid());
    one.reset();
    const auto end = Clock::now() + length;
    std::array<pid_t, kGuests> guests{};
    for (unsigned i = 0; i < kGuests; ++i)
        guests[i] = start(daemon, i, end);

    std::mt19937 random(1);
    Usage early;
    while (Clock::now() + between_deaths < end) {
        std::this_thread::sleep_for(between_deaths);
        daemon.acceld.listen();
        if (early.processes == 0) early = daemon.usage();
        const auto sessions = children(daemon.acceld.pid());
        const auto workers = children(sessions[random() % sessions.size()]);
        if (!workers.empty()) ::kill(workers.front(), SIGKILL);
    }
    const Usage late = daemon.usage();
    for (const pid_t guest : guests) {
        int status = -1;
        REQUIRE(::waitpid(guest, &status, 0) == guest);
        CHECK(status == 0);
    }
    CHECK(daemon.acceld.output().contains("worker lost: died of signal 9"));
    if (soaking()) {
        MESSAGE("resident memory of all processes: ", early.resident_kib, " KiB early, ",
                late.resident_kib, " KiB late; descriptors ", early.fds, " and ", late.fds);
    }
    CHECK(daemon.returns_to(at_rest));
}

TEST_SUITE_END();
