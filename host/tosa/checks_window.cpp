// SPDX-License-Identifier: MIT
//
// Pools and convolutions: a window that slides over the middle axes of [N, ..., C].
#include "tosa/checks.hpp"

namespace tosa {
namespace {

// The window along one axis. All values come from 32-bit ones, so the 64-bit sums and
// products of two of them below cannot overflow.
struct Axis {
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t before;  // padding; what TRANSPOSE_CONV2D adds to its output
    std::int64_t after;
    std::int64_t dilation = 1;
};

template <std::size_t N>
using Window = std::array<Axis, N>;

Checked<void> check_range(std::string_view what, std::int64_t value, std::int64_t low,
                          std::int64_t high) {
    if (value >= low && value <= high) return {};
    return bad_attribute("its {} of {} is outside {} to {}", what, value, low, high);
}

template <class Attribute>
Checked<Window<2>> read_pool(const Attribute& attribute) {
    const auto kernel = read_list<2>(attribute.kernel(), "kernel");
    if (!kernel) return std::unexpected(kernel.error());
    const auto stride = read_list<2>(attribute.stride(), "stride");
    if (!stride) return std::unexpected(stride.error());
    const auto pad = read_list<4>(attribute.pad(), "pad");
    if (!pad) return std::unexpected(pad.error());
    Window<2> window;
    for (std::size_t i = 0; i < 2; ++i)
        window[i] = {(*kernel)[i], (*stride)[i], (*pad)[2 * i], (*pad)[2 * i + 1]};
    return window;
}

// The kernel's extents are those of the weights from axis `first` on.
template <std::size_t N, class Attribute>
Checked<Window<N>> read_convolution(const Attribute& attribute, const Value& weight,
                                    std::size_t first) {
    const auto pad = read_list<2 * N>(attribute.pad(), "pad");
    if (!pad) return std::unexpected(pad.error());
    const auto stride = read_list<N>(attribute.stride(), "stride");
    if (!stride) return std::unexpected(stride.error());
    const auto dilation = read_list<N>(attribute.dilation(), "dilation");
    if (!dilation) return std::unexpected(dilation.error());
    Window<N> window;
    for (std::size_t i = 0; i < N; ++i)
        window[i] = {weight.dims[first + i], (*stride)[i], (*pad)[2 * i], (*pad)[2 * i + 1],
                     (*dilation)[i]};
    return window;
}

Checked<Window<2>> read_transposed(const Subject& subject) {
    const auto& attribute = subject.attribute<fbs::TransposeConv2dAttribute>();
    const auto out_pad = read_list<4>(attribute.out_pad(), "out_pad");
    if (!out_pad) return std::unexpected(out_pad.error());
    const auto stride = read_list<2>(attribute.stride(), "stride");
    if (!stride) return std::unexpected(stride.error());
    const auto dims = subject.input(1).dims;
    return Window<2>{Axis{dims[1], (*stride)[0], (*out_pad)[0], (*out_pad)[1]},
                     Axis{dims[2], (*stride)[1], (*out_pad)[2], (*out_pad)[3]}};
}

Checked<void> check_pool_axis(const Axis& axis, const LevelLimits& level) {
    if (auto kernel = check_range("kernel", axis.kernel, 1, level.kernel); !kernel) return kernel;
    if (auto stride = check_range("stride", axis.stride, 1, level.stride); !stride) return stride;
    // Less than the kernel, so that no window lies in the padding alone.
    if (auto pad = check_range("pad", axis.before, 0, axis.kernel - 1); !pad) return pad;
    return check_range("pad", axis.after, 0, axis.kernel - 1);
}

Checked<void> check_convolution_axis(const Axis& axis, const LevelLimits& level) {
    if (auto pad = check_range("pad", axis.before, 0, level.kernel); !pad) return pad;
    if (auto pad = check_range("pad", axis.after, 0, level.kernel); !pad) return pad;
    if (auto stride = check_range("stride", axis.stride, 1, level.stride); !stride) return stride;
    return check_range("dilation", axis.dilation, 1, level.kernel);
}

Checked<void> check_transposed_axis(const Axis& axis, const LevelLimits& level) {
    const std::int64_t low = 1 - axis.kernel;
    if (auto pad = check_range("out_pad", axis.before, low, level.kernel); !pad) return pad;
    if (auto pad = check_range("out_pad", axis.after, low, level.kernel); !pad) return pad;
    return check_range("stride", axis.stride, 1, level.stride);
}

template <std::size_t N>
Checked<void> check_axes(const Subject& subject, const Checked<Window<N>>& window,
                         Checked<void> (*check)(const Axis&, const LevelLimits&)) {
    if (!window) return std::unexpected(window.error());
    for (const Axis& axis : *window)
        if (auto checked = check(axis, subject.level); !checked) return checked;
    return {};
}

// The windows must cover the padded input exactly.
Checked<void> check_steps(const Axis& axis, std::int64_t in, std::int64_t out) {
    const std::int64_t span =
        in + axis.before + axis.after - ((axis.kernel - 1) * axis.dilation + 1);
    if (span == (out - 1) * axis.stride) return {};
    return bad_shape(
        "a kernel of {}, dilated by {}, does not go over {} elements, padded by {} and {}, in {} "
        "strides of {}",
        axis.kernel, axis.dilation, in, axis.before, axis.after, out - 1, axis.stride);
}

template <std::size_t N>
Checked<void> check_all_steps(const Subject& subject, const Window<N>& window) {
    for (std::size_t i = 0; i < N; ++i)
        if (auto steps =
                check_steps(window[i], subject.input(0).dims[1 + i], subject.output(0).dims[1 + i]);
            !steps)
            return steps;
    return {};
}

Checked<void> check_pool_shapes(const Subject& subject, const Checked<Window<2>>& window) {
    if (!window) return std::unexpected(window.error());
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    if (in[0] != out[0] || in[3] != out[3])
        return bad_shape("batch or channels of {} are not those of {}", text(in), text(out));
    return check_all_steps(subject, *window);
}

Checked<void> check_kernel_limit(const Axis& axis, const LevelLimits& level) {
    if (axis.kernel * axis.dilation <= level.kernel) return {};
    return bad_shape("a kernel of {}, dilated by {}, is larger than {}", axis.kernel, axis.dilation,
                     level.kernel);
}

// `in_channels` and `out_channels` are those that the weights stand for.
Checked<void> check_channels(const Subject& subject, std::int64_t in_channels,
                             std::int64_t out_channels) {
    const auto in = subject.input(0).dims;
    const auto out = subject.output(0).dims;
    if (in[0] != out[0] || in.back() != in_channels || out.back() != out_channels)
        return bad_shape("{} with weights {} does not give {}", text(in),
                         text(subject.input(1).dims), text(out));
    const std::int64_t bias = subject.input(2).dims[0];
    if (bias != 1 && bias != out_channels)
        return bad_shape("a bias of {} is neither 1 nor the {} channels of the output", bias,
                         out_channels);
    return {};
}

template <std::size_t N>
Checked<void> check_convolution_shapes(const Subject& subject, const Checked<Window<N>>& window,
                                       std::int64_t in_channels, std::int64_t out_channels) {
    if (!window) return std::unexpected(window.error());
    for (const Axis& axis : *window)
        if (auto limit = check_kernel_limit(axis, subject.level); !limit) return limit;
    if (auto channels = check_channels(subject, in_channels, out_channels); !channels)
        return channels;
    return check_all_steps(subject, *window);
}

Checked<Window<2>> read_conv2d(const Subject& subject) {
    return read_convolution<2>(subject.attribute<fbs::Conv2dAttribute>(), subject.input(1), 1);
}

Checked<Window<3>> read_conv3d(const Subject& subject) {
    return read_convolution<3>(subject.attribute<fbs::Conv3dAttribute>(), subject.input(1), 1);
}

Checked<Window<2>> read_depthwise(const Subject& subject) {
    return read_convolution<2>(subject.attribute<fbs::DepthwiseConv2dAttribute>(), subject.input(1),
                               0);
}

}  // namespace

Checked<void> check_avg_pool2d_attributes(const Subject& subject) {
    return check_axes(subject, read_pool(subject.attribute<fbs::AvgPool2dAttribute>()),
                      check_pool_axis);
}

Checked<void> check_avg_pool2d_shapes(const Subject& subject) {
    return check_pool_shapes(subject, read_pool(subject.attribute<fbs::AvgPool2dAttribute>()));
}

Checked<void> check_max_pool2d_attributes(const Subject& subject) {
    if (auto mode = check_nan_mode(subject); !mode) return mode;
    return check_axes(subject, read_pool(subject.attribute<fbs::MaxPool2dAttribute>()),
                      check_pool_axis);
}

Checked<void> check_max_pool2d_shapes(const Subject& subject) {
    return check_pool_shapes(subject, read_pool(subject.attribute<fbs::MaxPool2dAttribute>()));
}

Checked<void> check_conv2d_attributes(const Subject& subject) {
    return check_axes(subject, read_conv2d(subject), check_convolution_axis);
}

Checked<void> check_conv2d_shapes(const Subject& subject) {
    const auto weight = subject.input(1).dims;  // [OC, KH, KW, IC]
    return check_convolution_shapes(subject, read_conv2d(subject), weight[3], weight[0]);
}

Checked<void> check_conv3d_attributes(const Subject& subject) {
    return check_axes(subject, read_conv3d(subject), check_convolution_axis);
}

Checked<void> check_conv3d_shapes(const Subject& subject) {
    const auto weight = subject.input(1).dims;  // [OC, KD, KH, KW, IC]
    return check_convolution_shapes(subject, read_conv3d(subject), weight[4], weight[0]);
}

Checked<void> check_depthwise_conv2d_attributes(const Subject& subject) {
    return check_axes(subject, read_depthwise(subject), check_convolution_axis);
}

Checked<void> check_depthwise_conv2d_shapes(const Subject& subject) {
    const auto weight = subject.input(1).dims;  // [KH, KW, C, M]
    return check_convolution_shapes(subject, read_depthwise(subject), weight[2],
                                    std::int64_t{weight[2]} * weight[3]);
}

Checked<void> check_transpose_conv2d_attributes(const Subject& subject) {
    return check_axes(subject, read_transposed(subject), check_transposed_axis);
}

Checked<void> check_transpose_conv2d_shapes(const Subject& subject) {
    const auto window = read_transposed(subject);
    if (!window) return std::unexpected(window.error());
    const auto weight = subject.input(1).dims;  // [OC, KH, KW, IC]
    if (auto channels = check_channels(subject, weight[3], weight[0]); !channels) return channels;
    for (std::size_t i = 0; i < 2; ++i) {
        const Axis& axis = (*window)[i];
        if (auto limit = check_kernel_limit(axis, subject.level); !limit) return limit;
        const std::int64_t in = subject.input(0).dims[1 + i];
        const std::int64_t out = subject.output(0).dims[1 + i];
        if (out != (in - 1) * axis.stride + axis.before + axis.after + axis.kernel)
            return bad_shape(
                "a kernel of {} put down {} times, strides of {} apart, with {} and {} added, "
                "does not give {} elements",
                axis.kernel, in, axis.stride, axis.before, axis.after, out);
    }
    return {};
}

}  // namespace tosa
