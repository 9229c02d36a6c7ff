// SPDX-License-Identifier: MIT
#include "conformance/targets.hpp"
#include "conformance/tosa_target.hpp"
#include "xdna/double/loaded.hpp"
#include "xdna/double/store.hpp"
#include "xdna/provider.hpp"

namespace conformance {

namespace {

using xrt_double::Loaded;

class Xdna final : public Subject {
 public:
    explicit Xdna(const Loaded& npu) : npu_(npu) {
        xdna::Options options;
        options.library = npu_.plugin;
        options.store = std::make_shared<xrt_double::Store>();
        xdna_ = xdna::open(options).value();
    }
    ~Xdna() override { npu_.script(""); }

    [[nodiscard]] provider::Provider& provider() override { return *xdna_; }
    void hold() override { npu_.script("hold"); }
    // What is started after a release is held until the next.
    void complete(provider::Event& event) override {
        for (auto state = xdna_->poll_event(event); state && !state->terminal();
             state = xdna_->poll_event(event)) {
            npu_.release();
            std::this_thread::yield();
        }
    }
    // A context with anything in it cannot be destroyed.
    [[nodiscard]] std::optional<std::uint64_t> live_objects() override {
        return static_cast<xdna::XdnaProvider&>(*xdna_).live_contexts();
    }

 private:
    const Loaded npu_;
    std::unique_ptr<provider::Provider> xdna_;
};

// INT8 [1, 3, 2] by [1, 2, 3], whose zero points are -1 and 2, in slots of whole words.
Target matmul_target(std::function<std::unique_ptr<Subject>()> open) {
    using tosa::DType;
    tosa::test::GraphBuilder graph;
    graph.input("a", {1, 3, 2}, DType::Int8).input("b", {1, 2, 3}, DType::Int8);
    graph.constant("a_zero", {1}, tosa::test::bytes_of<std::int8_t>({-1}), DType::Int8);
    graph.constant("b_zero", {1}, tosa::test::bytes_of<std::int8_t>({2}), DType::Int8);
    graph.output("c", {1, 3, 3}, DType::Int32);
    graph.op(tosa::Op::MatMul, {"a", "b", "a_zero", "b_zero"}, {"c"});
    const Bytes a = tosa::test::bytes_of<std::int8_t>({0, 1, -2, 3, 4, -5, 0, 0});
    const Bytes b = tosa::test::bytes_of<std::int8_t>({2, 3, 4, 5, 6, 7, 0, 0});
    const Bytes c = tosa::test::bytes_of<std::int32_t>({6, 9, 12, 12, 15, 18, -12, -11, -10});
    return {.name = "xdna",
            .open = std::move(open),
            .program = {.format = tosa::kFormat,
                        .target = tosa::encode_target(xdna::kTargets[2]),
                        .resident_bytes = 16U << 20},
            .artifact = graph.file(),
            .domain = provider::MemoryDomain::Shared,
            .fixtures = {{.slot = 0, .access = provider::Access::Read, .initial = a, .expected = a},
                         {.slot = 1, .access = provider::Access::Read, .initial = b, .expected = b},
                         {.slot = 2,
                          .access = provider::Access::Write,
                          .initial = Bytes(c.size(), std::byte{0xEE}),
                          .expected = c}}};
}

}  // namespace

// With the device opened once before anything is confined, which keeps the libraries.
std::expected<Target, std::string> xdna_target() {
    return Loaded::load().and_then([](const Loaded& npu) {
        xdna::Options options;
        options.library = npu.plugin;
        return xdna::choose(options).transform([&](const auto&) {
            return matmul_target([npu] { return std::make_unique<Xdna>(npu); });
        });
    });
}

}  // namespace conformance
