// SPDX-License-Identifier: MIT
//
// What a guest and its neighbours notice when a worker is lost: the loss of that guest's
// device until it is reset, and nothing else.
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "daemon/vm.hpp"

using namespace daemon_test;
using vhost::Request;
using wire::Status;

TEST_SUITE_BEGIN("daemon/containment");

namespace {

// A guest at a daemon, and the process that serves it.
struct Guest {
    // After `others` that are still there.
    explicit Guest(Daemon& daemon, std::size_t others = 0) : vm(daemon.connect()) {
        REQUIRE(status() == Status::Ok);
        session = children(daemon.acceld.pid()).at(others);
    }
    [[nodiscard]] pid_t worker() const { return children(session).at(0); }
    void signal_worker(int number) const { REQUIRE(::kill(worker(), number) == 0); }

    [[nodiscard]] Status status() { return vm.call(driver::get_device_info(++id)).status(); }

    RunningVm vm;
    pid_t session = -1;
    std::uint64_t id = 0;
};

}  // namespace

TEST_CASE("a device whose worker has died is lost until the guest resets it") {
    Daemon daemon;
    Guest guest(daemon);
    const std::uint64_t before = guest.vm.call(driver::create_context(++guest.id)).id();
    const pid_t first = guest.worker();
    guest.signal_worker(SIGKILL);
    REQUIRE(daemon.acceld.wait_for("worker lost: died of signal 9"));

    CHECK(guest.status() == Status::DeviceLost);
    CHECK(guest.vm.call(driver::create_context(++guest.id)).status() == Status::DeviceLost);
    // A pause of the machine is no reset.
    guest.vm.start_ring(guest.vm.stop_ring());
    CHECK(guest.status() == Status::DeviceLost);

    guest.vm.reset();
    REQUIRE(daemon.acceld.wait_for("worker replaced"));
    CHECK(guest.worker() != first);
    CHECK(guest.status() == Status::Ok);
    // What the old life had cannot be taken for anything of the new one.
    const auto destroyed =
        guest.vm.call(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT, ++guest.id, before));
    CHECK(destroyed.status() == Status::StaleObject);
    CHECK(guest.vm.call(driver::create_context(++guest.id)).id() != before);
}

TEST_CASE("a worker that dies while the machine is paused is a loss when it goes on") {
    Daemon daemon;
    Guest guest(daemon);
    const std::uint32_t base = guest.vm.stop_ring();
    guest.signal_worker(SIGKILL);
    REQUIRE(daemon.acceld.wait_for("worker lost: died of signal 9"));
    guest.vm.start_ring(base);
    CHECK(guest.status() == Status::DeviceLost);
    guest.vm.reset();
    CHECK(guest.status() == Status::Ok);
}

TEST_CASE("a device can be lost and reset any number of times, and nothing is left of it") {
    Daemon daemon;
    const Usage before = daemon.usage_at_rest();
    {
        Guest guest(daemon);
        for (int i = 0; i < 10; ++i) {
            guest.signal_worker(SIGKILL);
            REQUIRE(daemon.acceld.wait_for("worker lost: "));
            CHECK(guest.status() == Status::DeviceLost);
            guest.vm.reset();
            CHECK(guest.status() == Status::Ok);
        }
    }
    CHECK(daemon.returns_to(before));
}

TEST_CASE("a guest that loses its workers too fast gets no more of them for a while") {
    Daemon daemon;
    Guest guest(daemon);
    for (int i = 0; i < 10; ++i) {
        guest.signal_worker(SIGKILL);
        REQUIRE(guest.status() == Status::DeviceLost);
        guest.vm.reset();
        REQUIRE(guest.status() == Status::Ok);
    }
    guest.signal_worker(SIGKILL);
    REQUIRE(guest.status() == Status::DeviceLost);
    guest.vm.reset();
    CHECK(daemon.acceld.wait_for("device reset: no worker: too many were lost of late"));
    CHECK(guest.status() == Status::DeviceLost);
}

TEST_CASE("a worker that takes no commands is killed after the time that it may take") {
    Daemon daemon({"--message-timeout", "1"});
    Guest guest(daemon);
    guest.signal_worker(SIGSTOP);
    CHECK(guest.status() == Status::DeviceLost);
    CHECK(daemon.acceld.wait_for("worker lost: it takes no commands"));
    guest.vm.reset();
    CHECK(guest.status() == Status::Ok);
}

TEST_CASE("a worker that does not answer its session is killed, the front end notices nothing") {
    Daemon daemon({"--message-timeout", "1"});
    Guest guest(daemon);
    guest.signal_worker(SIGSTOP);
    CHECK(guest.vm.stop_ring() == 1);
    CHECK(daemon.acceld.wait_for("worker lost: it does not answer"));
    guest.vm.start_ring(1);
    CHECK(guest.status() == Status::DeviceLost);
}

TEST_CASE("each guest has its part of what the host gives, whatever the others take") {
    Daemon daemon({"--max-guests", "4", "--host-buffer-bytes", "1MiB", "--max-contexts", "1"});
    Guest one(daemon);
    Guest two(daemon, 1);
    for (Guest* guest : {&one, &two}) {
        CAPTURE(guest == &two);
        // protocol.md 2.5: max_contexts of the device info.
        const auto info = guest->vm.call(driver::get_device_info(++guest->id));
        CHECK(info.load<std::uint32_t>(16 + offsetof(virtio_accel_device_info, max_contexts)) == 1);
        const std::uint64_t context = guest->vm.call(driver::create_context(++guest->id)).id();
        CHECK(guest->vm.call(driver::create_context(++guest->id)).status() ==
              Status::ResourceLimit);
        const auto allocate = [&](std::uint64_t bytes) {
            return guest->vm
                .call(driver::allocate_buffer(++guest->id, {.context = context, .bytes = bytes}))
                .status();
        };
        CHECK(allocate((256U << 10) + 1) == Status::ResourceLimit);
        CHECK(allocate(256U << 10) == Status::Ok);
        CHECK(allocate(1) == Status::ResourceLimit);
    }
}

TEST_CASE("a guest does not notice that the worker of another one has died") {
    Daemon daemon({"--max-guests", "2"});
    Guest good(daemon);
    Guest bad(daemon, 1);
    bad.signal_worker(SIGKILL);
    CHECK(bad.status() == Status::DeviceLost);
    CHECK(good.status() == Status::Ok);
}

TEST_CASE("a worker ends with its session, whatever that dies of") {
    Daemon daemon;
    const Usage before = daemon.usage_at_rest();
    {
        Guest guest(daemon);
        REQUIRE(::kill(guest.session, SIGKILL) == 0);
        CHECK(guest.vm.client.dropped());
    }
    CHECK(daemon.returns_to(before));
}

TEST_CASE("a worker that dies before there is a guest ends the daemon with the reason") {
    Daemon daemon;
    const pid_t session = children(daemon.acceld.pid()).at(0);
    REQUIRE(::kill(children(session).at(0), SIGKILL) == 0);
    CHECK(daemon.acceld.wait() == 1);
    CHECK(daemon.acceld.output().contains("the worker died of signal 9"));
}

TEST_CASE("the program that has the socket has no provider") {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const auto has_provider = [&](const char* program) {
        std::ifstream file(here / "../../host" / program, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        REQUIRE_FALSE(bytes.empty());
        return bytes.contains("libvulkan.so.1");
    };
    CHECK(has_provider("worker/virtio-accel-worker"));
    CHECK_FALSE(has_provider("daemon/virtio-acceld"));
}

TEST_SUITE_END();
