// SPDX-License-Identifier: MIT
#include "xdna/xrt/description.hpp"

#include <array>
#include <filesystem>
#include <format>
#include <fstream>
#include <string>

#include <sys/utsname.h>

#include <doctest/doctest.h>
#include <unistd.h>

using xdna::NpuDescription;

TEST_SUITE_BEGIN("xdna/description");

namespace {

constexpr const char* kAddress = "0000:c5:00.1";

// A /sys with one NPU in it, as amdxdna leaves it there.
class Sysfs {
 public:
    Sysfs() {
        std::filesystem::create_directories(device());
        std::filesystem::create_directories(root_ / "bus/pci/drivers/amdxdna");
        std::filesystem::create_directory_symlink("../../../../bus/pci/drivers/amdxdna",
                                                  device() / "driver");
        write("bus/pci/devices/0000:c5:00.1/vendor", "0x1022\n");
        write("bus/pci/devices/0000:c5:00.1/device", "0x17f0\n");
        write("bus/pci/devices/0000:c5:00.1/revision", "0x20\n");
        write("bus/pci/devices/0000:c5:00.1/fw_version", "1.1.2.64\n");
        write("bus/pci/devices/0000:c5:00.1/vbnv", "RyzenAI-npu6\n");
    }
    ~Sysfs() { std::filesystem::remove_all(root_); }
    Sysfs(const Sysfs&) = delete;
    Sysfs& operator=(const Sysfs&) = delete;

    void write(const char* file, const char* text) const {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    [[nodiscard]] std::filesystem::path device() const {
        return root_ / "bus/pci/devices" / kAddress;
    }
    [[nodiscard]] NpuDescription read(NpuDescription npu = {}) const {
        npu.address = kAddress;
        xdna::read_sysfs(root_, npu);
        return npu;
    }

 private:
    std::filesystem::path root_ = std::format("/tmp/xdna-sysfs-{}", ::getpid());
};

NpuDescription of(std::uint32_t vendor, std::uint32_t device) {
    NpuDescription npu;
    npu.vendor_id = vendor;
    npu.device_id = device;
    return npu;
}

}  // namespace

TEST_CASE("an NPU is what the kernel's files say it is") {
    const Sysfs sysfs;
    const auto npu = sysfs.read();
    CHECK(npu.vendor_id == 0x1022);
    CHECK(npu.device_id == 0x17F0);
    CHECK(npu.revision == 0x20);
    CHECK(npu.firmware == "1.1.2.64");
    CHECK(npu.name == "RyzenAI-npu6");
}

TEST_CASE("what XRT has said is not asked of the kernel again") {
    const Sysfs sysfs;
    auto said = of(0x1022, 0x1502);
    said.name = "RyzenAI-npu1";
    const auto npu = sysfs.read(said);
    CHECK(npu.device_id == 0x1502);
    CHECK(npu.revision == 0);
    CHECK(npu.name == "RyzenAI-npu1");
    CHECK(npu.firmware == "1.1.2.64");
}

TEST_CASE("the driver's version is its own, or that of the kernel it is part of") {
    const Sysfs sysfs;
    utsname system{};
    REQUIRE(::uname(&system) == 0);
    CHECK(sysfs.read().driver == std::format("amdxdna of Linux {}", &system.release[0]));
    sysfs.write("module/amdxdna/version", "2.25.0,f4fd019e\n");
    CHECK(sysfs.read().driver == "amdxdna 2.25.0,f4fd019e");
}

TEST_CASE("what cannot be read stays empty") {
    const Sysfs sysfs;
    std::filesystem::remove(sysfs.device() / "fw_version");
    std::filesystem::remove(sysfs.device() / "driver");
    for (const char* text : {"", "17f0", "0x", "0x17f0 ", "0x117f00000", "0xg"}) {
        CAPTURE(text);
        sysfs.write("bus/pci/devices/0000:c5:00.1/device", text);
        CHECK(sysfs.read().device_id == 0);
    }
    CHECK(sysfs.read().firmware.empty());
    CHECK(sysfs.read().driver.empty());

    NpuDescription nowhere;
    nowhere.address = "ffff:ff:1f.0";
    xdna::read_sysfs("/nowhere", nowhere);
    CHECK(nowhere.vendor_id == 0);
}

TEST_CASE("XRT's information is read as its writer lays it out") {
    NpuDescription npu;
    xdna::read_pcie_info(
        "{\n    \"vendor\": \"0x1022\",\n    \"device\": \"0x17f0\",\n    \"revision\": \"0x11\",\n"
        "    \"sub_device\": \"0x1\",\n    \"sub_vendor\": \"0x2\"\n}\n",
        npu);
    CHECK(npu.vendor_id == 0x1022);
    CHECK(npu.device_id == 0x17F0);
    CHECK(npu.revision == 0x11);
    for (const char* text : {"", "{}", "{\"vendor\"", "{\"vendor\":", "{\"vendor\": \"0x1022"}) {
        CAPTURE(text);
        xdna::read_pcie_info(text, npu);
        CHECK(npu.device_id == 0);
    }
}

TEST_CASE("AIE2P is usable, AIE2 is named, and all else is no NPU") {
    auto aie2p = of(0x1022, 0x17F0);
    CHECK(xdna::judge(aie2p));
    CHECK(aie2p.unusable.empty());
    auto aie2 = of(0x1022, 0x1502);
    CHECK(xdna::judge(aie2));
    CHECK(aie2.unusable == "its array is an AIE2, and there are kernels for AIE2P only");
    for (auto other : {of(0x10EE, 0x17F0), of(0x1022, 0x17F1), of(0, 0)}) {
        CAPTURE(other.vendor_id);
        CAPTURE(other.device_id);
        CHECK_FALSE(xdna::judge(other));
    }
}

TEST_CASE("a set of versions is tested if exactly that set was") {
    constexpr std::array<xdna::TestedSet, 2> kTested{
        {{"amdxdna 1", "1.1.2.64", "2.25.0"}, {"amdxdna 2", "1.1.2.65", "2.25.1"}}};
    NpuDescription npu;
    npu.driver = "amdxdna 1";
    npu.firmware = "1.1.2.64";
    npu.xrt = "2.25.0";
    CHECK(xdna::untested(npu, kTested).empty());
    CHECK_FALSE(xdna::untested(npu, {}).empty());
    npu.xrt = "2.25.1";
    CHECK(xdna::untested(npu, kTested) ==
          "nobody has tested driver amdxdna 1 with firmware 1.1.2.64 and XRT 2.25.1");
    npu.firmware.clear();
    CHECK(xdna::untested(npu, kTested) ==
          "nobody has tested driver amdxdna 1 with firmware an unknown version and XRT 2.25.1");
}

TEST_SUITE_END();
