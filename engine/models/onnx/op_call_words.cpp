// SPDX-License-Identifier: MIT
// What operators ask of sources that hold strings, and how they give strings.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>

namespace arenascope::models {

const Words& OpCall::words(size_t i) {
  static const Words none;
  const Value& from = value(i);
  if (!ok()) return none;
  if (!from.words) refuse(fmt::format("'{}' holds no strings", from.name));
  return from.words;
}

std::optional<std::vector<std::string>> OpCall::strings(size_t i) {
  const Words& among = words(i);
  if (!ok()) return std::nullopt;
  const auto places = known(i);
  if (!places) {
    wait_for(i, fmt::format("the strings of '{}' must be known before it runs", inputs_[i]->name));
    return std::nullopt;
  }
  std::vector<std::string> out;
  out.reserve(places->ints.size());
  for (const int64_t place : places->ints) out.emplace_back(word(among, place));
  return out;
}

void OpCall::out_strings(size_t i, const Dims& sizes, std::span<const std::string> strings) {
  HostArray places = HostArray::make(DType::I64, sizes);
  WordList list;
  for (size_t k = 0; k < strings.size() && k < places.ints.size(); ++k) places.ints[k] = list.place(strings[k]);
  out(i, std::move(places));
  mark_words(i, list.take());
}

void OpCall::mark_words(size_t i, Words words) {
  if (i < outputs_.size() && outputs_[i]) outputs_[i]->words = std::move(words);
}

ValuePtr OpCall::look_up(size_t source, HostArray table, const char* suffix) {
  (void)value(source);
  return ok() ? look_up(inputs_[source], std::move(table), suffix) : nullptr;
}

ValuePtr OpCall::look_up(const ValuePtr& from, HostArray table, const char* suffix) {
  const int64_t count = table.count();
  if (const auto& places = from->array) {
    if (from->for_given_inputs) lowering_.note_fixed_inputs();
    HostArray out = HostArray::make(table.dtype, places->sizes);
    for (int64_t i = 0; i < places->count(); ++i) {
      const int64_t place = places->integer(i);
      if (place < 0 || place >= count) continue;  // of no word, which a tensor of strings has not
      if (table.floating())
        out.floats[static_cast<size_t>(i)] = table.floats[static_cast<size_t>(place)];
      else
        out.ints[static_cast<size_t>(i)] = table.ints[static_cast<size_t>(place)];
    }
    return lowering_.make_constant(name_of(suffix), std::move(out));
  }
  const Tensor places = tensor_of(from);
  if (!places) return nullptr;
  const Tensor all = constant(std::move(table), fmt::format("{}:words", suffix).c_str());
  const Tensor made = op_with(Op::Gather, {all, places}, AxisParams{0}, suffix);
  return made ? tensor_value(name_of(suffix), made) : nullptr;
}

Tensor OpCall::tensor_of(const ValuePtr& value) {
  Status status;
  const Tensor tensor = lowering_.materialise(*value, status);
  if (!status.ok()) refuse(status.error().message);
  return tensor;
}

ValuePtr OpCall::with_axis(const ValuePtr& x, int axis, const std::string& suffix) {
  const Tensor tensor = tensor_of(x);
  if (!tensor) return nullptr;
  if (tensor->rank() >= kMaxDims || !x->wide.empty()) {
    refuse(fmt::format("what is stacked has {} dimensions, of at most {}", std::max<size_t>(x->wide.size(), kMaxDims),
                       kMaxDims - 1));
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

// Places among the words of all.
bool OpCall::join_words(std::vector<ValuePtr>& parts, Words& all) {
  if (std::all_of(parts.begin(), parts.end(), [&](const ValuePtr& p) { return p->words == parts[0]->words; })) {
    all = parts[0]->words;
    return true;
  }
  WordList list;
  for (size_t i = 0; i < parts.size() && ok(); ++i) {
    const Words own = parts[i]->words;
    if (!own) {
      refuse(fmt::format("'{}' holds no strings", parts[i]->name));
      return false;
    }
    HostArray table = HostArray::make(DType::I64, {static_cast<int64_t>(own->size())});
    for (size_t k = 0; k < own->size(); ++k) table.ints[k] = list.place((*own)[k]);
    parts[i] = look_up(parts[i], std::move(table), fmt::format(":words_{}", i).c_str());
    if (!parts[i]) return false;
  }
  all = list.take();
  return ok();
}

ValuePtr OpCall::concat(std::span<const ValuePtr> given, int axis, const char* suffix) {
  std::vector<ValuePtr> parts(given.begin(), given.end());
  const int32_t small = parts[0]->small;
  Words all;
  if (!join_words(parts, all)) return nullptr;
  std::vector<Tensor> tensors;
  for (const ValuePtr& part : parts) {
    if (part->small != small) refuse("what it lays side by side is of different types");
    tensors.push_back(tensor_of(part));
  }
  if (!ok()) return nullptr;
  const Tensor made = tensors.size() == 1
                          ? tensors[0]
                          : op_list(Op::Concat, std::span<const Tensor>(tensors), AxisParams{axis}, suffix);
  if (!made) return nullptr;
  ValuePtr out = tensor_value(name_of(suffix), made);
  out->words = all;
  out->small = small;
  return out;
}

}  // namespace arenascope::models
