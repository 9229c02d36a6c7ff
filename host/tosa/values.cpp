// SPDX-License-Identifier: MIT
#include "tosa/values.hpp"

#include <algorithm>

#include "tosa/encoding.hpp"

namespace tosa {
namespace {

constexpr std::uint32_t kLastDraftType = 18;

std::span<const std::byte> view(const flatbuffers::Vector<std::uint8_t>* bytes) {
    if (bytes == nullptr) return {};
    return std::as_bytes(std::span(bytes->data(), bytes->size()));
}

Checked<DType> read_type(const fbs::TosaTensor& tensor) {
    const auto number = static_cast<std::uint32_t>(tensor.type());
    if (number == 0 || number > kLastDraftType)
        return malformed(Code::UnknownDataType, "{} is no data type", number);
    if (number > static_cast<std::uint32_t>(fbs::DType::MAX))
        return unsupported(Code::UnsupportedDataType,
                           "data type {} is from a draft of a later version", number);
    const auto type = static_cast<DType>(number);
    if (type == DType::Shape)
        return malformed(Code::UnknownDataType, "a tensor cannot be of type SHAPE");
    return type;
}

Checked<std::span<const std::int32_t>> read_dims(const fbs::TosaTensor& tensor,
                                                 const Limits& limits) {
    const auto* shape = tensor.shape();
    if (tensor.is_unranked()) {
        if (shape != nullptr && shape->size() != 0)
            return malformed(Code::UnrankedTensorWithDimensions,
                             "it is unranked, but has {} extents", shape->size());
        return std::span<const std::int32_t>();
    }
    if (shape == nullptr)
        return malformed(Code::RankedTensorWithoutShape, "it is ranked, but has no shape");
    if (shape->size() > limits.rank) return exceeded("dimensions", limits.rank);
    const std::span<const std::int32_t> dims(shape->data(), shape->size());
    if (std::ranges::any_of(dims, [](std::int32_t dim) { return dim < 1; }))
        return malformed(Code::InvalidDimension, "its shape {} has an extent below 1", text(dims));
    return dims;
}

// Constant contents lie in the table or, by offset and size, anywhere in the file.
Checked<std::span<const std::byte>> read_data(const fbs::TosaTensor& tensor,
                                              std::span<const std::byte> file) {
    const std::span<const std::byte> embedded = view(tensor.data());
    const std::uint64_t offset = tensor.offset();
    const std::uint64_t bytes = tensor.size();
    if (bytes == 0) {
        if (offset != 0)
            return malformed(Code::ExternalDataRange, "it has an offset, {}, but no size", offset);
        return embedded;
    }
    if (!embedded.empty())
        return malformed(Code::ExternalDataRange, "it has both embedded and external data");
    if (offset <= 1 || offset > file.size() || bytes > file.size() - offset)
        return malformed(Code::ExternalDataRange,
                         "its external data, {} bytes at {}, is not inside the file of {} bytes",
                         bytes, offset, file.size());
    return file.subspan(offset, bytes);
}

// Everything but the name. Whether the contents fit the type is a matter of validation.
Checked<Value> read_value(const fbs::TosaTensor& tensor, Source& source) {
    const auto type = read_type(tensor);
    if (!type) return std::unexpected(type.error());
    const auto dims = read_dims(tensor, source.limits());
    if (!dims) return std::unexpected(dims.error());
    const auto data = read_data(tensor, source.file());
    if (!data) return std::unexpected(data.error());
    std::string_view variable_name;
    if (tensor.variable_name() != nullptr && tensor.variable_name()->size() != 0) {
        const auto read = source.limited(*tensor.variable_name());
        if (!read) return std::unexpected(read.error());
        variable_name = *read;
    }
    const std::uint64_t elements = tensor.is_unranked() ? 0 : element_count(*dims);
    return Value{.type = *type,
                 .unranked = tensor.is_unranked(),
                 .variable = tensor.variable(),
                 .variable_name = variable_name,
                 .dims = *dims,
                 .data = *data,
                 .elements = elements,
                 .bytes = buffer_bytes(*type, elements)};
}

Checked<Value> read_value(const fbs::TosaShape& shape, Source& source) {
    const std::uint64_t longest = 2 * std::uint64_t{source.limits().rank};
    if (shape.rank() > longest) return exceeded("shape entries", longest);
    const std::span<const std::byte> data = view(shape.data());
    const std::uint64_t bytes = buffer_bytes(DType::Shape, shape.rank());
    if (!data.empty() && data.size() != bytes)
        return malformed(Code::InvalidShapeData, "{} bytes of data, where {} entries take {}",
                         data.size(), shape.rank(), bytes);
    return Value{.type = DType::Shape, .data = data, .elements = shape.rank(), .bytes = bytes};
}

// The tensors or the shapes of a block.
template <class T>
Checked<void> read_all(const flatbuffers::Vector<flatbuffers::Offset<T>>* list,
                       std::string_view kind, BlockId block, Source& source,
                       std::vector<Value>& values) {
    const std::uint32_t size = list == nullptr ? 0 : list->size();
    for (std::uint32_t i = 0; i < size; ++i) {
        const T& serialized = *list->Get(i);
        const auto name = source.name(serialized.name(), Item{kind, i});
        if (!name) return std::unexpected(name.error());
        auto value = read_value(serialized, source);
        if (!value)
            return std::unexpected(at(std::format("{} {}", kind, quoted(*name)), value.error()));
        if (auto used = source.use_constant(value->data); !used) return used;
        value->name = *name;
        value->block = block;
        values.push_back(*value);
    }
    return {};
}

}  // namespace

Checked<void> read_values(const fbs::TosaBasicBlock& block, BlockId id, Source& source,
                          std::vector<Value>& values) {
    if (auto read = read_all(block.tensors(), "tensor", id, source, values); !read) return read;
    return read_all(block.shapes(), "shape", id, source, values);
}

}  // namespace tosa
