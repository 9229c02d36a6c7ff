// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vm/failure.hpp"

namespace vm {

// A file on this side and its absolute path in the guest.
struct FilePair {
    std::filesystem::path host;
    std::string guest;
};

// A directory of this side that the guest sees at its path.
struct Share {
    FilePair directory;
    bool writable = false;
};

struct Options {
    // The guest.
    std::string kernel = "newest";  // "lts", or the path of a kernel image
    std::filesystem::path module;   // empty: the one built for the kernel
    unsigned smp = 1;
    unsigned memory_mib = 512;
    std::string append;
    std::vector<FilePair> add;
    std::vector<FilePair> fetch;
    std::vector<Share> shares;
    std::vector<std::string> command;  // empty: a shell on the terminal

    // The devices: one for each of these sockets or, without any, for each daemon to start.
    std::vector<std::filesystem::path> sockets;
    unsigned devices = 1;
    std::string daemon;  // a shell command that takes --socket-path; empty: virtio-acceld
    std::string provider = "cpu";
    std::string device;
    unsigned ring_size = 256;  // descriptors; the longest chain of any daemon fits
    bool root_port = false;    // behind a PCIe port of its own
    bool iommu = false;        // addresses of the guest's IOMMU, not of its memory

    // The run.
    unsigned timeout_s = 0;  // 0: none
    std::filesystem::path console;
    std::filesystem::path qmp;
    std::string gdb;  // a port of this host, or the path of a socket
    bool reboot = false;
    bool verbose = false;
    bool quiet = false;
};

// Whether an address for gdb is a port, since it is all digits.
bool is_port(std::string_view address);

// The command line. A failure's text is the whole answer to give, and its status the
// exit status to give it with: --help ends here with status 0.
struct OptionsEnd {
    int status = 0;
    std::string text;
};
std::expected<Options, OptionsEnd> parse_options(int argc, const char* const* argv);

}  // namespace vm
