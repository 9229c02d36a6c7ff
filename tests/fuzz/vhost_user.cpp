// SPDX-License-Identifier: MIT
//
// A front end that says anything, with any descriptors, over a real socket: the connection
// ends or goes on, and no descriptor is left behind.
#include <array>
#include <filesystem>
#include <iterator>
#include <vector>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <fcntl.h>

#include "fuzz/guest.hpp"
#include "vhost/connection.hpp"
#include "vhost/send_fds.hpp"

namespace {

using base::UniqueFd;

// What a step does besides sending a message.
constexpr std::uint8_t kPoke = 0xF0;
constexpr std::uint8_t kKick = 0xF1;
constexpr std::uint8_t kRaw = 0xF2;  // bytes that need not be a message

std::size_t open_fds() {
    const std::filesystem::directory_iterator fds("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(fds), end(fds)));
}

// The descriptors that a front end can send, by number.
class Pool {
 public:
    Pool()
        : large_(1 << 16),
          page_(4096),
          empty_(0),
          kick_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
          null_(::open("/dev/null", O_RDWR | O_CLOEXEC)) {}

    void clear() {
        std::ranges::fill(large_.bytes(), std::byte{0});
        std::ranges::fill(page_.bytes(), std::byte{0});
        std::uint64_t count = 0;
        static_cast<void>(!::read(kick_.value(), &count, sizeof count));
    }
    [[nodiscard]] int fd(std::uint8_t n) const {
        const std::array fds{large_.file().value(), kick_.value(), page_.file().value(),
                             empty_.file().value(), null_.value()};
        return fds[n % fds.size()];
    }
    [[nodiscard]] const fuzz::GuestFile& guest() const { return large_; }
    void kick() const {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(kick_.value(), &one, sizeof one));
    }

 private:
    fuzz::GuestFile large_;
    fuzz::GuestFile page_;
    fuzz::GuestFile empty_;
    UniqueFd kick_;
    UniqueFd null_;
};

void send(int socket, std::vector<std::byte> bytes, std::span<const int> fds) {
    static_cast<void>(
        vhost_test::send_fds(socket, std::move(bytes), fds, MSG_NOSIGNAL | MSG_DONTWAIT));
}

// REQUEST FLAGS LENGTH(2) FDS then the numbers of the descriptors and the payload.
void send_message(fuzz::Input& input, std::uint8_t request, int socket, const Pool& pool) {
    const auto flags = input.take<std::uint8_t>();
    const auto length = input.take<std::uint16_t>();
    std::vector<int> fds;
    for (int left = input.take<std::uint8_t>() % 12; left > 0; --left)
        fds.push_back(pool.fd(input.take<std::uint8_t>()));
    const auto payload = input.take_bytes(length % 512);
    std::vector<std::byte> bytes;
    if (request != kRaw) {
        // The top bit: a length that need not be true.
        const std::uint32_t declared = (flags & 0x80) != 0
                                           ? input.take<std::uint32_t>()
                                           : static_cast<std::uint32_t>(payload.size());
        const vhost::Header header{.request = request, .flags = flags & 0x7FU, .size = declared};
        bytes = vhost::to_bytes(header);
    }
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    if (!bytes.empty()) send(socket, std::move(bytes), fds);
}

bool answer(vhost::Connection& connection, int socket) {
    for (int i = 0; i < 3; ++i) {
        const auto progress = connection.step(-1, 0);
        if (!progress || *progress != vhost::Progress::Open) return false;
    }
    std::array<std::byte, 1024> replies{};
    while (::recv(socket, replies.data(), replies.size(), MSG_DONTWAIT) > 0) {
    }
    return true;
}

void converse(fuzz::Input& input, Pool& pool) {
    std::array<int, 2> ends{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0,
                  "a pair of sockets");
    UniqueFd front(ends[0]);
    const auto poke = [&] {
        const auto offset = input.take<std::uint16_t>();
        pool.guest().poke(offset, input.take<std::uint16_t>());
    };
    fuzz::Device device([&] { return input.take<std::uint8_t>(); }, [] {});
    fuzz::Silent observer;
    vhost::Connection connection(UniqueFd(ends[1]),
                                 {.features = vhost::kVersion1 | vhost::kAccessPlatform,
                                  .config = std::vector<std::byte>(16),
                                  .max_chain_descriptors = 16},
                                 device, observer);
    for (int messages = 0; messages < 64 && !input.empty(); ++messages) {
        const auto request = input.take<std::uint8_t>();
        if (request == kPoke)
            poke();
        else if (request == kKick)
            pool.kick();
        else
            send_message(input, request, front.value(), pool);
        if (!answer(connection, front.value())) return;
    }
    front.reset();
    static_cast<void>(answer(connection, -1));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Pool pool;
    pool.clear();
    fuzz::Input input(data, size);
    const std::size_t before = open_fds();
    converse(input, pool);
    fuzz::require(open_fds() == before, "every descriptor that came in is closed");
    return 0;
}
