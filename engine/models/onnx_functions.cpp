// SPDX-License-Identifier: MIT
#include "engine/models/onnx_functions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

namespace arenascope::models::ir {
namespace {

namespace pb = google::protobuf;
using Nodes = pb::RepeatedPtrField<onnx::NodeProto>;

constexpr int kMostNodes = 1 << 20;  // and calls
constexpr size_t kMostNested = 100;
constexpr int kAttributeDefaults = 11;  // FunctionProto.attribute_proto, which older headers do not know

std::string domain_of(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

class Expansion {
 public:
  explicit Expansion(const onnx::ModelProto& model) {
    for (const auto& f : model.functions()) functions_.emplace(std::pair(domain_of(f.domain()), f.name()), &f);
    for (const auto& set : model.opset_import())
      if (domain_of(set.domain()).empty()) opset_ = set.version();
  }

  Status graph(onnx::GraphProto& g) {
    Nodes all;
    for (auto& node : *g.mutable_node())
      if (auto ok = add(node, all); !ok) return ok;
    g.mutable_node()->Swap(&all);
    return {};
  }
  // Of the default domain, where a function tells it and the model does not; 0: nobody does.
  int64_t opset() const { return opset_; }

 private:
  // What a body's names and attributes stand for in one call.
  struct Call {
    std::string prefix;
    std::map<std::string, std::string> names;
    std::map<std::string, onnx::AttributeProto> attributes;

    std::string operator()(const std::string& name) const {
      if (name.empty()) return name;
      const auto known = names.find(name);
      return known != names.end() ? known->second : prefix + name;
    }
  };

  Status add(const onnx::NodeProto& node, Nodes& all) {
    const auto function = functions_.find({domain_of(node.domain()), node.op_type()});
    if (function != functions_.end()) return call(*function->second, node, all);
    if (all.size() >= kMostNodes) return Error{"its functions unroll into more than a million nodes"};
    onnx::NodeProto& added = *all.Add();
    added = node;
    for (auto& attribute : *added.mutable_attribute()) {
      if (attribute.has_g())
        if (auto ok = graph(*attribute.mutable_g()); !ok) return ok;
      for (auto& inner : *attribute.mutable_graphs())
        if (auto ok = graph(inner); !ok) return ok;
    }
    return {};
  }

  Status call(const onnx::FunctionProto& f, const onnx::NodeProto& node, Nodes& all) {
    const auto refuse = [&](const std::string& why) {
      return Error{fmt::format("the function '{}' {}", f.name(), why)};
    };
    if (std::find(open_.begin(), open_.end(), &f) != open_.end()) return refuse("calls itself");
    if (open_.size() == kMostNested) return refuse(fmt::format("is called from functions nested {} deep", kMostNested));
    if (++calls_ > kMostNodes) return Error{"its functions are called more than a million times"};
    if (node.input_size() > f.input_size() || node.output_size() > f.output_size())
      return refuse(fmt::format("has {} inputs and {} outputs, '{}' gives it {} and {}", f.input_size(),
                                f.output_size(), node.name(), node.input_size(), node.output_size()));
    for (const auto& set : f.opset_import()) {
      if (!domain_of(set.domain()).empty()) continue;
      if (opset_ == 0) opset_ = set.version();
      if (set.version() != opset_)
        return refuse(fmt::format("is written for opset {}, the model for {}", set.version(), opset_));
    }
    Call made = begin(f, node);
    open_.push_back(&f);
    for (const onnx::NodeProto& inner : f.node()) {
      onnx::NodeProto copy = inner;
      rename(copy, made);
      if (auto ok = add(copy, all); !ok) return ok;
    }
    open_.pop_back();
    for (int i = 0; i < f.output_size(); ++i) {  // what it gives back as it was given
      if (std::find(f.input().begin(), f.input().end(), f.output(i)) == f.input().end()) continue;
      onnx::NodeProto& same = *all.Add();
      same.set_op_type("Identity");
      same.add_input(made(f.output(i)));
      same.add_output(i < node.output_size() ? node.output(i) : made.prefix + f.output(i));
    }
    return {};
  }

  Call begin(const onnx::FunctionProto& f, const onnx::NodeProto& node) {
    Call made;
    std::string label = node.name();
    for (const std::string& output : node.output())
      if (label.empty()) label = output;
    for (int n = 2; !labels_.insert(label).second; ++n) {
      const std::string numbered = fmt::format("{}.{}", label, n);
      if (labels_.count(numbered) == 0) label = numbered;
    }
    made.prefix = fmt::format("{}/", label);
    for (int i = 0; i < f.output_size(); ++i)
      if (i < node.output_size() && !node.output(i).empty()) made.names[f.output(i)] = node.output(i);
    for (int i = 0; i < f.input_size(); ++i) made.names[f.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (const auto& attribute : node.attribute()) made.attributes[attribute.name()] = attribute;
    const pb::UnknownFieldSet& unknown = f.GetReflection()->GetUnknownFields(f);
    for (int i = 0; i < unknown.field_count(); ++i) {
      const pb::UnknownField& field = unknown.field(i);
      onnx::AttributeProto usual;
      if (field.number() == kAttributeDefaults && field.type() == pb::UnknownField::TYPE_LENGTH_DELIMITED &&
          usual.ParsePartialFromString(field.length_delimited()))
        made.attributes.emplace(usual.name(), usual);
    }
    return made;
  }

  static void rename(onnx::NodeProto& node, const Call& made) {
    node.set_name(fmt::format("{}{}", made.prefix, node.name().empty() ? node.op_type() : node.name()));
    for (std::string& name : *node.mutable_input()) name = made(name);
    for (std::string& name : *node.mutable_output()) name = made(name);
    auto& attributes = *node.mutable_attribute();
    for (int i = 0; i < attributes.size();) {
      onnx::AttributeProto& attribute = attributes[i];
      if (const std::string& told = attribute.ref_attr_name(); !told.empty()) {
        const auto given = made.attributes.find(told);
        if (given == made.attributes.end()) {  // the operator has its own default
          attributes.DeleteSubrange(i, 1);
          continue;
        }
        const std::string name = attribute.name();
        attribute = given->second;
        attribute.set_name(name);
      } else {
        if (attribute.has_g()) rename(*attribute.mutable_g(), made);
        for (auto& inner : *attribute.mutable_graphs()) rename(inner, made);
      }
      ++i;
    }
  }

  static void rename(onnx::GraphProto& g, const Call& made) {
    const auto each = [&](auto& values) {
      for (auto& value : values) value.set_name(made(value.name()));
    };
    each(*g.mutable_input());
    each(*g.mutable_output());
    each(*g.mutable_value_info());
    each(*g.mutable_initializer());
    for (auto& node : *g.mutable_node()) rename(node, made);
  }

  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions_;
  std::vector<const onnx::FunctionProto*> open_;  // that are being expanded, the innermost last
  std::set<std::string> labels_;
  int64_t opset_ = 0;
  int calls_ = 0;
};

}  // namespace

Status expand_functions(onnx::ModelProto& model) {
  if (model.functions_size() == 0) return {};
  const int64_t before = Expansion(model).opset();
  Expansion expansion(model);
  if (auto ok = expansion.graph(*model.mutable_graph()); !ok) return ok;
  if (before == 0 && expansion.opset() != 0) model.add_opset_import()->set_version(expansion.opset());
  return {};
}

}  // namespace arenascope::models::ir
