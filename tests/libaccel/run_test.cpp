// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include <unistd.h>

#include "execute.hpp"
#include "file_io.hpp"
#include "npy.hpp"
#include "rig.hpp"
#include "tosa_device.hpp"
#include "tosa_program.hpp"

using namespace fake;
using accelctl::Bytes;
using accelctl::Element;

namespace {

// A new folder that goes away with what is in it.
class Folder {
 public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "run_test.XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::string operator/(const std::string& name) const { return path_ / name; }

    void put(const std::string& name, std::span<const std::byte> contents) const {
        std::ofstream(path_ / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(contents.data()),
                   static_cast<std::streamsize>(contents.size()));
    }
    void put_floats(const std::string& name, const accelctl::Shape& shape,
                    const std::vector<float>& values) const {
        const auto bytes = std::as_bytes(std::span(values));
        put(name, accelctl::format_npy({Element::F4, shape, {bytes.begin(), bytes.end()}}));
    }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), {}));
    }

 private:
    std::filesystem::path path_;
};

// The linear program, its inputs in files, and a device that runs it: y is
// [[60, 62], [139.5, 140]], so that its rows predict 1 and 1.
struct Scene {
    Kernel kernel;
    NothingLeft nothing_left{kernel};
    Folder folder;
    accelctl::RunOptions options;

    Scene() {
        kernel.device.load = load_tosa;
        kernel.device.run = run_tosa;
        folder.put("linear.tosa",
                   accelctl::linear_program({.bias = {0.5F, -2.0F}, .low = 60.0F, .high = 140.0F}));
        folder.put_floats("a.npy", {1, 2, 3}, {1, 2, 3, 4, 5, 6});
        folder.put_floats("b.npy", {1, 3, 2}, {7, 8, 9, 10, 11, 12});
        put_labels({1, 0});
        options.model = folder / "linear.tosa";
        options.inputs = {{"a", folder / "a.npy"}, {"b", folder / "b.npy"}};
        options.outputs = {{"y", folder / "y.npy"}};
    }

    void put_labels(const std::vector<std::int32_t>& labels) const {
        const auto bytes = std::as_bytes(std::span(labels));
        folder.put("labels.npy", accelctl::format_npy(
                                     {Element::I4, {labels.size()}, {bytes.begin(), bytes.end()}}));
    }

    // The first line of what a run that must fail says; it must leave nothing.
    std::string refusal() {
        const std::size_t before = folder.entries();
        const auto result = accelctl::run(options, kernel);
        CHECK(folder.entries() == before);
        CHECK(kernel.live().pending == 0);
        REQUIRE(!result);
        return result.error().substr(0, result.error().find('\n'));
    }
};

}  // namespace

TEST_SUITE("libaccel/run") {
    TEST_CASE("a model runs on files and writes its output") {
        Scene scene;

        const auto report = accelctl::run(scene.options, scene.kernel);

        REQUIRE_MESSAGE(report.has_value(), report.error());
        CHECK(report->empty());
        const auto file = accelctl::read_file(scene.folder / "y.npy", 4096);
        REQUIRE(file);
        const auto y = accelctl::parse_npy(*file);
        REQUIRE(y);
        CHECK(y->element == Element::F4);
        CHECK(y->shape == accelctl::Shape{1, 2, 2});
        std::array<float, 4> values{};
        std::memcpy(values.data(), y->data.data(), sizeof values);
        CHECK(values == std::array{60.0F, 62.0F, 139.5F, 140.0F});
        CHECK(scene.folder.entries() == 5);
    }

    TEST_CASE("the program is loaded with its target and the resident bytes asked for") {
        Scene scene;
        std::uint64_t resident = 0;
        scene.kernel.device.load = [&](const Program& program) {
            resident = program.resident_bytes;
            return load_tosa(program);
        };
        CHECK(accelctl::run(scene.options, scene.kernel).has_value());
        // Eight tensors of at most 256 bytes.
        CHECK(resident == std::filesystem::file_size(scene.options.model) + 8 * 256 + (1 << 20));
        scene.options.resident_bytes = 77;
        CHECK(accelctl::run(scene.options, scene.kernel).has_value());
        CHECK(resident == 77);
    }

    TEST_CASE("transfers that signals cut short are continued") {
        Scene scene;
        scene.kernel.device.longest_transfer = 5;
        CHECK(accelctl::run(scene.options, scene.kernel).has_value());
        CHECK(scene.kernel.count(Call::BufWrite) == 10);
        CHECK(scene.kernel.count(Call::BufRead) == 4);
    }

    TEST_CASE("memory is shared if it can be, else the device's, else the host's") {
        accel::DeviceInfo info;
        info.capabilities = 0x23;
        CHECK(accelctl::preferred_domain(info) == accel::Domain::Shared);
        info.capabilities = 0x03;
        CHECK(accelctl::preferred_domain(info) == accel::Domain::Device);
        info.capabilities = 0x01;
        CHECK(accelctl::preferred_domain(info) == accel::Domain::Host);

        Scene scene;
        for (const std::uint64_t capabilities : {1U, 2U, 0x20U}) {
            scene.kernel.device.info.capabilities = capabilities;
            CHECK(accelctl::run(scene.options, scene.kernel).has_value());
        }
    }

    TEST_CASE("labels give predictions and the accuracy") {
        Scene scene;
        scene.options.labels = {{"y", scene.folder / "labels.npy"}};
        scene.options.required_percent = 50;
        CHECK(accelctl::run(scene.options, scene.kernel).value() ==
              "predictions:\n1 1\naccuracy: 50.00 % (1 of 2)\n");
    }

    TEST_CASE("an accuracy below what is required is a failure and writes nothing") {
        Scene scene;
        scene.options.labels = {{"y", scene.folder / "labels.npy"}};
        scene.options.required_percent = 50.01;
        CHECK(scene.refusal() == "accuracy: 50.00 % (1 of 2) is below the required 50.01 %");
    }

    TEST_CASE("a description needs no device") {
        Scene scene;
        scene.kernel.nodes.clear();
        scene.options.describe_only = true;
        scene.options.inputs.clear();
        CHECK(accelctl::run(scene.options, scene.kernel).value() ==
              scene.options.model +
                  ": FLOATING_POINT 8K\n"
                  "  input   a  FP32     [1, 2, 3]\n"
                  "  input   b  FP32     [1, 3, 2]\n"
                  "  output  y  FP32     [1, 2, 2]\n");
    }

    TEST_CASE("files that do not fit the model are refused before the device is opened") {
        Scene scene;
        const std::string a = scene.folder / "a.npy";
        SUBCASE("a missing model") {
            scene.options.model = scene.folder / "no.tosa";
            CHECK(scene.refusal() == scene.options.model + ": No such file or directory");
        }
        SUBCASE("not a model") {
            scene.options.model = a;
            CHECK(scene.refusal() == a + ": not a TOSA file");
        }
        SUBCASE("a missing input file") {
            scene.options.inputs[0].path = scene.folder / "no.npy";
            CHECK(scene.refusal() == scene.options.inputs[0].path + ": No such file or directory");
        }
        SUBCASE("an input that is not given") {
            scene.options.inputs.pop_back();
            CHECK(scene.refusal() == "input 'b' is missing");
        }
        SUBCASE("an input that is given twice") {
            scene.options.inputs[1].name = "a";
            CHECK(scene.refusal() == "input 'a' is given twice");
        }
        SUBCASE("an unknown input") {
            scene.options.inputs[0].name = "x";
            CHECK(scene.refusal() == "there is no input 'x'");
        }
        SUBCASE("an unknown output") {
            scene.options.outputs[0].name = "z";
            CHECK(scene.refusal() == "there is no output 'z'");
        }
        SUBCASE("labels of an unknown output") {
            scene.options.labels = {{"z", scene.folder / "labels.npy"}};
            CHECK(scene.refusal() == "there is no output 'z'");
        }
        SUBCASE("another shape") {
            scene.options.inputs[0].path = scene.folder / "b.npy";
            CHECK(scene.refusal() == scene.options.inputs[0].path +
                                         ": is '<f4' [1, 3, 2], but input 'a' takes '<f4' "
                                         "[1, 2, 3]");
        }
        SUBCASE("another type") {
            scene.folder.put("a.npy", accelctl::format_npy({Element::I4, {1, 2, 3}, Bytes(24)}));
            CHECK(scene.refusal() ==
                  a + ": is '<i4' [1, 2, 3], but input 'a' takes '<f4' [1, 2, 3]");
        }
        SUBCASE("a file that is far too large") {
            scene.folder.put("a.npy", Bytes(24 + accelctl::kMaxHeaderBytes + 1));
            CHECK(scene.refusal() == a + ": larger than 65560 bytes");
        }
        CHECK(scene.kernel.count(Call::Open) == 0);
    }

    TEST_CASE("labels that do not fit are refused and write nothing") {
        Scene scene;
        scene.put_labels({1, 0, 1});
        scene.options.labels = {{"y", scene.folder / "labels.npy"}};
        CHECK(scene.refusal() ==
              scene.options.labels->path + ": 3 labels for the 2 rows of 'y' [1, 2, 2]");
    }

    TEST_CASE("what goes wrong on the device is one clear line") {
        Scene scene;
        const std::string model = scene.options.model + ": ";
        SUBCASE("no device") {
            scene.kernel.nodes.clear();
            CHECK(scene.refusal() == "no virtio-accel device: is the module loaded?");
        }
        SUBCASE("no permission") {
            scene.kernel.fail(Call::Open, 1, EACCES);
            CHECK(scene.refusal() == "/dev/accel: Permission denied");
        }
        SUBCASE("an operator that the provider does not run") {
            scene.kernel.device.load = [](const Program&) { return EOPNOTSUPP; };
            CHECK(scene.refusal() ==
                  model +
                      "the device's provider does not run this model: it uses an operator, a "
                      "type or a form that the provider does not have");
        }
        SUBCASE("a target that the provider does not have") {
            scene.kernel.device.load = [](const Program&) { return ENOEXEC; };
            CHECK(scene.refusal() == model +
                                         "the device's provider does not offer what this model is "
                                         "made for: FLOATING_POINT 8K");
        }
        SUBCASE("no room for a buffer") {
            scene.kernel.fail(Call::BufCreate, 2, ENOMEM);
            CHECK(scene.refusal() == model +
                                         "cannot create a buffer of 24 bytes for 'b': "
                                         "buffer_create: Cannot allocate memory");
        }
        SUBCASE("the device is lost") {
            scene.kernel.fail(Call::Submit, 1, ENODEV);
            CHECK(scene.refusal() == model + "cannot submit: queue_submit: No such device");
        }
        SUBCASE("the execution fails") {
            scene.kernel.device.run = [](const Program&, std::span<const Bound>) {
                return accel::EventState{accel::EventState::Phase::Failed,
                                         accel::Status::InternalError};
            };
            CHECK(scene.refusal() == model + "the execution failed: internal error");
        }
        SUBCASE("a transfer that never does anything") {
            scene.kernel.device.longest_transfer = 0;
            CHECK(scene.refusal() == model + "cannot write 'a': transfer: Input/output error");
        }
    }

    TEST_CASE("an execution that does not end is cancelled and given up") {
        Scene scene;
        scene.kernel.device.hold = true;
        scene.options.timeout = std::chrono::milliseconds(1500);
        const auto earliest = std::chrono::steady_clock::now() + scene.options.timeout;

        CHECK(scene.refusal() ==
              scene.options.model + ": not finished after 1.5 s (see --timeout)");

        CHECK(scene.kernel.last_wait.deadline >= earliest);
        CHECK(scene.kernel.count(Call::EventCancel) == 1);
    }

    TEST_CASE("an output that cannot be written keeps every other from appearing") {
        Scene scene;
        SUBCASE("a folder that does not exist") {
            scene.options.outputs.push_back({"y", scene.folder / "no/y.npy"});
            CHECK(scene.refusal().ends_with(": No such file or directory"));
        }
        SUBCASE("a device node, a folder") {
            std::filesystem::create_directory(scene.folder / "dir");
            for (const std::string& path : {std::string("/dev/null"), scene.folder / "dir"}) {
                scene.options.outputs.resize(1);
                scene.options.outputs.push_back({"y", path});
                CHECK(scene.refusal() == path + ": not a regular file");
            }
        }
    }

    TEST_CASE("an output replaces the file of its name and is as readable as any new file") {
        Scene scene;
        scene.folder.put("y.npy", Bytes(3));
        const mode_t mask = ::umask(022);
        CHECK(accelctl::run(scene.options, scene.kernel).has_value());
        ::umask(mask);
        struct stat status{};
        REQUIRE(::stat((scene.folder / "y.npy").c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0644);
        CHECK(status.st_size == 128 + 16);
    }

    TEST_CASE("a named path has a name and a path") {
        const auto path = accelctl::parse_named_path("a=b=c");
        REQUIRE(path);
        CHECK(path->name == "a");
        CHECK(path->path == "b=c");
        for (const char* text : {"", "a", "a=", "=b"})
            CHECK(accelctl::parse_named_path(text).error() ==
                  fmt::format("'{}' is not NAME=PATH", text));
    }
}
