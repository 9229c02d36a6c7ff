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

// A value in one of QEMU's lists, where a comma ends it.
std::string escaped(std::string_view value) {
    std::string text;
    for (const char c : value)
        text.append(c == ',' ? 2 : 1, c);
    return text;
}

class CommandLine {
 public:
    void add(std::string word) { words_.push_back(std::move(word)); }
    void add(std::string name, std::string value) {
        add(std::move(name));
        add(std::move(value));
    }
    std::vector<std::string> take() && { return std::move(words_); }

 private:
    std::vector<std::string> words_{"qemu-system-x86_64", "-no-user-config", "-nodefaults"};
};

void add_machine(CommandLine& line, const Options& options, bool kvm) {
    line.add("-display", "none");
    line.add("-accel", kvm ? "kvm" : "tcg");
    line.add("-cpu", kvm ? "host" : "max");
    line.add("-M", "q35,memory-backend=memory");
    // The daemon maps the guest's memory, so it must be shareable.
    line.add("-object",
             std::format("memory-backend-memfd,id=memory,size={}M,share=on", options.memory_mib));
    line.add("-m", std::format("{}M", options.memory_mib));
    line.add("-smp", std::to_string(options.smp));
}

void add_monitors(CommandLine& line, const Options& options) {
    if (!options.reboot) line.add("-no-reboot");
    if (!options.qmp.empty())
        line.add("-qmp", std::format("unix:{},server=on,wait=off", options.qmp.native()));
    if (options.gdb.empty()) return;
    line.add("-chardev", std::format("socket,id=gdb,{},server=on,wait=off",
                                     is_port(options.gdb) ? "host=127.0.0.1,port=" + options.gdb
                                                          : "path=" + escaped(options.gdb)));
    line.add("-gdb", "chardev:gdb");
    line.add("-S");
}

// Warnings and worse go to the console; a reboot ends QEMU, so a panic does too. A kernel
// that counts ticks to see whether its timer works panics where the machine is busy. Linux 7.3
// hangs, in one of some hundred boots, where its watchdog compares the time stamp counters of two
// processors while stop_machine() has both for the change from jiffies to another clock: interrupts
// are off, the one waits for the other, and the timeout is measured in jiffies.
std::string kernel_parameters(const Options& options) {
    std::string text = "console=ttyS0 loglevel=5 panic=-1 oops=panic no_timer_check tsc=nowatchdog";
    if (!options.gdb.empty()) text += " nokaslr";  // or no symbol is where gdb looks for it
    if (options.iommu) text += " intel_iommu=on";
    if (!options.append.empty()) text += " " + options.append;
    return text;
}

void add_chardev(CommandLine& line, std::string_view name, int fd) {
    line.add("-chardev", std::format("socket,id={},fd={}", name, fd));
}

void add_accelerators(CommandLine& line, const Options& options, const std::vector<int>& sockets) {
    if (options.iommu) line.add("-device", "intel-iommu,device-iotlb=on");
    for (const auto& [index, socket] : std::views::enumerate(sockets)) {
        const auto name = std::format("accel{}", index);
        add_chardev(line, name, socket);
        if (options.root_port)
            line.add("-device",
                     std::format("pcie-root-port,id={}-port,chassis={}", name, index + 1));
        line.add("-device",
                 std::format("vhost-user-test-device-pci,id={0},chardev={0},virtio-id={1},"
                             "num_vqs=1,vq_size={2},config_size={3}{4}{5}",
                             name, kVirtioId, options.ring_size, kConfigBytes,
                             options.root_port ? ",bus=" + name + "-port" : "",
                             options.iommu ? ",iommu_platform=on,ats=on" : ""));
    }
}

// No owner is kept and none is set: the guest acts as whoever runs QEMU.
void add_shares(CommandLine& line, const std::vector<Share>& shares) {
    for (const auto& [index, share] : std::views::enumerate(shares)) {
        const auto tag = share_tag(index);
        line.add("-fsdev", std::format("local,id={},path={},security_model=none,multidevs=remap{}",
                                       tag, escaped(share.directory.host.native()),
                                       share.writable ? "" : ",readonly=on"));
        line.add("-device", std::format("virtio-9p-pci,fsdev={0},mount_tag={0}", tag));
    }
}

void add_port(CommandLine& line, std::string_view name, int socket, Port port) {
    add_chardev(line, name, socket);
    line.add("-device",
             std::format("virtserialport,chardev={},nr={}", name, static_cast<unsigned>(port)));
}

void add_streams(CommandLine& line, const Options& options, const QemuSockets& sockets) {
    add_chardev(line, "console", sockets.console);
    line.add("-serial", "chardev:console");
    line.add("-device", "virtio-serial-pci");
    if (options.command.empty()) {
        line.add("-chardev", "stdio,id=terminal,signal=off");
        line.add("-device", "virtconsole,chardev=terminal,nr=0");
    } else {
        add_port(line, "output", sockets.output, Output);
        add_port(line, "errors", sockets.errors, Errors);
    }
    add_port(line, "outcome", sockets.outcome, Outcome);
    add_chardev(line, "monitor", sockets.monitor);
    line.add("-mon", "chardev=monitor,mode=readline");
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
    CommandLine line;
    add_machine(line, options, kvm);
    add_monitors(line, options);
    line.add("-kernel", kernel.image.native());
    line.add("-initrd", initramfs.native());
    line.add("-append", kernel_parameters(options));
    // The accelerators come first, so their virtio numbers do not depend on what else there is.
    add_accelerators(line, options, sockets.devices);
    add_streams(line, options, sockets);
    add_shares(line, options.shares);
    return std::move(line).take();
}

}  // namespace vm
