// SPDX-License-Identifier: MIT
// Reading and writing string tensors.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>

namespace arenascope::models {

const StringTable& OpCall::string_table(size_t i) {
  static const StringTable none;
  const Value& from = value(i);
  if (!ok()) return none;
  if (!from.strings) fail(fmt::format("'{}' is not a string tensor", from.name));
  return from.strings;
}

std::optional<std::vector<std::string>> OpCall::strings(size_t i) {
  const StringTable& among = string_table(i);
  if (!ok()) return std::nullopt;
  const auto indices = known(i);
  if (!indices) {
    wait_for(i, fmt::format("the strings of '{}' must be known at compile time", inputs_[i]->name));
    return std::nullopt;
  }
  std::vector<std::string> out;
  out.reserve(indices->ints.size());
  for (const int64_t place : indices->ints) out.emplace_back(string_at(among, place));
  return out;
}

void OpCall::out_strings(size_t i, const Dims& sizes, std::span<const std::string> strings) {
  HostArray indices = HostArray::make(DType::I64, sizes);
  StringInterner list;
  for (size_t k = 0; k < strings.size() && k < indices.ints.size(); ++k) indices.ints[k] = list.place(strings[k]);
  out(i, std::move(indices));
  set_string_table(i, list.take());
}

void OpCall::set_string_table(size_t i, StringTable string_table) {
  if (i < outputs_.size() && outputs_[i]) outputs_[i]->strings = std::move(string_table);
}

ValuePtr OpCall::lookup(size_t source, HostArray table, const char* suffix) {
  (void)value(source);
  return ok() ? lookup(inputs_[source], std::move(table), suffix) : nullptr;
}

ValuePtr OpCall::lookup(const ValuePtr& from, HostArray table, const char* suffix) {
  const int64_t count = table.count();
  if (const auto& indices = from->array) {
    lowering_.note_fixed_inputs(*from);
    HostArray out = HostArray::make(table.dtype, indices->sizes);
    for (int64_t i = 0; i < indices->count(); ++i) {
      const int64_t place = indices->integer(i);
      if (place < 0 || place >= count) continue;  // an invalid index, which string tensors do not contain
      if (table.floating())
        out.floats[static_cast<size_t>(i)] = table.floats[static_cast<size_t>(place)];
      else
        out.ints[static_cast<size_t>(i)] = table.ints[static_cast<size_t>(place)];
    }
    return lowering_.make_constant(name_of(suffix), std::move(out));
  }
  const Tensor indices = tensor_of(from);
  if (!indices) return nullptr;
  const Tensor all = constant(std::move(table), fmt::format("{}:words", suffix).c_str());
  const Tensor made = op_with(Op::Gather, {all, indices}, AxisParams{0}, suffix);
  return made ? tensor_value(name_of(suffix), made) : nullptr;
}

Tensor OpCall::tensor_of(const ValuePtr& value) {
  Status status;
  const Tensor tensor = lowering_.materialise(*value, status);
  if (!status.ok()) fail(status.error().message);
  return tensor;
}

ValuePtr OpCall::with_axis(const ValuePtr& x, int axis, const std::string& suffix) {
  const Tensor tensor = tensor_of(x);
  if (!tensor) return nullptr;
  if (tensor->rank() >= kMaxDims || !x->full_shape.empty()) {
    fail(fmt::format("cannot stack tensors of {} dimensions: at most {} are supported",
                     std::max<size_t>(x->full_shape.size(), kMaxDims), kMaxDims - 1));
    return nullptr;
  }
  Dims sizes;
  for (int d = 0; d <= tensor->rank(); ++d) {
    if (d == axis) sizes.push_back(1);
    if (d < tensor->rank()) sizes.push_back(tensor.sizes()[d]);
  }
  const Tensor made = reshape(tensor, sizes, suffix.c_str());
  return made ? value_like(*x, name_of(suffix.c_str()), made) : nullptr;
}

// Indices into the merged string table.
bool OpCall::unify_string_tables(std::vector<ValuePtr>& parts, StringTable& all) {
  if (std::all_of(parts.begin(), parts.end(), [&](const ValuePtr& p) { return p->strings == parts[0]->strings; })) {
    all = parts[0]->strings;
    return true;
  }
  StringInterner list;
  for (size_t i = 0; i < parts.size() && ok(); ++i) {
    const StringTable own = parts[i]->strings;
    if (!own) {
      fail(fmt::format("'{}' is not a string tensor", parts[i]->name));
      return false;
    }
    HostArray table = HostArray::make(DType::I64, {static_cast<int64_t>(own->size())});
    for (size_t k = 0; k < own->size(); ++k) table.ints[k] = list.place((*own)[k]);
    parts[i] = lookup(parts[i], std::move(table), fmt::format(":words_{}", i).c_str());
    if (!parts[i]) return false;
  }
  all = list.take();
  return ok();
}

ValuePtr OpCall::concat(std::span<const ValuePtr> given, int axis, const char* suffix) {
  std::vector<ValuePtr> parts(given.begin(), given.end());
  const int32_t small = parts[0]->small;
  StringTable all;
  if (!unify_string_tables(parts, all)) return nullptr;
  std::vector<Tensor> tensors;
  for (const ValuePtr& part : parts) {
    if (part->small != small) fail("the concatenated tensors have different types");
    tensors.push_back(tensor_of(part));
  }
  if (!ok()) return nullptr;
  const Tensor made = tensors.size() == 1
                          ? tensors[0]
                          : op_list(Op::Concat, std::span<const Tensor>(tensors), AxisParams{axis}, suffix);
  if (!made) return nullptr;
  ValuePtr out = tensor_value(name_of(suffix), made);
  out->strings = all;
  out->small = small;
  return out;
}

}  // namespace arenascope::models
