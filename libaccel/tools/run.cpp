// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <algorithm>
#include <string_view>

#include "execute.hpp"
#include "file_io.hpp"
#include "labels.hpp"
#include "open.hpp"

namespace accelctl {

namespace {

constexpr std::uint64_t kMaxModelFile = 256 << 20;
constexpr std::uint64_t kMaxLabelFile = 256 << 20;

// A line, and what the model would have liked.
std::unexpected<std::string> misfit(const Model& model, const std::string& line) {
    return failure("{}\nthe model has:\n{}", line, model.table());
}

std::optional<std::size_t> index_of(const std::vector<Tensor>& tensors, std::string_view name) {
    const auto found = std::ranges::find(tensors, name, &Tensor::name);
    if (found == tensors.end()) return std::nullopt;
    return static_cast<std::size_t>(found - tensors.begin());
}

Outcome<Array> read_array(const std::string& path, std::uint64_t data_limit) {
    const auto file = read_file(path, data_limit + kMaxHeaderBytes);
    if (!file) return std::unexpected(file.error());
    auto array = parse_npy(*file);
    if (!array) return failure("{}: {}", path, array.error());
    return array;
}

Outcome<Bytes> read_input(const Model& model, const Tensor& tensor, const std::string& path) {
    auto array = read_array(path, tensor.bytes);
    if (!array) return std::unexpected(array.error());
    if (array->element != tensor.file_element() || array->shape != tensor.file_shape())
        return misfit(model,
                      fmt::format("{}: is '{}' {}, but input '{}' takes '{}' {}", path,
                                  descr(array->element), to_string(array->shape), tensor.name,
                                  descr(tensor.file_element()), to_string(tensor.file_shape())));
    return std::move(array->data);
}

Outcome<std::vector<Bytes>> read_inputs(const Model& model, const std::vector<NamedPath>& given) {
    std::vector<Bytes> inputs(model.inputs.size());
    for (const auto& [name, path] : given) {
        const auto index = index_of(model.inputs, name);
        if (!index) return misfit(model, fmt::format("there is no input '{}'", name));
        if (!inputs[*index].empty())
            return misfit(model, fmt::format("input '{}' is given twice", name));
        auto contents = read_input(model, model.inputs[*index], path);
        if (!contents) return std::unexpected(contents.error());
        inputs[*index] = std::move(*contents);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].empty())
            return misfit(model, fmt::format("input '{}' is missing", model.inputs[i].name));
    return inputs;
}

Outcome<void> check_output_names(const Model& model, const RunOptions& options) {
    const auto missing = [&](const NamedPath& output) {
        return !index_of(model.outputs, output.name);
    };
    const auto found = std::ranges::find_if(options.outputs, missing);
    if (found != options.outputs.end())
        return misfit(model, fmt::format("there is no output '{}'", found->name));
    if (options.labels && missing(*options.labels))
        return misfit(model, fmt::format("there is no output '{}'", options.labels->name));
    return {};
}

Outcome<std::string> check_labels(const Model& model, const std::vector<Bytes>& outputs,
                                  const Array& labels, const RunOptions& options) {
    const std::size_t index = *index_of(model.outputs, options.labels->name);
    const auto result = score(model.outputs[index], outputs[index], labels);
    if (!result) return failure("{}: {}", options.labels->path, result.error());
    if (result->percent() < options.required_percent.value_or(0))
        return failure("accuracy: {:.2f} % ({} of {}) is below the required {} %",
                       result->percent(), result->right, result->predictions.size(),
                       *options.required_percent);
    return result->report();
}

Outcome<void> write_outputs(const Model& model, std::vector<Bytes>& outputs,
                            const std::vector<NamedPath>& wanted) {
    std::vector<PendingFile> files;
    for (const auto& [name, path] : wanted) {
        const std::size_t index = *index_of(model.outputs, name);
        const Tensor& tensor = model.outputs[index];
        auto file = PendingFile::write(
            path, format_npy({tensor.file_element(), tensor.file_shape(), outputs[index]}));
        if (!file) return std::unexpected(file.error());
        files.push_back(std::move(*file));
    }
    for (PendingFile& file : files)
        if (auto done = file.commit(); !done) return done;
    return {};
}

}  // namespace

Outcome<NamedPath> parse_named_path(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        return failure("'{}' is not NAME=PATH", text);
    return NamedPath{text.substr(0, equals), text.substr(equals + 1)};
}

Outcome<std::string> run(const RunOptions& options, accel::Kernel& kernel) {
    const auto artifact = read_file(options.model, kMaxModelFile);
    if (!artifact) return std::unexpected(artifact.error());
    const auto model = describe(*artifact);
    if (!model) return failure("{}: {}", options.model, model.error());
    if (options.describe_only)
        return fmt::format("{}: {}\n{}", options.model, model->target_name(), model->table());

    const auto inputs = read_inputs(*model, options.inputs);
    if (!inputs) return std::unexpected(inputs.error());
    if (auto fits = check_output_names(*model, options); !fits)
        return std::unexpected(fits.error());
    Outcome<Array> labels;
    if (options.labels) labels = read_array(options.labels->path, kMaxLabelFile);
    if (!labels) return std::unexpected(labels.error());

    const auto device = open_device(options.device, kernel);
    if (!device) return std::unexpected(device.error());
    auto outputs =
        execute(*device, {.model = *model,
                          .artifact = *artifact,
                          .inputs = *inputs,
                          .resident_bytes = options.resident_bytes.value_or(model->resident_bytes),
                          .timeout = options.timeout});
    if (!outputs) return failure("{}: {}", options.model, outputs.error());

    std::string report;
    if (options.labels) {
        auto checked = check_labels(*model, *outputs, *labels, options);
        if (!checked) return checked;
        report = std::move(*checked);
    }
    if (auto done = write_outputs(*model, *outputs, options.outputs); !done)
        return std::unexpected(done.error());
    return report;
}

}  // namespace accelctl
