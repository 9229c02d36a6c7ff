// SPDX-License-Identifier: MIT
//
// The store in one process: catalogue, cache, compiler.
#include <algorithm>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include <fcntl.h>

#include "xdna-store/fake_compiler.hpp"
#include "xdna-store/kernels.hpp"
#include "xdna/store/direct.hpp"
#include "xdna/store/key.hpp"

namespace {

using provider::ErrorKind;
using xdna::Binary;
using xdna::Cache;
using xdna::DirectStore;
using xdna::Effort;
using xdna::Spec;
using xdna::StoreCode;
using xdna_store_test::binary_for;
using xdna_store_test::kSpec;
using xdna_store_test::read_text;
using xdna_store_test::Scratch;
using xdna_store_test::write_compiler;
using xdna_store_test::write_text;
namespace fs = std::filesystem;

// No two kernels that it makes are equal.
constexpr const char* kUnique =
    "versions_only()\n"
    "make()\n"
    "write('instructions.bin', os.urandom(16))\n";

std::unique_ptr<DirectStore> open(const xdna::StoreOptions& options) {
    auto store = DirectStore::open(options);
    REQUIRE(store.has_value());
    return std::move(*store);
}

void write_container(const fs::path& path, const Binary& binary) {
    const auto bytes = xdna::to_container(binary);
    write_text(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

fs::path in_catalogue(const Scratch& scratch, const Spec& spec) {
    fs::create_directory(scratch / "catalogue");
    return scratch / ("catalogue/" + xdna::file_name(xdna::catalogue_key(spec)));
}

std::vector<fs::path> files_in(const fs::path& directory) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory))
        files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

// Of a compiler that makes what it is asked for.
xdna::StoreOptions compiling(const Scratch& scratch, const std::string& body = "good()\n") {
    return {.catalogue = {}, .compiler = write_compiler(scratch, body), .cache = scratch / "cache"};
}

TEST_CASE("A store without anything says what is missing and what it would be called") {
    const auto found = open({})->find(kSpec, Effort::Compile);
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().error == provider::Error(ErrorKind::Unsupported));
    CHECK(found.error().why ==
          "no compiled kernel for 'int8-matmul m=2 k=3 n=2 a_zero=-2 b_zero=3' (key " +
              xdna::catalogue_key(kSpec) + "), and no compiler is configured");
}

// printf 'container=1\ninstructions=1\ngeneration=2\nspec=%s\n' ... | sha256sum
TEST_CASE("The key of a kernel is the hash that its documentation gives") {
    CHECK(xdna::catalogue_key(kSpec) ==
          "bb068619b0881205ca21f7a2fecd19c964861c7e1c3c039b0ddbf94c95991efd");
    CHECK(xdna::sha256({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const auto key = [](const std::string& versions, const std::string& helper) {
        return xdna::cache_key(kSpec, {.versions = versions, .helper = helper});
    };
    CHECK(key("a", "b") == key("a", "b"));
    CHECK(key("a", "b") != key("a", "c"));
    CHECK(key("a", "b") != key("c", "b"));
    CHECK(key("a", "b") != xdna::catalogue_key(kSpec));
}

TEST_CASE("A catalogue comes first, and is never written to") {
    const Scratch scratch;
    auto options = compiling(scratch);
    options.catalogue = scratch / "catalogue";
    const auto file = in_catalogue(scratch, kSpec);
    write_container(file, binary_for(kSpec));
    const auto store = open(options);
    CHECK(store->find(kSpec, Effort::Look).value() == binary_for(kSpec));
    CHECK(files_in(scratch / "cache").empty());

    // What is no kernel of the spec is passed over, and stays.
    Binary other = binary_for(kSpec);
    other.outputs[0] += 4;
    write_container(file, other);
    CHECK(store->find(kSpec, Effort::Compile).value() != other);
    write_text(file, "not a kernel");
    CHECK(store->find(kSpec, Effort::Compile).has_value());
    CHECK(files_in(scratch / "catalogue") == std::vector{file});
    CHECK(read_text(file) == "not a kernel");

    // An operator may have it as a link.
    write_container(scratch / "elsewhere", binary_for(kSpec));
    fs::remove(file);
    fs::create_symlink(scratch / "elsewhere", file);
    CHECK(store->find(kSpec, Effort::Look).value() == binary_for(kSpec));
}

TEST_CASE("A catalogue is enough") {
    const Scratch scratch;
    write_container(in_catalogue(scratch, kSpec), binary_for(kSpec));
    const auto store = open({.catalogue = scratch / "catalogue", .compiler = {}, .cache = {}});
    CHECK(store->find(kSpec, Effort::Compile).value() == binary_for(kSpec));
    CHECK(store->find(xdna::Int8Identity{8}, Effort::Compile).error().error ==
          provider::Error(ErrorKind::Unsupported));
}

TEST_CASE("What was compiled is kept, for other processes as well") {
    const Scratch scratch;
    const auto options = compiling(scratch, kUnique);
    const auto store = open(options);
    CHECK(store->find(kSpec, Effort::Look).error().error ==
          provider::Error(ErrorKind::Unsupported));
    const auto made = store->find(kSpec, Effort::Compile);
    REQUIRE(made.has_value());
    CHECK(store->find(kSpec, Effort::Look) == made.value());
    CHECK(open(options)->find(kSpec, Effort::Compile) == made.value());

    const auto kept = files_in(scratch / "cache");
    REQUIRE(kept.size() == 1);
    CHECK(kept[0].filename().native().size() == 64 + std::string(".xrtn").size());
    CHECK((fs::status(kept[0]).permissions() & fs::perms::mask) ==
          (fs::perms::owner_read | fs::perms::owner_write));
    CHECK((fs::status(scratch / "cache").permissions() & fs::perms::mask) == fs::perms::owner_all);
}

TEST_CASE("Another compiler, or other versions of its parts, do not use the kernels of the first") {
    const Scratch scratch;
    const auto options = compiling(scratch, kUnique);
    REQUIRE(open(options)->find(kSpec, Effort::Compile).has_value());
    SUBCASE("") {
        write_compiler(scratch, std::string("# changed\n") + kUnique);
    }
    SUBCASE("") {
        write_compiler(scratch, std::string("versions['x'] = '2'\n") + kUnique);
    }
    CHECK_FALSE(open(options)->find(kSpec, Effort::Look).has_value());
    CHECK(open(options)->find(kSpec, Effort::Compile).has_value());
    CHECK(files_in(scratch / "cache").size() == 2);
}

TEST_CASE("A toolchain that changes under a store is noticed") {
    const Scratch scratch;
    const auto options =
        compiling(scratch,
                  "versions['toolchain'] = open(os.path.dirname(sys.argv[0]) + '/version').read()\n"
                  "good()\n");
    write_text(scratch / "version", "1");
    const auto store = open(options);
    REQUIRE(store->find(kSpec, Effort::Compile).has_value());
    write_text(scratch / "version", "2");
    const Spec other = xdna::Int8Identity{8};
    CHECK(store->find(other, Effort::Compile).error().error.code ==
          std::to_underlying(StoreCode::BadOutput));
    CHECK(store->find(other, Effort::Compile).has_value());
    CHECK_FALSE(store->find(kSpec, Effort::Look).has_value());
}

TEST_CASE("A bad file in the cache is removed, and its kernel is made again") {
    const Scratch scratch;
    const auto store = open(compiling(scratch, kUnique));
    const auto made = store->find(kSpec, Effort::Compile);
    REQUIRE(made.has_value());
    const auto file = files_in(scratch / "cache").at(0);
    const std::string good = read_text(file);
    Binary other = binary_for(kSpec);
    other.inputs[1] += 4;
    SUBCASE("cut off") {
        write_text(file, good.substr(0, good.size() - 1));
    }
    SUBCASE("empty") {
        write_text(file, "");
    }
    SUBCASE("of another spec") {
        write_container(file, other);
    }
    SUBCASE("too large") {
        fs::resize_file(file, xdna::kBinaryBytes + 1);
    }
    SUBCASE("a link") {
        write_text(scratch / "elsewhere", good);
        fs::remove(file);
        fs::create_symlink(scratch / "elsewhere", file);
    }
    SUBCASE("a pipe") {
        fs::remove(file);
        REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    }
    CHECK_FALSE(store->find(kSpec, Effort::Look).has_value());
    CHECK(files_in(scratch / "cache").empty());
    const auto again = store->find(kSpec, Effort::Compile);
    CHECK(again.value() != made.value());
    CHECK(store->find(kSpec, Effort::Look) == again.value());
}

TEST_CASE("The oldest kernels make room for new ones") {
    const Scratch scratch;
    const std::uint64_t bytes = xdna::to_container(binary_for(kSpec)).size();
    const auto cache = Cache::open(scratch / "cache", 3 * bytes).value();
    const auto file = [&](const char* key) { return scratch / ("cache/" + xdna::file_name(key)); };
    const auto now = fs::file_time_type::clock::now();
    int age = 0;
    for (const char* key : {"d", "a", "c"}) {
        REQUIRE(cache.put(key, binary_for(kSpec)));
        fs::last_write_time(file(key), now - std::chrono::hours(10 - age++));
    }
    CHECK(files_in(scratch / "cache").size() == 3);
    REQUIRE(cache.put("b", binary_for(kSpec)));
    CHECK(files_in(scratch / "cache") == std::vector{file("a"), file("b"), file("c")});
    Binary large = binary_for(kSpec);
    large.xclbin.resize(large.xclbin.size() + bytes);
    REQUIRE(cache.put("e", large));
    CHECK(files_in(scratch / "cache") == std::vector{file("b"), file("e")});
    large.xclbin.resize(large.xclbin.size() + bytes + 1);
    CHECK_FALSE(cache.put("f", large));
    CHECK(files_in(scratch / "cache") == std::vector{file("b"), file("e")});
}

TEST_CASE("What a killed process has left in the cache does no harm") {
    const Scratch scratch;
    fs::create_directory(scratch / "cache");
    fs::permissions(scratch / "cache", fs::perms::owner_all);
    write_text(scratch / "cache/staging", "half a ker");
    fs::create_directories(scratch / "cache/work.abcdef/deep/er");
    const auto store = open(compiling(scratch));
    CHECK(store->find(kSpec, Effort::Compile).has_value());
    CHECK(files_in(scratch / "cache").size() == 1);
}

TEST_CASE("Directories of stores that are at work are left alone") {
    const Scratch scratch;
    const auto options =
        compiling(scratch,
                  "versions_only()\nopen(os.path.dirname(sys.argv[0]) + '/go').read()\n"
                  "make()\n");
    REQUIRE(::mkfifo((scratch / "go").c_str(), 0600) == 0);
    const auto store = open(options);
    std::thread finder([&] { CHECK(store->find(kSpec, Effort::Compile).has_value()); });
    std::ofstream go(scratch / "go");  // waits until the compiler reads it
    const auto other = open(options);
    CHECK(files_in(scratch / "cache").size() == 1);
    go.close();
    finder.join();
}

TEST_CASE("Those who ask for one kernel at once get the same one") {
    const Scratch scratch;
    const auto store = open(compiling(scratch, kUnique));
    std::vector<std::expected<Binary, xdna::NoBinary>> found(4);
    std::vector<std::thread> askers;
    for (auto& kernel : found)
        askers.emplace_back([&] { kernel = store->find(kSpec, Effort::Compile); });
    for (std::thread& asker : askers)
        asker.join();
    for (const auto& kernel : found)
        CHECK(kernel.value() == found[0].value());
}

TEST_CASE("A kernel that cannot be kept is used all the same") {
    const Scratch scratch;
    auto options = compiling(scratch);
    options.cache_bytes = 10;
    std::string log;
    options.log = [&](const std::string& line) { log += line; };
    CHECK(open(options)->find(kSpec, Effort::Compile).has_value());
    CHECK(log.find("cannot be kept") != std::string::npos);
}

TEST_CASE("A store that was stopped compiles no more, and goes on to serve what there is") {
    const Scratch scratch;
    const auto store = open(compiling(scratch));
    REQUIRE(store->find(kSpec, Effort::Compile).has_value());
    store->stop();
    CHECK(store->find(kSpec, Effort::Compile).has_value());
    CHECK(store->find(xdna::Int8Identity{8}, Effort::Compile).error().error.code ==
          std::to_underlying(StoreCode::HelperFailed));
}

TEST_CASE("A store is opened with what it needs, or not at all") {
    const Scratch scratch;
    const auto refused = [](const xdna::StoreOptions& options) {
        const auto store = DirectStore::open(options);
        return !store && !store.error().empty();
    };
    auto options = compiling(scratch);
    options.catalogue = scratch / "none";
    CHECK(refused(options));
    options = compiling(scratch);
    options.cache.clear();
    CHECK(refused(options));
    options = compiling(scratch);
    options.compiler.clear();
    CHECK(refused(options));
    options = compiling(scratch);
    fs::create_directory(options.cache);
    fs::permissions(options.cache, fs::perms::owner_all | fs::perms::group_read);
    CHECK(refused(options));
    fs::permissions(options.cache, fs::perms::owner_all);
    CHECK_FALSE(refused(options));
    fs::remove_all(options.cache);
    write_text(options.cache, "");
    CHECK(refused(options));
}

}  // namespace
