// SPDX-License-Identifier: MIT
// ONNX's DictVectorizer and CastMap: the values of a map, ordered by a list of keys or by the keys themselves.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxMapped = int64_t{1} << 20;  // elements of a result

// The keys of input 0; null, with an error, if it is not a map.
const Value* keys_of(OpCall& c) {
  const Value& map = c.value(0);
  if (!c.ok()) return nullptr;
  if (map.keys && map.keys->array && map.sizes.rank() == 1) return map.keys.get();
  c.fail(fmt::format("'{}' is not a map", map.name));
  return nullptr;
}

// A row of the map's values at these indices; an index of -1 gives 0 or an empty string.
ValuePtr values_at(OpCall& c, std::vector<int64_t> indices) {
  const ValuePtr& map = c.inputs()[0];
  const int64_t count = map->sizes[0];
  HostArray nothing = HostArray::make(map->dtype, {1});
  std::vector<ValuePtr> parts{std::make_shared<Value>(*map),
                              c.lowering().make_constant(c.name_of(":nothing"), std::move(nothing))};
  parts[0]->keys = nullptr;
  if (map->strings) parts[1]->strings = std::make_shared<const std::vector<std::string>>(1, std::string());
  for (int64_t& place : indices)
    if (place < 0 || place >= count) place = count;
  const ValuePtr all = c.concat(parts, 0, ":all");
  if (!all) return nullptr;
  const auto width = static_cast<int64_t>(indices.size());
  const Tensor index = c.constant(HostArray::of(std::move(indices)), ":places");
  const Tensor line = c.op_with(Op::Gather, {c.tensor_of(all), index}, AxisParams{0}, ":line");
  const Tensor made = c.reshape(line, {1, width}, ":made");
  return made ? value_like(*all, c.name_of(":made"), made) : nullptr;
}

void dict_vectorizer(OpCall& c) {
  const Value* keys = keys_of(c);
  if (!keys) return;
  std::unordered_map<std::string, int64_t> indices;
  const auto text = [&](int64_t i) {
    const int64_t key = keys->array->integer(i);
    return keys->strings ? std::string(string_at(keys->strings, key)) : fmt::format("{}", key);
  };
  for (int64_t i = 0; i < keys->array->count(); ++i) indices.emplace(text(i), i);
  std::vector<std::string> vocabulary;
  if (const auto* string_table = c.attr("string_vocabulary"); string_table && keys->strings)
    vocabulary = string_table->strings;
  if (const auto* numbers = c.attr("int64_vocabulary"); numbers && !keys->strings)
    for (const int64_t number : numbers->ints) vocabulary.push_back(fmt::format("{}", number));
  if (vocabulary.empty()) return c.fail("its vocabulary is not of the type of the map's keys");
  std::vector<int64_t> positions;
  for (const std::string& key : vocabulary) {
    const auto found = indices.find(key);
    positions.push_back(found == indices.end() ? -1 : found->second);
  }
  if (ValuePtr made = values_at(c, std::move(positions))) c.out(0, std::move(made));
}

// Dense: in ascending order of the keys. Sparse: each value at the index that is its key.
void cast_map(OpCall& c) {
  const Value* keys = keys_of(c);
  if (!keys) return;
  if (keys->strings) return c.fail("its map has keys that are strings");
  const std::vector<int64_t>& numbers = keys->array->ints;
  std::vector<int64_t> positions;
  const std::string form = c.attr_string("map_form", "DENSE"), to = c.attr_string("cast_to", "TO_FLOAT");
  if (form == "SPARSE") {
    const int64_t most = c.attr_int("max_map", 1);
    if (most < 1 || most > kMaxMapped) return c.fail(fmt::format("max_map is {}: expected 1 to {}", most, kMaxMapped));
    positions.assign(static_cast<size_t>(most), -1);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < 0 || numbers[i] >= most)
        return c.fail(fmt::format("the key {} is out of range for max_map {}", numbers[i], most));
      positions[static_cast<size_t>(numbers[i])] = static_cast<int64_t>(i);
    }
  } else {
    positions.resize(numbers.size());
    std::iota(positions.begin(), positions.end(), int64_t{0});
    std::stable_sort(positions.begin(), positions.end(), [&](int64_t a, int64_t b) {
      return numbers[static_cast<size_t>(a)] < numbers[static_cast<size_t>(b)];
    });
  }
  if (form != "SPARSE" && form != "DENSE")
    return c.fail(fmt::format("the map_form '{}' is not supported: expected SPARSE or DENSE", form));
  ir::Node cast = c.node();
  cast.op = "Cast", cast.domain.clear();
  cast.attributes.clear();
  cast.opset = 21;
  cast.attributes["to"].i = to == "TO_FLOAT" ? 1 : to == "TO_INT64" ? 7 : to == "TO_STRING" ? ir::kStringType : 0;
  const ValuePtr made = values_at(c, std::move(positions));
  if (!made) return;
  OpCall casting(c.lowering(), cast, {made});
  const Handler of_strings = made->strings ? find_string_tensor_handler({}, cast.op) : nullptr;
  (of_strings ? of_strings : find_handler({}, cast.op))(casting);
  c.adopt_results(std::move(casting));
}

constexpr HandlerEntry kMapHandlers[] = {
    {"ai.onnx.ml::CastMap", cast_map},
    {"ai.onnx.ml::DictVectorizer", dict_vectorizer},
};

}  // namespace

std::span<const HandlerEntry> cast_map_dict_vectorizer_handlers() { return kMapHandlers; }

}  // namespace arenascope::models
