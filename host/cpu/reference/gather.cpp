// SPDX-License-Identifier: MIT
//
// TOSA GATHER and SCATTER. What an index out of range does, TOSA leaves open. Here
// it reads zeros and writes nothing; it never leads out of the tensor.
#include "cpu/reference/move.hpp"
#include "cpu/reference/rows.hpp"

namespace cpu::reference {
namespace {

// values [N,K,C], indices [N,W] -> output [N,W,C]
void gather(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& values = call.inputs[0];
    const Input& indices = call.inputs[1];
    const Output& out = call.outputs[0];
    const std::uint64_t rows = values.is.extent(1);
    const std::uint64_t channels = values.is.extent(2);
    const std::uint64_t picks = indices.is.extent(1);
    const Type zero_type{.type = values.is.type, .elements = 1};
    const std::int64_t zero_bytes = 0;
    const Input zero{zero_type, reinterpret_cast<const std::byte*>(&zero_bytes)};
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t pick = i / channels;
        const auto row = static_cast<std::uint64_t>(indices.integer(pick));
        if (row < rows)
            move(out, i, values, (pick / picks * rows + row) * channels + i % channels);
        else
            move(out, i, zero, 0);
    }
}

// values_in [N,K,C], indices [N,W], input [N,W,C] -> values_out [N,K,C]. Of equal indices,
// which TOSA forbids, the last counts.
void scatter(const Call& call, std::uint64_t first, std::uint64_t last) {
    const Input& values = call.inputs[0];
    const Input& indices = call.inputs[1];
    const Input& input = call.inputs[2];
    const Output& out = call.outputs[0];
    const std::uint64_t rows = values.is.extent(1);
    const std::uint64_t channels = values.is.extent(2);
    const std::uint64_t picks = indices.is.extent(1);
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t batch = i / channels / rows;
        const auto row = static_cast<std::int64_t>(i / channels % rows);
        move(out, i, values, i);
        for (std::uint64_t pick = batch * picks; pick < (batch + 1) * picks; ++pick)
            if (indices.integer(pick) == row) move(out, i, input, pick * channels + i % channels);
    }
}

constexpr Row kRows[] = {
    {tosa::Op::Gather, gather, [](const Call&) { return std::uint64_t{16}; }},
    {tosa::Op::Scatter, scatter,
     [](const Call& call) { return 16 + 8 * call.inputs[1].is.extent(1); }},
};

}  // namespace

std::span<const Row> gather_rows() {
    return kRows;
}

}  // namespace cpu::reference
