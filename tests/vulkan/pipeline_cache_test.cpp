// SPDX-License-Identifier: MIT
#include "vulkan/pipeline_cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/stat.h>

#include "vulkan/shimmed.hpp"

using namespace vulkan;
using namespace vulkan::test;
namespace fs = std::filesystem;

namespace {

PhysicalDevice some_device() {
    PhysicalDevice device;
    device.vendor_id = 0x1002;
    device.device_id = 0x15BF;
    device.driver_version = 7;
    device.pipeline_cache_uuid.fill(0xAB);
    return device;
}

// As a driver writes it: Vulkan's header, then what only the driver knows.
Bytes some_data(const PhysicalDevice& device) {
    VkPipelineCacheHeaderVersionOne header{.headerSize = sizeof(header),
                                           .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                                           .vendorID = device.vendor_id,
                                           .deviceID = device.device_id};
    std::ranges::copy(device.pipeline_cache_uuid, header.pipelineCacheUUID);
    Bytes data(sizeof(header) + 100, std::byte{0x5C});
    std::memcpy(data.data(), &header, sizeof(header));
    return data;
}

bool taken(const PhysicalDevice& device, const Bytes& file) {
    return !unwrap(device, file).empty();
}

// A directory of the case's own.
class Directory {
 public:
    Directory() { REQUIRE(::mkdtemp(path_.data())); }
    ~Directory() { fs::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(path_))
            found.push_back(entry.path());
        return found;
    }
    // The one file that there is.
    [[nodiscard]] fs::path file() const {
        REQUIRE(files().size() == 1);
        return files().front();
    }

 private:
    std::string path_ = fs::temp_directory_path() / "vulkan-cache-XXXXXX";
};

Bytes content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

void put(const fs::path& path, const Bytes& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

// Opens, computes and closes; what the driver was given of the file is the result.
Bytes live(Shimmed& shim, const std::string& directory) {
    auto options = Shimmed::options();
    options.cache_directory = directory;
    Rig rig(options);
    Bytes given = shim->initial_cache;
    GraphBuilder graph;
    graph.input("x", {4}).output("y", {4}).clamp("x", "y", 0.0F, 1.0F);
    CHECK(rig.run(graph, {{-1, 0, 1, 2}}, 4) == Floats{0, 0, 1, 1});
    return given;
}

}  // namespace

TEST_SUITE("vulkan/pipeline-cache") {
    TEST_CASE("what is kept comes back only whole, on its device, with its driver") {
        const PhysicalDevice device = some_device();
        const Bytes data = some_data(device);
        const Bytes file = wrap(device, data);
        CHECK(std::ranges::equal(unwrap(device, file), data));

        for (std::size_t i = 0; i < file.size(); ++i) {
            Bytes bad = file;
            bad[i] ^= std::byte{1};
            CHECK(!taken(device, bad));
        }
        for (std::size_t bytes = 0; bytes < file.size(); ++bytes)
            CHECK(!taken(device,
                         Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes))));
        Bytes longer = file;
        longer.push_back(std::byte{0});
        CHECK(!taken(device, longer));

        auto other = device;
        SUBCASE("vendor") {
            other.vendor_id = 1;
        }
        SUBCASE("device") {
            other.device_id = 1;
        }
        SUBCASE("driver") {
            other.driver_version = 8;
        }
        SUBCASE("uuid") {
            other.pipeline_cache_uuid[15] = 0;
        }
        CHECK(!taken(other, file));
    }

    TEST_CASE("a file that is whole but has not what a driver writes is not used") {
        const PhysicalDevice device = some_device();
        CHECK(!taken(device, wrap(device, {})));
        CHECK(!taken(device, wrap(device, Bytes(31))));
        CHECK(!taken(device, wrap(device, Bytes(1000))));
        Bytes data = some_data(device);
        for (const std::size_t field : {0U, 4U, 8U, 12U, 16U, 31U}) {
            CAPTURE(field);
            Bytes bad = data;
            bad[field] ^= std::byte{0xFF};
            CHECK(!taken(device, wrap(device, bad)));
        }
    }

    TEST_CASE("the next process is given what the last one has compiled" *
              doctest::skip(skipped())) {
        Shimmed shim;
        const Directory directory;
        CHECK(live(shim, directory.path()).empty());
        const fs::path file = directory.file();
        struct stat before{}, after{};
        REQUIRE(::stat(file.c_str(), &before) == 0);
        CHECK((before.st_mode & 0777) == 0600);
        const Bytes given = live(shim, directory.path());
        CHECK(!given.empty());
        const Bytes kept = content(file);
        CHECK(std::ranges::equal(given, std::span(kept).last(given.size())));
        REQUIRE(::stat(directory.file().c_str(), &after) == 0);
        CHECK(before.st_ino == after.st_ino);  // nothing new, nothing written
    }

    TEST_CASE("a file that is no good is as none, and is replaced" * doctest::skip(skipped())) {
        Shimmed shim;
        const Directory directory;
        live(shim, directory.path());
        const fs::path file = directory.file();
        const Bytes good = content(file);
        SUBCASE("corrupt") {
            Bytes bad = good;
            bad.back() ^= std::byte{1};
            put(file, bad);
        }
        SUBCASE("truncated") {
            put(file, Bytes(good.begin(), good.end() - 1));
        }
        SUBCASE("empty") {
            put(file, {});
        }
        SUBCASE("huge") {
            fs::resize_file(file, PipelineCache::kMostBytes + 1);
        }
        SUBCASE("others may write it") {
            fs::permissions(file, fs::perms(0666));
        }
        SUBCASE("a link") {
            const fs::path target = directory.path() + ".target";
            fs::rename(file, target);
            fs::create_symlink(target, file);
        }
        SUBCASE("a pipe") {
            fs::remove(file);
            REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
        }
        CHECK(live(shim, directory.path()).empty());
        CHECK(content(directory.file()) == good);
        CHECK(fs::is_regular_file(fs::symlink_status(file)));
        fs::remove(directory.path() + ".target");
    }

    TEST_CASE("another driver does not get it, and leaves its own" * doctest::skip(skipped())) {
        Shimmed shim;
        const Directory directory;
        live(shim, directory.path());
        shim->mask.driver_version = 1;
        CHECK(live(shim, directory.path()).empty());
        CHECK(!live(shim, directory.path()).empty());
        shim->mask.driver_version = 0;
        CHECK(live(shim, directory.path()).empty());
    }

    TEST_CASE("a directory that cannot be used is none" * doctest::skip(skipped())) {
        Shimmed shim;
        const Directory directory;
        CHECK(live(shim, directory.path() + "/missing").empty());
        const std::string file = directory.path() + "/file";
        put(file, Bytes(4));
        CHECK(live(shim, file).empty());
        CHECK(directory.files().size() == 1);
        CHECK(live(shim, "").empty());
    }

    TEST_CASE("a driver that refuses what is kept, or keeps nothing, is no error" *
              doctest::skip(skipped())) {
        Shimmed shim;
        const Directory directory;
        SUBCASE("refuses") {
            live(shim, directory.path());
            shim->start_over();
            shim->fault = {"vkCreatePipelineCache", 1, VK_ERROR_INITIALIZATION_FAILED};
            CHECK(live(shim, directory.path()).empty());
            CHECK(shim->failed());
            CHECK(shim->calls("vkCreatePipelineCache") == 2);
        }
        SUBCASE("gives nothing") {
            shim->fault = {"vkGetPipelineCacheData", 1, VK_ERROR_OUT_OF_HOST_MEMORY};
            live(shim, directory.path());
            CHECK(shim->failed());
            CHECK(directory.files().empty());
        }
        SUBCASE("gives less than it said") {
            shim->fault = {"vkGetPipelineCacheData", 2, VK_INCOMPLETE};
            live(shim, directory.path());
            CHECK(shim->failed());
            CHECK(directory.files().empty());
        }
    }
}
