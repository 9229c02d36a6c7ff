// SPDX-License-Identifier: MIT
//
// accel-xdna as an operator uses it.
#include <cstdio>
#include <format>

#include <sys/wait.h>

#include "xdna-store/fake_compiler.hpp"
#include "xdna-store/kernels.hpp"
#include "xdna/store/key.hpp"

namespace {

using xdna_store_test::Scratch;
using xdna_store_test::write_compiler;
using xdna_store_test::write_text;

struct Said {
    std::string text;
    int status;
};

Said accel_xdna(const std::string& arguments) {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string command =
        std::format("{} {} 2>&1", (here / "../../host/xdna/tool/accel-xdna").native(), arguments);
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;)
        text += static_cast<char>(c);
    const int status = ::pclose(pipe);
    return {text, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

TEST_CASE("accel-xdna fills a catalogue that a store serves from") {
    const Scratch scratch;
    std::filesystem::create_directory(scratch / "catalogue");
    const auto compiler = write_compiler(scratch);
    const std::string file = "tests/corpus/data/matmul-int8.tosa";
    const auto made =
        accel_xdna(std::format("compile 'int8-identity elements=8' {} -o {} --compiler {}", file,
                               (scratch / "catalogue").native(), compiler.native()));
    CAPTURE(made.text);
    CHECK(made.status == 0);
    const auto store =
        xdna::DirectStore::open({.catalogue = scratch / "catalogue", .compiler = {}, .cache = {}});
    const xdna::Spec identity = xdna::Int8Identity{8};
    CHECK((*store)->find(identity, xdna::Effort::Look).has_value());
    CHECK((*store)->find(xdna_store_test::kSpec, xdna::Effort::Look).has_value());

    const std::string key = xdna::catalogue_key(identity);
    CHECK(accel_xdna("key 'int8-identity elements=8'").text ==
          key + "  int8-identity elements=8\n");
    CHECK(accel_xdna("key " + file).text == xdna::catalogue_key(xdna_store_test::kSpec) + "  " +
                                                to_text(xdna_store_test::kSpec) + "\n");
    const auto shown = accel_xdna("show " + (scratch / ("catalogue/" + key + ".xrtn")).native());
    CHECK(shown.status == 0);
    CHECK(shown.text ==
          "entry         MLIR_AIE\ninputs        8 bytes\noutputs       8 bytes\n"
          "xclbin        35 bytes\ninstructions  3 words\n");
}

TEST_CASE("accel-xdna says what is wrong") {
    const Scratch scratch;
    write_text(scratch / "file", "XRTN");
    const auto status = [](const std::string& arguments) { return accel_xdna(arguments).status; };
    CHECK(status("") == 2);
    CHECK(status("compile 'int8-identity elements=8'") == 2);
    CHECK(status("key 'int8-identity elements=5'") == 1);
    CHECK(status("key tests/corpus/data/abs-fp32.tosa") == 1);
    CHECK(status("show " + (scratch / "file").native()) == 1);
    CHECK(status("show " + (scratch / "none").native()) == 1);
    CHECK(status("key 'int8-identity elements=8'") == 0);
    CHECK(status("key 'int8-identity elements=8' > /dev/full") == 1);
    const auto missing = accel_xdna(std::format(
        "compile 'int8-identity elements=8' -o {} --compiler {}", (scratch / "none").native(),
        write_compiler(scratch, "sys.exit(3)\n").native()));
    CHECK(missing.status == 1);
    CHECK(missing.text.ends_with("accel-xdna: the compiler's toolchain is missing\n"));
    CHECK(status(std::format("compile 'int8-identity elements=8' -o {} --compiler {}",
                             (scratch / "none").native(), write_compiler(scratch).native())) == 1);
}

}  // namespace
