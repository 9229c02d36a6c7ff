// SPDX-License-Identifier: MIT
// hostile-device: a vhost-user backend that lies, one lie after the other.
#include <csignal>
#include <cstdlib>
#include <deque>
#include <expected>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include <poll.h>

#include "daemon/listener.hpp"
#include "hostile/device.hpp"
#include "hostile/front_end.hpp"
#include "hostile/lie.hpp"

namespace {

struct Options {
    std::string socket_path;
    std::deque<hostile::Lie> lies;
};

std::expected<Options, std::string> parse(std::span<char*> words) {
    constexpr std::string_view kUsage =
        "hostile-device --list | --socket-path PATH [--lie NAME[=VALUE][:OPCODE[:NTH[+]]]]...";
    Options options;
    for (; words.size() >= 2; words = words.subspan(2)) {
        const std::string_view option = words[0];
        if (option == "--socket-path") {
            options.socket_path = words[1];
        } else if (option == "--lie") {
            auto lie = hostile::parse_lie(words[1]);
            if (!lie) return std::unexpected(lie.error());
            options.lies.push_back(*std::move(lie));
        } else {
            return std::unexpected(std::string(kUsage));
        }
    }
    if (!words.empty() || options.socket_path.empty()) return std::unexpected(std::string(kUsage));
    return options;
}

std::expected<void, std::string> serve(Options options) {
    const auto listener = acceld::Listener::bind(options.socket_path);
    if (!listener) return std::unexpected(listener.error());
    pollfd come{listener->fd(), POLLIN, 0};
    if (::poll(&come, 1, -1) < 0) return std::unexpected(std::string("poll"));
    auto socket = listener->accept();
    if (!socket) return std::unexpected(socket.error());
    if (!*socket) return std::unexpected(std::string("the front end left at once"));
    hostile::Device device(std::move(options.lies));
    return hostile::FrontEnd(**std::move(socket), device).run();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && argv[1] == std::string_view("--list")) {
        for (const auto name : hostile::lie_names())
            std::cout << name << '\n';
        return EXIT_SUCCESS;
    }
    std::signal(SIGPIPE, SIG_IGN);
    const auto done = parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1))
                          .and_then([](Options options) { return serve(std::move(options)); });
    if (done) return EXIT_SUCCESS;
    std::cerr << "hostile-device: " << done.error() << '\n';
    return EXIT_FAILURE;
}
