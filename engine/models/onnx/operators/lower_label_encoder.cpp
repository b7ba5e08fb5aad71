// SPDX-License-Identifier: MIT
// ONNX's LabelEncoder and CategoryMapper: strings and numbers to strings and numbers, by a list of both.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxCompared = int64_t{1} << 28;  // comparisons of numbers with keys

// A list of strings or numbers; what the encoder maps from or to.
struct Labels {
  bool there = false, strings = false;
  std::vector<std::string> items;
  HostArray numbers = HostArray::make(DType::I64, {0});
  size_t count() const { return strings ? items.size() : static_cast<size_t>(numbers.count()); }
};

Labels labels_of(const ir::TensorData& data) {
  Labels out;
  const bool small = element_count(data.sizes) <= HostArray::kMaxElements;
  out.there = small && (data.dtype || data.strings);
  out.strings = data.strings != nullptr;
  if (!out.there) return out;
  const Dims line{element_count(data.sizes)};
  out.numbers = HostArray::from_bytes(data.dtype.value_or(DType::I64), line, data.bytes().data());
  if (out.strings)
    for (const int64_t place : out.numbers.ints) out.items.emplace_back(string_at(data.strings, place));
  return out;
}

// The attribute "keys" or "values" in any of its types.
Labels read_labels(OpCall& c, const std::string& what) {
  Labels out;
  const auto attribute = [&](const char* kind) { return c.attr((what + kind).c_str()); };
  if (const auto* a = attribute("_tensor"); a && a->tensor) {
    out = labels_of(*a->tensor);
    if (!out.there) c.fail(fmt::format("its '{}_tensor' must be a small tensor of numbers or strings", what));
    return out;
  }
  if (const auto* texts = attribute("_strings")) {
    out.strings = out.there = true;
    out.items = texts->strings;
  } else if (const auto* whole = attribute("_int64s")) {
    out.there = true;
    out.numbers = HostArray::of(whole->ints);
  } else if (const auto* floats = attribute("_floats")) {
    out.there = true;
    out.numbers = HostArray::make(DType::F32, {static_cast<int64_t>(floats->floats.size())});
    for (size_t i = 0; i < floats->floats.size(); ++i) out.numbers.floats[i] = static_cast<double>(floats->floats[i]);
  }
  if (!out.there) c.fail(fmt::format("it has no '{}' that is a list of numbers or strings", what));
  return out;
}

// Appends the default value, for keys that are not listed.
void add_default(OpCall& c, Labels& values) {
  const auto* tensor = c.attr("default_tensor");
  const Labels given = tensor && tensor->tensor ? labels_of(*tensor->tensor) : Labels();
  if (given.there && (given.strings != values.strings || given.count() != 1))
    return c.fail("its 'default_tensor' must have one element of the type of the values");
  if (values.strings)
    return values.items.push_back(given.there ? given.items[0] : c.attr_string("default_string", "_Unused"));
  const int64_t last = values.numbers.count();
  HostArray all = HostArray::make(values.numbers.dtype, {last + 1});
  std::copy(values.numbers.ints.begin(), values.numbers.ints.end(), all.ints.begin());
  std::copy(values.numbers.floats.begin(), values.numbers.floats.end(), all.floats.begin());
  if (given.there)
    all.set(last, given.numbers.number(0));
  else if (all.floating())
    all.set(last, static_cast<double>(c.attr_float("default_float", -0.0f)));
  else
    all.set_integer(last, c.attr_int("default_int64", -1));
  values.numbers = std::move(all);
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The index of the first equal key of each element; the number of keys if there is none.
Tensor compared(OpCall& c, const HostArray& keys) {
  const Tensor x = c.in(0);
  if (!x) return {};
  const int64_t n = x->element_count(), count = keys.count();
  if (count == 0 || n > kMaxCompared / count) {
    c.fail(fmt::format("comparing {} elements with {} keys is not supported", n, count));
    return {};
  }
  HostArray key_values = HostArray::make(x.dtype(), {1, count}), missing = HostArray::make(DType::Bool, {1, count});
  for (int64_t i = 0; i < count; ++i) {
    key_values.floating() ? key_values.set(i, keys.number(i)) : key_values.set_integer(i, keys.integer(i));
    missing.ints[static_cast<size_t>(i)] = std::isnan(keys.number(i)) ? 1 : 0;
  }
  const bool any_missing = std::find(missing.ints.begin(), missing.ints.end(), 1) != missing.ints.end();
  const Tensor column = c.reshape(x, {n, 1}, ":column");
  Tensor same = c.op(Op::Equal, {column, c.constant(std::move(key_values), ":keys")}, ":same");
  if (any_missing && info(x.dtype()).floating) {
    const Tensor none = c.op(Op::IsNan, {column}, ":is_nan");
    same = c.op(Op::Or, {same, c.op(Op::And, {none, c.constant(std::move(missing), ":nan_keys")}, ":both_nan")},
                ":same_or_nan");
  }
  const Tensor hits = c.cast(same, DType::F32, ":hits");
  const Tensor place = c.op_with(Op::ArgMax, {hits}, ArgParams{1, false, false}, ":place");
  const Tensor hit = c.cast(c.op_with(Op::ReduceMax, {hits}, ReduceParams{1u << 1, false}, ":hit"), DType::Bool, ":is");
  const Tensor none = c.scalar(static_cast<double>(count), DType::I64, ":none");
  return c.reshape(c.op(Op::Where, {hit, place, none}, ":which"), x.sizes(), ":places");
}

// The same of numbers that are known.
HostArray found(const HostArray& numbers, const HostArray& keys) {
  HostArray out = HostArray::make(DType::I64, numbers.sizes);
  for (int64_t i = 0; i < numbers.count(); ++i) {
    int64_t key = 0;
    while (key < keys.count() &&
           !(numbers.floating() || keys.floating() ? same_number(numbers.number(i), keys.number(key))
                                                   : numbers.integer(i) == keys.integer(key)))
      ++key;
    out.ints[static_cast<size_t>(i)] = key;
  }
  return out;
}

// String inputs: each distinct string is encoded once.
ValuePtr encoded_strings(OpCall& c, const Labels& keys, const HostArray& table) {
  const StringTable string_table = c.string_table(0);
  if (!string_table) return nullptr;
  StringInterner list;
  std::vector<size_t> first;
  for (size_t k = 0; k < keys.items.size(); ++k)
    if (list.place(keys.items[k]) == static_cast<int64_t>(first.size())) first.push_back(k);
  HostArray own = HostArray::make(table.dtype, {static_cast<int64_t>(string_table->size())});
  for (size_t i = 0; i < string_table->size(); ++i) {
    const int64_t place = list.find((*string_table)[i]);
    const size_t key = place < 0 ? keys.items.size() : first[static_cast<size_t>(place)];
    table.floating() ? own.floats[i] = table.floats[key] : own.ints[i] = table.ints[key];
  }
  return c.lookup(0, std::move(own));
}

ValuePtr encoded_numbers(OpCall& c, const Labels& keys, HostArray table) {
  if (c.value(0).strings) {
    c.fail(fmt::format("its keys are numbers, but '{}' has strings", c.value(0).name));
    return nullptr;
  }
  if (const auto numbers = c.known(0); numbers && numbers->count() <= kMaxCompared / (keys.numbers.count() + 1)) {
    HostArray out = HostArray::make(table.dtype, numbers->sizes);
    const HostArray indices = found(*numbers, keys.numbers);
    for (size_t i = 0; i < indices.ints.size(); ++i) {
      const auto place = static_cast<size_t>(indices.ints[i]);
      table.floating() ? out.floats[i] = table.floats[place] : out.ints[i] = table.ints[place];
    }
    return c.lowering().make_constant(c.name_of(""), std::move(out));
  }
  const Tensor indices = compared(c, keys.numbers);
  if (!indices) return nullptr;
  const Tensor all = c.constant(std::move(table), ":values");
  const Tensor made = c.op_with(Op::Gather, {all, indices}, AxisParams{0});
  return made ? tensor_value(c.name_of(""), made) : nullptr;
}

// The first version had a list of classes, to map strings to indices or back; a mapper's indices are listed too.
void read_classes(OpCall& c, Labels& keys, Labels& values) {
  const auto* classes = c.attr(c.has_attr("cats_strings") ? "cats_strings" : "classes_strings");
  Labels &names = c.value(0).strings ? keys : values, &indices = c.value(0).strings ? values : keys;
  names.there = names.strings = indices.there = true;
  names.items = classes->strings;
  std::vector<int64_t> counted = c.attr_ints("cats_int64s");
  for (size_t i = 0; i < names.items.size() && !c.has_attr("cats_strings"); ++i)
    counted.push_back(static_cast<int64_t>(i));
  indices.numbers = HostArray::of(std::move(counted));
}

void label_encoder(OpCall& c) {
  c.value(0);
  if (!c.ok()) return;
  Labels keys, values;
  if (c.has_attr("classes_strings") || c.has_attr("cats_strings")) {
    read_classes(c, keys, values);
  } else {
    keys = read_labels(c, "keys");
    values = read_labels(c, "values");
  }
  if (!c.ok()) return;
  if (keys.count() != values.count() || keys.count() > static_cast<size_t>(HostArray::kMaxElements))
    return c.fail(fmt::format("it has {} keys and {} values", keys.count(), values.count()));
  add_default(c, values);
  if (!c.ok()) return;
  // Strings are given by their indices into the values.
  StringInterner list;
  HostArray table = values.strings ? HostArray::make(DType::I64, {static_cast<int64_t>(values.items.size())})
                                   : std::move(values.numbers);
  for (size_t i = 0; i < values.items.size() && values.strings; ++i) table.ints[i] = list.place(values.items[i]);
  ValuePtr made = keys.strings ? encoded_strings(c, keys, table) : encoded_numbers(c, keys, std::move(table));
  if (!made) return;
  c.out(0, std::move(made));
  if (values.strings) c.set_string_table(0, list.take());
}

constexpr HandlerEntry kLabelHandlers[] = {{"ai.onnx.ml::CategoryMapper", label_encoder},
                                           {"ai.onnx.ml::LabelEncoder", label_encoder}};

}  // namespace

std::span<const HandlerEntry> label_encoder_handlers() { return kLabelHandlers; }

}  // namespace arenascope::models
