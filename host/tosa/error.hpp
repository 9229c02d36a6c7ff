// SPDX-License-Identifier: MIT
//
// What can be wrong with a TOSA file or its graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tosa {

// One sentence with the region, block, operator and symbol that it concerns, what rule is
// broken, and the class of defect for the wire.
struct GraphError {
    enum class Kind : std::uint8_t {
        Malformed,      // not a well-formed TOSA file, or not a valid graph
        Unsupported,    // valid, but uses something that this build does not know
        LimitExceeded,  // one of the parser's limits
        OutOfMemory,
    };

    enum class Code : std::uint8_t {
        // Of the file (providers.md 1.5).
        EmptyInput,
        MissingIdentifier,
        InvalidFlatbuffer,
        UnsupportedVersion,
        LimitExceeded,  // the message names the resource
        AllocationFailed,
        MissingEntry,  // no region, or a region without a block
        MissingName,
        EmptyName,
        DuplicateName,
        UnknownDataType,
        UnsupportedDataType,
        RankedTensorWithoutShape,
        UnrankedTensorWithDimensions,
        InvalidDimension,
        InvalidShapeData,
        ExternalDataRange,
        UnknownOperator,
        UnsupportedOperator,
        MissingAttribute,
        AttributeMismatch,
        UnknownSymbol,
        MultipleProducers,
        // Of the graph, for a target (providers.md 1.8).
        InvalidTarget,
        GraphIoMustBeTensor,
        InvalidArity,
        TensorListLimit,
        ExpectedTensor,
        ExpectedShape,
        InvalidRank,
        UnsupportedTypeProfile,
        InvalidAttribute,
        InvalidShape,
        ConstantRequired,
        InvalidConstantData,
        InvalidTensorData,
        TensorSizeLimit,
        ShapeValueLimit,
        InvalidVariable,
        DisconnectedSymbol,
        GraphInputProduced,
        DataflowCycle,
        UnknownControlFlowRegion,
        ControlFlowSignature,
        ControlFlowCycle,
        ControlFlowNestingLimit,
    };

    Kind kind = Kind::Malformed;
    Code code = Code::InvalidFlatbuffer;
    std::string message;
};

using Code = GraphError::Code;

// "InvalidShape"
[[nodiscard]] std::string_view name(GraphError::Code code);

}  // namespace tosa
