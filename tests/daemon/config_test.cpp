// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include <doctest/doctest.h>

#include "daemon/process.hpp"

using daemon_test::Acceld;
using daemon_test::Client;
using daemon_test::TemporaryDirectory;
using vhost::Bytes;
using vhost::Request;

TEST_SUITE_BEGIN("daemon/config");

namespace {

constexpr const char* kExample = "docs/virtio-acceld.toml";

std::string write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    return path;
}

std::string contents(const std::string& path) {
    std::ifstream file(path);
    REQUIRE(file.is_open());
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(stream, line);)
        all.push_back(line);
    return all;
}

std::string name_at(std::string_view text) {
    return std::string(text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-")));
}

// The key of a line "key = value".
std::string key_of(std::string_view line) {
    const std::string name = name_at(line);
    return line.substr(name.size()).starts_with(" = ") ? name : "";
}

// Those that --help lists: what stands further to the right describes them.
std::set<std::string> options_of(const std::string& help) {
    std::set<std::string> names;
    for (const std::string& line : lines(help))
        if (const auto at = line.find("--"); at < 8) names.insert(name_at(line.substr(at + 2)));
    return names;
}

}  // namespace

TEST_CASE("a file sets what flags would") {
    TemporaryDirectory directory;
    const std::string config = write(directory.file("c"),
                                     "provider = 'mock'\n"
                                     "socket-path = ['" +
                                         directory.file("a") + "', '" + directory.file("b") +
                                         "']\n"
                                         "max-guests = 2\n"
                                         "max-request-bytes = '64KiB'\n"
                                         "once = false\n");
    Acceld acceld({"--config", config});
    for (const char* name : {"a", "b"})
        REQUIRE(acceld.wait_for("listening on " + directory.file(name)));
    Client client(directory.file("b"));
    const Bytes features = client.ask(Request::GetProtocolFeatures).value();
    client.send(Request::SetProtocolFeatures, features);
    Bytes payload = vhost::to_bytes(vhost::ConfigHeader{8, 4, 0});
    payload.resize(payload.size() + 4);
    const auto reply = client.ask(Request::GetConfig, payload);
    REQUIRE(reply.has_value());
    CHECK(Bytes(reply->begin() + 12, reply->end()) == vhost::to_bytes(std::uint32_t{64 << 10}));
    acceld.signal(SIGTERM);
    CHECK(acceld.wait() == 0);
}

TEST_CASE("the worker is told what the file says, but for what the command line does") {
    TemporaryDirectory directory;
    const std::string config = write(directory.file("c"),
                                     "provider = 'xdna'\n"
                                     "device = 7\n"
                                     "socket-path = '" +
                                         directory.file("s") + "'\n");
    for (const bool single : {false, true}) {
        CAPTURE(single);
        const std::string process = single ? "--single-process" : "--max-guests=1";
        Acceld file({"--config", config, process, "--provider=cpu"});
        CHECK(file.wait() == 1);
        CHECK(file.output().contains("'cpu' is not available"));
        CHECK(file.output().contains("none called '7'"));
        Acceld flag({"--device", "8", process, "--provider=cpu", "--config", config});
        CHECK(flag.wait() == 1);
        CHECK(flag.output().contains("none called '8'"));
    }
}

TEST_CASE("what is wrong in a file is one line with its place") {
    struct {
        std::string text;
        std::string says;  // after the name of the file
    } cases[] = {
        {"fd = 9\nprovdier = 'cpu'\n", ":2: there is no setting 'provdier'"},
        {"provider = 'gpu'\n", ":1: --provider: "},
        {"fd = 9\n\nmax-guests = 0\n", ":3: --max-guests: "},
        {"max-guests = [1, 2]\n", ":1: --max-guests: "},
        {"max-request-bytes = '17MiB'\n", ":1: --max-request-bytes: "},
        {"fault = 'submit:1:explodes'\n", ":1: --fault: "},
        {"once = 'perhaps'\n", ":1: Could not convert: --once"},
        {"fd = 9\nfd = 8\n", ":2: "},
        {"fd = \n", ":1: "},
        {"provider = cpu\n", ":1: "},
        {"provider = 'cpu\n", ":1: "},
        {"\nprovider\n", ":2: "},
        {"device = ''\n", ":1: device: a string, "},
        {"message-timeout = 1.5\n", ":1: message-timeout: a string, "},
        {"\n[vulkan]\ndevice = 0\n", ":2: vulkan: a string, "},
        {"socket-path = [['/x']]\n", ":1: socket-path: a string, "},
        {"config = '/x'\n", ":1: there is no setting 'config'"},
        {"board = 4\n", ":1: there is no setting 'board'"},
        {"help = true\n", ":1: there is no setting 'help'"},
        {"version = true\n", ":1: there is no setting 'version'"},
    };
    TemporaryDirectory directory;
    for (const auto& [text, says] : cases) {
        CAPTURE(text);
        const std::string config = write(directory.file("c"), text);
        Acceld acceld({"--config", config});
        CHECK(acceld.wait() == 2);
        CHECK(acceld.output().starts_with("virtio-acceld: " + config + says));
        CHECK(std::ranges::count(acceld.output(), '\n') == 1);
    }
}

TEST_CASE("a file that cannot be read is one line, and so is what it leaves out") {
    TemporaryDirectory directory;
    Acceld missing({"--config", directory.file("c")});
    CHECK(missing.wait() == 2);
    CHECK(missing.output() ==
          "virtio-acceld: " + directory.file("c") + ": No such file or directory\n");
    Acceld folder({"--config", directory.file("")});
    CHECK(folder.wait() == 2);
    CHECK(folder.output() == "virtio-acceld: " + directory.file("") + ": Is a directory\n");
    Acceld empty({"--config", write(directory.file("e"), "# nothing\n")});
    CHECK(empty.wait() == 2);
    CHECK(empty.output() == "virtio-acceld: --socket-path or --fd is required\n");
}

TEST_CASE("the example is right and has every setting") {
    TemporaryDirectory directory;
    Acceld as_it_is({"--config", kExample, "--version"});
    CHECK(as_it_is.wait() == 0);
    CAPTURE(as_it_is.output());
    std::string all;
    std::set<std::string> keys;
    for (std::string line : lines(contents(kExample))) {
        if (line.starts_with('#') && !key_of(line.substr(1)).empty()) line.erase(0, 1);
        if (const std::string key = key_of(line); !key.empty()) keys.insert(key);
        all += line + "\n";
    }
    Acceld uncommented({"--config", write(directory.file("c"), all), "--version"});
    CHECK(uncommented.wait() == 0);
    CAPTURE(uncommented.output());

    Acceld help({"--help"});
    REQUIRE(help.wait() == 0);
    std::set<std::string> settings = options_of(help.output());
    for (const char* other : {"help", "version", "config", "print-capabilities"})
        CHECK(settings.erase(other) == 1);
    for (const char* test_only : {"mock-polls", "mock-limits", "fault"})
        CHECK(settings.erase(test_only) == 1);
    CHECK(settings == keys);
}

TEST_SUITE_END();
