// SPDX-License-Identifier: MIT
//
// accel-xdna: kernels of the XDNA provider for operators, who fill catalogues with it on a
// machine that has a toolchain (docs/providers/xdna-compiler.md).
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <format>
#include <print>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "base/command.hpp"
#include "inspect/input.hpp"
#include "tosa/graph.hpp"
#include "xdna/match.hpp"
#include "xdna/store/compiler.hpp"
#include "xdna/store/files.hpp"
#include "xdna/store/key.hpp"
#include "xdna/xdna.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

int complain(const std::string& why) {
    base::say("accel-xdna: " + why);
    return kExitFailure;
}

template <class T>
using Expected = std::expected<T, std::string>;

// `what` is a spec's text, or a TOSA file that one of the provider's targets takes.
Expected<xdna::Spec> find_spec(const std::string& what) {
    if (const auto spec = xdna::from_text(what)) return *spec;
    const auto input = inspect::Input::read(what);
    if (!input)
        return std::unexpected(std::format("'{}' is no spec of a kernel, and no file", what));
    std::string why;
    for (const tosa::Target& target : xdna::kTargets) {
        const auto graph = tosa::build_graph(input->bytes(), target);
        auto spec = graph ? xdna::match(*graph) : std::unexpected(graph.error().message);
        if (spec) return *spec;
        if (graph || why.empty()) why = spec.error();
    }
    return std::unexpected(std::format("{}: {}", what, why));
}

// A place for a compiler to work in.
class Scratch {
 public:
    Scratch() : path_(fs::temp_directory_path() / "accel-xdna.XXXXXX") {
        if (::mkdtemp(path_.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), path_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { ::rmdir(path_.c_str()); }
    [[nodiscard]] const std::string& path() const { return path_; }

 private:
    std::string path_;
};

// Whoever reads the catalogue meanwhile finds a whole file or none.
Expected<void> put(const fs::path& catalogue, const xdna::Spec& spec, const xdna::Binary& binary) {
    const auto directory = xdna::open_directory(catalogue);
    if (!directory) return std::unexpected(directory.error());
    const std::string name = xdna::file_name(xdna::catalogue_key(spec));
    const std::string staging = name + ".new";
    const int fd = directory->value();
    ::unlinkat(fd, staging.c_str(), 0);
    if (xdna::write_file(*directory, staging, xdna::to_container(binary)) &&
        ::fchmodat(fd, staging.c_str(), 0644, 0) == 0 &&
        ::renameat(fd, staging.c_str(), fd, name.c_str()) == 0)
        return {};
    return xdna::failure(catalogue / name, errno);
}

struct CompileOptions {
    std::vector<std::string> what;
    fs::path catalogue;
    fs::path compiler;
    unsigned timeout = 240;
};

Expected<void> compile(const CompileOptions& options) {
    const Scratch scratch;
    const xdna::Compiler compiler(options.compiler, scratch.path(),
                                  {.time = std::chrono::seconds(options.timeout)}, -1,
                                  [](const std::string& line) { base::say(line); });
    const auto toolchain = compiler.measure();
    if (!toolchain) return std::unexpected(toolchain.error().why);
    for (const std::string& what : options.what) {
        const auto spec = find_spec(what);
        if (!spec) return std::unexpected(spec.error());
        const auto binary = compiler.compile(*spec, *toolchain);
        if (!binary) return std::unexpected(std::format("{}: {}", what, binary.error().why));
        if (auto done = put(options.catalogue, *spec, *binary); !done) return done;
        std::println("{}  {}", xdna::catalogue_key(*spec), to_text(*spec));
    }
    return {};
}

Expected<void> show_key(const std::string& what) {
    return find_spec(what).transform([](const xdna::Spec& spec) {
        std::println("{}  {}", xdna::catalogue_key(spec), to_text(spec));
    });
}

std::string sizes(const std::vector<std::uint64_t>& slots) {
    std::string text;
    for (const std::uint64_t bytes : slots)
        text += std::format("{}{}", text.empty() ? "" : ", ", bytes);
    return text + " bytes";
}

Expected<void> show(const fs::path& path) {
    const auto whole = fs::absolute(path);
    const auto file = xdna::read_file({}, whole, xdna::kBinaryBytes, xdna::Links::Follow);
    if (!file) return xdna::failure(path, file.error());
    const auto binary = xdna::from_container(*file);
    if (!binary)
        return std::unexpected(std::format("{}: is no kernel ({})", path.native(),
                                           provider::name(binary.error().kind)));
    std::println("entry         {}", binary->entry);
    std::println("inputs        {}", sizes(binary->inputs));
    std::println("outputs       {}", sizes(binary->outputs));
    std::println("xclbin        {} bytes", binary->xclbin.size());
    std::println("instructions  {} words", binary->instructions.size());
    return {};
}

int run(int argc, char** argv) {
    CLI::App app{"Make and look at compiled kernels of the XDNA provider.", "accel-xdna"};
    app.footer(
        "A SPEC is a line such as 'int8-identity elements=8', or a TOSA file that one kernel can\n"
        "compute.\n"
        "Exit status: 0; 1 when something failed; 2 for wrong usage.");
    std::string what;
    auto* key = app.add_subcommand("key", "Show the name of a kernel in a catalogue");
    key->add_option("SPEC", what)->required();
    CompileOptions options;
    auto* making = app.add_subcommand("compile", "Have kernels compiled into a catalogue");
    making->add_option("SPEC", options.what)->required();
    making->add_option("-o,--catalogue", options.catalogue, "The catalogue, a directory")
        ->type_name("DIR")
        ->required();
    making->add_option("--compiler", options.compiler, "The program that makes them")
        ->type_name("PROGRAM")
        ->required();
    making->add_option("--compile-timeout", options.timeout, "Seconds that one may take")
        ->check(CLI::Range(1, 86400))
        ->capture_default_str();
    auto* showing = app.add_subcommand("show", "Show what a file of a catalogue or cache is");
    showing->add_option("FILE", what)->required();
    app.require_subcommand(1);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kExitUsage;
    }
    const auto done = key->parsed()      ? show_key(what)
                      : making->parsed() ? compile(options)
                                         : show(what);
    if (done) return 0;
    return complain(done.error());
}

}  // namespace

int main(int argc, char** argv) {
    return base::run_command("accel-xdna", [&] { return run(argc, argv); });
}
