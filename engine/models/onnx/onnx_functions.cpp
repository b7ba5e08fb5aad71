// SPDX-License-Identifier: MIT
#include "engine/models/onnx/onnx_functions.h"
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace arenascope::models::ir {
namespace {

constexpr size_t kMaxNested = 100;

// Maps the names and attributes of a function's body to those of one call.
class Renaming {
 public:
  Renaming(const Function& function, const Node& call, const std::string& label)
      : prefix_(label + '/'), function_(function), call_(call) {
    for (size_t i = 0; i < function.outputs.size() && i < call.outputs.size(); ++i)
      if (!call.outputs[i].empty()) names_[function.outputs[i]] = call.outputs[i];
    for (size_t i = 0; i < function.inputs.size(); ++i)
      names_[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : std::string();
  }

  const std::string& prefix() const { return prefix_; }

  void rename(std::string& name) const {
    if (name.empty()) return;
    const auto known = names_.find(name);
    name = known != names_.end() ? known->second : prefix_ + name;
  }

  void rename(Node& node) const {
    node.name = prefix_ + (node.name.empty() ? node.op : node.name);
    for (std::string& name : node.inputs) rename(name);
    for (std::string& name : node.outputs) rename(name);
    for (auto at = node.attributes.begin(); at != node.attributes.end();) {
      Attribute& attribute = at->second;
      if (!attribute.passed_on.empty()) {
        const Attribute* given = passed_on(attribute.passed_on);
        if (!given) {  // the operator has its own default
          at = node.attributes.erase(at);
          continue;
        }
        attribute = *given;
      } else if (attribute.graph) {
        auto inner = std::make_shared<Graph>(*attribute.graph);
        rename(*inner);
        attribute.graph = std::move(inner);
      }
      ++at;
    }
  }

 private:
  void rename(Graph& graph) const {
    for (std::vector<ValueType>* values : {&graph.inputs, &graph.outputs, &graph.values})
      for (ValueType& value : *values) rename(value.name);
    for (TensorData& weight : graph.weights) rename(weight.name);
    for (Node& node : graph.nodes) rename(node);
  }

  const Attribute* passed_on(const std::string& name) const {
    if (const auto given = call_.attributes.find(name); given != call_.attributes.end()) return &given->second;
    const auto usual = function_.usual.find(name);
    return usual == function_.usual.end() ? nullptr : &usual->second;
  }

  std::string prefix_;
  const Function& function_;
  const Node& call_;
  std::unordered_map<std::string, std::string> names_;
};

// Counts what calls unroll into, each function once.
class Census {
 public:
  explicit Census(const Functions& functions) : functions_(functions) {}

  Status count(const std::vector<Node>& nodes, int64_t& total) {
    for (const Node& node : nodes) {
      if (auto ok = count(node, total); !ok) return ok;
      if (total > kMaxUnrolled) return Error{"its functions unroll into more than a million nodes"};
    }
    return {};
  }

 private:
  Status count(const Node& node, int64_t& total) {
    ++total;
    for (const auto& [name, attribute] : node.attributes)
      if (attribute.graph)
        if (auto ok = count(attribute.graph->nodes, total); !ok) return ok;
    const auto found = functions_.find({node.domain, node.op});
    return found == functions_.end() ? Status() : call(*found->second, node, total);
  }

  Status call(const Function& f, const Node& node, int64_t& total) {
    const auto fail = [&](const std::string& why) { return Error{fmt::format("the function '{}' {}", f.name, why)}; };
    if (node.inputs.size() > f.inputs.size() || node.outputs.size() > f.outputs.size())
      return fail(fmt::format("has {} inputs and {} outputs, '{}' gives it {} and {}", f.inputs.size(),
                              f.outputs.size(), node.name, node.inputs.size(), node.outputs.size()));
    auto known = known_.find(&f);
    if (known == known_.end()) {
      if (std::find(open_.begin(), open_.end(), &f) != open_.end()) return fail("calls itself");
      if (open_.size() == kMaxNested) return fail(fmt::format("is called from functions nested {} deep", kMaxNested));
      open_.push_back(&f);
      int64_t own = 0;
      if (auto ok = count(f.nodes, own); !ok) return ok;
      open_.pop_back();
      known = known_.emplace(&f, own).first;
    }
    total += known->second;
    return {};
  }

  const Functions& functions_;
  std::unordered_map<const Function*, int64_t> known_;
  std::vector<const Function*> open_;  // that are being counted, the innermost last
};

}  // namespace

std::vector<Node> expand(const Function& function, const Node& call, const std::string& label) {
  const Renaming names(function, call, label);
  std::vector<Node> out = function.nodes;
  for (Node& node : out) names.rename(node);
  for (size_t i = 0; i < function.outputs.size(); ++i) {  // outputs that are inputs
    const std::string& name = function.outputs[i];
    if (std::find(function.inputs.begin(), function.inputs.end(), name) == function.inputs.end()) continue;
    Node same;
    same.op = "Identity";
    same.opset = 13;
    same.inputs = {name};
    names.rename(same.inputs[0]);
    same.outputs = {i < call.outputs.size() ? call.outputs[i] : names.prefix() + name};
    out.push_back(std::move(same));
  }
  return out;
}

Status check_functions(const File& file) {
  if (file.functions.empty()) return {};
  int64_t total = 0;
  return Census(file.functions).count(file.graph.nodes, total);
}

}  // namespace arenascope::models::ir
