// SPDX-License-Identifier: MIT
#include "budget/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

struct Count {
    bool armed = false;
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
};
constinit thread_local Count count;

void* counted(std::size_t bytes, std::size_t alignment) noexcept {
    if (count.armed) {
        ++count.calls;
        count.bytes += bytes;
    }
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(bytes == 0 ? 1 : bytes);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* counted_or_throw(std::size_t bytes, std::size_t alignment) {
    if (void* memory = counted(bytes, alignment)) return memory;
    throw std::bad_alloc();
}

std::size_t value(std::align_val_t alignment) {
    return static_cast<std::size_t>(alignment);
}

}  // namespace

namespace budget {

Allocations::Allocations() {
    count = {.armed = true};
}
Allocations::~Allocations() {
    count.armed = false;
}
std::uint64_t Allocations::calls() const {
    return count.calls;
}
std::uint64_t Allocations::bytes() const {
    return count.bytes;
}

}  // namespace budget

// All forms are here: a sanitizer's own would not forward to each other as the standard
// library's do.
void* operator new(std::size_t n) {
    return counted_or_throw(n, 1);
}
void* operator new[](std::size_t n) {
    return counted_or_throw(n, 1);
}
void* operator new(std::size_t n, std::align_val_t a) {
    return counted_or_throw(n, value(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
    return counted_or_throw(n, value(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return counted(n, 1);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
    return counted(n, 1);
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted(n, value(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted(n, value(a));
}

void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete[](void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
    std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    std::free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
    std::free(p);
}
