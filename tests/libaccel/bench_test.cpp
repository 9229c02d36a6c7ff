// SPDX-License-Identifier: MIT
#include "bench.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "rig.hpp"
#include "tosa_device.hpp"
#include "tosa_program.hpp"

using namespace fake;

namespace {

// A device that runs what is measured.
struct Scene {
    Kernel kernel;
    NothingLeft nothing_left{kernel};
    accelctl::BenchOptions options{.iterations = 20};

    Scene() {
        kernel.device.load = load_tosa;
        kernel.device.run = run_tosa;
    }

    std::string refusal() {
        const auto result = accelctl::bench(options, kernel);
        CHECK(kernel.live() == Live{});
        REQUIRE(!result);
        return result.error();
    }
};

nlohmann::json json_of(Scene& scene) {
    scene.options.json = true;
    const auto text = accelctl::bench(scene.options, scene.kernel);
    REQUIRE_MESSAGE(text.has_value(), text.error());
    return nlohmann::json::parse(*text);
}

}  // namespace

TEST_SUITE("libaccel/bench") {
    TEST_CASE("every figure has its line") {
        Scene scene;
        const auto text = accelctl::bench(scene.options, scene.kernel);
        REQUIRE_MESSAGE(text.has_value(), text.error());
        CAPTURE(*text);
        CHECK(text->starts_with("/dev/accel/accel0: y = x of four numbers\n"));
        std::size_t at = 0;
        for (const char* what :
             {"\n  loads         ", " a second\n", "\n  admission     p50 ", " us, p95 ",
              " us, p99 ", "\n  completion    p50 ", "\n  write         ", " bytes at a time\n",
              "\n  read          "}) {
            const std::size_t next = text->find(what, at);
            REQUIRE_MESSAGE(next != std::string::npos, what);
            at = next;
        }
    }

    TEST_CASE("as much is done as was asked for, after a warm-up") {
        Scene scene;
        const auto measured = json_of(scene);
        CHECK(measured["iterations"] == 20);
        CHECK(measured["loads"] == 2);
        CHECK(scene.kernel.count(Call::Submit) == 2 + 20);
        CHECK(scene.kernel.count(Call::ProgLoad) == 1 + 2);
        CHECK(scene.kernel.count(Call::ProgUnload) == 1 + 2);
        CHECK(scene.kernel.count(Call::BufWrite) == 1 + 2);
        CHECK(scene.kernel.count(Call::BufRead) == 1 + 2);

        scene.options.iterations = 1;
        CHECK(json_of(scene)["loads"] == 1);
    }

    TEST_CASE("JSON has every figure, in order") {
        Scene scene;
        const auto measured = json_of(scene);
        CHECK(measured["device"] == "/dev/accel/accel0");
        for (const char* what : {"admission_seconds", "completion_seconds"}) {
            CHECK(measured[what]["p50"] <= measured[what]["p95"]);
            CHECK(measured[what]["p95"] <= measured[what]["p99"]);
        }
        CHECK(measured["admission_seconds"]["p50"] <= measured["completion_seconds"]["p50"]);
        for (const char* what :
             {"loads_per_second", "write_bytes_per_second", "read_bytes_per_second"})
            CHECK(measured[what] > 0);
        CHECK(measured["transfer_bytes"] ==
              std::min<std::uint64_t>(16 << 20, scene.kernel.device.info.max_buffer_bytes));
    }

    TEST_CASE("a model from a file is measured without judging its result") {
        Scene scene;
        std::string path = "/tmp/bench_test.XXXXXX";
        const accel::Descriptor file(accel::system_kernel(), ::mkstemp(path.data()));
        REQUIRE(file.get() >= 0);
        const auto program =
            accelctl::linear_program({.bias = {0.5F, -2.0F}, .low = 60.0F, .high = 140.0F});
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(program.data()), std::ssize(program));
        scene.options.model = path;
        CHECK(json_of(scene)["model"] == path);
        CHECK(scene.kernel.count(Call::BufWrite) == 2 + 2);
        ::unlink(path.c_str());
    }

    TEST_CASE("what goes wrong is one clear line, and nothing is left") {
        Scene scene;
        const std::string model = "y = x of four numbers: ";
        SUBCASE("no device") {
            scene.kernel.nodes.clear();
            CHECK(scene.refusal() == "no virtio-accel device: is the module loaded?");
        }
        SUBCASE("a missing model") {
            scene.options.model = "no.tosa";
            CHECK(scene.refusal() == "no.tosa: No such file or directory");
        }
        SUBCASE("a load that fails while they are measured") {
            scene.kernel.fail(Call::ProgLoad, 2, ENOMEM);
            CHECK(scene.refusal() ==
                  model + "cannot load the model: program_load: Cannot allocate memory");
        }
        SUBCASE("a submission that fails") {
            scene.kernel.fail(Call::Submit, 7, ENODEV);
            CHECK(scene.refusal() == model + "cannot submit: queue_submit: No such device");
        }
        SUBCASE("a transfer that fails") {
            scene.kernel.fail(Call::BufWrite, 3, EIO);
            CHECK(scene.refusal() == model + "cannot transfer: buffer_write: Input/output error");
        }
        SUBCASE("work that does not end") {
            scene.kernel.device.hold = true;
            scene.options.timeout = std::chrono::seconds(2);
            CHECK(scene.refusal() == model + "not finished after 2 s (see --timeout)");
        }
        SUBCASE("a wrong result") {
            scene.kernel.device.run = [](const Program&, std::span<const Bound>) {
                return accel::EventState{accel::EventState::Phase::Complete, accel::Status::Ok};
            };
            CHECK(scene.refusal() == model + "the result is wrong");
        }
    }
}
