// SPDX-License-Identifier: MIT
#include "vm/kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <ranges>

#include "vm/files.hpp"
#include "vm/process.hpp"

namespace vm {
namespace {

// Debian 13's own kernel series, which "lts" means.
constexpr std::string_view kLtsSeries = "6.12.";
constexpr std::string_view kImagePrefix = "vmlinuz-";

struct ModuleLine {
    std::string file;                // below the modules directory
    std::vector<std::string> needs;  // all it depends on, in the reverse order of loading
};

// drm_shmem_helper and drm-shmem-helper are the same module.
std::string module_name(std::string_view file) {
    file.remove_prefix(file.rfind('/') + 1);
    std::string name(file.substr(0, file.find(".ko")));
    std::ranges::replace(name, '-', '_');
    return name;
}

// modules.dep: "file.ko.xz: needed.ko.xz needed.ko.xz", one module a line.
std::map<std::string, ModuleLine> parse_modules_dep(std::string_view text) {
    std::map<std::string, ModuleLine> modules;
    for (const auto line : std::views::split(text, '\n')) {
        const std::string_view words(line);
        const auto colon = words.find(':');
        if (colon == std::string_view::npos) continue;
        ModuleLine module{std::string(words.substr(0, colon)), {}};
        for (const auto need : std::views::split(words.substr(colon + 1), ' '))
            if (!need.empty()) module.needs.emplace_back(std::string_view(need));
        modules.emplace(module_name(module.file), std::move(module));
    }
    return modules;
}

bool is_built_in(const std::string& name, const std::filesystem::path& directory) {
    const auto text = read_file(directory / "modules.builtin");
    return text && std::ranges::any_of(std::views::split(*text, '\n'), [&](auto line) {
               return module_name(std::string_view(line)) == name;
           });
}

}  // namespace

Result<Kernel> find_kernel(const std::string& which, const std::filesystem::path& boot) {
    if (which != "newest" && which != "lts") {
        const auto image = read_file(which);
        if (!image) return std::unexpected(image.error());
        const auto release = kernel_release(*image);
        if (!release) return fail("{}: {}", which, release.error().text);
        return Kernel{which, *release};
    }
    std::string best;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(boot, error)) {
        const auto file = entry.path().filename().native();
        if (!file.starts_with(kImagePrefix)) continue;
        const auto release = file.substr(kImagePrefix.size());
        if (which == "lts" && !release.starts_with(kLtsSeries)) continue;
        if (::strverscmp(release.c_str(), best.c_str()) > 0) best = release;
    }
    if (best.empty())
        return fail("no {} kernel in {}: install Debian's linux-image-amd64", which, boot.native());
    return Kernel{boot / (std::string(kImagePrefix) + best), best};
}

Result<std::string> kernel_release(std::string_view image) {
    constexpr std::size_t kMagicAt = 0x202;
    constexpr std::size_t kVersionAt = 0x20e;
    constexpr std::size_t kVersionBase = 0x200;
    if (image.size() < kVersionAt + 2 || image.substr(kMagicAt, 4) != "HdrS")
        return fail("not an x86 kernel image");
    std::uint16_t offset = 0;
    std::memcpy(&offset, image.data() + kVersionAt, sizeof offset);
    if (offset + kVersionBase >= image.size()) return fail("kernel image without a version");
    const auto text = image.substr(offset + kVersionBase, 256);
    return std::string(text.substr(0, text.find_first_of(std::string_view(" \0", 2))));
}

Result<std::vector<std::filesystem::path>> modules_for(std::string_view names,
                                                       const std::filesystem::path& directory) {
    if (names.empty()) return {};
    const auto text = read_file(directory / "modules.dep");
    if (!text) return std::unexpected(text.error());
    const auto modules = parse_modules_dep(*text);

    std::vector<std::filesystem::path> files;
    const auto add = [&](const std::string& file) {
        if (!std::ranges::contains(files, directory / file)) files.push_back(directory / file);
    };
    for (const auto part : std::views::split(names, ',')) {
        if (part.empty()) continue;
        const auto name = module_name(std::string_view(part));
        const auto found = modules.find(name);
        if (found == modules.end()) {
            if (is_built_in(name, directory)) continue;
            return fail("{} has no module {}", directory.native(), name);
        }
        for (const auto& need : found->second.needs | std::views::reverse)
            add(need);
        add(found->second.file);
    }
    return files;
}

Result<std::string> read_module(const std::filesystem::path& file) {
    if (file.extension() == ".ko") return read_file(file);
    if (file.extension() == ".xz") return output_of({"xz", "-dc", file.native()});
    return fail("{}: modules with this compression are not supported", file.native());
}

}  // namespace vm
