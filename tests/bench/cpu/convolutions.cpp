// SPDX-License-Identifier: MIT
//
// FP32 convolutions beside oneDNN. Both have packed their weights before. oneDNN may choose
// the formats of its activations; `+ reorders` counts that ours come and go as NHWC.
#include <algorithm>
#include <format>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "bench/cpu/bench.hpp"
#include "cpu/kernels/image_rows.hpp"
#include "cpu/kernels/window_isa.hpp"
#include "cpu/memory.hpp"

namespace bench {
namespace {

struct Layer {
    std::int64_t size;  // of the square input
    std::int64_t in;
    std::int64_t out;
    std::int64_t kernel;
    std::int64_t stride;
    bool depthwise;

    bool operator==(const Layer&) const = default;

    [[nodiscard]] std::int64_t out_size() const { return (size - 1) / stride + 1; }
    [[nodiscard]] std::int64_t before() const { return kernel / 2; }
    [[nodiscard]] std::int64_t after() const {
        return (out_size() - 1) * stride + kernel - size - before();
    }
    [[nodiscard]] double operations() const {
        return 2.0 * static_cast<double>(out_size() * out_size() * out * kernel * kernel *
                                         (depthwise ? 1 : in));
    }
};

std::size_t size_of(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(float);
}

// Layers read one and write the other, by turns: programs use their memory again.
class Activations {
 public:
    [[nodiscard]] std::byte* of(std::size_t layer) const { return memory_[layer % 2].data(); }

 private:
    cpu::Memory memory_[2] = {{std::size_t{8} << 20, cpu::kCacheLine},
                              {std::size_t{8} << 20, cpu::kCacheLine}};
};

class Ours {
 public:
    Ours(const Layer& is, const Activations& activations, std::size_t number)
        : is_(is),
          window_{1,
                  is.in,
                  {is.size, is.out_size(), is.kernel, is.stride, is.before(), 1},
                  {is.size, is.out_size(), is.kernel, is.stride, is.before(), 1}},
          gemm_(shape(), cpu::Element::Fp32, cpu::Element::Fp32, shape().k * shape().n * 4),
          in_(activations.of(number)),
          out_(activations.of(number + 1)),
          weights_(size_of(is.kernel * is.kernel * is.in * is.out), cpu::kCacheLine),
          bias_(size_of(is.out), cpu::kCacheLine),
          packed_(gemm_.packed_bytes(), cpu::kCacheLine) {
        gemm_.pack({weights_.data(), 1, shape().k}, packed_.data());
        while (scratch().size() < threads())
            scratch().emplace_back(std::size_t{4} << 20, cpu::kCacheLine);
    }

    void run() {
        if (is_.depthwise) return on_threads(window_.units(), lines());
        on_threads(gemm_.units(), [&](std::uint64_t first, std::uint64_t last, unsigned thread) {
            gemm_.run({.left = cpu::ImageRows(in_, cpu::Element::Fp32, window_, 0),
                       .right = {nullptr, 1, 1},
                       .packed = packed_.data(),
                       .out = out_,
                       .bias = bias_.data(),
                       .bias_count = static_cast<std::uint64_t>(is_.out),
                       .left_zero = 0,
                       .right_zero = 0},
                      first, last, scratch()[thread].data());
        });
    }

 private:
    [[nodiscard]] cpu::GemmShape shape() const {
        const auto of = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
        return {1, of(is_.out_size() * is_.out_size()), of(is_.kernel * is_.kernel * is_.in),
                of(is_.out)};
    }

    // One for all layers, as programs have it.
    static std::vector<cpu::Memory>& scratch() {
        static std::vector<cpu::Memory> memory;
        return memory;
    }

    Work lines() {
        return [this](std::uint64_t first, std::uint64_t last, unsigned /*thread*/) {
            window_.for_each_image(first, last, [this](std::uint64_t, auto from, auto to) {
                cpu::window_isa().depthwise(tosa::DType::Fp32)({.window = &window_,
                                                                .first = from,
                                                                .last = to,
                                                                .in = in_,
                                                                .out = out_,
                                                                .weights = weights_.data(),
                                                                .bias = bias_.data()});
            });
        };
    }

    Layer is_;
    cpu::Window window_;
    cpu::Gemm gemm_;
    std::byte* in_;
    std::byte* out_;
    cpu::Memory weights_, bias_, packed_;
};

class Theirs {
 public:
    Theirs(const Layer& is, const Activations& activations, std::size_t number, bool reorders)
        : reorders_(reorders) {
        using dnnl::memory;
        const auto any = memory::format_tag::any;
        const auto type = memory::data_type::f32;
        const memory::desc in{{1, is.in, is.size, is.size}, type, any};
        const memory::desc out{{1, is.out, is.out_size(), is.out_size()}, type, any};
        const memory::desc weights =
            is.depthwise ? memory::desc{{is.in, 1, 1, is.kernel, is.kernel}, type, any}
                         : memory::desc{{is.out, is.in, is.kernel, is.kernel}, type, any};
        const memory::desc bias{{is.out}, type, memory::format_tag::a};
        const dnnl::convolution_forward::primitive_desc desc(
            engine_, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in,
            weights, bias, out, {is.stride, is.stride}, {is.before(), is.before()},
            {is.after(), is.after()});
        convolution_ = dnnl::convolution_forward(desc);
        const auto plain = [&](const memory::desc& like) {
            return memory({like.get_dims(), type, memory::format_tag::nhwc}, engine_);
        };
        in_ = memory(desc.src_desc(), engine_, activations.of(number));
        out_ = memory(desc.dst_desc(), engine_, activations.of(number + 1));
        plain_in_ = plain(in);
        plain_out_ = plain(out);
        before_ = dnnl::reorder(plain_in_, in_);
        after_ = dnnl::reorder(out_, plain_out_);
        arguments_ = {{DNNL_ARG_SRC, in_},
                      {DNNL_ARG_WEIGHTS, memory(desc.weights_desc(), engine_)},
                      {DNNL_ARG_BIAS, memory(bias, engine_)},
                      {DNNL_ARG_DST, out_}};
    }

    void run() {
        if (reorders_ && in_.get_desc() != plain_in_.get_desc())
            before_.execute(stream_, plain_in_, in_);
        convolution_.execute(stream_, arguments_);
        if (reorders_ && out_.get_desc() != plain_out_.get_desc())
            after_.execute(stream_, out_, plain_out_);
        stream_.wait();
    }

 private:
    bool reorders_;
    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    dnnl::convolution_forward convolution_;
    dnnl::memory in_, out_, plain_in_, plain_out_;
    dnnl::reorder before_, after_;
    std::unordered_map<int, dnnl::memory> arguments_;
};

// The convolutions of MobileNet-v2 at 224 x 224.
std::vector<Layer> mobile_net() {
    struct Stage {
        std::int64_t expansion, channels, repeat, stride;
    };
    std::vector<Layer> layers{{224, 3, 32, 3, 2, false}};
    std::int64_t size = 112;
    std::int64_t in = 32;
    for (const auto& [expansion, channels, repeat, first_stride] :
         {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
          Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}})
        for (std::int64_t i = 0; i < repeat; ++i) {
            const std::int64_t stride = i == 0 ? first_stride : 1;
            const std::int64_t wide = in * expansion;
            if (expansion > 1) layers.push_back({size, in, wide, 1, 1, false});
            layers.push_back({size, wide, wide, 3, stride, true});
            size /= stride;
            layers.push_back({size, wide, channels, 1, 1, false});
            in = channels;
        }
    layers.push_back({size, in, 1280, 1, 1, false});
    return layers;
}

std::string describe(const Layer& layer) {
    return std::format("{}{}x{} {}x{}x{}{} to {}", layer.depthwise ? "depthwise " : "",
                       layer.kernel, layer.kernel, layer.size, layer.size, layer.in,
                       layer.stride == 2 ? ", stride 2," : "", layer.out);
}

// Layers one after another, in the same activations.
template <class Side>
class Sequence {
 public:
    template <class... Args>
    explicit Sequence(const std::vector<Layer>& layers, Args... args) {
        for (const Layer& layer : layers)
            layers_.push_back(std::make_unique<Side>(layer, activations_, layers_.size(), args...));
    }

    void run() {
        for (auto& layer : layers_)
            layer->run();
    }
    Works each() {
        Works works;
        for (auto& layer : layers_)
            works.emplace_back([&layer] { layer->run(); });
        return works;
    }

 private:
    Activations activations_;
    std::vector<std::unique_ptr<Side>> layers_;
};

void bench_sequence(const std::vector<Layer>& layers, bool reorders) {
    Sequence<Ours> ours(layers);
    Sequence<Theirs> theirs(layers, reorders);
    double operations = 0;
    for (const Layer& layer : layers)
        operations += layer.operations();
    const std::string what = layers.size() == 1
                                 ? describe(layers[0])
                                 : std::format("MobileNet-v2, {} convolutions", layers.size());
    print(what + (reorders ? " + reorders" : ""),
          measure([&] { ours.run(); }, [&] { theirs.run(); }), operations);
}

void bench_each(const std::vector<Layer>& layers) {
    Sequence<Ours> ours(layers);
    Sequence<Theirs> theirs(layers, false);
    const std::vector<Pair> pairs = measure_each(ours.each(), theirs.each());
    std::vector<Layer> seen;
    for (const Layer& layer : layers) {
        if (std::ranges::contains(seen, layer)) continue;
        seen.push_back(layer);
        Pair sum{0, 0};
        double operations = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            if (layers[i] != layer) continue;
            sum.ours += pairs[i].ours;
            sum.theirs += pairs[i].theirs;
            operations += layer.operations();
        }
        print(describe(layer), sum, operations);
    }
}

}  // namespace

void bench_convolutions() {
    for (const bool reorders : {false, true}) {
        bench_sequence({{56, 64, 64, 3, 1, false}}, reorders);
        bench_sequence(mobile_net(), reorders);
    }
    bench_each(mobile_net());
}

}  // namespace bench
