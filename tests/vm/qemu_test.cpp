// SPDX-License-Identifier: MIT
#include "vm/qemu.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace {

struct Rig {
    [[nodiscard]] std::string command(bool kvm = false) const {
        std::string line;
        for (const auto& word : vm::qemu_command(options, {"/boot/k", "7.3"}, "/tmp/i",
                                                 {.devices = devices,
                                                  .console = 4,
                                                  .output = 5,
                                                  .errors = 6,
                                                  .outcome = 7,
                                                  .monitor = 9},
                                                 kvm))
            line += word + " ";
        return line;
    }

    vm::Options options;
    std::vector<int> devices{3};
};

TEST_SUITE_BEGIN("vm/qemu");

TEST_CASE("the device is the first, with the agreed id and a ring for the longest chain") {
    const Rig rig;

    const auto line = rig.command();

    CHECK(
        line.contains("-chardev socket,id=accel0,fd=3 -device "
                      "vhost-user-test-device-pci,id=accel0,chardev=accel0,virtio-id=38,num_vqs=1,"
                      "vq_size=256,config_size=16 "));
    CHECK(line.find("vhost-user-test-device-pci") < line.find("virtio-serial-pci"));
}

TEST_CASE("each device has its own socket and its own port") {
    Rig rig;
    rig.devices = {3, 8};
    rig.options.root_port = true;

    const auto line = rig.command();

    CHECK(line.contains("id=accel0,fd=3 "));
    CHECK(line.contains("id=accel1,fd=8 "));
    CHECK(line.contains("id=accel1,chardev=accel1,"));
    CHECK(line.contains("id=accel0-port,chassis=1 "));
    CHECK(line.contains("id=accel1-port,chassis=2 "));
    CHECK(line.contains(",bus=accel1-port "));
}

TEST_CASE("memory is shared and of the size that is asked for") {
    Rig rig;
    rig.options.memory_mib = 2048;

    CHECK(rig.command().contains("size=2048M,share=on -m 2048M "));
}

TEST_CASE("a command has a port for each of its streams, a shell the terminal") {
    Rig rig;
    const auto shell = rig.command();
    rig.options.command = {"true"};
    const auto command = rig.command();

    CHECK(command.contains("fd=5 -device virtserialport,chardev=output,nr=1 "));
    CHECK(command.contains("fd=6 -device virtserialport,chardev=errors,nr=2 "));
    CHECK_FALSE(command.contains("stdio"));
    CHECK(shell.contains("stdio,id=terminal,signal=off -device virtconsole"));
    CHECK_FALSE(shell.contains("chardev=output"));
    for (const auto& line : {shell, command})
        CHECK(line.contains("fd=7 -device virtserialport,chardev=outcome,nr=3 "));
    for (const auto& line : {shell, command})
        CHECK(line.contains("fd=9 -mon chardev=monitor,mode=readline"));
}

TEST_CASE("the ring is as long as it is asked for") {
    Rig rig;
    rig.options.ring_size = 8;

    CHECK(rig.command().contains(",vq_size=8,"));
}

TEST_CASE("a root port comes before the device that is plugged into it") {
    Rig rig;
    rig.options.root_port = true;

    const auto line = rig.command();

    CHECK(line.contains("-device pcie-root-port,id=accel0-port,"));
    CHECK(line.find("pcie-root-port") < line.find(",bus=accel0-port "));
    CHECK_FALSE(Rig().command().contains("accel0-port"));
}

TEST_CASE("a monitor and reboots are there when they are asked for") {
    Rig rig;
    rig.options.qmp = "q";
    rig.options.reboot = true;

    CHECK(rig.command().contains("-qmp unix:q,server=on,wait=off "));
    CHECK_FALSE(rig.command().contains("-no-reboot"));
    CHECK_FALSE(Rig().command().contains("-qmp"));
    CHECK(Rig().command().contains("-no-reboot "));
}

TEST_CASE("a shared directory is read-only unless it is to be written") {
    Rig rig;
    rig.options.shares = {{{"a,b", "/a"}, false}, {{"c", "/c"}, true}};

    const auto line = rig.command();

    CHECK(
        line.contains("-fsdev local,id=share0,path=a,,b,security_model=none,multidevs=remap,"
                      "readonly=on -device virtio-9p-pci,fsdev=share0,mount_tag=share0 "));
    CHECK(line.contains("id=share1,path=c,security_model=none,multidevs=remap -device"));
    CHECK(line.find("vhost-user-test-device-pci") < line.find("virtio-9p-pci"));
    CHECK_FALSE(Rig().command().contains("9p"));
}

TEST_CASE("an IOMMU is there before its devices, which use it") {
    Rig rig;
    rig.options.iommu = true;

    const auto line = rig.command();

    CHECK(line.contains(" intel_iommu=on"));
    CHECK(line.find("intel-iommu,device-iotlb=on") < line.find("vhost-user-test-device-pci"));
    CHECK(line.contains(",iommu_platform=on,ats=on "));
    CHECK_FALSE(Rig().command().contains("iommu"));
}

TEST_CASE("gdb is waited for, on a port of this host or at a path") {
    Rig rig;
    rig.options.gdb = "1234";
    const auto port = rig.command();
    rig.options.gdb = "/tmp/g,db";
    const auto path = rig.command();

    CHECK(port.contains("socket,id=gdb,host=127.0.0.1,port=1234,server=on,wait=off "));
    CHECK(path.contains("socket,id=gdb,path=/tmp/g,,db,server=on,wait=off "));
    for (const auto& line : {port, path}) {
        CHECK(line.contains("-gdb chardev:gdb -S "));
        CHECK(line.contains(" nokaslr"));
    }
    CHECK_FALSE(Rig().command().contains("gdb"));
}

TEST_CASE("the accelerator follows what the machine can do") {
    const Rig rig;

    CHECK(rig.command(true).contains("-accel kvm -cpu host "));
    CHECK(rig.command(false).contains("-accel tcg -cpu max "));
}

TEST_SUITE_END();

}  // namespace
