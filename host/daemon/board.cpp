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

std::expected<std::shared_ptr<Board>, std::string> map_board(const base::UniqueFd& file,
                                                             int protection) {
    void* at = ::mmap(nullptr, sizeof(Board), protection, MAP_SHARED, file.value(), 0);
    if (at == MAP_FAILED) return failure("mmap of the board", errno);
    return std::shared_ptr<Board>(static_cast<Board*>(at),
                                  [](Board* mapped) { ::munmap(mapped, sizeof(Board)); });
}

}  // namespace

std::expected<base::UniqueFd, std::string> make_board() {
    base::UniqueFd file(::memfd_create("virtio-accel-board", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) return failure("memfd_create", errno);
    if (::ftruncate(file.value(), sizeof(Board)) != 0) return failure("ftruncate", errno);
    if (::fcntl(file.value(), F_ADD_SEALS, kSeals) != 0) return failure("F_ADD_SEALS", errno);
    return file;
}

std::expected<SharedBoard, std::string> SharedBoard::map(base::UniqueFd file) {
    if (::fcntl(file.value(), F_GET_SEALS) != kSeals) {
        return std::unexpected("the board of a worker is sealed, this file is not");
    }
    auto board = map_board(file, PROT_READ | PROT_WRITE);
    if (!board) return std::unexpected(board.error());
    return SharedBoard{std::move(file), *std::move(board)};
}

std::expected<std::shared_ptr<const Board>, std::string> watch_board(const base::UniqueFd& file) {
    auto board = map_board(file, PROT_READ);
    if (!board) return std::unexpected(board.error());
    if (::madvise(board->get(), sizeof(Board), MADV_DONTFORK) != 0) {
        return failure("MADV_DONTFORK", errno);
    }
    return *std::move(board);
}

}  // namespace acceld
