// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>
#include <string>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include "xdna/plugin.hpp"

TEST_SUITE_BEGIN("xdna-xrt/installed");

namespace {

using Loaded = std::expected<std::shared_ptr<xdna::Xrt>, std::string>;

std::filesystem::path here() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::string library() {
    return here() / "../../host/xdna/xrt/libvirtio-accel-xrt.so";
}

std::string refusal(const std::string& path) {
    const Loaded loaded = xdna::load_xrt(path);
    REQUIRE_FALSE(loaded);
    return loaded.error();
}

// What is written to it as long as this lives.
class Stderr {
 public:
    Stderr() : before_(::dup(STDERR_FILENO)), file_(std::tmpfile()) {
        ::dup2(::fileno(file_), STDERR_FILENO);
    }
    ~Stderr() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
        std::fclose(file_);
    }
    Stderr(const Stderr&) = delete;
    Stderr& operator=(const Stderr&) = delete;

    [[nodiscard]] std::string text() const {
        std::string all(4096, ' ');
        const auto bytes = ::pread(::fileno(file_), all.data(), all.size(), 0);
        all.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
        return all;
    }

 private:
    int before_;
    std::FILE* file_;
};

const bool kNotBuilt = !std::filesystem::exists(library());

}  // namespace

TEST_CASE("XRT says its version, which is of the major one it was built for" *
          doctest::skip(kNotBuilt)) {
    const Loaded xrt = xdna::load_xrt(library());
    REQUIRE_MESSAGE(xrt, xrt.error());
    CHECK((*xrt)->version().starts_with("2."));
}

TEST_CASE("all NPUs are listed, and an index that no NPU has does not open" *
          doctest::skip(kNotBuilt)) {
    const Loaded xrt = xdna::load_xrt(library());
    REQUIRE_MESSAGE(xrt, xrt.error());
    const auto npus = (*xrt)->list();
    REQUIRE_MESSAGE(npus, npus.error());
    for (const auto& npu : *npus) {
        CAPTURE(npu.unusable);
        CHECK((npu.vendor_id == 0x1022 || !npu.unusable.empty()));
    }
    const auto npu = (*xrt)->open(1000);
    REQUIRE_FALSE(npu);
    CHECK_FALSE(npu.error().empty());
}

TEST_CASE("without an NPU the list is empty and nothing opens" *
          doctest::skip(kNotBuilt || std::filesystem::exists("/dev/accel"))) {
    const Loaded xrt = xdna::load_xrt(library());
    REQUIRE_MESSAGE(xrt, xrt.error());
    const auto npus = (*xrt)->list();
    REQUIRE_MESSAGE(npus, npus.error());
    CHECK(npus->empty());
    CHECK_FALSE((*xrt)->open(0));
}

TEST_CASE("what guests can cause as often as they like is not printed" * doctest::skip(kNotBuilt)) {
    REQUIRE(xdna::load_xrt(library()));
    void* const xrt = dlopen("libxrt_coreutil.so.2", RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(xrt);
    // Of C, where XRT prints what it would throw to us.
    const auto open = reinterpret_cast<void* (*)(unsigned int)>(dlsym(xrt, "xrtDeviceOpen"));
    REQUIRE(open);
    const Stderr printed;
    CHECK(open(1000) == nullptr);
    CHECK(printed.text() == "");
    dlclose(xrt);
}

TEST_CASE("a library is loaded once, however often it is asked for" * doctest::skip(kNotBuilt)) {
    REQUIRE(xdna::load_xrt(library()));
    CHECK(xdna::load_xrt(library()));
    void* const kept = dlopen(library().c_str(), RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(kept);
    dlclose(kept);
}

TEST_CASE("the error says what is missing: our library") {
    CHECK(refusal("") ==
          "libvirtio-accel-xrt.so is not where it belongs: it is built only where XRT is");
    CHECK(refusal("/nowhere/x.so") == "/nowhere/x.so is not there, or not for this user to read");
}

TEST_CASE("the error says what is missing: a library of XRT") {
    const auto why = refusal(here() / "incomplete.so");
    CAPTURE(why);
    CHECK(why.starts_with("no XRT for it: libxrt_nowhere.so.2: "));
}

TEST_CASE("a library of another build is refused before anything of it runs") {
    const std::string path = here() / "other_contract.so";
    CHECK(refusal(path) == path + " is of another build");
}

TEST_CASE("a library of somebody else's is refused") {
    Dl_info libc{};
    REQUIRE(dladdr(reinterpret_cast<void*>(&std::fopen), &libc) != 0);
    CHECK(refusal(libc.dli_fname) == std::string(libc.dli_fname) + " is another library");
}

TEST_SUITE_END();
