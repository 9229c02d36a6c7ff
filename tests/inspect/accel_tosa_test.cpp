// SPDX-License-Identifier: MIT
//
// The program as a user runs it.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>

#include "tosa/build_test.hpp"

using namespace tosa::test;

TEST_SUITE_BEGIN("inspect/program");

namespace {

struct Run {
    int status;
    std::string output;
};

Run accel_tosa(const std::string& arguments) {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const auto program = here / "../../host/inspect/accel-tosa";
    std::FILE* pipe = ::popen((program.native() + " " + arguments + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    Run run{};
    std::array<char, 4096> bytes;
    while (const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), pipe))
        run.output.append(bytes.data(), got);
    run.status = WEXITSTATUS(::pclose(pipe));
    return run;
}

// A file that is gone with this.
class File {
 public:
    explicit File(std::span<const std::byte> bytes) {
        std::string name = std::filesystem::temp_directory_path() / "accel-tosa-XXXXXX";
        const int fd = ::mkstemp(name.data());
        REQUIRE(fd >= 0);
        path_ = name;
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
        std::fclose(::fdopen(fd, "r"));
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::filesystem::remove(path_); }

    [[nodiscard]] const std::string& path() const { return path_; }

 private:
    std::string path_;
};

}  // namespace

TEST_CASE("check says what a file is valid for, or why not") {
    const File file(identity().file());
    const auto good = accel_tosa("check --target pro-fp,level-8k " + file.path());
    CHECK(good.status == 0);
    CHECK(good.output == file.path() + ": valid for TOSA 1.0.0 PRO-FP, level 8K\n");
    CHECK(accel_tosa("check " + file.path()).status == 0);

    const auto bad = accel_tosa("check --target PRO-INT " + file.path());
    CHECK(bad.status == 1);
    CHECK(bad.output.starts_with("accel-tosa: " + file.path() + ": region 'main', block 'entry'"));
    CHECK(bad.output.ends_with(" (UnsupportedTypeProfile)\n"));
}

TEST_CASE("dump and stats print what the library says") {
    const File file(identity().file());
    CHECK(accel_tosa("dump " + file.path()).output.contains("IDENTITY "));
    CHECK(accel_tosa("stats " + file.path()).output.contains("operators "));
    CHECK(accel_tosa("dump " + file.path() + " > /dev/full").status == 1);
}

TEST_CASE("what is no TOSA file, no file or no usage is one line and a status") {
    const File noise(std::as_bytes(std::span("noise that is long enough to be read as a file")));
    for (const auto& [arguments, status] : std::initializer_list<std::pair<std::string, int>>{
             {"check " + noise.path(), 1},
             {"check /nowhere/file", 1},
             {"dump /", 1},
             {"check --target pro-fp,nonsense " + noise.path(), 2},
             {"check --target pro-fp,ext-int4 " + noise.path(), 2},
             {"check", 2},
             {"", 2}}) {
        CAPTURE(arguments);
        const auto run = accel_tosa(arguments);
        CHECK(run.status == status);
        CHECK(run.output.starts_with("accel-tosa: "));
        CHECK(std::ranges::count(run.output, '\n') == 1);
    }
    CHECK(accel_tosa("--help").status == 0);
}

TEST_SUITE_END();
