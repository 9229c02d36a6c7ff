// SPDX-License-Identifier: MIT
//
// What it costs to turn a TOSA file into a graph: time and memory against the number of
// operators, and against the size of a constant. docs/performance.md says what the numbers
// mean.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <format>
#include <iostream>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>

#include "bench/stopwatch.hpp"
#include "tosa/graph.hpp"
#include "tosa_generated.h"

namespace {

struct Heap {
    std::size_t live = 0;
    std::size_t peak = 0;
};
constinit thread_local Heap heap;

// With no alignment beyond that of malloc(): nothing here asks for more.
void* counted(std::size_t bytes) {
    void* memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    heap.live += ::malloc_usable_size(memory);
    heap.peak = std::max(heap.peak, heap.live);
    return memory;
}

void release(void* memory) {
    heap.live -= ::malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
    return counted(bytes);
}
void* operator new[](std::size_t bytes) {
    return counted(bytes);
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete[](void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    release(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
    release(memory);
}

namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Name = flatbuffers::Offset<flatbuffers::String>;
using Operators = std::vector<flatbuffers::Offset<tosa::fbs::TosaOperator>>;
using Tensors = std::vector<flatbuffers::Offset<tosa::fbs::TosaTensor>>;

constexpr tosa::Target kTarget{.profiles = tosa::kProfileInteger | tosa::kProfileFloat,
                               .extensions = tosa::kExtensionInt4 | tosa::kExtensionInt16};

std::vector<std::byte> finish(Builder& builder, const Operators& operators, const Tensors& tensors,
                              const std::vector<Name>& in, const std::vector<Name>& out) {
    using namespace tosa::fbs;
    const auto operator_list = builder.CreateVector(operators);
    const auto tensor_list = builder.CreateVector(tensors);
    const auto inputs = builder.CreateVector(in);
    const auto outputs = builder.CreateVector(out);
    const auto block = CreateTosaBasicBlock(builder, builder.CreateString("entry"), operator_list,
                                            tensor_list, inputs, outputs);
    const auto blocks = builder.CreateVector(&block, 1);
    const auto region = CreateTosaRegion(builder, builder.CreateString("main"), blocks);
    const auto regions = builder.CreateVector(&region, 1);
    FinishTosaGraphBuffer(
        builder, CreateTosaGraph(builder, CreateVersion(builder, 1, 0, 0, false), regions));
    const auto bytes = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {bytes.begin(), bytes.end()};
}

// IDENTITY, ADD and CLAMP in turn, each on the result of the one before.
class Chain {
 public:
    static std::vector<std::byte> write(std::uint32_t length) {
        Chain chain;
        for (std::uint32_t i = 0; i < length; ++i)
            chain.add(i);
        return finish(chain.builder_, chain.operators_, chain.tensors_, {chain.first_},
                      {chain.last_});
    }

 private:
    Chain() { first_ = last_ = tensor("in"); }

    Name tensor(const std::string& name) {
        const Name offset = builder_.CreateString(name);
        const auto dims = builder_.CreateVector(std::vector<std::int32_t>{8, 8});
        tensors_.push_back(
            tosa::fbs::CreateTosaTensor(builder_, offset, dims, tosa::fbs::DType::FP32));
        return offset;
    }

    flatbuffers::Offset<void> attribute(tosa::fbs::Op op) {
        if (op != tosa::fbs::Op::CLAMP) return builder_.EndTable(builder_.StartTable());
        const auto bound = [&](float value) {
            std::array<std::uint8_t, sizeof value> bytes;
            std::memcpy(bytes.data(), &value, sizeof value);
            builder_.ForceVectorAlignment(bytes.size(), 1, 8);
            return builder_.CreateVector(bytes.data(), bytes.size());
        };
        const auto low = bound(-1);
        const auto high = bound(1);
        return tosa::fbs::CreateClampAttribute(builder_, low, high,
                                               tosa::fbs::NanPropagationMode::PROPAGATE)
            .Union();
    }

    void add(std::uint32_t i) {
        using enum tosa::fbs::Op;
        constexpr std::array kOps{IDENTITY, ADD, CLAMP};
        const tosa::fbs::Op op = kOps[i % kOps.size()];
        std::vector<Name> in{last_};
        if (op == ADD) in.push_back(first_);
        last_ = tensor(std::format("t{}", i));
        const auto inputs = builder_.CreateVector(in);
        const auto outputs = builder_.CreateVector(&last_, 1);
        const auto value = attribute(op);
        operators_.push_back(tosa::fbs::CreateTosaOperator(
            builder_, op, static_cast<tosa::fbs::Attribute>(op), value, inputs, outputs));
    }

    Builder builder_;
    Operators operators_;
    Tensors tensors_;
    Name first_;
    Name last_;
};

// CONST -> IDENTITY, whose data lie in the FlatBuffer or behind it.
std::vector<std::byte> constant(tosa::fbs::DType type, std::int32_t elements, std::size_t bytes,
                                bool external) {
    using namespace tosa::fbs;
    constexpr std::size_t kAlignment = 4096;
    Builder builder;
    const auto make = [&](std::uint64_t offset) {
        builder.Clear();
        flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> data;
        if (!external) {
            std::uint8_t* place = nullptr;
            builder.ForceVectorAlignment(bytes, 1, 8);
            data = builder.CreateUninitializedVector(bytes, &place);
            std::memset(place, 0, bytes);
        }
        const std::array names{builder.CreateString("constant"), builder.CreateString("out")};
        const auto dims = builder.CreateVector(&elements, 1);
        const Tensors tensors{CreateTosaTensor(builder, names[0], dims, type, data, false, false, 0,
                                               offset, external ? bytes : 0),
                              CreateTosaTensor(builder, names[1], dims, type)};
        const auto attribute = builder.EndTable(builder.StartTable());
        const auto in = builder.CreateVector(&names[0], 1);
        const auto out = builder.CreateVector(&names[1], 1);
        const Operators operators{
            CreateTosaOperator(builder, Op::CONST, Attribute::ConstAttribute, attribute, 0, in),
            CreateTosaOperator(builder, Op::IDENTITY, Attribute::IdentityAttribute, attribute, in,
                               out)};
        return finish(builder, operators, tensors, {}, {names[1]});
    };
    std::vector<std::byte> file = make(external ? kAlignment : 0);
    if (external) file.resize(kAlignment + bytes);
    return file;
}

struct Cost {
    double nanoseconds = std::numeric_limits<double>::infinity();
    std::size_t peak = 0;      // bytes on the heap at once, the file not among them
    std::size_t resident = 0;  // bytes that the graph keeps
};

// The best of five runs: what disturbs one only adds to it.
Cost build(std::span<const std::byte> file, const tosa::Limits& limits) {
    constexpr int kRuns = 5;
    Cost cost;
    for (int run = 0; run < kRuns; ++run) {
        const std::size_t before = heap.live;
        heap.peak = before;
        const double start = bench::cpu_nanoseconds();
        const auto graph = tosa::build_graph(file, kTarget, limits);
        cost.nanoseconds = std::min(cost.nanoseconds, bench::cpu_nanoseconds() - start);
        if (!graph) {
            std::cerr << graph.error().message << '\n';
            std::exit(EXIT_FAILURE);
        }
        cost.peak = heap.peak - before;
        cost.resident = heap.live - before;
    }
    return cost;
}

void bench_chains() {
    // The defaults stop at 262,144 tensors and at a million tables, each visit counted. A
    // chain has about as many tensors as operators and three tables an operator.
    constexpr tosa::Limits kRaised{.tables = 20'000'000, .tensors = 2'000'000};
    std::cout << std::format("{:<10} {:>12} {:>10} {:>12} {:>14} {:>14}\n", "operators", "file MB",
                             "ms", "ns/operator", "peak B/op", "resident B/op");
    for (const std::uint32_t length : {100U, 1'000U, 10'000U, 100'000U, 1'000'000U}) {
        const std::vector<std::byte> file = Chain::write(length);
        const Cost cost = build(file, kRaised);
        const double n = length;
        std::cout << std::format("{:<10} {:>12.3f} {:>10.3f} {:>12.1f} {:>14.1f} {:>14.1f}\n",
                                 length, static_cast<double>(file.size()) / 1e6,
                                 cost.nanoseconds / 1e6, cost.nanoseconds / n,
                                 static_cast<double>(cost.peak) / n,
                                 static_cast<double>(cost.resident) / n)
                  << std::flush;
    }
}

void bench_constants() {
    using enum tosa::fbs::DType;
    constexpr std::size_t kSmall = 200;
    constexpr std::size_t kLarge = 200U << 20;
    struct Row {
        const char* name;
        tosa::fbs::DType type;
        double elements_per_byte;
        bool scanned;  // not every pattern of bits is a value
    };
    constexpr Row kRows[] = {
        {"FP32", FP32, 0.25, false}, {"INT8", INT8, 1, false},      {"BOOL", BOOL, 1, true},
        {"INT4", INT4, 2, true},     {"INT48", INT48, 0.125, true},
    };
    std::cout << std::format("\n{:<8} {:>10} {:>12} {:>12} {:>10} {:>10}\n", "constant", "bytes",
                             "where", "us", "GB/s", "peak B");
    for (const Row& row : kRows)
        for (const bool external : {false, true})
            for (const std::size_t bytes : {kSmall, kLarge}) {
                const auto elements =
                    static_cast<std::int32_t>(static_cast<double>(bytes) * row.elements_per_byte);
                const auto file = constant(row.type, elements, bytes, external);
                const Cost cost = build(file, {});
                const std::string rate =
                    row.scanned && bytes == kLarge
                        ? std::format("{:.2f}", static_cast<double>(bytes) / cost.nanoseconds)
                        : "-";
                std::cout << std::format("{:<8} {:>10} {:>12} {:>12.1f} {:>10} {:>10}\n", row.name,
                                         bytes, external ? "external" : "embedded",
                                         cost.nanoseconds / 1e3, rate, cost.peak)
                          << std::flush;
            }
}

}  // namespace

int main() {
    bench_chains();
    bench_constants();
}
