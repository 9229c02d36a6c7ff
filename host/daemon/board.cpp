// SPDX-License-Identifier: MIT
#include "daemon/board.hpp"

#include <cerrno>
#include <utility>

#include <sys/mman.h>

#include <fcntl.h>
#include <unistd.h>

#include "vhost/failure.hpp"

namespace acceld {

using vhost::failure;

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

std::expected<SharedBoard, std::string> SharedBoard::create() {
    base::UniqueFd file(::memfd_create("virtio-accel-board", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) return failure("memfd_create", errno);
    if (::ftruncate(file.value(), sizeof(Board)) != 0) return failure("ftruncate", errno);
    if (::fcntl(file.value(), F_ADD_SEALS, kSeals) != 0) return failure("F_ADD_SEALS", errno);
    return map(std::move(file));
}

std::expected<SharedBoard, std::string> SharedBoard::map(base::UniqueFd file) {
    if (::fcntl(file.value(), F_GET_SEALS) != kSeals) {
        return std::unexpected("the board of a worker is sealed, this file is not");
    }
    void* at = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file.value(), 0);
    if (at == MAP_FAILED) return failure("mmap of the board", errno);
    std::shared_ptr<Board> board(static_cast<Board*>(at),
                                 [](Board* mapped) { ::munmap(mapped, sizeof(Board)); });
    return SharedBoard{std::move(file), std::move(board)};
}

}  // namespace acceld
