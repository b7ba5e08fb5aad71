// SPDX-License-Identifier: MIT
#include "engine/models/lowering.h"
#include <arenascope/base/checked.h>
#include <arenascope/base/layer_name.h>
#include <fmt/format.h>
#include "engine/models/small_types.h"
#include "engine/models/wide_shapes.h"

#include <algorithm>
#include <cstring>

namespace arenascope::models {
namespace {

// Of the graph's descriptors, about a million of them: a file that unrolls into more is a mistake or an attack.
constexpr size_t kMostPoolBytes = size_t{1} << 29;
// The newest opset of each domain whose operators are known.
constexpr std::pair<const char*, int64_t> kNewestOpsets[] = {
    {"", 28}, {"ai.onnx.ml", 5}, {"ai.onnx.preview", 1}, {"ai.onnx.preview.training", 1}};
constexpr int64_t kMostKnownGiven = 4096;               // numbers of an input
constexpr int64_t kMostKnownBehind = int64_t{1} << 22;  // numbers of one value that a run made for the rest of a file

// Operators that give their first source's numbers as they are.
bool moves_small_types(std::string_view op) {
  for (const char* known : {"Identity", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Gather",
                            "Split", "Tile", "Expand", "GatherElements", "GatherND", "Compress"})
    if (op == known) return true;
  return false;
}

// The code of a source's small type where the operator does not know what to do with it: its numbers would be taken for
// those of the type that they are stored as. 0: there is none.
int32_t unread_small_type(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  for (const char* known : {"Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "Shape", "Size"})
    if (node.op == known) return 0;
  for (size_t i = moves_small_types(node.op) ? 1 : 0; i < inputs.size(); ++i)
    if (inputs[i] && inputs[i]->small != 0) return inputs[i]->small;
  return 0;
}

bool is_shape(const ir::Node& node) { return node.op == "Shape" || node.op == "Size"; }

// A source of strings where the operator reads numbers.
const Value* unread_words(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (is_shape(node) || Lowering::reads_words(node)) return nullptr;
  for (size_t i = moves_small_types(node.op) ? 1 : 0; i < inputs.size(); ++i)
    if (inputs[i] && inputs[i]->words) return inputs[i].get();
  return nullptr;
}

std::string why_no_sizes(const ir::ValueType& input) {
  if (input.kind == ir::ValueType::Kind::Other) return "is no tensor";
  if (input.type == ir::kStringType)
    return fmt::format("holds strings, which must be given: --input {}=FILE.pb", input.name);
  if (!input.dtype) return fmt::format("is of type {}", ir::type_name(input.type));
  return input.has_shape ? "has a shape that makes no sense" : "has no shape";
}

// Of what holds strings that are not known.
Words no_words() { return std::make_shared<const std::vector<std::string>>(); }

bool any_words(const std::vector<ValuePtr>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& input) { return input && input->words; });
}

// A source that is no tensor, where the operator reads tensors.
const Value* unread_sequence(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (node.op.starts_with("Sequence") || node.op.starts_with("Optional") || node.op == "ConcatFromSequence" ||
      node.op == "Identity" || node.op == "Loop")
    return nullptr;
  for (const ValuePtr& input : inputs)
    if (input && (input->kind == Value::Kind::Sequence || input->kind == Value::Kind::Nothing)) return input.get();
  return nullptr;
}

std::string full_name(const ir::Node& node) {
  return node.domain.empty() ? node.op : fmt::format("{}::{}", node.domain, node.op);
}

}  // namespace

Lowering::Lowering(ir::File file, const OpenOptions& options) : file_(std::move(file)), options_(options) {}

ValuePtr Lowering::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  return nullptr;
}

int64_t Lowering::dimension(int64_t size, const std::string& symbol) const {
  if (size >= 0) return size;
  const auto given = options_.dims.find(symbol);
  return given != options_.dims.end() && !symbol.empty() ? given->second : 1;
}

std::optional<Dims> Lowering::declared_sizes(const ir::ValueType& type) const {
  if (!type.has_shape || !type.dtype) return std::nullopt;
  std::vector<int64_t> all;
  for (size_t i = 0; i < type.sizes.size(); ++i) all.push_back(dimension(type.sizes[i], type.symbols[i]));
  const auto folded = ir::fold_outermost(all);
  if (!folded) return std::nullopt;
  const Dims& sizes = *folded;
  auto bytes = checked_byte_count(sizes, *type.dtype);
  if (!bytes || *bytes > kMaxTensorBytes) return std::nullopt;
  return sizes;
}

ValuePtr Lowering::make_constant(std::string name, HostArray array) const {
  auto value = std::make_shared<Value>();
  value->name = std::move(name);
  value->kind = Value::Kind::Constant;
  value->dtype = array.dtype;
  value->sizes = array.sizes;
  auto shared = std::make_shared<const HostArray>(std::move(array));
  value->source = WeightSource([shared](std::byte* out) -> Status {
    shared->to_bytes(out);
    return {};
  });
  value->array = std::move(shared);
  return value;
}

Tensor Lowering::materialise(Value& value, Status& status) {
  if (value.tensor) return value.tensor;
  if (value.kind != Value::Kind::Constant) {
    status = Error{fmt::format("'{}' is not known", value.name)};
    return {};
  }
  auto tensor = context_.new_tensor(value.dtype, value.sizes, value.name);
  if (!tensor) {
    status = tensor.error();
    return {};
  }
  (*tensor)->flags |= kFlagWeight;
  model_.parameter_bytes += (*tensor)->byte_count();
  model_.weights.push_back({*tensor, value.source});
  value.tensor = *tensor;
  return value.tensor;
}

// As declared_sizes(); what is left open is noted, and can be told by its place where it has no name.
std::optional<Dims> Lowering::input_sizes(ir::ValueType& type) {
  for (size_t i = 0; i < type.sizes.size(); ++i) {
    if (type.sizes[i] >= 0) continue;
    FreeDimension free{type.name, static_cast<int>(i), type.symbols[i], 1, false};
    const auto told = options_.dims.find(free.key());
    free.told = told != options_.dims.end();
    if (free.told) free.size = told->second;
    type.sizes[i] = free.size;
    model_.free_dimensions.push_back(std::move(free));
  }
  return declared_sizes(type);
}

// Of an input that is given; none, and a problem, where what is given does not fit.
std::optional<Dims> Lowering::given_sizes(const std::string& name, const ir::ValueType& type, const Tensor& given) {
  const Dims sizes = given.sizes();
  const bool words = options_.words.count(name) != 0;
  bool fits = type.dtype == given.dtype() && words == (type.type == ir::kStringType) &&
              (!type.has_shape || type.sizes.size() == static_cast<size_t>(sizes.rank()));
  for (int i = 0; fits && type.has_shape && i < sizes.rank(); ++i)
    fits = type.sizes[static_cast<size_t>(i)] < 0 || type.sizes[static_cast<size_t>(i)] == sizes[i];
  if (type.sizes.size() > kMaxDims)  // it is folded, too
    fits = type.dtype == given.dtype() && ir::fold_outermost(type.sizes) == sizes;
  if (fits) return sizes;
  model_.problems.push_back(fmt::format("the input '{}' was given as {} {}, which does not fit", name,
                                        words ? "strings" : arenascope::name(given.dtype()), to_string(sizes)));
  return std::nullopt;
}

// An input that is one tensor, or an element of a sequence. Of strings: their places, which must be given.
ValuePtr Lowering::add_tensor_input(const std::string& name, const ir::ValueType& declared) {
  ir::ValueType type = declared;
  const auto words = options_.words.find(name);
  const bool strings = type.type == ir::kStringType && words != options_.words.end();
  if (strings) type.dtype = DType::I64;
  ValueInfo info{name, type.dtype.value_or(DType::F32), {}, {}, {}};
  if (type.type == ir::kStringType) info.words = strings ? words->second : no_words();
  auto value = std::make_shared<Value>();
  value->name = name;
  const auto given = options_.inputs.find(name);
  const bool told = given != options_.inputs.end();
  const auto sizes = told ? given_sizes(name, type, given->second) : input_sizes(type);
  if (!sizes && !told) model_.problems.push_back(fmt::format("the input '{}' {}", name, why_no_sizes(type)));
  if (sizes) {
    info.sizes = *sizes;
    auto tensor = context_.new_tensor(info.dtype, *sizes, name);
    if (tensor) {
      (*tensor)->flags |= kFlagInput;
      info.tensor = *tensor;
      value->kind = Value::Kind::Tensor;
      value->dtype = info.dtype;
      value->small = ir::small_type(type.type) ? type.type : 0;
      value->sizes = *sizes;
      if (type.sizes.size() > kMaxDims) value->wide = type.sizes;
      value->tensor = *tensor;
      if (strings) value->words = info.words;
      if (told) value->given = given->second;
      const int64_t most = goes_on_ ? kMostKnownBehind : strings ? HostArray::kMaxElements : kMostKnownGiven;
      if (told && given->second->contiguous() && given->second->element_count() <= most &&
          (given->second->data() || given->second->element_count() == 0)) {
        value->array = std::make_shared<HostArray>(HostArray::from_bytes(info.dtype, *sizes, given->second->data()));
        value->for_given_inputs = true;
      }
    } else {
      model_.problems.push_back(fmt::format("the input '{}': {}", name, tensor.error().message));
    }
  }
  model_.inputs.push_back(std::move(info));
  return value;
}

void Lowering::add_input(const ir::ValueType& type) {
  using Kind = ir::ValueType::Kind;
  const bool optional = type.kind == Kind::Optional || type.kind == Kind::OptionalSequence;
  const bool sequence = type.kind == Kind::Sequence || type.kind == Kind::OptionalSequence;
  const auto given = options_.sequence_lengths.find(type.name);
  const int64_t length = given == options_.sequence_lengths.end() ? -1 : given->second;
  if (!optional && !sequence) return define(type.name, add_tensor_input(type.name, type));
  if (optional && options_.inputs.count(type.name)) return define(type.name, add_tensor_input(type.name, type));
  auto value = std::make_shared<Value>();
  value->name = type.name;
  value->kind = sequence && length >= 0 ? Value::Kind::Sequence
                : optional              ? Value::Kind::Nothing
                                        : Value::Kind::Unknown;
  for (int64_t i = 0; i < length; ++i)
    value->elements.push_back(add_tensor_input(fmt::format("{}[{}]", type.name, i), type));
  if (value->kind == Value::Kind::Unknown)
    model_.problems.push_back(fmt::format("the input '{}' is a sequence of tensors, which must be given", type.name));
  define(type.name, std::move(value));
}

void Lowering::add_weight(const ir::TensorData& data) {
  auto value = std::make_shared<Value>();
  value->name = data.name;
  if (data.dtype || data.words) {
    value->kind = Value::Kind::Constant;
    value->dtype = data.dtype.value_or(DType::I64);
    value->words = data.words;
    value->small = ir::small_type(data.type) ? data.type : 0;
    value->sizes = data.sizes;
    value->wide = data.wide;
    value->source = data.source;
    if (element_count(data.sizes) <= HostArray::kMaxElements)
      value->array = std::make_shared<HostArray>(HostArray::from_bytes(value->dtype, data.sizes, data.bytes().data()));
  } else {
    whole_ = false;
    model_.problems.push_back(fmt::format("the weight '{}' is of type {}, of which there are no tensors", data.name,
                                          data.type ? ir::type_name(data.type) : "sparse"));
  }
  define(data.name, std::move(value));
}

void Lowering::add_problem(const ir::Node& node, const std::string& why) {
  whole_ = false;
  ++model_.unsupported[full_name(node)];
  constexpr size_t kMany = 200;
  if (model_.problems.size() < kMany) model_.problems.push_back(fmt::format("{}: {}", node.label(), why));
}

// Computes the node if all that it reads is known. Results that hold for given inputs only come beside a lowered node.
bool Lowering::fold_node(const ir::Node& node, const std::vector<ValuePtr>& inputs, int64_t opset,
                         std::vector<ValuePtr>& results) {
  if (!node.domain.empty() || !can_fold(node.op) || inputs.empty()) return false;
  if (node.outputs.size() != 1 && node.op != "Split") return false;
  std::vector<const HostArray*> arrays;
  bool given = false;
  for (const ValuePtr& input : inputs) {
    if (input && !input->array) return false;
    if (input && input->words && !is_shape(node) && !moves_small_types(node.op)) return false;
    arrays.push_back(input ? input->array.get() : nullptr);
    given = given || (input && input->for_given_inputs);
  }
  HostArray fill = HostArray::scalar_f32(0);
  if (node.op == "ConstantOfShape") {
    if (const auto found = node.attributes.find("value"); found != node.attributes.end() && found->second.tensor) {
      const ir::TensorData& t = *found->second.tensor;
      if (!t.dtype || element_count(t.sizes) != 1) return false;
      fill = HostArray::from_bytes(*t.dtype, t.sizes, t.bytes().data());
    }
    arrays.push_back(&fill);
  }
  const auto attribute = [&](const char* name) -> const ir::Attribute* {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : &found->second;
  };
  const FoldCall call{node.op,
                      opset,
                      arrays,
                      [&](const char* name, int64_t fallback) {
                        const auto* a = attribute(name);
                        return a ? a->i : fallback;
                      },
                      [&](const char* name) {
                        const auto* a = attribute(name);
                        return a ? a->ints : std::vector<int64_t>();
                      },
                      [&](const char* name) { return attribute(name) != nullptr; },
                      node.outputs.size()};
  auto folded = fold(call);
  if (!folded) return false;
  for (size_t i = 0; i < folded->size(); ++i) {
    results.push_back(make_constant(node.outputs[i], std::move((*folded)[i])));
    results.back()->for_given_inputs = given;
  }
  return true;
}

Result<Tensor> Lowering::dropout_input(uint32_t& sequence) {
  sequence = dropouts_++;
  for (const ValueInfo& input : model_.inputs)
    if (input.name == kDropoutInput) return input.tensor;
  auto tensor = context_.new_tensor(DType::I64, {2}, kDropoutInput);
  if (!tensor) return tensor;
  (*tensor)->flags |= kFlagInput;
  model_.inputs.push_back({kDropoutInput, DType::I64, {2}, *tensor, [](std::byte* to) {
                             std::memset(to, 0, 2 * sizeof(int64_t));
                             return Status();
                           }});
  return tensor;
}

// What a node that cannot be lowered leaves behind: a node that nothing can run, where the file tells its shape.
void Lowering::stand_in(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  std::vector<Tensor> sources;
  for (const ValuePtr& input : inputs) {
    Status status;
    if (!input || (input->kind != Value::Kind::Tensor && input->kind != Value::Kind::Constant)) continue;
    if (Tensor t = materialise(*input, status)) sources.push_back(t);
  }
  for (const std::string& output : node.outputs) {
    if (output.empty()) continue;
    auto value = std::make_shared<Value>();
    value->name = output;
    const auto found = declared_.find(output);
    const auto sizes = found == declared_.end() ? std::nullopt : declared_sizes(*found->second);
    if (sizes) {
      OpParams params;
      params.set(FillParams{*sizes, *found->second->dtype, 0, 0});
      if (auto made = context_.apply(Op::Opaque, sources, params, output)) {
        value->kind = Value::Kind::Tensor;
        value->dtype = made->dtype();
        value->sizes = *sizes;
        value->tensor = *made;
        made_.push_back(*made);
      }
    }
    define(output, std::move(value));
  }
}

// What waits for a value, and all that hangs on it, is opened when the graph before it has run; a graph inside a node with
// that node.
void Lowering::put_off(const ir::Node& node, const std::string& why) {
  if (scopes_.size() == 1) {
    put_off_.push_back(&node);
    if (why_put_off_.empty()) why_put_off_ = fmt::format("{}: {}", node.label(), why);
  } else {
    inner_waits_ = true;
  }
  for (const std::string& output : node.outputs) {
    if (output.empty()) continue;
    auto value = std::make_shared<Value>();
    value->name = output;
    value->waits = true;
    define(output, std::move(value));
  }
}

// Why a node cannot be lowered by the looks of it; empty where it can.
std::string Lowering::refusal(const ir::Node& node, const std::vector<ValuePtr>& inputs) const {
  if (const int32_t small = unread_small_type(node, inputs))
    return fmt::format("it computes in {}", ir::type_name(small));
  if (const Value* strings = unread_words(node, inputs))
    return fmt::format("it computes with numbers, and '{}' holds strings", strings->name);
  if (const Value* list = unread_sequence(node, inputs))
    return fmt::format(
        "'{}' is {}", list->name,
        list->kind == Value::Kind::Nothing ? "an optional value that is not there" : "a sequence of tensors");
  const bool of_words = any_words(inputs) && find_word_handler(node.domain, node.op);
  if (!of_words && !find_handler(node.domain, node.op))
    return fmt::format("there is no operator {} here", full_name(node));
  for (const ValuePtr& input : inputs)
    if (input && !input->wide.empty() && (of_words || !find_wide_handler(node.domain, node.op)))
      return fmt::format("'{}' has {} dimensions, of at most {}", input->name, input->wide.size(), kMaxDims);
  return {};
}

void Lowering::lower_node(const ir::Node& node) {
  ++model_.node_count;
  ++model_.ops[full_name(node)];
  std::vector<ValuePtr> inputs;
  bool blocked = false;
  for (const std::string& name : node.inputs) {
    inputs.push_back(name.empty() ? nullptr : find(name));
    blocked = blocked || (!name.empty() && (!inputs.back() || inputs.back()->kind == Value::Kind::Unknown));
  }
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  if (const std::string why = refusal(node, inputs); !why.empty()) {
    add_problem(node, why);
    return stand_in(node, inputs);
  }
  if (blocked) {
    if (std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& i) { return i && i->waits; }))
      return put_off(node, {});
    whole_ = false;
    return stand_in(node, inputs);
  }
  for (const auto& [name, attribute] : node.attributes)
    if (attribute.odd) {
      add_problem(node, fmt::format("its attribute '{}' is of a kind that is not read here", name));
      return stand_in(node, inputs);
    }
  const auto set = file_.opsets.find(node.domain);
  const int64_t opset = set == file_.opsets.end() ? 1 : set->second;
  const bool wide = std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& i) { return i && !i->wide.empty(); });
  std::vector<ValuePtr> folded;
  if (!wide && fold_node(node, inputs, opset, folded) && !folded[0]->for_given_inputs) {
    for (size_t i = 0; i < folded.size(); ++i) {
      if (moves_small_types(node.op) && inputs[0]) {
        folded[i]->small = inputs[0]->small;
        folded[i]->words = inputs[0]->words;
      }
      define(node.outputs[i], folded[i]);
    }
    return;
  }
  OpCall call(*this, node, opset, inputs);
  if (scopes_.size() == 1) inner_waits_ = false;
  const Handler of_words = any_words(inputs) ? find_word_handler(node.domain, node.op) : nullptr;
  const Handler of_numbers = wide ? find_wide_handler(node.domain, node.op) : find_handler(node.domain, node.op);
  (of_words ? of_words : of_numbers)(call);
  Status status = call.status();
  if (status.ok())
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty() && !call.outputs()[i])
        status = Error{fmt::format("its result '{}' is not made here", node.outputs[i])};
  if (!status.ok()) {
    if (call.later() && scopes_.size() == 1) return put_off(later_.emplace_back(*call.later()), status.error().message);
    if (call.waits() || inner_waits_) return put_off(node, status.error().message);
    add_problem(node, status.error().message);
    return stand_in(node, inputs);
  }
  define_results(node, inputs, call.outputs(), folded);
}

// `folded` are the same results computed from the inputs that were given while opening, if they could be.
void Lowering::define_results(const ir::Node& node, const std::vector<ValuePtr>& inputs,
                              const std::vector<ValuePtr>& results, const std::vector<ValuePtr>& folded) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    const ValuePtr& made = results[i];
    if (moves_small_types(node.op) && !inputs.empty() && inputs[0] && made->dtype == inputs[0]->dtype) {
      made->small = inputs[0]->small;
      if (inputs[0]->words) made->words = inputs[0]->words;
    }
    if (i < folded.size() && made->kind == Value::Kind::Tensor && made->sizes == folded[i]->sizes && !made->array) {
      made->array = folded[i]->array;
      made->for_given_inputs = true;
    }
    if (made->tensor && made->kind == Value::Kind::Tensor) made_.push_back(made->tensor);
    const bool drawn = draws_numbers(node) || std::any_of(inputs.begin(), inputs.end(),
                                                          [](const ValuePtr& input) { return input && input->random; });
    if (drawn) made->random = true;
    define(node.outputs[i], made);
  }
}

void Lowering::lower_nodes(const ir::Graph& graph, bool outermost) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (outermost) set_layer(layers_[i]);
    lower_node(graph.nodes[i]);
  }
}

void Lowering::set_layer(std::string layer) {
  layer_ = std::move(layer);
  context_.set_layer(layer_);
}

Lowering::Within::Within(Lowering& lowering, std::string_view part) : lowering_(lowering), before_(lowering.layer_) {
  lowering_.set_layer(before_.empty() ? std::string(part) : fmt::format("{}{}{}", before_, kWithinLayer, part));
}

Lowering::Within::~Within() { lowering_.set_layer(std::move(before_)); }

Result<std::vector<ValuePtr>> Lowering::lower_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs) {
  scopes_.emplace_back();
  for (size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i) define(graph.inputs[i].name, inputs[i]);
  for (const ir::TensorData& weight : graph.weights) add_weight(weight);
  lower_nodes(graph, false);
  std::vector<ValuePtr> outputs;
  for (const ir::ValueType& output : graph.outputs) outputs.push_back(find(output.name));
  scopes_.pop_back();
  for (const ValuePtr& output : outputs)
    if (!output || output->kind == Value::Kind::Unknown) return Error{"a result of the graph inside it is not known"};
  return outputs;
}

Result<std::vector<ValuePtr>> Lowering::try_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs) {
  const auto problems = model_.problems;
  const auto unsupported = model_.unsupported;
  const auto ops = model_.ops;
  const auto count = model_.node_count;
  const auto made = made_.size();
  const bool whole = whole_, waits = inner_waits_;
  auto out = lower_subgraph(graph, inputs);
  model_.problems = problems, model_.unsupported = unsupported, model_.ops = ops, model_.node_count = count;
  made_.resize(made);
  whole_ = whole, inner_waits_ = waits;
  return out;
}

// Results that are given tensors, or stand there twice, are copied: each output owns its bytes.
Status Lowering::add_output(const std::string& name, const ir::ValueType& type, const ValuePtr& value,
                            std::vector<Tensor>& roots) {
  ValueInfo info{name, type.dtype.value_or(DType::F32), {}, {}, {}};
  if (value && value->kind != Value::Kind::Unknown) {
    Status status;
    Tensor tensor = materialise(*value, status);
    if (!tensor) return status;
    const TensorImpl* owner = tensor->is_view() ? tensor->view_source : tensor.impl();
    const bool twice = std::find(roots.begin(), roots.end(), tensor) != roots.end();
    if (owner->op == Op::None || twice || !tensor->contiguous()) {
      const Tensor sources[] = {tensor};
      auto copy = context_.apply(tensor->contiguous() ? Op::Copy : Op::Cont, sources, {}, name);
      if (!copy) return copy.error();
      tensor = *copy;
    }
    tensor.set_flag(kFlagOutput);
    info.dtype = tensor.dtype();
    info.sizes = tensor.sizes();
    info.tensor = tensor;
    info.words = value->words;
    roots.push_back(tensor);
    if (value->random) model_.random_outputs.push_back(name);
  } else {
    whole_ = false;
    if (type.type == ir::kStringType) info.words = no_words();
    if (type.sizes.size() <= kMaxDims)
      for (const int64_t size : type.sizes) info.sizes.push_back(size);
    if (model_.problems.empty()) model_.problems.push_back(fmt::format("the output '{}' cannot be computed", name));
  }
  model_.outputs.push_back(std::move(info));
  return {};
}

Status Lowering::finish_graph() {
  std::vector<Tensor> roots;
  context_.set_layer({});
  // As long as nothing is made, or something else fails, the rest would never be opened.
  if (!put_off_.empty() && (!whole_ || (goes_on_ && later_.empty() && put_off_.size() == file_.graph.nodes.size()))) {
    whole_ = false;
    ++model_.unsupported[full_name(*put_off_.front())];
    model_.problems.push_back(why_put_off_);
  }
  for (const ir::ValueType& type : file_.graph.outputs) {
    const ValuePtr value = find(type.name);
    if (value && (value->kind == Value::Kind::Nothing || (value->waits && whole_))) continue;
    if (!value || value->kind != Value::Kind::Sequence) {
      if (auto ok = add_output(type.name, type, value, roots); !ok) return ok;
      continue;
    }
    for (size_t i = 0; i < value->elements.size(); ++i)
      if (auto ok = add_output(fmt::format("{}[{}]", type.name, i), type, value->elements[i], roots); !ok) return ok;
  }
  if (!put_off_.empty() && whole_)
    if (auto ok = make_rest(roots); !ok) return ok;
  if (!whole_) roots.insert(roots.end(), made_.begin(), made_.end());
  if (roots.empty()) return {};
  auto graph = context_.new_graph(context_.use().objects);
  if (!graph) return graph.error();
  for (const Tensor& root : roots)
    if (auto done = graph->expand(root); !done) return done;
  model_.graph = std::move(*graph);
  return {};
}

Result<Model> Lowering::run() { return lower({}); }

Result<Model> Lowering::go_on(std::span<const ValuePtr> known) {
  goes_on_ = true;
  return lower(known);
}

Result<Model> Lowering::lower(std::span<const ValuePtr> known) {
  layers_ = name_layers(file_.graph);
  auto context = Context::create({.no_alloc = true, .grow = true, .mem_limit = kMostPoolBytes});
  if (!context) return context.error();
  context_ = std::move(*context);
  scopes_.resize(1);
  model_.format = "onnx";
  for (const auto& [domain, newest] : kNewestOpsets)
    if (const auto set = file_.opsets.find(domain); set != file_.opsets.end() && set->second > newest)
      model_.problems.push_back(fmt::format("it is written for opset {}{}{}, of which operators up to {} are known",
                                            set->second, *domain ? " of " : "", domain, newest));
  for (const ir::ValueType& value : file_.graph.values) declared_[value.name] = &value;
  for (const ir::ValueType& value : file_.graph.outputs) declared_[value.name] = &value;
  for (const ir::ValueType& input : file_.graph.inputs) add_input(input);
  for (const ir::TensorData& weight : file_.graph.weights) add_weight(weight);
  for (const ValuePtr& value : known) define(value->name, value);
  lower_nodes(file_.graph, true);
  const Status finished = finish_graph();
  if (context_.use().pool_bytes == kMostPoolBytes) return Error{"its graph needs more room than is reasonable"};
  if (!finished.ok()) return finished.error();
  if (uses_given_)
    for (const auto& [name, tensor] : options_.inputs) model_.fixed_inputs.push_back(name);
  model_.context = context_;
  return std::move(model_);
}

}  // namespace arenascope::models
