// SPDX-License-Identifier: MIT
//
// The front end when memory runs out, at each place where it may.
#include <cstdlib>
#include <new>

#include "tosa/build_test.hpp"

namespace {

struct Allocator {
    bool armed = false;
    std::uint64_t left = 0;  // allocations that still succeed
    std::int64_t live = 0;
};
constinit Allocator allocator;

}  // namespace

void* operator new(std::size_t bytes) {
    if (allocator.armed) {
        if (allocator.left == 0) throw std::bad_alloc();
        --allocator.left;
    }
    void* memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    ++allocator.live;
    return memory;
}
void* operator new[](std::size_t bytes) {
    return operator new(bytes);
}
void operator delete(void* memory) noexcept {
    if (memory == nullptr) return;
    --allocator.live;
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    operator delete(memory);
}
void operator delete[](void* memory) noexcept {
    operator delete(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
    operator delete(memory);
}

namespace tosa::test {
namespace {

// Something of everything that the front end allocates for.
GraphBuilder everything() {
    GraphBuilder branch;
    branch.input("x", {2}).output("y", {2}).variable("v", "state", {2});
    branch.constant("one", {2}, bytes_of({1.0F, 1.0F})).tensor("sum", {2}).shape("s", {2});
    branch.op(Op::VariableRead, {}, {"v"}).op(Op::Add, {"v", "one"}, {"v"});
    branch.op(Op::VariableWrite, {"v"}, {}).op(Op::Add, {"x", "v"}, {"sum"});
    branch.op(Op::Reshape, {"sum", "s"}, {"y"});
    GraphBuilder graph;
    graph.input("go", {1}, DType::Bool).input("x", {2}).output("y", {2});
    graph.cond_if({"go", "x"}, {"y"}, "branch", "branch");
    return graph.add_region("branch", branch).add_block("second", identity());
}

// Lets build_graph() have one allocation more each time, until it has enough. Gives how
// many it took, and what it says then.
std::pair<std::uint64_t, std::string> starve(const std::vector<std::byte>& file) {
    for (std::uint64_t enough = 0;; ++enough) {
        const std::int64_t before = allocator.live;
        {
            allocator.left = enough;
            allocator.armed = true;
            const auto graph = build_graph(file, kEverything);
            allocator.armed = false;
            if (graph.has_value()) return {enough, {}};
            if (graph.error().code != Code::AllocationFailed)
                return {enough, graph.error().message};
            CHECK(graph.error().kind == GraphError::Kind::OutOfMemory);
            CHECK(graph.error().message == "out of memory");
        }
        CHECK(allocator.live == before);
    }
}

TEST_CASE("each allocation that fails is an error, and nothing leaks") {
    const auto [allocations, message] = starve(everything().file());
    CHECK(message.empty());
    CHECK(allocations > 15);
}

TEST_CASE("so it is while an error is put into words") {
    GraphBuilder graph = everything();
    const auto refuse = [&](const std::string& expected) {
        const auto [allocations, message] = starve(graph.file());
        CHECK(message == expected);
        CHECK(allocations > 5);
    };
    graph.more_regions[0].operators.back().inputs[0] = "gone";
    refuse(
        "region 'branch', block 'entry': operator 6 (RESHAPE): no tensor or shape is named 'gone'");
    graph.more_regions[0].operators.back().inputs[0] = "y";
    refuse("region 'branch', block 'entry': operator 6 (RESHAPE) waits for its own result");
}

}  // namespace
}  // namespace tosa::test
