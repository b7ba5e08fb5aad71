// SPDX-License-Identifier: MIT
// Inputs and weights of the graph, and constants once an op needs them.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/small_types.h"
#include "engine/models/onnx/sparse_tensors.h"

#include <cstring>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxKnownGiven = 4096;  // elements of an input
// elements of one value that a run computed for the deferred subgraph
constexpr int64_t kMaxKnownDeferred = int64_t{1} << 22;

std::string why_no_sizes(const ir::ValueType& input) {
  if (input.kind == ir::ValueType::Kind::Other) return "is not a tensor";
  if (input.type == ir::kStringType)
    return fmt::format("is a string tensor, which must be given: --input {}=FILE.pb", input.name);
  if (!input.dtype) return fmt::format("has the unsupported type {}", ir::type_name(input.type));
  return input.has_shape ? "has an invalid shape" : "has no shape";
}

}  // namespace

StringTable unknown_strings() { return std::make_shared<const std::vector<std::string>>(); }

std::optional<int64_t> Lowering::symbol_size(const std::string& symbol) const {
  const auto size = symbol.empty() ? std::nullopt : symbols_.of_symbol(symbol);
  return size && size->is_number() && size->constant >= 0 ? std::optional(size->constant) : std::nullopt;
}

std::optional<Dims> Lowering::declared_sizes(const ir::ValueType& type) const {
  if (!type.has_shape || !type.dtype) return std::nullopt;
  std::vector<int64_t> all;
  for (size_t i = 0; i < type.sizes.size(); ++i) {
    const auto size = type.sizes[i] >= 0 ? std::optional(type.sizes[i]) : symbol_size(type.symbols[i]);
    if (!size) return std::nullopt;
    all.push_back(*size);
  }
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

Tensor Lowering::materialise(Value& value, const std::byte* made_of, Status& status) {
  if (value.tensor) return value.tensor;
  if (value.kind != Value::Kind::Constant) {
    status = Error{fmt::format("the value of '{}' is not known", value.name)};
    return {};
  }
  const auto [first, last] = file_leafs_.equal_range(value.name);
  for (auto known = first; known != last; ++known)
    if (const Tensor& leaf = known->second.tensor;
        known->second.made_of == made_of && leaf.dtype() == value.dtype && leaf->sizes == value.sizes)
      return value.tensor = leaf;
  auto tensor = context_.new_tensor(value.dtype, value.sizes, value.name);
  if (!tensor) {
    status = tensor.error();
    return {};
  }
  if (made_of) file_leafs_.emplace(value.name, FileLeaf{made_of, *tensor});
  (*tensor)->flags |= kFlagWeight;
  model_.weights.push_back({*tensor, value.source});
  value.tensor = *tensor;
  return value.tensor;
}

// As declared_sizes(). Free dimensions are recorded; one without a symbol is identified by input and axis.
std::optional<Dims> Lowering::input_sizes(ir::ValueType& type) {
  for (size_t i = 0; i < type.sizes.size(); ++i) {
    if (type.sizes[i] >= 0) continue;
    FreeDimension free{type.name, static_cast<int>(i), type.symbols[i], 1, false};
    const auto specified = options_.dims.find(free.key());
    free.specified = specified != options_.dims.end();
    if (free.specified) free.size = specified->second;
    type.sizes[i] = free.size;
    model_.free_dimensions.push_back(std::move(free));
  }
  return declared_sizes(type);
}

// Sizes of a given input; nullopt and a problem if they do not match the declaration.
std::optional<Dims> Lowering::given_sizes(const std::string& name, const ir::ValueType& type, const Tensor& given) {
  const Dims sizes = given.sizes();
  const bool string_table = options_.strings.count(name) != 0;
  bool fits = type.dtype == given.dtype() && string_table == (type.type == ir::kStringType) &&
              options_.complex.contains(name) == (type.type == ir::kComplex64) &&
              (!type.has_shape || type.sizes.size() == static_cast<size_t>(sizes.rank()));
  for (int i = 0; fits && type.has_shape && i < sizes.rank(); ++i)
    fits = type.sizes[static_cast<size_t>(i)] < 0 || type.sizes[static_cast<size_t>(i)] == sizes[i];
  if (type.sizes.size() > kMaxDims)  // it is folded, too
    fits = type.dtype == given.dtype() && ir::fold_outermost(type.sizes) == sizes;
  if (fits) return sizes;
  model_.problems.push_back(
      fmt::format("the given value of input '{}' is {} {}, which does not match the declared type or shape", name,
                  string_table                      ? "strings"
                  : options_.complex.contains(name) ? "complex64"
                                                    : arenascope::name(given.dtype()),
                  to_string(sizes)));
  return std::nullopt;
}

// An input of strings that are not given, as their indices.
Tensor Lowering::string_placeholder(const std::string& name, ir::ValueType type) {
  type.dtype = DType::I64;
  const auto sizes = declared_sizes(type);
  auto tensor = sizes ? context_.new_tensor(DType::I64, *sizes, name) : Result<Tensor>(Tensor());
  if (!tensor || !*tensor) return {};
  (*tensor)->flags |= kFlagInput;
  return std::move(*tensor);
}

// Adds a tensor input or an element of a sequence input. String tensors must be given, as indices into their table.
ValuePtr Lowering::add_tensor_input(const std::string& name, const ir::ValueType& declared) {
  ir::ValueType type = declared;
  const auto string_table = options_.strings.find(name);
  const bool strings = type.type == ir::kStringType && string_table != options_.strings.end();
  if (strings) type.dtype = DType::I64;
  ValueInfo info{name, type.dtype.value_or(DType::F32), {}, {}, {}};
  if (type.type == ir::kStringType) info.strings = strings ? string_table->second : unknown_strings();
  info.complex = type.type == ir::kComplex64;
  auto value = std::make_shared<Value>();
  value->name = name;
  const auto given = options_.inputs.find(name);
  const bool specified = given != options_.inputs.end();
  const auto sizes = specified ? given_sizes(name, type, given->second) : input_sizes(type);
  if (!sizes && !specified) model_.problems.push_back(fmt::format("input '{}' {}", name, why_no_sizes(type)));
  if (sizes) {
    info.sizes = *sizes;
    auto tensor = context_.new_tensor(info.dtype, *sizes, name);
    if (tensor) {
      (*tensor)->flags |= kFlagInput;
      info.tensor = *tensor;
      value->kind = Value::Kind::Tensor;
      value->dtype = info.dtype;
      value->small = ir::remembered_type(type.type);
      value->sizes = *sizes;
      if (type.sizes.size() > kMaxDims) value->full_shape = type.sizes;
      value->tensor = *tensor;
      if (strings) value->strings = info.strings;
      if (specified) value->given = given->second, value->given_inputs = {name};
      const int64_t most = is_continuation_ ? kMaxKnownDeferred : strings ? HostArray::kMaxElements : kMaxKnownGiven;
      if (specified && given->second->contiguous() && given->second->element_count() <= most &&
          (given->second->data() || given->second->element_count() == 0)) {
        value->array = std::make_shared<HostArray>(HostArray::from_bytes(info.dtype, *sizes, given->second->data()));
      }
    } else {
      model_.problems.push_back(fmt::format("input '{}': {}", name, tensor.error().message));
    }
  } else if (type.type == ir::kStringType && !specified) {
    value->placeholder = string_placeholder(name, type);
    if (value->placeholder) info.sizes = value->placeholder.sizes();
  }
  model_.inputs.push_back(std::move(info));
  return value;
}

// Adds a map input: the values are an input of the graph, the keys must be given.
ValuePtr Lowering::add_map_input(const ir::ValueType& type) {
  const std::string name = GivenInputs::keys_of(type.name);
  const auto given = options_.inputs.find(name);
  if (given == options_.inputs.end() || given->second->element_count() > HostArray::kMaxElements) {
    model_.problems.push_back(
        fmt::format("input '{}' is a map, which must be given: --input {}=FILE.pb", type.name, type.name));
    auto value = std::make_shared<Value>();
    value->name = type.name;
    return value;
  }
  const Tensor& keys = given->second;
  ir::ValueType values = type;  // the declared type is that of one entry
  values.has_shape = false;
  ValuePtr value = add_tensor_input(type.name, values);
  value->keys = make_constant(name, HostArray::from_bytes(keys.dtype(), keys.sizes(), keys->data()));
  if (const auto string_table = options_.strings.find(name); string_table != options_.strings.end())
    value->keys->strings = string_table->second;
  fixed_inputs_.insert(name);
  return value;
}

void Lowering::add_input(const ir::ValueType& type) {
  using Kind = ir::ValueType::Kind;
  if (type.kind == Kind::Map) return define(type.name, add_map_input(type));
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
    model_.problems.push_back(fmt::format("input '{}' is a sequence of tensors, which must be given", type.name));
  define(type.name, std::move(value));
}

void Lowering::add_weight(const ir::TensorData& data) {
  auto value = std::make_shared<Value>();
  value->name = data.name;
  if (data.dtype || data.strings) {
    value->kind = Value::Kind::Constant;
    value->dtype = data.dtype.value_or(DType::I64);
    value->strings = data.strings;
    value->small = ir::remembered_type(data.type);
    value->sizes = data.sizes;
    value->full_shape = data.full_shape;
    value->source = data.source;
    value->array = ir::known_numbers(data, value->dtype);
  } else {
    complete_ = false;
    model_.problems.push_back(fmt::format("weight '{}' has the unsupported type {}", data.name,
                                          data.type ? ir::type_name(data.type) : "sparse"));
  }
  define(data.name, std::move(value));
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

}  // namespace arenascope::models
