// SPDX-License-Identifier: MIT
#include <algorithm>

#include "vulkan/fold.hpp"
#include "vulkan/product.hpp"

namespace vulkan {
namespace {

using tosa::ValueId;

constexpr std::uint32_t kRegisters = 4;  // of an invocation of gemm.comp, along an edge
constexpr std::uint32_t kFewRows = 8;    // kRows of gemv.comp

// What keeps one read of memory whole.
constexpr std::uint32_t kMostWords = 32, kLeastWords = 8;

// A slice of a product in blocks is so many words of a line at least, so that a block reads several
// times as much as what its sums are then written and read for; and whole slabs of every type.
constexpr std::uint32_t kLeastSlice = 256, kSlab = 64;

constexpr std::uint64_t ceil_div(std::uint64_t n, std::uint64_t d) {
    return (n + d - 1) / d;
}

std::uint32_t wide(std::uint32_t type) {
    return shader::is_float(type) ? shader::kFp32 : shader::kInt32;
}

// How many neighbours of a row an invocation can store, so that words are never shared.
std::uint32_t storable_lanes(std::uint32_t n) {
    return n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1;
}

Stage copy_stage(std::uint32_t type) {
    return {.op = shader::kCopy, .type = type};
}

// How workgroups make a product: a kernel, the edge of its blocks, its own constants.
struct Blocks {
    Kernel kernel = Kernel::Gemm;
    std::uint32_t edge = 0;
    std::vector<std::uint32_t> constants{};

    [[nodiscard]] std::uint64_t count(const Product& product) const {
        return ceil_div(product.m, edge) * ceil_div(product.n, edge) * product.batch;
    }
};

// Those of matrices.comp: the largest of which there are enough to fill a large device, else
// the smallest.
std::optional<Blocks> matrix_blocks(const Lowerer& to, const Product& product) {
    const Grid& grid = to.grid;
    const std::uint32_t type = to.type(product.lhs);
    const bool bytes = type == shader::kInt8;
    const auto& shape = bytes ? grid.matrices.bytes : grid.matrices.halves;
    if (!shape || type == shader::kFp32) return std::nullopt;
    std::optional<Blocks> chosen;
    for (const std::uint32_t edge : {128U, 64U, 32U}) {
        const auto block =
            lay_out(*shape, {grid.workgroup, grid.subgroup_size, grid.shared_bytes}, edge);
        if (!block) continue;
        chosen = Blocks{.kernel = bytes ? Kernel::ByteMatrices : Kernel::HalfMatrices,
                        .edge = edge,
                        .constants = {shape->m, shape->n, shape->k, block->down, block->across,
                                      block->subgroups_down, block->subgroups_across}};
        if (chosen->count(product) >= kManyGroups) break;
    }
    return chosen;
}

Blocks choose_blocks(const Lowerer& to, const Product& product) {
    return matrix_blocks(to, product).value_or(Blocks{.edge = to.grid.edge * kRegisters});
}

// The sum as a chain's first value, and the bias added to it.
Chain start_chain(const Lowerer& to, const Product& product, ValueId result, std::uint32_t type) {
    Chain chain{.dims = padded(to.value(result)), .count = to.count(result)};
    chain.inputs = {{.find = shader::kComputed}};
    if (product.bias) {
        chain.inputs.push_back(chain_input(to, *product.bias, chain.dims));
        chain.stages = {{.op = shader::is_float(type) ? shader::kAdd : shader::kIntAdd,
                         .values = {0, 1, 0},
                         .type = type}};
    }
    return chain;
}

// How much of k a workgroup takes on: less than all if that makes more of them
// where they are few for a large device.
std::uint32_t share_of_slice(const Lowerer& to, const Product& product, const Blocks& blocks) {
    const std::uint64_t most = kManyGroups / blocks.count(product);
    const std::uint64_t useful = product.k / (kLeastSlice * shader::lanes_of(to.type(product.lhs)));
    const std::uint64_t slices = std::min(most, useful);
    if (slices < 2) return product.k;
    return static_cast<std::uint32_t>(ceil_div(ceil_div(product.k, slices), kSlab) * kSlab);
}

// For any product.
void add_gemm(Lowerer& to, const Product& product, const Blocks& blocks, std::uint32_t share,
              Step step, std::uint32_t sum_type) {
    const std::uint64_t slices = ceil_div(product.k, share);
    const Gather g = product.gather.value_or(Gather{});
    step.kernel = blocks.kernel;
    step.constants = {0,
                      0,
                      0,
                      0,
                      blocks.edge,
                      to.type(product.lhs),
                      sum_type,
                      product.batch,
                      product.m,
                      product.k,
                      product.n,
                      static_cast<std::uint32_t>(product.lhs_zero),
                      static_cast<std::uint32_t>(product.rhs_zero),
                      product.transposed,
                      product.gather.has_value(),
                      g.height,
                      g.width,
                      g.channels,
                      g.out_height,
                      g.out_width,
                      g.kernel_width,
                      g.stride_y,
                      g.stride_x,
                      g.dilation_y,
                      g.dilation_x,
                      g.pad_top,
                      g.pad_left,
                      static_cast<std::uint32_t>(slices),
                      share};
    step.constants.insert(step.constants.end(), blocks.constants.begin(), blocks.constants.end());
    step.reads = {{product.lhs, 0}, {product.rhs, 2}};
    step.groups = blocks.count(product) * slices;
    to.push(std::move(step));
}

// The sums of the slices, and then what `step` makes of their sum.
Result<void> add_sliced_gemm(Lowerer& to, const Product& product, const Blocks& blocks,
                             std::uint32_t share, Step step, std::uint32_t sum_type) {
    const std::uint32_t type = wide(to.type(product.lhs)), count = to.count(step.writes);
    const auto slices = static_cast<std::uint32_t>(ceil_div(product.k, share));
    const auto sums = to.temporary(type, std::uint64_t{slices} * count);
    if (!sums) return std::unexpected(sums.error());
    const Chain stores{.count = slices * count, .inputs = {{.find = shader::kComputed}}};
    add_gemm(to, product, blocks, share, {.writes = *sums, .chain = stores}, type);
    add_fold(to, {.join = shader::is_float(type) ? shader::kAdd : shader::kIntAdd},
             {*sums, slices, count}, sum_type, std::move(step));
    return {};
}

// The lhs in 32 bits, less its zero point: many invocations would each have to widen it.
Result<TensorId> widened_lhs(Lowerer& to, const Product& product) {
    const std::uint32_t type = to.type(product.lhs);
    if (type == shader::kFp32) return product.lhs;
    const auto made = to.temporary(wide(type), to.count(product.lhs));
    if (!made) return made;
    Chain chain{.count = to.count(product.lhs), .inputs = {{.tensor = product.lhs}}};
    chain.stages = {copy_stage(wide(type))};
    if (product.lhs_zero != 0) {
        chain.inputs.push_back({.find = shader::kImmediate,
                                .immediate = static_cast<std::uint32_t>(product.lhs_zero)});
        chain.stages = {{.op = shader::kIntSub, .values = {0, 1, 0}, .type = shader::kInt32}};
    }
    add_chain(to, *made, std::move(chain));
    return made;
}

// gemv.comp, for a few rows.
Result<void> add_gemv(Lowerer& to, const Product& product, Step step, std::uint32_t sum_type) {
    const auto lhs = widened_lhs(to, product);
    if (!lhs) return std::unexpected(lhs.error());
    const std::uint32_t type = to.type(product.rhs);
    const std::uint32_t lanes = shader::lanes_of(type);
    const std::uint32_t columns = !product.transposed && product.n % lanes == 0 ? lanes : 1;
    const auto groups = [&](std::uint32_t words) {
        return ceil_div(product.n, words * columns) * product.batch;
    };
    // Of a transposed rhs, a wide workgroup would read short pieces of many columns.
    std::uint32_t words = product.transposed ? kLeastWords : kMostWords;
    while (words > kLeastWords && groups(words) < kManyGroups)
        words /= 2;
    step.kernel = Kernel::Gemv;
    step.constants = {0,
                      0,
                      0,
                      0,
                      to.grid.edge,
                      type,
                      sum_type,
                      product.batch,
                      product.m,
                      product.k,
                      product.n,
                      static_cast<std::uint32_t>(product.rhs_zero),
                      product.transposed,
                      words};
    step.reads = {{*lhs, 0}, {product.rhs, 2}};
    step.groups = groups(words);
    to.push(std::move(step));
    return {};
}

// TOSA MATMUL.
Result<void> add_matmul(Lowerer& to, const tosa::Operator& op) {
    const ValueId lhs = op.inputs[0], rhs = op.inputs[1], result = op.outputs[0];
    const ValueId tensors[] = {lhs, rhs, result};
    if (auto fits = to.check(tensors); !fits) return fits;
    const auto lhs_zero = zero_point(to, op, 2), rhs_zero = zero_point(to, op, 3);
    if (!lhs_zero) return std::unexpected(lhs_zero.error());
    if (!rhs_zero) return std::unexpected(rhs_zero.error());
    return add_product(to,
                       {.lhs = lhs,
                        .rhs = rhs,
                        .batch = to.extent(lhs, 0),
                        .m = to.extent(lhs, 1),
                        .k = to.extent(lhs, 2),
                        .n = to.extent(rhs, 2),
                        .lhs_zero = *lhs_zero,
                        .rhs_zero = *rhs_zero},
                       result);
}

constexpr LowerRow kRows[] = {
    {tosa::Op::Conv2d, add_conv2d},
    {tosa::Op::MatMul, add_matmul},
};

}  // namespace

bool can_multiply(std::uint32_t lhs, std::uint32_t rhs, std::uint32_t result) {
    if (lhs != rhs) return false;
    if (lhs == shader::kInt8) return result == shader::kInt32;
    return shader::is_float(lhs) && (result == shader::kFp32 || result == shader::kFp16);
}

// What is too narrow for the kernel to store goes through a tensor of 32-bit elements.
Result<void> add_product(Lowerer& to, const Product& product, ValueId result) {
    const std::uint32_t type = to.type(result), sum = wide(type);
    if (!can_multiply(to.type(product.lhs), to.type(product.rhs), type))
        return std::unexpected(ErrorKind::Unsupported);
    const bool widens = std::uint64_t{to.count(product.lhs)} * 4 <= to.grid.max_range;
    const bool few_rows = product.m <= kFewRows && !product.gather && widens;
    const Blocks blocks = choose_blocks(to, product);
    const std::uint32_t share = few_rows ? product.k : share_of_slice(to, product, blocks);
    const bool sliced = share < product.k;

    const std::uint32_t most_lanes = sliced ? 4 : storable_lanes(product.n);
    const bool direct = shader::lanes_of(type) <= most_lanes;
    const std::uint32_t stored = direct ? type : sum;
    TensorId writes = result;
    if (!direct) {
        const auto made = to.temporary(sum, to.count(result));
        if (!made) return std::unexpected(made.error());
        writes = *made;
    }

    Step step{.writes = writes,
              .chain = start_chain(to, product, result, stored),
              .most_lanes = most_lanes};
    const std::uint32_t sum_type = product.bias ? sum : stored;
    if (few_rows) {
        if (auto added = add_gemv(to, product, std::move(step), sum_type); !added) return added;
    } else if (sliced) {
        auto added = add_sliced_gemm(to, product, blocks, share, std::move(step), sum_type);
        if (!added) return added;
    } else {
        add_gemm(to, product, blocks, share, std::move(step), sum_type);
    }
    if (!direct)
        add_chain(to, result,
                  {.dims = padded(to.value(result)),
                   .count = to.count(result),
                   .inputs = {{.tensor = writes}},
                   .stages = {copy_stage(type)}});
    return {};
}

std::span<const LowerRow> product_rows() {
    return kRows;
}

}  // namespace vulkan
