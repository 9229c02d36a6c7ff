// SPDX-License-Identifier: MIT
#include "daemon/xdna_guest.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <utility>

#include <doctest/doctest.h>

#include "tosa/target.hpp"

namespace daemon_test {

namespace fs = std::filesystem;
using wire::Status;

namespace {

constexpr const char* kProgram = "tests/corpus/data/matmul-int8.tosa";
constexpr auto kLhs = std::to_array<unsigned char>({0x80, 0xFF, 0x7F, 0x05, 0xFA, 0x07, 0, 0});
constexpr auto kRhs = std::to_array<unsigned char>({0x08, 0xF7, 0x0A, 0x0B, 0x0C, 0xF3, 0, 0});
constexpr auto kProduct = std::to_array<std::int32_t>({538, -544, 88, -260});

std::vector<std::byte> contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.is_open());
    const std::vector<char> chars(std::istreambuf_iterator<char>(file), {});
    const auto bytes = std::as_bytes(std::span(chars));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::string> arguments(const TemporaryDirectory& directory,
                                   const std::vector<std::string>& more) {
    std::vector<std::string> all{"--provider", "xdna", "--socket-path", directory.file("s")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

fs::path beside_tests(const std::string& name) {
    return (fs::read_symlink("/proc/self/exe").parent_path() / "../.." / name).lexically_normal();
}

bool xdna_is_built() {
    return fs::exists(beside_tests("tests/xdna/double/libxrt_coreutil.so.2"));
}

std::string on_double(const std::string& script) {
    return "exec env 'LD_LIBRARY_PATH=" + beside_tests("tests/xdna/double").native() +
           "' 'XRT_DOUBLE=" + script + "' \"$@\"";
}

XdnaDaemon::XdnaDaemon(const std::vector<std::string>& more, const std::string& script)
    : acceld(on_double(script), arguments(directory, more)) {}

std::vector<std::string> XdnaDaemon::compiler(const TemporaryDirectory& directory,
                                              const std::string& body) {
    const std::string program = directory.file("compile");
    std::ofstream(program) << "#!/bin/sh\n"
                           << body << "\nexec '"
                           << fs::path(directory.file("double-compiler")).native() << "' \"$@\"\n";
    // Beside it, where the store may run it.
    fs::copy_file(beside_tests("tests/daemon/double-compiler"), directory.file("double-compiler"));
    fs::permissions(program, fs::perms::owner_all);
    fs::create_directory(directory.file("cache"));
    fs::permissions(directory.file("cache"), fs::perms::owner_all);
    return {"--xdna-compiler", program, "--xdna-cache", directory.file("cache")};
}

Product::Product(RunningVm& vm) : vm_(vm) {
    context_ = vm_.call(driver::create_context(++request_)).id();
    queue_ = vm_.call(driver::create_queue(++request_, context_)).id();
    lhs_ = buffer(kLhs.size());
    rhs_ = buffer(kRhs.size());
    output_ = buffer(sizeof(kProduct));
    for (const auto& [to, data] : {std::pair(lhs_, std::span(kLhs)), {rhs_, std::span(kRhs)}})
        REQUIRE(vm_.call(driver::write_buffer(++request_, to, 0, std::as_bytes(data))).status() ==
                Status::Ok);
}

std::uint64_t Product::buffer(std::uint64_t bytes) {
    const auto made =
        vm_.call(driver::allocate_buffer(++request_, {.context = context_, .bytes = bytes}));
    REQUIRE(made.status() == Status::Ok);
    return made.id();
}

driver::ProgramFields Product::fields(std::uint32_t format) const {
    return {.context = context_,
            .format = format,
            .target = tosa::encode_target({.profiles = tosa::kProfileInteger}),
            .resident_bytes = 1 << 20};
}

driver::Bytes Product::load_frame() {
    return driver::load_program(++request_, fields(tosa::kFormat), contents(kProgram)).bytes();
}

Status Product::load(std::span<const std::byte> artifact, std::uint32_t format) {
    const auto loaded = vm_.call(driver::load_program(++request_, fields(format), artifact));
    if (loaded.status() == Status::Ok) program_ = loaded.id();
    return loaded.status();
}

Status Product::load() {
    return load(contents(kProgram), tosa::kFormat);
}

std::uint64_t Product::submit() {
    const std::array bindings{
        driver::bind(lhs_, 0, VIRTIO_ACCEL_ACCESS_READ, 0, kLhs.size()),
        driver::bind(rhs_, 1, VIRTIO_ACCEL_ACCESS_READ, 0, kRhs.size()),
        driver::bind(output_, 2, VIRTIO_ACCEL_ACCESS_WRITE, 0, sizeof(kProduct))};
    const auto accepted = vm_.call(driver::submit(++request_, queue_, program_, bindings));
    REQUIRE(accepted.status() == Status::Ok);
    return accepted.id();
}

driver::Answer Product::poll(std::uint64_t event) {
    return vm_.call(driver::on_object(VIRTIO_ACCEL_OP_POLL_EVENT, ++request_, event));
}

bool Product::runs() {
    const std::uint64_t event = submit();
    std::uint16_t state = VIRTIO_ACCEL_EVENT_PENDING;
    while (state == VIRTIO_ACCEL_EVENT_PENDING) {
        const auto answer = poll(event);
        REQUIRE(answer.status() == Status::Ok);
        state = answer.load<std::uint16_t>(16);
    }
    CHECK(vm_.call(driver::on_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, ++request_, event)).status() ==
          Status::Ok);
    const auto read = vm_.call(driver::read_buffer(++request_, output_, 0, sizeof(kProduct)));
    return state == VIRTIO_ACCEL_EVENT_COMPLETE &&
           std::ranges::equal(read.payload(), std::as_bytes(std::span(kProduct)));
}

}  // namespace daemon_test
