// SPDX-License-Identifier: MIT
// What operators ask of sources that hold strings, and how they give strings.
#include <fmt/format.h>
#include "engine/models/lowering.h"

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
  const int64_t count = table.count();
  if (const auto places = known(source)) {
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
  const Tensor places = in(source);
  if (!places) return nullptr;
  const Tensor all = constant(std::move(table), fmt::format("{}:words", suffix).c_str());
  const Tensor made = op_with(Op::Gather, {all, places}, AxisParams{0}, suffix);
  return made ? tensor_value(name_of(suffix), made) : nullptr;
}

}  // namespace arenascope::models
