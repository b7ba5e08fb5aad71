// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_tensors_report.h"

#include <map>

#include <arenascope/tensor/shape.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/file_tensors.h"
#include "app/common/format.h"

namespace arenascope::cli {
namespace {

using app::counted;
using app::grouped;
using models::FileTensor;

// Tensors with the same type or in the same layer.
struct TensorGroup {
  std::string name;
  int64_t tensors = 0, elements = 0;
  Bytes bytes = 0;
  std::optional<DType> loaded_as;
  std::map<std::string, int64_t> types;  // with their numbers of tensors

  void add(const FileTensor& tensor) {
    ++tensors;
    elements += element_count(tensor.sizes);
    bytes += tensor.bytes;
    loaded_as = tensor.loaded_as;
    ++types[tensor.type];
  }
};

// In order of the first tensor of each group.
template <class Key>
std::vector<TensorGroup> groups(const models::Model& model, Key&& key) {
  std::vector<TensorGroup> out;
  std::map<std::string, size_t> index;
  for (const FileTensor& tensor : model.file_tensors) {
    const auto [found, added] = index.emplace(key(tensor), out.size());
    if (added) out.emplace_back().name = found->first;
    out[found->second].add(tensor);
  }
  return out;
}
std::vector<TensorGroup> by_type(const models::Model& model) {
  return groups(model, [](const FileTensor& tensor) { return tensor.type; });
}
std::vector<TensorGroup> by_layer(const models::Model& model) {
  return groups(model, [](const FileTensor& tensor) { return app::layer_of_tensor(tensor.name); });
}

Bytes total_bytes(const models::Model& model) {
  Bytes out = 0;
  for (const FileTensor& tensor : model.file_tensors) out += tensor.bytes;
  return out;
}

// ", loaded as f32: 4,096 bytes"; empty if a run stores the type as the file does.
std::string loaded_text(const TensorGroup& type) {
  if (!type.loaded_as) return ", cannot be run";
  if (type.name == name(*type.loaded_as)) return {};
  const DTypeInfo& to = info(*type.loaded_as);
  return fmt::format(", loaded as {}: {} bytes", to.name, grouped(type.elements / to.block_elements * to.block_bytes));
}

}  // namespace

bool lists_file_tensors(const models::Model& model) { return model.format == "gguf" || model.format == "safetensors"; }

void add_file_tensors(Json& object, const models::Model& model) {
  object["tensor_count"] = model.file_tensors.size();
  object["tensor_bytes"] = total_bytes(model);
  object["metadata_keys"] = model.metadata_keys;
  object["tensor_types"] = object["tensor_layers"] = object["tensors"] = Json::array();
  for (const TensorGroup& type : by_type(model)) {
    Json entry{{"dtype", type.name}, {"tensors", type.tensors}, {"elements", type.elements}, {"bytes", type.bytes}};
    if (type.loaded_as) entry["loaded_as"] = name(*type.loaded_as);
    object["tensor_types"].push_back(std::move(entry));
  }
  for (const TensorGroup& layer : by_layer(model))
    object["tensor_layers"].push_back(
        {{"layer", layer.name}, {"tensors", layer.tensors}, {"bytes", layer.bytes}, {"types", layer.types}});
  for (const FileTensor& tensor : model.file_tensors)
    object["tensors"].push_back({{"name", tensor.name},
                                 {"dtype", tensor.type},
                                 {"shape", std::vector<int64_t>(tensor.sizes.begin(), tensor.sizes.end())},
                                 {"bytes", tensor.bytes}});
}

void print_file_tensors(const models::Model& model, bool list) {
  cli::print("{:<12} {}, {} bytes, {}\n", "file", counted(std::ssize(model.file_tensors), "tensor"),
             grouped(total_bytes(model)), counted(model.metadata_keys, "key"));
  for (const TensorGroup& type : by_type(model))
    cli::print("{:<12} {} {}, {} bytes{}\n", "type", type.name, counted(type.tensors, "tensor"), grouped(type.bytes),
               loaded_text(type));
  for (const TensorGroup& layer : by_layer(model)) {
    std::vector<std::string> types;
    for (const auto& [type, count] : layer.types) types.push_back(fmt::format("{} × {}", count, type));
    cli::print("{:<12} {} {}, {} bytes: {}\n", "layer", layer.name.empty() ? "(none)" : layer.name,
               counted(layer.tensors, "tensor"), grouped(layer.bytes), fmt::join(types, ", "));
  }
  if (!list) return;
  for (const FileTensor& tensor : model.file_tensors)
    cli::print("{:<12} {} {} {} {} bytes\n", "tensor", tensor.name, tensor.type, to_string(tensor.sizes),
               grouped(tensor.bytes));
}

}  // namespace arenascope::cli
