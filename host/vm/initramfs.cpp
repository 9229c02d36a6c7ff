// SPDX-License-Identifier: MIT
#include "vm/initramfs.hpp"

#include <ranges>
#include <set>

#include <unistd.h>

#include "vm/cpio.hpp"
#include "vm/elf.hpp"
#include "vm/files.hpp"
#include "vm/process.hpp"
#include "vm/shell.hpp"

namespace vm {
namespace {

constexpr std::string_view kBusybox = "/bin/busybox";

constexpr std::string_view kInitHead = R"(#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /root /outcome
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root TERM=linux
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
)";

// A guest that cannot see what it should see must not run the command.
constexpr std::string_view kInitShare = R"(
mkdir -p {0} && mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,{2} {1} {0} || poweroff -f
)";

// Ports appear when the driver's work queue has heard of them, which nothing announces to an
// init without udev: so look until they are there. The first number is the virtio device's.
constexpr std::string_view kInitPorts = R"(
port() {{
	until [ -c /dev/vport*p$1 ]; do usleep 10000; done
	echo /dev/vport*p$1
}}
cut -d' ' -f1 /proc/uptime >/outcome/{}
)";

constexpr std::string_view kInitCommand = R"(
sh /command </dev/null >$(port {}) 2>$(port {})
)";

constexpr std::string_view kInitShell = R"(
setsid -c sh -l </dev/hvc0 >/dev/hvc0 2>&1
)";

constexpr std::string_view kInitEnd = R"(
cd /outcome && find . -type f | cpio -o -H newc >$(port {}) 2>/dev/null
poweroff -f
)";

// Runs as process 1: what it loads, runs, keeps and sends.
std::string init_script(const Options& options, const std::vector<std::string>& load) {
    std::string text(kInitHead);
    for (const auto& module : load)
        text += "insmod " + module + "\n";
    for (const auto& [index, share] : std::views::enumerate(options.shares))
        text += std::format(kInitShare, shell_word(share.directory.guest), share_tag(index),
                            share.writable ? "rw" : "ro");
    text += std::format(kInitPorts, kBootFile);
    text += options.command.empty() ? std::string(kInitShell)
                                    : std::format(kInitCommand, static_cast<unsigned>(Output),
                                                  static_cast<unsigned>(Errors));
    text += std::format("echo $? >/outcome/{}\n", kStatusFile);
    for (const auto& [index, file] : std::views::enumerate(options.fetch))
        text += std::format("cp {} /outcome/{}\n", shell_word(file.guest), index);
    text += std::format(kInitEnd, static_cast<unsigned>(Outcome));
    return text;
}

Result<void> add_modules(CpioWriter& archive, const Options& options, const Kernel& kernel,
                         const std::filesystem::path& module, std::vector<std::string>& load) {
    const auto driver = read_module(module);
    if (!driver) return std::unexpected(driver.error());
    const auto built_for = module_info(*driver, "vermagic");
    if (!built_for) return fail("{}: not a kernel module", module.native());
    if (!built_for->starts_with(kernel.release + " "))
        return fail("{} is for Linux {}, the guest is {}", module.native(),
                    built_for->substr(0, built_for->find(' ')), kernel.release);

    const auto needs = modules_for(module_info(*driver, "depends").value_or("") +
                                       (options.shares.empty() ? "" : ",9p,9pnet_virtio"),
                                   "/lib/modules/" + kernel.release);
    if (!needs) return std::unexpected(needs.error());
    for (const auto& file : *needs) {
        const auto bytes = read_module(file);
        if (!bytes) return std::unexpected(bytes.error());
        const auto path = std::format("/modules/{}.ko", load.size());
        archive.add_file(path, *bytes, false);
        load.push_back(path);
    }
    archive.add_file("/modules/virtio_accel.ko", *driver, false);
    load.push_back(std::format("/modules/virtio_accel.ko device_id={}", kVirtioId));
    return {};
}

// The libraries of a program, as its own loader finds them here: "name => path (address)", or
// "path (address)" for the loader itself. No search rule is repeated that way.
Result<void> add_libraries(CpioWriter& archive, const std::filesystem::path& program,
                           const std::string& loader, std::set<std::string>& present) {
    const auto list = output_of({loader, "--list", std::filesystem::absolute(program).native()});
    if (!list) return std::unexpected(list.error());
    for (const auto part : std::views::split(*list, '\n')) {
        const std::string_view line(part);
        if (line.contains("not found"))
            return fail("{}: a library is missing: {}", program.native(),
                        line.substr(line.find_first_not_of('\t')));
        const auto slash = line.find('/');
        if (slash == std::string_view::npos) continue;
        const std::string path(line.substr(slash, line.find(" (", slash) - slash));
        if (!present.insert(path).second) continue;
        const auto bytes = read_file(path);
        if (!bytes) return std::unexpected(bytes.error());
        archive.add_file(path, *bytes, true);
    }
    return {};
}

Result<void> add_program(CpioWriter& archive, const FilePair& file,
                         std::set<std::string>& present) {
    const auto bytes = read_file(file.host);
    if (!bytes) return std::unexpected(bytes.error());
    archive.add_file(file.guest, *bytes, ::access(file.host.c_str(), X_OK) == 0);
    if (const auto loader = program_interpreter(*bytes))
        return add_libraries(archive, file.host, *loader, present);
    return {};
}

}  // namespace

Result<std::string> build_initramfs(const Options& options, const Kernel& kernel,
                                    const std::filesystem::path& module) {
    CpioWriter archive;
    const auto busybox = read_file(kBusybox);
    if (!busybox) return fail("{}: install busybox-static", busybox.error().text);
    if (program_interpreter(*busybox))
        return fail("{} is not static: install busybox-static", kBusybox);
    archive.add_file(kBusybox, *busybox, true);

    std::vector<std::string> load;
    if (const auto added = add_modules(archive, options, kernel, module, load); !added)
        return std::unexpected(added.error());
    std::set<std::string> present;
    for (const auto& file : options.add)
        if (const auto added = add_program(archive, file, present); !added)
            return std::unexpected(added.error());

    if (!options.command.empty())
        archive.add_file("/command", "exec " + shell_line(options.command) + "\n", false);
    archive.add_file("/init", init_script(options, load), true);
    return std::move(archive).finish();
}

}  // namespace vm
