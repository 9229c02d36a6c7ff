// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>

namespace tosa::test {

// Grants as many allocations as it is told, then none.
class FailingMemory : public std::pmr::memory_resource {
 public:
    explicit FailingMemory(std::size_t granted) : granted_(granted) {}

    void grant(std::size_t more) { granted_ += more; }

 private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (granted_ == 0) throw std::bad_alloc();
        --granted_;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t granted_;
};

}  // namespace tosa::test
