// SPDX-License-Identifier: MIT
// ONNX's sequences and optional values. The length of a sequence is known when the model is opened, so that it becomes a
// list of tensors that does not exist at run time. An optional value is the value itself, or absent.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <vector>

namespace arenascope::models {
namespace {

constexpr size_t kLongest = 1 << 12;

ValuePtr sequence_of(std::string name, std::vector<ValuePtr> elements) {
  auto value = std::make_shared<Value>();
  value->name = std::move(name);
  value->kind = Value::Kind::Sequence;
  value->elements = std::move(elements);
  return value;
}

// The elements of input i; null, with an error, if it is not a sequence.
const std::vector<ValuePtr>* elements(OpCall& c, size_t i) {
  if (c.has(i) && c.inputs()[i]->kind == Value::Kind::Sequence) return &c.inputs()[i]->elements;
  c.fail(fmt::format("input {} is not a sequence", i));
  return nullptr;
}

void out_sequence(OpCall& c, size_t i, std::vector<ValuePtr> made) {
  if (made.size() > kLongest)
    return c.fail(fmt::format("a sequence of {} elements is not supported: at most {}", made.size(), kLongest));
  if (c.has_output(i)) c.out(i, sequence_of(c.node().outputs[i], std::move(made)));
}

// An index in a sequence, from the front or the back; `size` if it is omitted.
size_t position(OpCall& c, size_t i, size_t size, bool may_follow) {
  const auto given = c.ints(i);
  if (!given) return size;
  const auto n = static_cast<int64_t>(size), most = n + (may_follow ? 1 : 0);
  const int64_t at = given->size() == 1 ? (*given)[0] : n + 1;
  if (at < -n || at >= most) {
    c.fail(fmt::format("the position {} is out of range for a sequence of {}", at, size));
    return 0;
  }
  return static_cast<size_t>(at < 0 ? at + n : at);
}

void construct(OpCall& c) {
  std::vector<ValuePtr> all;
  for (size_t i = 0; i < c.input_count(); ++i) {
    if (!c.has(i)) return c.fail(fmt::format("input {} is missing", i));
    all.push_back(c.inputs()[i]);
  }
  out_sequence(c, 0, std::move(all));
}

void insert(OpCall& c) {
  const auto* old = elements(c, 0);
  if (!old || !c.has(1)) return c.fail("it has nothing to insert");
  std::vector<ValuePtr> all = *old;
  const size_t at = position(c, 2, all.size(), true);
  if (!c.ok()) return;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), c.inputs()[1]);
  out_sequence(c, 0, std::move(all));
}

void erase(OpCall& c) {
  const auto* old = elements(c, 0);
  if (!old || old->empty()) return c.fail("there is nothing in its sequence");
  std::vector<ValuePtr> all = *old;
  const size_t at = c.has(1) ? position(c, 1, all.size(), false) : all.size() - 1;
  if (!c.ok()) return;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
  out_sequence(c, 0, std::move(all));
}

void element_at(OpCall& c) {
  const auto* all = elements(c, 0);
  if (!all || !c.has(1)) return c.fail("its position is missing");
  const size_t at = position(c, 1, all->size(), false);
  if (c.ok()) c.out(0, (*all)[at]);
}

void length(OpCall& c) {
  if (const auto* all = elements(c, 0)) c.out(0, HostArray::scalar(static_cast<int64_t>(all->size())));
}

void concat_sequence(OpCall& c) {
  const auto* all = elements(c, 0);
  if (!all || all->empty()) return c.fail("there is nothing in its sequence");
  const bool adds = c.attr_int("new_axis", 0) != 0;
  std::vector<ValuePtr> parts = *all;
  const int axis = c.axis(c.attr_int("axis", 0), parts[0]->sizes.rank() + (adds ? 1 : 0));
  for (size_t i = 0; i < parts.size() && c.ok() && adds; ++i)
    parts[i] = c.with_axis(parts[i], axis, fmt::format(":part_{}", i));
  if (c.ok()) c.out(0, c.concat(parts, axis, ""));
}

void split_to_sequence(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const int axis = c.axis(c.attr_int("axis", 0), x->rank());
  if (!c.ok()) return;
  const int64_t size = x.sizes()[axis];
  std::vector<int64_t> parts;
  const bool one_each = !c.has(1);
  if (one_each) {
    if (size > static_cast<int64_t>(kLongest))
      return c.fail(fmt::format("a split into {} parts is not supported", size));
    parts.assign(static_cast<size_t>(size), 1);
  } else {
    const auto given = c.ints(1);
    if (!given) return;
    if (c.value(1).sizes.rank() == 0) {  // chunks of that size, and the remainder
      const int64_t each = given->empty() ? 0 : (*given)[0];
      if (each < 1 || size / each > static_cast<int64_t>(kLongest))
        return c.fail(fmt::format("cannot split into chunks of {}: expected 1 to {} chunks", each, kLongest));
      for (int64_t at = 0; at < size; at += each) parts.push_back(std::min(each, size - at));
    } else {
      parts = *given;
    }
  }
  std::vector<ValuePtr> all;
  int64_t at = 0;
  for (size_t i = 0; i < parts.size() && c.ok(); ++i) {
    if (parts[i] < 0 || parts[i] > size - at)
      return c.fail(fmt::format("a split size of {} at offset {} exceeds the axis of {}", parts[i], at, size));
    const std::string name = fmt::format(":{}", i);
    Tensor part = c.slice(x, axis, at, at + parts[i], 1, name.c_str());
    at += parts[i];
    if (part && one_each && c.attr_int("keepdims", 1) == 0) {
      Dims sizes;
      for (int d = 0; d < x->rank(); ++d)
        if (d != axis) sizes.push_back(x.sizes()[d]);
      part = c.reshape(part, sizes, (name + "_flat").c_str());
    }
    if (part) all.push_back(value_like(c.value(0), c.name_of(name.c_str()), part));
  }
  if (c.ok() && at != size) return c.fail(fmt::format("the split sizes have a sum of {}: expected {}", at, size));
  if (c.ok()) out_sequence(c, 0, std::move(all));
}

// Lowers the body for each element of the first sequence and of further sequences; tensors are the same for all.
void map(OpCall& c) {
  const auto* body = c.attr("body");
  const auto* first = elements(c, 0);
  if (!first || !body || !body->graph) return c.fail("it lacks a sequence or a body");
  const ir::Graph& graph = *body->graph;
  if (graph.inputs.size() != c.input_count() || graph.outputs.size() != c.output_count())
    return c.fail(fmt::format("its body has {} inputs and {} outputs: expected {} and {}", graph.inputs.size(),
                              graph.outputs.size(), c.input_count(), c.output_count()));
  if ((graph.nodes.size() + 1) * first->size() > kLongest)
    return c.fail(fmt::format("{} elements with a body of {} nodes are too many to be unrolled", first->size(),
                              graph.nodes.size()));
  std::vector<std::vector<ValuePtr>> results(c.output_count());
  const Lowering::Within all(c.lowering(), c.title());
  for (size_t i = 0; i < first->size(); ++i) {
    std::vector<ValuePtr> sources;
    for (const ValuePtr& input : c.inputs()) {
      const bool each = input && input->kind == Value::Kind::Sequence;
      if (!input || (each && input->elements.size() != first->size())) return c.fail("its sequences differ in length");
      sources.push_back(each ? input->elements[i] : input);
    }
    const Lowering::Within one(c.lowering(), fmt::format("element {}", i));
    auto made = c.lowering().lower_subgraph(graph, sources);
    if (!made) return c.fail(made.error().message);
    for (size_t k = 0; k < results.size(); ++k) results[k].push_back((*made)[k]);
  }
  for (size_t k = 0; k < results.size(); ++k) out_sequence(c, k, std::move(results[k]));
}

void optional(OpCall& c) {
  if (c.has(0)) return c.out(0, c.inputs()[0]);
  auto nothing = std::make_shared<Value>();
  nothing->name = c.node().outputs.empty() ? "" : c.node().outputs[0];
  nothing->kind = Value::Kind::Nothing;
  c.out(0, nothing);
}

void has_element(OpCall& c) {
  const bool there = c.has(0) && c.inputs()[0]->kind != Value::Kind::Nothing;
  c.out(0, HostArray::scalar(there ? 1 : 0, DType::Bool));
}

void get_element(OpCall& c) {
  if (!c.has(0) || c.inputs()[0]->kind == Value::Kind::Nothing) return c.fail("its optional input is empty");
  c.out(0, c.inputs()[0]);
}

constexpr HandlerEntry kSequencesHandlers[] = {
    {"ConcatFromSequence", concat_sequence},
    {"Optional", optional},
    {"OptionalGetElement", get_element},
    {"OptionalHasElement", has_element},
    {"SequenceAt", element_at},
    {"SequenceConstruct", construct},
    {"SequenceEmpty", [](OpCall& c) { out_sequence(c, 0, {}); }},
    {"SequenceErase", erase},
    {"SequenceInsert", insert},
    {"SequenceLength", length},
    {"SequenceMap", map},
    {"SplitToSequence", split_to_sequence},
};

}  // namespace

std::span<const HandlerEntry> sequence_handlers() { return kSequencesHandlers; }

}  // namespace arenascope::models
