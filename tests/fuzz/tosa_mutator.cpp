// SPDX-License-Identifier: MIT
#include "fuzz/tosa_mutator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "tosa_generated.h"

namespace fuzz {
namespace {

namespace fbs = tosa::fbs;

// All that can be changed without moving anything.
class Spots {
 public:
    explicit Spots(std::span<std::uint8_t> file) : file_(file) {
        const fbs::TosaGraph& graph = *fbs::GetTosaGraph(file.data());
        each(graph.regions(), [&](const fbs::TosaRegion& region) {
            name(region.name());
            each(region.blocks(), [&](const fbs::TosaBasicBlock& block) { visit(block); });
        });
    }

    [[nodiscard]] bool empty() const { return numbers.empty() && names.empty(); }

    std::vector<std::span<std::uint8_t>> numbers;
    std::vector<std::span<std::uint8_t>> names;

 private:
    template <class Vector, class Visit>
    static void each(const Vector* vector, Visit visit) {
        if (vector == nullptr) return;
        for (const auto* item : *vector)
            visit(*item);
    }

    void visit(const fbs::TosaBasicBlock& block) {
        each(block.tensors(), [&](const fbs::TosaTensor& tensor) {
            name(tensor.name());
            elements(tensor.shape());
            elements(tensor.data());
            field(tensor, fbs::TosaTensor::VT_TYPE, 4);
            field(tensor, fbs::TosaTensor::VT_OFFSET, 8);
            field(tensor, fbs::TosaTensor::VT_SIZE, 8);
            field(tensor, fbs::TosaTensor::VT_VARIABLE, 1);
            field(tensor, fbs::TosaTensor::VT_IS_UNRANKED, 1);
        });
        each(block.shapes(), [&](const fbs::TosaShape& shape) {
            name(shape.name());
            elements(shape.data());
            field(shape, fbs::TosaShape::VT_RANK, 4);
        });
        each(block.operators(), [&](const fbs::TosaOperator& op) {
            field(op, fbs::TosaOperator::VT_OP, 4);
            field(op, fbs::TosaOperator::VT_ATTRIBUTE_TYPE, 1);
            each(op.inputs(), [&](const flatbuffers::String& text) { name(&text); });
            each(op.outputs(), [&](const flatbuffers::String& text) { name(&text); });
            attribute(op);
        });
        each(block.inputs(), [&](const flatbuffers::String& text) { name(&text); });
        each(block.outputs(), [&](const flatbuffers::String& text) { name(&text); });
    }

    // Whatever the table is, its fields start at one of these; what they are does not
    // matter, as long as the bytes are the table's own.
    void attribute(const fbs::TosaOperator& op) {
        // The verifier passes over a table whose tag it does not know.
        const auto tag = static_cast<unsigned>(op.attribute_type());
        const bool verified = tag - 1 < static_cast<unsigned>(fbs::Attribute::MAX);
        if (!verified || op.attribute() == nullptr) return;
        const auto* table = static_cast<const flatbuffers::Table*>(op.attribute());
        const auto* vtable = table->GetVTable();
        const auto* fields = reinterpret_cast<const std::uint8_t*>(table) + 4;
        const auto bytes = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + 2);
        // The verifier looks at the fields that there are, not at the size of the table.
        const auto left = static_cast<std::size_t>(file_.data() + file_.size() - fields);
        add(numbers, fields, std::min<std::size_t>(bytes < 4 ? 0 : bytes - 4U, left));
    }

    template <class Table>
    void field(const Table& generated, flatbuffers::voffset_t field, std::size_t bytes) {
        const auto& table = reinterpret_cast<const flatbuffers::Table&>(generated);
        add(numbers, table.GetAddressOf(field), bytes);
    }
    template <class Vector>
    void elements(const Vector* vector) {
        if (vector != nullptr)
            add(numbers, vector->Data(), vector->size() * sizeof(*vector->data()));
    }
    void name(const flatbuffers::String* text) {
        if (text != nullptr) add(names, text->Data(), text->size());
    }
    void add(std::vector<std::span<std::uint8_t>>& to, const std::uint8_t* at, std::size_t bytes) {
        if (at == nullptr || bytes == 0) return;
        to.push_back(file_.subspan(static_cast<std::size_t>(at - file_.data()), bytes));
    }

    std::span<std::uint8_t> file_;
};

void change_number(std::span<std::uint8_t> spot, std::minstd_rand& random) {
    constexpr std::array kNumbers{0,
                                  1,
                                  -1,
                                  2,
                                  -128,
                                  255,
                                  8192,
                                  8193,
                                  std::numeric_limits<std::int32_t>::max(),
                                  std::numeric_limits<std::int32_t>::min()};
    const std::size_t width = std::min<std::size_t>(4, spot.size());
    const std::size_t at = random() % (spot.size() / width) * width;
    std::uint32_t number = 0;
    std::memcpy(&number, &spot[at], width);
    switch (random() % 4) {
        case 0:
            number += 1;
            break;
        case 1:
            number -= 1;
            break;
        case 2:
            number = static_cast<std::uint32_t>(random() % 128);
            break;
        default:
            number = static_cast<std::uint32_t>(kNumbers.at(random() % kNumbers.size()));
    }
    std::memcpy(&spot[at], &number, width);
}

}  // namespace

bool mutate_tosa(std::span<std::uint8_t> file, std::minstd_rand& random) {
    flatbuffers::Verifier verifier(file.data(), file.size());
    if (!fbs::VerifyTosaGraphBuffer(verifier)) return false;
    Spots spots(file);
    if (spots.empty()) return false;
    if (!spots.numbers.empty() && (spots.names.empty() || random() % 3 != 0)) {
        change_number(spots.numbers[random() % spots.numbers.size()], random);
        return true;
    }
    // Another thing's name, as far as it fits.
    const auto to = spots.names[random() % spots.names.size()];
    const auto from = spots.names[random() % spots.names.size()];
    std::memmove(to.data(), from.data(), std::min(to.size(), from.size()));
    return true;
}

}  // namespace fuzz
