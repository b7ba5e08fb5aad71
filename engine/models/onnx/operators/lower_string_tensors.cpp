// SPDX-License-Identifier: MIT
// Operators of numbers that also accept strings: they compute with string indices, after both operands use one string table.
#include <arenascope/base/trimmed.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/small_types.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {
namespace {

// The inputs from `first` on, as indices into all of their words.
bool with_same_string_table(OpCall& c, size_t first, std::vector<ValuePtr>& sources, StringTable& all) {
  std::vector<ValuePtr> own;
  for (size_t i = first; i < c.input_count(); ++i) {
    if (!c.string_table(i)) return false;
    own.push_back(c.inputs()[i]);
  }
  if (!c.unify_string_tables(own, all)) return false;
  sources.insert(sources.end(), own.begin(), own.end());
  return true;
}

// The operator over what is known; false: something is not.
bool folded(OpCall& c, const std::vector<ValuePtr>& sources, HostArray& out) {
  std::vector<const HostArray*> arrays;
  for (const ValuePtr& source : sources) {
    if (!source->array) return false;
    arrays.push_back(source->array.get());
  }
  for (const ValuePtr& source : sources) c.lowering().note_fixed_inputs(*source);
  const FoldCall call{c.node().op,
                      c.opset(),
                      arrays,
                      [&](const char* name, int64_t fallback) { return c.attr_int(name, fallback); },
                      [&](const char* name) { return c.attr_ints(name); },
                      [&](const char* name) { return c.has_attr(name); },
                      1};
  auto made = fold(call);
  if (!made) return false;
  out = std::move((*made)[0]);
  return true;
}

std::vector<Tensor> tensors_of(OpCall& c, const std::vector<ValuePtr>& sources) {
  std::vector<Tensor> out;
  for (const ValuePtr& source : sources) {
    Status status;
    out.push_back(c.lowering().materialise(*source, status));
    if (!status.ok()) c.fail(status.error().message);
  }
  return out;
}

void equal_strings(OpCall& c) {
  std::vector<ValuePtr> sources;
  StringTable all;
  if (c.input_count() != 2) return c.fail("a comparison needs two inputs");
  if (!with_same_string_table(c, 0, sources, all)) return;
  HostArray known;
  if (folded(c, sources, known)) return c.out(0, std::move(known));
  const auto tensors = tensors_of(c, sources);
  if (c.ok()) c.out(0, c.op(Op::Equal, {tensors[0], tensors[1]}));
}

void concat_strings(OpCall& c) {
  std::vector<ValuePtr> sources;
  StringTable all;
  if (!with_same_string_table(c, 0, sources, all)) return;
  HostArray known;
  if (folded(c, sources, known)) {
    c.out(0, std::move(known));
  } else {
    const auto tensors = tensors_of(c, sources);
    if (!c.ok()) return;
    c.out(0, c.op_list(Op::Concat, std::span<const Tensor>(tensors),
                       AxisParams{c.axis(c.attr_int("axis", 0), tensors[0]->rank())}));
  }
  c.set_string_table(0, all);
}

void where_strings(OpCall& c) {
  if (!c.has(0) || c.input_count() != 3 || c.value(0).strings)
    return c.fail("its inputs must be a condition and two tensors");
  std::vector<ValuePtr> sources{c.inputs()[0]};
  StringTable all;
  if (!with_same_string_table(c, 1, sources, all)) return;
  HostArray known;
  if (folded(c, sources, known)) {
    c.out(0, std::move(known));
  } else {
    const auto tensors = tensors_of(c, sources);
    if (c.ok()) c.out(0, c.op(Op::Where, {tensors[0], tensors[1], tensors[2]}));
  }
  c.set_string_table(0, all);
}

// Lowers the operator over string indices; the inputs `which` and result 0 are strings.
void with_indices(OpCall& c, std::vector<ValuePtr> sources, std::initializer_list<size_t> which) {
  std::vector<ValuePtr> own;
  for (const size_t i : which)
    if (i < sources.size() && sources[i]) own.push_back(sources[i]);
  StringTable all;
  if (own.empty() || !c.unify_string_tables(own, all)) return;
  auto joined = own.begin();
  for (const size_t i : which)
    if (i < sources.size() && sources[i]) sources[i] = *joined++;
  OpCall of_numbers(c.lowering(), c.node(), std::move(sources));
  find_handler(c.node().domain, c.node().op)(of_numbers);
  c.adopt_results(std::move(of_numbers));
  c.set_string_table(0, all);
}

ValuePtr one_word(OpCall& c, const std::string& word) {
  ValuePtr value = c.lowering().make_constant(c.name_of(":word"), HostArray::scalar(0));
  value->strings = std::make_shared<const std::vector<std::string>>(1, word);
  return value;
}

// Elements outside are empty strings, or the given one.
void pad_strings(OpCall& c) {
  std::vector<ValuePtr> sources = c.inputs();
  sources.resize(std::max<size_t>(sources.size(), 3));
  if (!sources[2]) sources[2] = one_word(c, "");
  with_indices(c, std::move(sources), {0, 2});
}

// In the order of the alphabet.
void unique_strings(OpCall& c) {
  const StringTable string_table = c.string_table(0);
  if (!string_table) return;
  const std::set<std::string> sorted(string_table->begin(), string_table->end());
  const auto all = std::make_shared<const std::vector<std::string>>(sorted.begin(), sorted.end());
  HostArray table = HostArray::make(DType::I64, {static_cast<int64_t>(string_table->size())});
  for (size_t i = 0; i < string_table->size(); ++i)
    table.ints[i] = std::lower_bound(all->begin(), all->end(), (*string_table)[i]) - all->begin();
  std::vector<ValuePtr> sources = c.inputs();
  sources[0] = c.lookup(0, std::move(table), ":sorted");
  if (!sources[0]) return;
  sources[0]->strings = all;
  with_indices(c, std::move(sources), {0});
}

template <class Number>
bool parse(std::string_view text, Number& out) {
  text = trimmed(text, " \t\n\r\v\f");
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc() && rest == text.data() + text.size() && !text.empty();
}

// Strings to numbers, each word once.
void cast_from_strings(OpCall& c) {
  const auto to = c.attr_type("to", 0);
  const StringTable string_table = c.string_table(0);
  if (!string_table) return;
  if (to == ir::kStringType) return c.out(0, c.inputs()[0]);
  const auto dtype = ir::to_dtype(to);
  if (!dtype) return c.fail(fmt::format("a cast from strings to {} is not supported", ir::type_name(to)));
  HostArray table = HostArray::make(*dtype, {static_cast<int64_t>(string_table->size())});
  for (size_t i = 0; i < string_table->size(); ++i) {
    const std::string& text = (*string_table)[i];
    int64_t whole = 0;
    double number = 0;
    const bool is_whole = !table.floating() && parse(text, whole);
    if (!is_whole && !parse(text, number)) return c.fail(fmt::format("'{}' is not a number", text.substr(0, 64)));
    const auto at = static_cast<int64_t>(i);
    is_whole ? table.set_integer(at, whole) : table.set(at, number);
  }
  if (ValuePtr numbers = c.lookup(0, std::move(table))) c.out(0, std::move(numbers));
}

std::string text_of(const HostArray& numbers, int64_t i) {
  if (!numbers.floating()) return fmt::format("{}", numbers.integer(i));
  const double number = numbers.number(i);
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "INF" : "-INF";
  // With the fewest digits that identify the number in its type.
  return numbers.dtype == DType::F64 ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number));
}

// A row of zeros for each string, with a one at the index of its category.
void one_hot_strings(OpCall& c) {
  const StringTable string_table = c.string_table(0);
  const auto* categories = c.attr("cats_strings");
  if (!string_table) return;
  if (!categories || categories->strings.empty()) return c.fail("its categories must be strings");
  const size_t width = categories->strings.size();
  if (string_table->size() * width > static_cast<size_t>(HostArray::kMaxElements))
    return c.fail(
        fmt::format("{} categories of {} strings exceed the limit of a constant", width, string_table->size()));
  HostArray table =
      HostArray::make(DType::F32, {static_cast<int64_t>(string_table->size()), static_cast<int64_t>(width)});
  for (size_t i = 0; i < string_table->size(); ++i)
    for (size_t k = 0; k < width; ++k)
      table.floats[i * width + k] = (*string_table)[i] == categories->strings[k] ? 1 : 0;
  if (c.sizes(0).rank() == kMaxDims) return c.fail("its input has too many dimensions");
  c.out(0, c.op_with(Op::Gather, {c.constant(std::move(table), ":words"), c.in(0)}, AxisParams{0}));
}

void first_strings(OpCall& c) { with_indices(c, c.inputs(), {0}); }

constexpr HandlerEntry kWordHandlers[] = {
    {"Cast", cast_from_strings},
    {"Concat", concat_strings},
    {"DynamicSlice", first_strings},
    {"Equal", equal_strings},
    {"OneHot", [](OpCall& c) { with_indices(c, c.inputs(), {2}); }},
    {"Pad", pad_strings},
    {"Scatter",
     [](OpCall& c) {
       with_indices(c, c.inputs(), {0, 2});
     }},
    {"ScatterElements",
     [](OpCall& c) {
       with_indices(c, c.inputs(), {0, 2});
     }},
    {"ScatterND",
     [](OpCall& c) {
       with_indices(c, c.inputs(), {0, 2});
     }},
    {"TensorScatter",
     [](OpCall& c) {
       with_indices(c, c.inputs(), {0, 1});
     }},
    {"Unique", unique_strings},
    {"Where", where_strings},
    {"ai.onnx.ml::ArrayFeatureExtractor", first_strings},
    {"ai.onnx.ml::OneHotEncoder", one_hot_strings},
    {"com.microsoft::ExpandDims", first_strings},
    {"com.microsoft::GatherND", first_strings},
};

}  // namespace

void cast_to_strings(OpCall& c) {
  const Value& from = c.value(0);
  if (!c.ok()) return;
  if (from.small != 0)
    return c.fail(fmt::format("a cast from {} to strings is not supported", ir::type_name(from.small)));
  const auto numbers = c.known(0);
  if (!numbers) return c.wait_for(0, fmt::format("'{}' must be known to become strings", from.name), true);
  std::vector<std::string> out;
  for (int64_t i = 0; i < numbers->count(); ++i) out.push_back(text_of(*numbers, i));
  c.out_strings(0, numbers->sizes, out);
}

bool Lowering::reads_strings(const ir::Node& node) {
  if (find_string_tensor_handler(node.domain, node.op)) return true;
  if (node.domain == "ai.onnx.ml")
    return node.op == "LabelEncoder" || node.op == "CategoryMapper" || node.op == "DictVectorizer" ||
           node.op == "CastMap";
  return node.domain.empty() &&
         (node.op.starts_with("String") || node.op == "RegexFullMatch" || node.op == "TfIdfVectorizer");
}

std::span<const HandlerEntry> string_tensor_handlers() { return kWordHandlers; }

}  // namespace arenascope::models
