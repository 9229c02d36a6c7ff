// SPDX-License-Identifier: MIT
//
// Whole models. Only their files are needed: what goes in and out is read from them.
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bench/vulkan/case.hpp"
#include "networks/mobilenet.hpp"
#include "tosa/graph.hpp"

namespace vulkan::bench {
namespace {

constexpr const char* kModels = "tests/e2e/";

Bytes read_model(const std::string& name) {
    const std::string path = kModels + name;
    Bytes bytes(std::filesystem::file_size(path));
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), std::ssize(bytes)))
        throw std::runtime_error("cannot read " + path);
    return bytes;
}

// Rounded otherwise in each layer, FP32 differs in the last bits of its largest numbers.
Case network(Bytes file, const tosa::Target& target) {
    const auto graph = tosa::build_graph(file, target);
    if (!graph) throw std::runtime_error(graph.error().message);
    Case made{.target = target,
              .program = {},
              .inputs = {},
              .outputs = {},
              .tolerance = {.absolute = 1e-3, .relative = 1e-3}};
    const auto tensor = [&](tosa::ValueId id, bool input) {
        const tosa::Value& value = graph->values[id];
        std::vector<std::int32_t> shape(value.dims.begin(), value.dims.end());
        return input ? random_tensor(value.type, std::move(shape), id + 1)
                     : zero_tensor(value.type, std::move(shape));
    };
    for (const tosa::ValueId id : graph->inputs)
        made.inputs.push_back(tensor(id, true));
    for (const tosa::ValueId id : graph->outputs)
        made.outputs.push_back(tensor(id, false));
    made.program = std::move(file);
    return made;
}

}  // namespace

std::vector<Recipe> network_recipes(const Scale& scale) {
    using networks::Arithmetic;
    constexpr tosa::Target kFloat = tosa::kFloatTarget;
    constexpr tosa::Target kInteger{.profiles = tosa::kProfileInteger};
    const auto model = [](const char* name, const char* path, const tosa::Target& target) {
        return Recipe{name, [=] { return network(read_model(path), target); }};
    };
    const auto mobile_net = [&](const char* name, Arithmetic arithmetic,
                                const tosa::Target& target) {
        const networks::MobileNet parameters{.width = scale.mobile_net_width,
                                             .side = scale.mobile_net_side};
        return Recipe{
            name,
            [=] { return network(networks::mobile_net(arithmetic, parameters).file(), target); }};
    };
    return {model("model digits", "digits/digits.tosa", kFloat),
            model("model digits-cnn FP32", "digits-cnn/cnn-fp32.tosa", kFloat),
            model("model digits-cnn INT8", "digits-cnn/cnn-int8.tosa", kInteger),
            mobile_net("model MobileNet-v2 FP32", Arithmetic::Fp32, kFloat),
            mobile_net("model MobileNet-v2 INT8", Arithmetic::Int8, kInteger)};
}

}  // namespace vulkan::bench
