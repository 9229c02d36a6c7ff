// SPDX-License-Identifier: MIT
#include "cpu/random_graph.hpp"

#include "cpu/random_builder.hpp"

namespace cpu::test {
namespace {

class Generator : private RandomBuilder {
 public:
    using RandomBuilder::RandomBuilder;

    RandomGraph generate() && {
        constexpr std::array kSteps{
            &Generator::unary,     &Generator::binary, &Generator::integer, &Generator::compare,
            &Generator::select,    &Generator::clamp,  &Generator::cast,    &Generator::rescale,
            &Generator::reduce,    &Generator::argmax, &Generator::move,    &Generator::pad,
            &Generator::slice,     &Generator::concat, &Generator::matmul,  &Generator::convolve,
            &Generator::depthwise, &Generator::pool,   &Generator::gather,  &Generator::logical,
        };
        const std::uint64_t steps = 1 + below(12);
        for (std::uint64_t i = 0; i < steps; ++i)
            (this->*kSteps.at(below(kSteps.size())))();
        for (const Known& value : known_)
            if (!value.read) give_out(value);
        return std::move(made_);
    }

 private:
    // Steps. Each adds one operator.
    void unary() {
        constexpr std::array kExact{Op::Abs, Op::Ceil, Op::Floor};
        constexpr std::array kRough{Op::Exp, Op::Log,   Op::Sin,     Op::Cos,       Op::Tanh,
                                    Op::Erf, Op::Rsqrt, Op::Sigmoid, Op::Reciprocal};
        const Known x = any_of(kFloats);
        if (flip())
            result(kExact.at(below(kExact.size())), {x.name}, x.type, x.dims, floor_of(x));
        else
            result(kRough.at(below(kRough.size())), {x.name}, x.type, x.dims, Grade::Rough);
    }
    void binary() {
        constexpr std::array kOps{Op::Add, Op::Sub, Op::Mul, Op::Maximum, Op::Minimum};
        constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Bf16, DType::Int32};
        const Known a = any_of(kTypes);
        const Known b = partner(a.type, a.dims);
        const Op op = kOps.at(below(kOps.size()));
        Names names{a.name, b.name};
        if (op == Op::Mul)
            names.push_back(scalar(
                DType::Int8, a.type == DType::Int32 ? static_cast<std::int64_t>(below(40)) : 0));
        result(op, names, a.type, a.dims, Grade::Exact, {.nan_mode = nan_mode()});
    }
    void integer() {
        constexpr std::array kOps{Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor};
        const Known a = any_of(kWhole);
        switch (below(4)) {
            case 0:
                result(Op::BitwiseNot, {a.name}, a.type, a.dims, Grade::Exact);
                return;
            case 1:
                result(Op::Negate, {a.name, zero_point(a.type), zero_point(a.type)}, a.type, a.dims,
                       Grade::Exact);
                return;
            case 2: {
                const Known b = partner(a.type, a.dims);
                result(a.type == DType::Int32 ? Op::IntDiv : Op::LogicalRightShift,
                       {a.name, b.name}, a.type, a.dims, Grade::Exact);
                return;
            }
            default:
                result(kOps.at(below(kOps.size())), {a.name, partner(a.type, a.dims).name}, a.type,
                       a.dims, Grade::Exact);
        }
    }
    void compare() {
        constexpr std::array kOps{Op::Equal, Op::Greater, Op::GreaterEqual};
        constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Bf16, DType::Int32};
        const Known a = any_of(kTypes);
        result(kOps.at(below(kOps.size())), {a.name, partner(a.type, a.dims).name}, DType::Bool,
               a.dims, Grade::Exact);
    }
    void logical() {
        constexpr std::array kOps{Op::LogicalAnd, Op::LogicalOr, Op::LogicalXor};
        constexpr std::array kTypes{DType::Bool};
        const Known a = any_of(kTypes);
        result(kOps.at(below(kOps.size())), {a.name, partner(a.type, a.dims).name}, DType::Bool,
               a.dims, Grade::Exact);
    }
    void select() {
        const Known a = any_of(kAny, Grade::Rough);
        result(Op::Select,
               {partner(DType::Bool, a.dims).name, a.name, partner(a.type, a.dims).name}, a.type,
               a.dims, floor_of(a));
    }
    void clamp() {
        constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Bf16, DType::Int8,
                                    DType::Int16};
        const Known a = any_of(kTypes);
        Fields fields{.nan_mode = nan_mode()};
        const auto bound = [&](double number) {
            std::vector<std::byte> data(tosa::buffer_bytes(a.type, 1));
            if (tosa::is_float(a.type))
                tosa::write_float(a.type, data.data(), 0, number);
            else
                tosa::write_integer(a.type, data.data(), 0, static_cast<std::int64_t>(number));
            return data;
        };
        const double low = static_cast<double>(below(9)) - 6;
        fields.min_val = bound(low);
        fields.max_val = bound(low + static_cast<double>(below(5)));
        result(Op::Clamp, {a.name}, a.type, a.dims, floor_of(a), fields);
    }
    void cast() {
        const Known a = any_of(kAny);
        DType to = type_among(kAny);
        const bool narrow = !tosa::is_float(a.type) && !tosa::is_float(to);
        // FP16 and BF16 have no cast, nor have BOOL and floats.
        if (to == a.type || (!narrow && (to == DType::Bool || a.type == DType::Bool)) ||
            (tosa::is_float(a.type) && tosa::is_float(to) && a.type != DType::Fp32))
            to = a.type == DType::Bool ? DType::Int8 : DType::Int32;
        if (to == a.type) return;
        result(Op::Cast, {a.name}, to, a.dims, Grade::Exact);
    }
    void rescale() {
        const Known a = any_of(kWhole);
        const DType to = type_among(kWhole);
        const bool per_channel = flip();
        const Dims channels{per_channel ? a.dims.back() : 1};
        const std::string multiplier = fresh();
        const std::string shift = fresh();
        const auto count = static_cast<std::size_t>(channels[0]);
        std::vector<std::byte> multipliers(count * 4);
        std::vector<std::byte> shifts(count);
        for (std::size_t i = 0; i < count; ++i) {
            tosa::write_integer(DType::Int32, multipliers.data(), i,
                                (1 << 30) + (choices_.take<std::uint8_t>() << 20));
            tosa::write_integer(DType::Int8, shifts.data(), i,
                                static_cast<std::int64_t>(33 + below(16)));
        }
        made_.graph.constant(multiplier, channels, multipliers, DType::Int32);
        made_.graph.constant(shift, channels, shifts, DType::Int8);
        result(Op::Rescale, {a.name, multiplier, shift, zero_point(a.type), zero_point(to)}, to,
               a.dims, Grade::Exact, {.per_channel = per_channel});
    }
    void reduce() {
        constexpr std::array kAlways{Op::ReduceMax, Op::ReduceMin};
        constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Int8, DType::Int32};
        constexpr std::array kSums{DType::Fp32, DType::Int32};
        const bool sum = flip();
        const Known a = sum ? any_of(kSums, Grade::Whole) : any_of(kTypes);
        Fields fields{.nan_mode = nan_mode()};
        fields.axis = static_cast<std::int32_t>(below(a.dims.size()));
        Dims dims = a.dims;
        dims[static_cast<std::size_t>(fields.axis)] = 1;
        result(sum ? Op::ReduceSum : kAlways.at(below(2)), {a.name}, a.type, dims, Grade::Exact,
               fields);
    }
    void argmax() {
        constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Int8};
        const Known a = any_of(kTypes);
        Fields fields{.nan_mode = nan_mode()};
        fields.axis = static_cast<std::int32_t>(below(a.dims.size()));
        Dims dims = a.dims;
        dims.erase(dims.begin() + fields.axis);
        result(Op::Argmax, {a.name}, DType::Int32, dims, Grade::Exact, fields);
    }
    void move() {
        const Known a = any_of(kAny, Grade::Rough);
        Fields fields;
        switch (below(4)) {
            case 0:
                fields.axis = static_cast<std::int32_t>(below(a.dims.size()));
                result(Op::Reverse, {a.name}, a.type, a.dims, a.grade, fields);
                return;
            case 1: {
                Dims perms(a.dims.size());
                Dims dims;
                for (std::size_t i = 0; i < perms.size(); ++i)
                    perms[i] = static_cast<std::int32_t>(i);
                std::ranges::rotate(
                    perms, perms.begin() + static_cast<std::ptrdiff_t>(below(perms.size())));
                for (const std::int32_t perm : perms)
                    dims.push_back(a.dims[static_cast<std::size_t>(perm)]);
                fields.perms = perms;
                result(Op::Transpose, {a.name}, a.type, dims, a.grade, fields);
                return;
            }
            case 2: {
                const auto elements = static_cast<std::int32_t>(tosa::element_count(a.dims));
                result(Op::Reshape, {a.name, shape({1, elements})}, a.type, {1, elements}, a.grade);
                return;
            }
            default: {
                if (tosa::element_count(a.dims) > 256) return;
                std::vector<std::int64_t> multiples;
                Dims dims = a.dims;
                for (std::int32_t& extent : dims) {
                    multiples.push_back(static_cast<std::int64_t>(1 + below(2)));
                    extent *= static_cast<std::int32_t>(multiples.back());
                }
                result(Op::Tile, {a.name, shape(multiples)}, a.type, dims, a.grade);
            }
        }
    }
    void pad() {
        const Known a = any_of(kAny, Grade::Rough);
        std::vector<std::int64_t> widths;
        Dims dims = a.dims;
        for (std::int32_t& extent : dims) {
            widths.push_back(static_cast<std::int64_t>(below(3)));
            widths.push_back(static_cast<std::int64_t>(below(3)));
            extent += static_cast<std::int32_t>(widths.back() + widths.end()[-2]);
        }
        result(Op::Pad, {a.name, shape(widths), zero_point(a.type)}, a.type, dims, a.grade);
    }
    void slice() {
        const Known a = any_of(kAny, Grade::Rough);
        std::vector<std::int64_t> starts;
        std::vector<std::int64_t> sizes;
        Dims dims;
        for (const std::int32_t extent : a.dims) {
            starts.push_back(static_cast<std::int64_t>(below(static_cast<std::uint64_t>(extent))));
            sizes.push_back(1 + static_cast<std::int64_t>(
                                    below(static_cast<std::uint64_t>(extent - starts.back()))));
            dims.push_back(static_cast<std::int32_t>(sizes.back()));
        }
        result(Op::Slice, {a.name, shape(starts), shape(sizes)}, a.type, dims, a.grade);
    }
    void concat() {
        const Known a = any_of(kAny, Grade::Rough);
        Fields fields;
        fields.axis = static_cast<std::int32_t>(below(a.dims.size()));
        Dims other = a.dims;
        std::int32_t& extent_there = other[static_cast<std::size_t>(fields.axis)];
        extent_there = extent();
        Dims dims = a.dims;
        dims[static_cast<std::size_t>(fields.axis)] += extent_there;
        const Known b = input(a.type, other, false);
        result(Op::Concat, {a.name, b.name}, a.type, dims, floor_of(a), fields);
    }
    void gather() {
        constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Int8, DType::Int32};
        const std::int32_t n = extent();
        const std::int32_t k = extent();
        const std::int32_t c = extent();
        const std::int32_t w = extent();
        const Known values = input(type_among(kTypes), {n, k, c}, false);
        const std::string indices = fresh();
        Bytes data(static_cast<std::size_t>(n * w) * 4);
        for (std::size_t i = 0; i < data.size() / 4; ++i)
            tosa::write_integer(DType::Int32, data.data(), i,
                                static_cast<std::int64_t>(below(static_cast<std::uint64_t>(k))));
        made_.graph.constant(indices, {n, w}, data, DType::Int32);
        result(Op::Gather, {values.name, indices}, values.type, {n, w, c}, Grade::Exact);
    }

    // What products of this type sum up in, and what they give.
    struct Product {
        DType in;
        DType out;
        DType accumulator;
    };
    Product some_product(bool convolution) {
        constexpr std::array kProducts{Product{DType::Fp32, DType::Fp32, DType::Fp32},
                                       Product{DType::Int8, DType::Int32, DType::Int32},
                                       Product{DType::Fp16, DType::Fp16, DType::Fp32},
                                       Product{DType::Int16, DType::Int48, DType::Int48},
                                       Product{DType::Bf16, DType::Bf16, DType::Fp32}};
        Product product = kProducts.at(below(kProducts.size()));
        if (!convolution && product.in == DType::Bf16) product.out = DType::Fp32;
        return product;
    }
    void matmul() {
        const Product product = some_product(false);
        const std::int32_t batch = extent();
        const std::int32_t m = static_cast<std::int32_t>(1 + below(20));
        const std::int32_t k = static_cast<std::int32_t>(1 + below(20));
        const std::int32_t n = static_cast<std::int32_t>(1 + below(40));
        const Known a = input(product.in, {batch, m, k}, true);
        const Known b =
            flip() ? input(product.in, {batch, k, n}, true) : constant(product.in, {batch, k, n});
        result(Op::MatMul, {a.name, b.name, zero_point(product.in), zero_point(product.in)},
               product.out, {batch, m, n}, Grade::Exact);
    }
    struct Window {
        std::int32_t size;
        std::int32_t kernel;
        std::int32_t stride;
        std::int32_t before;
        std::int32_t after;
        std::int32_t dilation;
        std::int32_t out;
    };
    // The size is such that the window fits a whole number of times.
    Window window(bool dilated) {
        Window w{};
        w.kernel = static_cast<std::int32_t>(1 + below(3));
        w.stride = static_cast<std::int32_t>(1 + below(3));
        w.dilation = dilated ? static_cast<std::int32_t>(1 + below(2)) : 1;
        w.before = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(w.kernel)));
        w.after = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(w.kernel)));
        w.out = extent();
        w.size = (w.out - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.before - w.after;
        while (w.size < 1) {
            ++w.out;
            w.size += w.stride;
        }
        return w;
    }
    void convolve() { convolution(Op::Conv2d); }
    void depthwise() { convolution(Op::DepthwiseConv2d); }
    void convolution(Op op) {
        const Product product = some_product(true);
        const Window y = window(true);
        const Window x = window(true);
        const std::int32_t batch = static_cast<std::int32_t>(1 + below(2));
        const std::int32_t in = static_cast<std::int32_t>(1 + below(9));
        const std::int32_t out = static_cast<std::int32_t>(1 + below(op == Op::Conv2d ? 20 : 3));
        const Dims weights = op == Op::Conv2d ? Dims{out, y.kernel, x.kernel, in}
                                              : Dims{y.kernel, x.kernel, in, out};
        const std::int32_t channels = op == Op::Conv2d ? out : in * out;
        const Known image = input(product.in, {batch, y.size, x.size, in}, true);
        const DType weight_type = product.in == DType::Int16 ? DType::Int8 : product.in;
        const Known weight = constant(weight_type, weights);
        const std::string bias = fresh();
        const Dims bias_dims{flip() ? channels : 1};
        made_.graph.constant(
            bias, bias_dims,
            Bytes(tosa::constant_bytes(product.out, tosa::element_count(bias_dims))), product.out);
        Fields fields;
        fields.pad = Dims{y.before, y.after, x.before, x.after};
        fields.stride = Dims{y.stride, x.stride};
        fields.dilation = Dims{y.dilation, x.dilation};
        fields.acc_type = product.accumulator;
        result(op, {image.name, weight.name, bias, zero_point(product.in), zero_point(weight_type)},
               product.out, {batch, y.out, x.out, channels}, Grade::Exact, fields);
    }
    void pool() {
        constexpr std::array kTypes{DType::Fp32, DType::Fp16, DType::Bf16, DType::Int8};
        const bool average = flip();
        const DType type = type_among(kTypes);
        const Window y = window(false);
        const Window x = window(false);
        const std::int32_t channels = static_cast<std::int32_t>(1 + below(20));
        const Known image = input(type, {1, y.size, x.size, channels}, average);
        Fields fields{.nan_mode = nan_mode()};
        fields.kernel = Dims{y.kernel, x.kernel};
        fields.stride = Dims{y.stride, x.stride};
        fields.pad = Dims{y.before, y.after, x.before, x.after};
        fields.acc_type = type == DType::Int8 ? DType::Int32 : DType::Fp32;
        Names names{image.name};
        if (average) names.insert(names.end(), {zero_point(type), zero_point(type)});
        result(average ? Op::AvgPool2d : Op::MaxPool2d, names, type, {1, y.out, x.out, channels},
               average && type != DType::Int8 ? Grade::Rough : Grade::Exact, fields);
    }
};

}  // namespace

RandomGraph random_graph(fuzz::Input choices) {
    return Generator(choices).generate();
}

}  // namespace cpu::test
