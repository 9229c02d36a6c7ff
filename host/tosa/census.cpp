// SPDX-License-Identifier: MIT
#include "tosa/census.hpp"

#include <flatbuffers/flatbuffers.h>

#include "tosa_generated.h"

namespace tosa {
namespace {

using flatbuffers::Table;
using flatbuffers::voffset_t;
template <class T>
using Vector = flatbuffers::Vector<flatbuffers::Offset<T>>;

class Counter {
 public:
    Counter(std::span<const std::byte> bytes, const Limits& limits)
        : start_(reinterpret_cast<const std::uint8_t*>(bytes.data())),
          limits_(limits),
          verifier_(start_, bytes.size(), unlimited()) {}

    [[nodiscard]] Checked<Census> count() {
        const bool root = verifier_.VerifyOffset(std::size_t{0}) != 0;
        if (root && visit_graph(*flatbuffers::GetRoot<Table>(start_))) return census_;
        if (exceeded_.empty())
            return malformed(Code::InvalidFlatbuffer, "not a well-formed FlatBuffer");
        return exceeded(exceeded_, limit_);
    }

 private:
    using Visit = bool (Counter::*)(const Table&);

    // The limits on tables and depth are held here, where they can be told apart.
    static flatbuffers::Verifier::Options unlimited() {
        flatbuffers::Verifier::Options options;
        options.max_depth = options.max_tables = flatbuffers::uoffset_t{0} - 1;
        return options;
    }

    bool add(std::uint32_t& count, std::uint32_t more, std::uint32_t limit, std::string_view what) {
        if (more > limit - count) return exceed(what, limit);
        count += more;
        return true;
    }

    bool exceed(std::string_view what, std::uint32_t limit) {
        exceeded_ = what;
        limit_ = limit;
        return false;
    }

    // Tables at a depth that nothing of interest lies below: graph 1, region 2, block 3,
    // operators, tensors and shapes 4, attributes and locations 5.
    bool add_tables(std::uint32_t number, std::uint32_t depth) {
        if (number > 0 && depth > limits_.depth) return exceed("levels of tables", limits_.depth);
        return add(census_.tables, number, limits_.tables, "tables");
    }

    // Sets `vector` to the field's vector, or to null where it is absent.
    template <class T>
    bool find(const Table& table, voffset_t field, const Vector<T>*& vector) {
        if (!table.VerifyOffset(verifier_, field)) return false;
        vector = table.GetPointer<const Vector<T>*>(field);
        return verifier_.VerifyVector(vector);
    }

    // Counts the tables in a vector; looks into each of them if there is a `visit`.
    bool children(const Table& table, voffset_t field, std::uint32_t depth, std::uint32_t& count,
                  std::uint32_t limit, std::string_view what, Visit visit = nullptr) {
        const Vector<Table>* vector = nullptr;
        if (!find(table, field, vector)) return false;
        const std::uint32_t size = vector == nullptr ? 0 : vector->size();
        if (!add(count, size, limit, what) || !add_tables(size, depth)) return false;
        for (std::uint32_t i = 0; visit != nullptr && i < size; ++i) {
            const Table& child = *vector->Get(i);
            if (!child.VerifyTableStart(verifier_) || !(this->*visit)(child)) return false;
        }
        return true;
    }

    bool child(const Table& table, voffset_t field, std::uint32_t depth) {
        return table.VerifyOffset(verifier_, field) &&
               add_tables(table.CheckField(field) ? 1 : 0, depth);
    }

    bool names(const Table& table, voffset_t field) {
        const Vector<flatbuffers::String>* vector = nullptr;
        return find(table, field, vector) &&
               add(census_.edges, vector == nullptr ? 0 : vector->size(), limits_.edges,
                   "operands and block inputs and outputs");
    }

    bool visit_graph(const Table& graph) {
        using Fields = fbs::TosaGraph;
        return graph.VerifyTableStart(verifier_) && add_tables(1, 1) &&
               child(graph, Fields::VT_VERSION, 2) &&
               child(graph, Fields::VT_SOFTWARE_VERSION, 2) &&
               children(graph, Fields::VT_REGIONS, 2, census_.regions, limits_.regions, "regions",
                        &Counter::visit_region);
    }

    bool visit_region(const Table& region) {
        return children(region, fbs::TosaRegion::VT_BLOCKS, 3, census_.blocks, limits_.blocks,
                        "blocks", &Counter::visit_block);
    }

    bool visit_block(const Table& block) {
        using Fields = fbs::TosaBasicBlock;
        return children(block, Fields::VT_TENSORS, 4, census_.tensors, limits_.tensors,
                        "tensors") &&
               children(block, Fields::VT_SHAPES, 4, census_.shapes, limits_.shapes, "shapes") &&
               children(block, Fields::VT_OPERATORS, 4, census_.operators, limits_.operators,
                        "operators", &Counter::visit_operator) &&
               names(block, Fields::VT_INPUTS) && names(block, Fields::VT_OUTPUTS);
    }

    bool visit_operator(const Table& op) {
        using Fields = fbs::TosaOperator;
        return child(op, Fields::VT_ATTRIBUTE, 5) && child(op, Fields::VT_LOCATION, 5) &&
               names(op, Fields::VT_INPUTS) && names(op, Fields::VT_OUTPUTS);
    }

    const std::uint8_t* start_;
    const Limits& limits_;
    flatbuffers::Verifier verifier_;
    Census census_;
    std::string_view exceeded_;
    std::uint32_t limit_ = 0;
};

}  // namespace

Checked<Census> take_census(std::span<const std::byte> bytes, const Limits& limits) {
    return Counter(bytes, limits).count();
}

}  // namespace tosa
