// SPDX-License-Identifier: MIT
#include "worker/device_files.hpp"

#include <fstream>

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <doctest/doctest.h>
#include <unistd.h>

#include "daemon/process.hpp"

TEST_SUITE_BEGIN("daemon/device_files");

namespace {

// While it lives, we are held to the modes of files even as root.
class Powerless {
 public:
    Powerless() {
        REQUIRE(::syscall(SYS_capget, &header_, before_) == 0);
        __user_cap_data_struct none[2]{};
        none[0].permitted = before_[0].permitted;
        none[1].permitted = before_[1].permitted;
        REQUIRE(::syscall(SYS_capset, &header_, none) == 0);
    }
    Powerless(const Powerless&) = delete;
    Powerless& operator=(const Powerless&) = delete;
    ~Powerless() { ::syscall(SYS_capset, &header_, before_); }

 private:
    __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct before_[2]{};
};

}  // namespace

TEST_CASE("device files that may not be opened are named, with whom they are for") {
    const daemon_test::TemporaryDirectory directory;
    for (const char* name : {"renderD128", "renderD129", "card0"})
        std::ofstream(directory.file(name)) << "";
    for (const char* name : {"renderD129", "card0"})
        REQUIRE(::chmod(directory.file(name).c_str(), 0060) == 0);
    const Powerless powerless;
    const std::string closed = acceld::closed_device_files(directory.file(""), "renderD");
    CAPTURE(closed);
    CHECK(closed.starts_with(directory.file("renderD129") + ": Permission denied, its group is "));
    CHECK_FALSE(closed.contains("renderD128"));
    CHECK_FALSE(closed.contains("card0"));
    CHECK(acceld::closed_device_files(directory.file("none"), "renderD").empty());
}

TEST_SUITE_END();
