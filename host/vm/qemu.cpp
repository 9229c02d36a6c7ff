// SPDX-License-Identifier: MIT
#include "vm/qemu.hpp"

#include <algorithm>
#include <ranges>

#include <fcntl.h>

#include "vm/files.hpp"
#include "vm/initramfs.hpp"

namespace vm {
namespace {

// protocol.md 2.2
constexpr unsigned kConfigBytes = 16;

std::string socket_chardev(std::string_view name, int fd) {
    return std::format("socket,id={},fd={}", name, fd);
}

std::string accel_device(const Options& options) {
    return std::format(
        "vhost-user-test-device-pci,id=accel,chardev=accel,virtio-id={},num_vqs=1,"
        "vq_size={},config_size={}{}",
        kVirtioId, options.ring_size, kConfigBytes, options.root_port ? ",bus=accel-port" : "");
}

std::string port_device(std::string_view name, Port port) {
    return std::format("virtserialport,chardev={},nr={}", name, static_cast<unsigned>(port));
}

}  // namespace

bool kvm_works() {
    const auto cpu = read_file("/proc/cpuinfo");
    const bool virtualises =
        cpu && std::ranges::any_of(std::views::split(*cpu, '\n'), [](auto line) {
            const std::string_view text(line);
            return text.starts_with("flags") && (text.contains(" vmx") || text.contains(" svm"));
        });
    return virtualises && UniqueFd(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
}

std::vector<std::string> qemu_command(const Options& options, const Kernel& kernel,
                                      const std::filesystem::path& initramfs,
                                      const QemuSockets& sockets, bool kvm) {
    std::vector<std::string> command{"qemu-system-x86_64"};
    const auto add = [&](std::string name, std::string value) {
        command.push_back(std::move(name));
        command.push_back(std::move(value));
    };
    command.insert(command.end(), {"-no-user-config", "-nodefaults"});
    if (!options.reboot) command.emplace_back("-no-reboot");
    if (!options.qmp.empty())
        add("-qmp", std::format("unix:{},server=on,wait=off", options.qmp.native()));
    add("-display", "none");
    add("-accel", kvm ? "kvm" : "tcg");
    add("-cpu", kvm ? "host" : "max");
    add("-M", "q35,memory-backend=memory");
    // The daemon maps the guest's memory, so it must be shareable.
    add("-object",
        std::format("memory-backend-memfd,id=memory,size={}M,share=on", options.memory_mib));
    add("-m", std::format("{}M", options.memory_mib));
    add("-smp", std::to_string(options.smp));
    add("-kernel", kernel.image.native());
    add("-initrd", initramfs.native());
    // Warnings and worse go to the console; a reboot ends QEMU, so a panic does too. A kernel
    // that counts ticks to see whether its timer works panics where the machine is busy.
    add("-append", std::format("console=ttyS0 loglevel=5 panic=-1 oops=panic no_timer_check{}{}",
                               options.append.empty() ? "" : " ", options.append));

    add("-chardev", socket_chardev("accel", sockets.device));
    if (options.root_port) add("-device", "pcie-root-port,id=accel-port,chassis=1");
    add("-device", accel_device(options));
    add("-chardev", socket_chardev("console", sockets.console));
    add("-serial", "chardev:console");
    add("-device", "virtio-serial-pci");
    if (options.command.empty()) {
        add("-chardev", "stdio,id=terminal,signal=off");
        add("-device", "virtconsole,chardev=terminal,nr=0");
    } else {
        add("-chardev", socket_chardev("output", sockets.output));
        add("-device", port_device("output", Output));
        add("-chardev", socket_chardev("errors", sockets.errors));
        add("-device", port_device("errors", Errors));
    }
    add("-chardev", socket_chardev("outcome", sockets.outcome));
    add("-device", port_device("outcome", Outcome));
    return command;
}

}  // namespace vm
