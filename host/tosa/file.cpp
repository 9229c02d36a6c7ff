// SPDX-License-Identifier: MIT
#include "tosa/file.hpp"

#include <flatbuffers/flatbuffers.h>

namespace tosa {
namespace {

// The generated verifier visits a vector of strings again for each table that
// shares it, so a file of a few megabytes could cost it hours. Count the entries
// first: this visits tables only, whose number the verifier bounds.
class EdgeCount {
 public:
    EdgeCount(flatbuffers::Verifier& verifier, std::uint64_t limit)
        : verifier_(verifier), limit_(limit) {}

    // False where the file is broken or holds too many edges.
    [[nodiscard]] bool visit_graph(const fbs::TosaGraph* graph) {
        return visit_all(*as_table(graph), fbs::TosaGraph::VT_REGIONS, &EdgeCount::visit_region);
    }

    [[nodiscard]] bool exceeded() const { return count_ > limit_; }

 private:
    using Table = flatbuffers::Table;
    using Visit = bool (EdgeCount::*)(const Table&);

    // Generated accessors derive from Table in private.
    template <class T>
    static const Table* as_table(const T* generated) {
        return reinterpret_cast<const Table*>(generated);
    }

    // Sets `vector` to the field's vector, or to null where it is absent.
    template <class T>
    bool find(const Table& table, flatbuffers::voffset_t field,
              const flatbuffers::Vector<flatbuffers::Offset<T>>*& vector) {
        if (!table.VerifyOffset(verifier_, field)) return false;
        vector = table.GetPointer<const flatbuffers::Vector<flatbuffers::Offset<T>>*>(field);
        return verifier_.VerifyVector(vector);
    }

    bool visit_all(const Table& table, flatbuffers::voffset_t field, Visit visit) {
        const flatbuffers::Vector<flatbuffers::Offset<Table>>* children = nullptr;
        if (!table.VerifyTableStart(verifier_) || !find(table, field, children)) return false;
        for (flatbuffers::uoffset_t i = 0; children != nullptr && i < children->size(); ++i)
            if (!(this->*visit)(*children->Get(i))) return false;
        return verifier_.EndTable();
    }

    bool count(const Table& table, flatbuffers::voffset_t field) {
        const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* names = nullptr;
        if (!find(table, field, names)) return false;
        if (names != nullptr) count_ += names->size();
        return !exceeded();
    }

    bool visit_region(const Table& region) {
        return visit_all(region, fbs::TosaRegion::VT_BLOCKS, &EdgeCount::visit_block);
    }

    bool visit_block(const Table& block) {
        return visit_all(block, fbs::TosaBasicBlock::VT_OPERATORS, &EdgeCount::visit_operator) &&
               count(block, fbs::TosaBasicBlock::VT_INPUTS) &&
               count(block, fbs::TosaBasicBlock::VT_OUTPUTS);
    }

    bool visit_operator(const Table& op) {
        return op.VerifyTableStart(verifier_) && count(op, fbs::TosaOperator::VT_INPUTS) &&
               count(op, fbs::TosaOperator::VT_OUTPUTS) && verifier_.EndTable();
    }

    flatbuffers::Verifier& verifier_;
    std::uint64_t limit_;
    std::uint64_t count_ = 0;
};

Checked<void> check_version(const fbs::Version& version) {
    if (version._major() == 1 && version._minor() == 0 && version._patch() == 0 &&
        !version._draft())
        return {};
    return unsupported("TOSA version {}.{}.{}{}, where 1.0.0 is wanted", version._major(),
                       version._minor(), version._patch(), version._draft() ? " draft" : "");
}

}  // namespace

Checked<const fbs::TosaGraph*> open_file(std::span<const std::byte> bytes, const Limits& limits) {
    constexpr std::size_t kHeaderBytes = 8;  // root offset, identifier
    if (bytes.empty()) return malformed("the file is empty");
    if (bytes.size() > limits.file_bytes) return exceeded("bytes of file", limits.file_bytes);
    if (bytes.size() < kHeaderBytes ||
        !flatbuffers::BufferHasIdentifier(bytes.data(), fbs::TosaGraphIdentifier()))
        return malformed("not a TOSA file: its identifier is missing");

    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    flatbuffers::Verifier::Options options;
    options.max_depth = limits.depth;
    options.max_tables = limits.tables;

    flatbuffers::Verifier first_pass(data, bytes.size(), options);
    EdgeCount edges(first_pass, limits.edges);
    const std::size_t root = first_pass.VerifyOffset(std::size_t{0});
    const bool countable = root != 0 && edges.visit_graph(fbs::GetTosaGraph(data));
    if (edges.exceeded()) return exceeded("operands and block inputs and outputs", limits.edges);

    flatbuffers::Verifier verifier(data, bytes.size(), options);
    if (!countable || !fbs::VerifyTosaGraphBuffer(verifier))
        return malformed("not a well-formed FlatBuffer of at most {} tables, {} deep",
                         limits.tables, limits.depth);

    const fbs::TosaGraph* graph = fbs::GetTosaGraph(data);
    if (const auto version = check_version(*graph->version()); !version)
        return std::unexpected(version.error());
    return graph;
}

}  // namespace tosa
