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
    if (number == 0 || number > kLastDraftType) return malformed("{} is no data type", number);
    if (number > static_cast<std::uint32_t>(fbs::DType::MAX))
        return unsupported("data type {} is from a draft of a later version", number);
    const auto type = static_cast<DType>(number);
    if (type == DType::Shape) return malformed("a tensor cannot be of type SHAPE");
    return type;
}

Checked<std::span<const std::int32_t>> read_dims(const fbs::TosaTensor& tensor,
                                                 const Limits& limits) {
    const auto* shape = tensor.shape();
    if (tensor.is_unranked()) {
        if (shape != nullptr && shape->size() != 0)
            return malformed("it is unranked, but has {} extents", shape->size());
        return unsupported("it is unranked");
    }
    if (shape == nullptr) return malformed("it is ranked, but has no shape");
    if (shape->size() > limits.rank) return exceeded("dimensions", limits.rank);
    const std::span<const std::int32_t> dims(shape->data(), shape->size());
    if (std::ranges::any_of(dims, [](std::int32_t dim) { return dim < 1; }))
        return malformed("its shape {} has an extent below 1", text(dims));
    return dims;
}

// Constant contents lie in the table or, by offset and size, anywhere in the file.
Checked<std::span<const std::byte>> read_data(const fbs::TosaTensor& tensor,
                                              std::span<const std::byte> file) {
    const std::span<const std::byte> embedded = view(tensor.data());
    const std::uint64_t offset = tensor.offset();
    const std::uint64_t bytes = tensor.size();
    if (bytes == 0) {
        if (offset != 0) return malformed("it has an offset, {}, but no size", offset);
        return embedded;
    }
    if (!embedded.empty()) return malformed("it has both embedded and external data");
    if (offset <= 1 || offset > file.size() || bytes > file.size() - offset)
        return malformed("its external data, {} bytes at {}, is not inside the file of {} bytes",
                         bytes, offset, file.size());
    return file.subspan(offset, bytes);
}

Checked<void> check_variable(const fbs::TosaTensor& tensor) {
    if (tensor.variable()) return unsupported("it is a variable");
    if (tensor.variable_name() != nullptr && tensor.variable_name()->size() != 0)
        return malformed("it has a variable name, but is no variable");
    return {};
}

// Everything but the name.
Checked<Value> read_value(const fbs::TosaTensor& tensor, std::span<const std::byte> file,
                          const Limits& limits) {
    const auto type = read_type(tensor);
    if (!type) return std::unexpected(type.error());
    const auto dims = read_dims(tensor, limits);
    if (!dims) return std::unexpected(dims.error());
    const auto data = read_data(tensor, file);
    if (!data) return std::unexpected(data.error());
    if (const auto plain = check_variable(tensor); !plain) return std::unexpected(plain.error());

    const std::uint64_t elements = element_count(*dims);
    const std::uint64_t wanted = constant_bytes(*type, elements);
    if (!data->empty() && data->size() != wanted)
        return malformed("{} bytes of data, where {} {} takes {}", data->size(), name(*type),
                         text(*dims), wanted);
    if (!valid_encoding(*type, *data))
        return malformed("its data holds something that is no {}", name(*type));
    return Value{.type = *type,
                 .dims = *dims,
                 .data = *data,
                 .elements = elements,
                 .bytes = buffer_bytes(*type, elements)};
}

Checked<Value> read_value(const fbs::TosaShape& shape, std::span<const std::byte> /*file*/,
                          const Limits& limits) {
    if (shape.rank() > 2 * limits.rank) return exceeded("shape entries", 2 * limits.rank);
    const std::span<const std::byte> data = view(shape.data());
    const std::uint64_t bytes = buffer_bytes(DType::Shape, shape.rank());
    if (!data.empty() && data.size() != bytes)
        return malformed("{} bytes of data, where {} entries take {}", data.size(), shape.rank(),
                         bytes);
    return Value{.type = DType::Shape, .data = data, .elements = shape.rank(), .bytes = bytes};
}

}  // namespace

Checked<std::string_view> read_name(const flatbuffers::String* name, std::string_view what,
                                    const Limits& limits) {
    if (name == nullptr) return malformed("{} has no name", what);
    if (name->size() == 0) return malformed("the name of {} is empty", what);
    if (name->size() > limits.name_bytes) return exceeded("bytes of name", limits.name_bytes);
    return name->string_view();
}

Checked<std::vector<Value>> read_values(const fbs::TosaBasicBlock& block,
                                        std::span<const std::byte> file, const Limits& limits) {
    const std::uint32_t tensors = block.tensors() == nullptr ? 0 : block.tensors()->size();
    const std::uint32_t shapes = block.shapes() == nullptr ? 0 : block.shapes()->size();
    if (tensors > limits.tensors) return exceeded("tensors", limits.tensors);
    if (shapes > limits.shapes) return exceeded("shapes", limits.shapes);

    std::vector<Value> values;
    values.reserve(tensors + shapes);
    std::uint64_t constant_total = 0;
    const auto append = [&](const auto& serialized, std::string_view kind,
                            std::uint32_t index) -> Checked<void> {
        const auto name = read_name(serialized.name(), std::format("{} {}", kind, index), limits);
        if (!name) return std::unexpected(name.error());
        const auto value = read_value(serialized, file, limits);
        if (!value)
            return std::unexpected(at(std::format("{} {}", kind, quoted(*name)), value.error()));
        values.push_back(*value);
        values.back().name = *name;
        constant_total += value->data.size();  // each at most the file: cannot overflow
        if (constant_total > limits.constant_bytes)
            return exceeded("bytes of constants", limits.constant_bytes);
        return {};
    };
    for (std::uint32_t i = 0; i < tensors; ++i)
        if (const auto read = append(*block.tensors()->Get(i), "tensor", i); !read)
            return std::unexpected(read.error());
    for (std::uint32_t i = 0; i < shapes; ++i)
        if (const auto read = append(*block.shapes()->Get(i), "shape", i); !read)
            return std::unexpected(read.error());
    return values;
}

}  // namespace tosa
