// SPDX-License-Identifier: MIT
// What of a file waits for values that only a run makes: nodes of their own, with those values for inputs.
#include <fmt/format.h>
#include "engine/models/wide_shapes.h"

#include <set>

namespace arenascope::models {
namespace {

// All names that a node reads, graphs inside it included (some of them are their own).
void collect_names(const ir::Node& node, std::vector<std::string>& out) {
  for (const std::string& name : node.inputs)
    if (!name.empty()) out.push_back(name);
  for (const auto& [key, attribute] : node.attributes) {
    if (!attribute.graph) continue;
    for (const ir::Node& inner : attribute.graph->nodes) collect_names(inner, out);
    for (const ir::ValueType& output : attribute.graph->outputs) out.push_back(output.name);
  }
}

// As the file would declare it.
ir::ValueType type_of(const Value& value, const std::string& name) {
  ir::ValueType out;
  out.name = name;
  out.type = value.words ? ir::kStringType : value.small;
  out.dtype = value.dtype;
  out.has_shape = true;
  for (const int64_t size : full_sizes(value)) {
    out.sizes.push_back(size);
    out.symbols.emplace_back();
  }
  return out;
}

}  // namespace

// The nodes that were put off as a file of their own; what they read of the graph is an output of it, what is known is
// handed on.
Status Lowering::make_rest(std::vector<Tensor>& roots) {
  auto rest = std::make_shared<Rest>();
  ir::File file;
  file.ir_version = file_.ir_version;
  file.producer = file_.producer;
  file.opsets = file_.opsets;
  std::set<std::string> told;  // names that it makes itself or is given
  for (const ir::ValueType& output : file_.graph.outputs) {
    const ValuePtr value = find(output.name);
    if (!value || !value->waits) continue;
    file.graph.outputs.push_back(output);
    rest->outputs.push_back(output.name);
  }
  if (rest->outputs.empty()) return {};  // nobody asks for it
  for (const ir::Node* node : put_off_) {
    file.graph.nodes.push_back(*node);
    told.insert(node->outputs.begin(), node->outputs.end());
  }
  rest->why = why_put_off_;
  rest->node_count = static_cast<int64_t>(put_off_.size());
  rest->first_need = model_.outputs.size();
  std::vector<std::string> read;
  for (const ir::Node* node : put_off_) collect_names(*node, read);
  std::vector<ValuePtr> known;
  std::map<std::string, Words> words;
  for (const std::string& name : read) {
    const ValuePtr value = find(name);
    if (!value || !told.insert(name).second) continue;
    if (value->kind == Value::Kind::Tensor) {
      file.graph.inputs.push_back(type_of(*value, name));
      if (value->words) words[name] = value->words;
      if (auto ok = add_output(name, file.graph.inputs.back(), value, roots); !ok) return ok;
    } else if (value->kind == Value::Kind::Sequence) {
      whole_ = false;
      model_.problems.push_back(fmt::format("{}; behind it '{}' is a sequence of tensors", why_put_off_, name));
      return {};
    } else {
      known.push_back(std::make_shared<Value>(*value));
      known.back()->name = name;
      known.back()->tensor = {};
    }
  }
  OpenOptions options = options_;
  options.inputs.clear();
  options.words = std::move(words);
  rest->open = [file = std::make_shared<const ir::File>(std::move(file)), known = std::move(known),
                options = std::move(options)](const std::map<std::string, Tensor>& values) -> Result<Model> {
    OpenOptions given = options;
    given.inputs = values;
    std::vector<ValuePtr> own;  // what is made of them belongs to that opening
    for (const ValuePtr& value : known) own.push_back(std::make_shared<Value>(*value));
    return Lowering(*file, given).go_on(own);
  };
  model_.rest = std::move(rest);
  return {};
}

}  // namespace arenascope::models
