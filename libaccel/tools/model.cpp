// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "tosa_generated.h"

namespace accelctl {

namespace {

namespace fbs = tosa::fbs;

// providers.md 1.5: limits on what the verifier walks.
constexpr flatbuffers::uoffset_t kMaxDepth = 64;
constexpr flatbuffers::uoffset_t kMaxTables = 1'000'000;
constexpr std::size_t kMaxModelBytes = 256 << 20;
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::size_t kMaxBindings = 4096;  // DRM_VIRTIO_ACCEL_MAX_BINDINGS

// providers.md 1.2.
constexpr std::uint32_t kProfileInteger = 1U << 0;
constexpr std::uint32_t kProfileFloat = 1U << 1;
constexpr std::size_t kProfileWord = 5;
constexpr std::size_t kLevelWord = 6;
constexpr std::size_t kExtensionWord = 7;
constexpr std::uint32_t kLevel8K = 1;

// What a provider may keep beside the artifact: tensors, each at its own alignment,
// and what belongs to none of them.
constexpr std::uint64_t kTensorAlignment = 256;
constexpr std::uint64_t kProgramOverhead = 1 << 20;

std::string_view text(const flatbuffers::String* string) {
    return string == nullptr ? std::string_view() : string->string_view();
}

bool is_control(char character) {
    return std::iscntrl(static_cast<unsigned char>(character)) != 0;
}

Outcome<const fbs::TosaGraph*> verify(std::span<const std::byte> file) {
    if (file.size() < 8 || !flatbuffers::BufferHasIdentifier(file.data(), "TOSA"))
        return failure("not a TOSA file");
    if (file.size() > kMaxModelBytes)
        return failure("larger than the {} MiB a model may have", kMaxModelBytes >> 20);
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(file.data()), file.size(),
                                   kMaxDepth, kMaxTables);
    if (!fbs::VerifyTosaGraphBuffer(verifier)) return failure("a damaged TOSA file");
    return fbs::GetTosaGraph(file.data());
}

Outcome<Tensor> read_tensor(const fbs::TosaTensor& from) {
    Tensor tensor;
    tensor.name = text(from.name());
    tensor.type = from.type();
    // Names are printed, to terminals as well.
    if (tensor.name.size() > kMaxNameBytes || std::ranges::any_of(tensor.name, is_control))
        return failure("a tensor's name cannot be printed");
    if (info(from.type()) == nullptr)
        return failure("tensor '{}' has a type that is not known ({})", tensor.name,
                       std::to_underlying(from.type()));
    std::uint64_t elements = 1;
    if (from.shape() != nullptr)
        for (const std::int32_t extent : *from.shape()) {
            if (tensor.shape.size() == kMaxDimensions || extent < 1 ||
                __builtin_mul_overflow(elements, extent, &elements))
                return failure("tensor '{}' has an impossible shape", tensor.name);
            tensor.shape.push_back(static_cast<std::uint64_t>(extent));
        }
    const auto size = tensor_bytes(from.type(), elements);
    if (!size) return failure("tensor '{}' has an impossible shape", tensor.name);
    tensor.bytes = *size;
    return tensor;
}

using Tensors = std::map<std::string_view, const fbs::TosaTensor*>;

Outcome<std::vector<Tensor>> named_tensors(
    const Tensors& tensors,
    const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* names) {
    std::vector<Tensor> found;
    if (names == nullptr) return found;
    if (names->size() > kMaxBindings) return failure("more inputs or outputs than can be bound");
    for (const auto* name : *names) {
        const auto entry = tensors.find(name->string_view());
        if (entry == tensors.end()) return failure("an input or output is not among the tensors");
        auto tensor = read_tensor(*entry->second);
        if (!tensor) return std::unexpected(tensor.error());
        if (entry->second->is_unranked())
            return failure("tensor '{}' has no fixed shape", tensor->name);
        found.push_back(std::move(*tensor));
    }
    return found;
}

// What all tensors of all blocks add up to.
struct Totals {
    std::uint64_t integer_extensions = 0;
    std::uint64_t float_extensions = 0;
    bool floating = false;
    std::uint64_t bytes = 0;

    Outcome<void> add(const fbs::TosaTensor& from) {
        const auto tensor = read_tensor(from);
        if (!tensor) return std::unexpected(tensor.error());
        const TypeInfo& type = *info(tensor->type);
        floating |= type.floating;
        (type.floating ? float_extensions : integer_extensions) |= type.extension;
        if (__builtin_add_overflow(bytes, tensor->bytes, &bytes) ||
            __builtin_add_overflow(bytes, kTensorAlignment - 1, &bytes))
            return failure("tensor '{}' has an impossible shape", tensor->name);
        bytes -= bytes % kTensorAlignment;
        return {};
    }
};

Outcome<Totals> add_up(const fbs::TosaGraph& graph) {
    Totals totals;
    for (const auto* region : *graph.regions()) {
        if (region->blocks() == nullptr) continue;
        for (const auto* block : *region->blocks()) {
            if (block->tensors() == nullptr) continue;
            for (const auto* tensor : *block->tensors())
                if (auto added = totals.add(*tensor); !added) return std::unexpected(added.error());
        }
    }
    return totals;
}

// Execution starts in the first block of the first region.
const fbs::TosaBasicBlock* entry_block(const fbs::TosaGraph& graph) {
    if (graph.regions() == nullptr || graph.regions()->size() == 0) return nullptr;
    const auto* blocks = graph.regions()->Get(0)->blocks();
    return blocks == nullptr || blocks->size() == 0 ? nullptr : blocks->Get(0);
}

// An integer program for the INTEGER profile, any other for FLOATING_POINT, with the
// extensions of that profile that its types belong to (providers.md 1.2).
std::array<std::uint32_t, 12> target_for(const fbs::Version& version, const Totals& totals) {
    std::array<std::uint32_t, 12> words{kTosaFormat, 1};
    words[2] = static_cast<std::uint32_t>(version._major());
    words[3] = static_cast<std::uint32_t>(version._minor());
    words[4] = static_cast<std::uint32_t>(version._patch());
    words[kProfileWord] = totals.floating ? kProfileFloat : kProfileInteger;
    words[kLevelWord] = kLevel8K;
    words[kExtensionWord] = static_cast<std::uint32_t>(totals.floating ? totals.float_extensions
                                                                       : totals.integer_extensions);
    return words;
}

}  // namespace

Shape Tensor::file_shape() const {
    return info(type)->packed() ? Shape{bytes} : shape;
}

Element Tensor::file_element() const {
    return info(type)->element;
}

std::string Model::target_name() const {
    constexpr std::array kExtensions{"INT16", "INT4", "BF16", "FP8E4M3", "FP8E5M2"};
    std::string name = target[kProfileWord] == kProfileFloat ? "FLOATING_POINT 8K" : "INTEGER 8K";
    for (std::size_t bit = 0; bit < kExtensions.size(); ++bit)
        if ((target[kExtensionWord] >> bit & 1) != 0) name += fmt::format(" {}", kExtensions[bit]);
    return name;
}

std::string Model::table() const {
    std::size_t width = 0;
    for (const auto* tensors : {&inputs, &outputs})
        for (const Tensor& tensor : *tensors)
            width = std::max(width, tensor.name.size());
    std::string table;
    const auto add = [&](std::string_view direction, const std::vector<Tensor>& tensors) {
        for (const Tensor& tensor : tensors)
            table += fmt::format("  {:<6}  {:<{}}  {:<7}  {}\n", direction, tensor.name, width,
                                 info(tensor.type)->name, to_string(tensor.shape));
    };
    add("input", inputs);
    add("output", outputs);
    return table;
}

Outcome<Model> describe(std::span<const std::byte> file) {
    const auto graph = verify(file);
    if (!graph) return std::unexpected(graph.error());
    const auto* block = entry_block(**graph);
    if (block == nullptr) return failure("a TOSA file without a program");
    const auto totals = add_up(**graph);
    if (!totals) return std::unexpected(totals.error());

    Tensors tensors;
    if (block->tensors() != nullptr)
        for (const auto* tensor : *block->tensors())
            tensors[text(tensor->name())] = tensor;
    auto inputs = named_tensors(tensors, block->inputs());
    if (!inputs) return std::unexpected(inputs.error());
    auto outputs = named_tensors(tensors, block->outputs());
    if (!outputs) return std::unexpected(outputs.error());

    Model model{.inputs = std::move(*inputs),
                .outputs = std::move(*outputs),
                .target = target_for(*(*graph)->version(), *totals)};
    if (__builtin_add_overflow(totals->bytes, file.size() + kProgramOverhead,
                               &model.resident_bytes))
        return failure("tensors too large to add up");
    return model;
}

}  // namespace accelctl
