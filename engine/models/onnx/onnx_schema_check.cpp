// SPDX-License-Identifier: MIT
// Validates a node against its operator's schema, as strictly as ONNX Runtime, so that no model that it opens is rejected.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include "engine/models/onnx/onnx_schema.h"

#include <algorithm>

namespace arenascope::models::ir {
namespace {

constexpr const char* kKindNames[] = {"of no kind", "a number",        "an integer",     "a string", "a tensor",
                                      "a graph",    "numbers",         "integers",       "strings",  "tensors",
                                      "graphs",     "a sparse tensor", "sparse tensors", "a type",   "types"};

std::string kind_name(int32_t kind) {
  return kind >= 0 && kind < static_cast<int32_t>(std::size(kKindNames)) ? kKindNames[kind] : "of an unknown kind";
}

// Edit distance of two names: insertions, deletions and substitutions of characters.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])}));
  }
  return row[b.size()];
}

// The one that may have been meant, or all.
std::string those_there_are(const std::string& name, const Schema& schema) {
  std::vector<std::string_view> names;
  constexpr size_t kLongest = 64;  // a name that is longer is no slip
  for (const AttributeRule& rule : schema.attributes) {
    if (name.size() <= kLongest && distance(name, rule.name) <= 1 + rule.name.size() / 4)
      return fmt::format("but '{}'", rule.name);
    names.push_back(rule.name);
  }
  return names.empty() ? "and none at all" : fmt::format("but {}", fmt::join(names, ", "));
}

// ONNX Runtime converts constants to weights without checking their attributes, and has its own LayerNormalization.
bool has_any_attributes(const Node& node) {
  return node.domain.empty() && (node.op == "Constant" || node.op == "LayerNormalization");
}

std::string attribute_misfit(const Node& node, const Schema& schema) {
  if (has_any_attributes(node)) return {};
  for (const auto& [name, attribute] : node.attributes) {
    const AttributeRule* rule = schema.attribute(name);
    if (!rule && name.starts_with("__")) continue;  // an exporter's annotation
    if (!rule)
      return fmt::format("{} of opset {} has no attribute '{}', {}", node.op, node.opset, name.substr(0, 64),
                         those_there_are(name, schema));
    if (attribute.repeated) return fmt::format("attribute '{}' is duplicated", name);
    if (attribute.kind != rule->kind)
      return fmt::format("attribute '{}' is {}, in opset {} it is {}", name, kind_name(attribute.kind), node.opset,
                         kind_name(rule->kind));
  }
  for (const AttributeRule& rule : schema.attributes)
    if (rule.required && node.attributes.count(std::string(rule.name)) == 0)
      return fmt::format("attribute '{}' is missing", rule.name);
  return {};
}

std::string count_misfit(const char* what, const std::vector<std::string>& names, const std::vector<Formal>& formals,
                         const Schema& schema, const Node& node) {
  size_t least = 0;
  for (size_t i = 0; i < formals.size(); ++i) {
    if (formals[i].option == Formal::Option::Single) least = i + 1;
    if (formals[i].option == Formal::Option::Variadic) least = i + static_cast<size_t>(formals[i].least);
  }
  const bool endless = !formals.empty() && formals.back().option == Formal::Option::Variadic;
  if (names.size() < least || (!endless && names.size() > formals.size()))
    return fmt::format("it has {} {}{}, {} of opset {} has {}", names.size(), what, names.size() == 1 ? "" : "s",
                       schema.op, node.opset,
                       endless                   ? fmt::format("{} or more", least)
                       : least == formals.size() ? fmt::format("{}", least)
                                                 : fmt::format("{} to {}", least, formals.size()));
  return {};
}

const Formal& formal_at(const std::vector<Formal>& formals, size_t i) {
  return formals[std::min(i, formals.size() - 1)];
}

std::string type_text(TypeSet types) {
  std::vector<std::string> names;
  for (int32_t code = 1; code < 32; ++code)
    if (types >> code & 1) names.push_back(type_name(code));
  if (types & kSequences) names.emplace_back("sequences");
  if (types & kOptionals) names.emplace_back("optional values");
  if (types & kMaps) names.emplace_back("maps");
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string source_misfit(const Node& node, const Schema& schema, const std::vector<TypeSet>& types) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Formal& formal = formal_at(schema.inputs, i);
    if (node.inputs[i].empty()) {
      if (formal.option != Formal::Option::Single) continue;
      return fmt::format("input {} ('{}') is missing", i, formal.name);
    }
    const TypeSet type = i < types.size() ? types[i] : 0;
    if (type == 0 || (formal.allowed & kOptionals)) continue;  // an optional value that is there is that value here
    if ((type & formal.allowed) == 0)
      return fmt::format("input '{}' is of type {}, '{}' of {} in opset {} may be {}", node.inputs[i], type_text(type),
                         formal.name, node.op, node.opset, type_text(formal.allowed));
    if (!formal.homogeneous) continue;
    size_t other = 0;  // the first one of the same type
    while (other < i && (formal_at(schema.inputs, other).type != formal.type || types[other] == 0 ||
                         !formal_at(schema.inputs, other).homogeneous))
      ++other;
    if (types[other] != type)
      return fmt::format("inputs '{}' and '{}' are of types {} and {}, which must be the same", node.inputs[other],
                         node.inputs[i], type_text(types[other]), type_text(type));
  }
  return {};
}

}  // namespace

std::string schema_mismatch(const Node& node, const Schema& schema, const std::vector<TypeSet>& types) {
  if (schema.gone)
    return fmt::format("operator {} was removed in opset {}; the model uses opset {}", node.op, schema.since,
                       node.opset);
  std::string why = count_misfit("input", node.inputs, schema.inputs, schema, node);
  if (why.empty()) why = count_misfit("result", node.outputs, schema.outputs, schema, node);
  if (why.empty()) why = attribute_misfit(node, schema);
  if (why.empty() && !schema.inputs.empty()) why = source_misfit(node, schema, types);
  return why;
}

}  // namespace arenascope::models::ir
