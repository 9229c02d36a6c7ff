// SPDX-License-Identifier: MIT
//
// How long programs take to load: where nothing of them is compiled, in a provider that has
// loaded them before, and in a new one that finds on disk what another left.
#include <filesystem>
#include <stdexcept>

#include <stdlib.h>

#include "bench/vulkan/sections.hpp"

namespace vulkan::bench {
namespace {

// A new folder that goes away with what is in it.
class Folder {
 public:
    Folder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "vulkan_bench.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string path() const { return path_; }

 private:
    std::filesystem::path path_;
};

struct Loads {
    Samples first, again, from_disk;
    std::string refusal;  // why there are no more

    // Whether it was taken.
    bool load(Session& session, const Case& what, Samples& samples) {
        std::expected<std::unique_ptr<provider::Program>, std::string> program;
        const Seconds took = time_of([&] { program = session.load(what); });
        if (!program) {
            refusal = program.error();
            return false;
        }
        samples.add(took);
        release(session.provider().unload_program(std::move(*program)), "a program");
        return true;
    }
};

Loads measure(const Bench& bench, const Case& what) {
    Loads loads;
    for (int round = 0; round < (bench.quick ? 1 : 9); ++round) {
        const Folder folder;
        Options options = bench.device;
        options.cache_directory = folder.path();
        {
            const auto session = Bench::open(options);
            if (!loads.load(*session, what, loads.first)) break;
            (void)loads.load(*session, what, loads.again);
        }
        (void)loads.load(*Bench::open(options), what, loads.from_disk);
    }
    return loads;
}

}  // namespace

void measure_loads(const Bench& bench, Report& report) {
    std::vector<Recipe> recipes = network_recipes(bench.scale());
    const std::vector<Recipe> products = product_recipes(bench.scale());
    recipes.insert(recipes.begin(), {{"IDENTITY of 4", tiny}, products.front()});
    for (const Recipe& recipe : recipes) {
        const std::string name = "load " + recipe.name;
        if (!bench.wants(name)) continue;
        Loads loads = measure(bench, recipe.make());
        if (!loads.refusal.empty()) {
            report.add({name, "", Row::Status::NotTaken, loads.refusal});
            continue;
        }
        const auto add = [&](const char* which, Samples& samples) {
            report.add({.name = name + which, .domain = {}, .samples = std::move(samples)});
        };
        add(", first", loads.first);
        add(", again", loads.again);
        add(", from disk", loads.from_disk);
    }
}

}  // namespace vulkan::bench
