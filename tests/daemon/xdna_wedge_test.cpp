// SPDX-License-Identifier: MIT
//
// A device that is lost under its provider, as an operator sees it.

#include <doctest/doctest.h>

#include "daemon/prometheus.hpp"
#include "daemon/xdna_guest.hpp"
#include "xdna/binary.hpp"
#include "xdna/double/binaries.hpp"

using namespace daemon_test;
using wire::Status;

TEST_SUITE_BEGIN("daemon/xdna-wedge" * doctest::skip(!xdna_is_built()));

namespace {

struct Numbers {
    double wedged;
    double losses;  // of the kind asked for
};

struct Lost {
    explicit Lost(const std::string& script)
        : daemon({"--xdna-raw-binaries", "--xdna-watchdog", "1", "--control-path", control()},
                 script) {
        REQUIRE(daemon.acceld.wait_for("listening on"));
    }

    [[nodiscard]] std::string control() const { return directory.file("c"); }
    [[nodiscard]] Numbers numbers(const std::string& how) const {
        Acceld ctl({"--control-path", control(), "metrics"}, {},
                   beside_tests("host/ctl/acceld-ctl"));
        REQUIRE(ctl.wait() == 0);
        auto families = parse_metrics(ctl.output());
        return {families["virtio_accel_device_wedged"].at({{"guest", "1"}}),
                families["virtio_accel_provider_losses_total"].at({{"guest", "1"}, {"how", how}})};
    }

    TemporaryDirectory directory;
    XdnaDaemon daemon;
};

Status load(Product& product) {
    const auto binary =
        xrt_double::binary(xdna::Int8Matmul{.shape = {2, 3, 2}, .a_zero = -2, .b_zero = 3});
    return product.load(xdna::to_container(binary), xdna::kBinaryFormat);
}

// Until the event is not pending any more, or nobody can say.
driver::Answer outcome(Product& product, std::uint64_t event) {
    for (;;) {
        const auto answer = product.poll(event);
        if (answer.status() != Status::Ok) return answer;
        if (answer.load<std::uint16_t>(16) != VIRTIO_ACCEL_EVENT_PENDING) return answer;
    }
}

}  // namespace

TEST_CASE("a device that does not end a command is wedged until the guest's reset") {
    Lost lost("stall@0");
    RunningVm vm(lost.daemon.connect());
    Product product(vm);
    REQUIRE(load(product) == Status::Ok);
    const auto seen = outcome(product, product.submit());
    CHECK(seen.status() == Status::DeviceLost);
    CHECK(lost.daemon.acceld.wait_for(
        "the provider's device is lost: it does not end what it was given"));
    CHECK(lost.numbers("wedged").wedged == 1);
    CHECK(lost.numbers("wedged").losses == 1);
    CHECK(lost.numbers("poisoned").losses == 0);

    vm.reset();
    REQUIRE(lost.daemon.acceld.wait_for("not everything released, provider replaced"));
    Product again(vm);
    REQUIRE(load(again) == Status::Ok);
    CHECK(again.runs());
    CHECK(lost.numbers("wedged").wedged == 0);
    CHECK(lost.numbers("wedged").losses == 1);
}

TEST_CASE("a device that an error has ended is lost, and not wedged") {
    Lost lost("end#1=5");
    RunningVm vm(lost.daemon.connect());
    Product product(vm);
    REQUIRE(load(product) == Status::Ok);
    const auto seen = outcome(product, product.submit());
    CHECK(seen.load<std::uint16_t>(16) == VIRTIO_ACCEL_EVENT_FAILED);
    CHECK(lost.daemon.acceld.wait_for("the provider's device is lost: an error ended it"));
    CHECK(lost.numbers("poisoned").losses == 1);
    CHECK(lost.numbers("poisoned").wedged == 0);
}

TEST_SUITE_END();
