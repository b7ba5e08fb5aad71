// SPDX-License-Identifier: MIT
// Operators of numbers that take strings as well: their places, once both sides count in the same words.
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

// The sources from `first` on, as places among all of their words.
bool with_the_same_words(OpCall& c, size_t first, std::vector<ValuePtr>& sources, Words& all) {
  std::vector<ValuePtr> own;
  for (size_t i = first; i < c.input_count(); ++i) {
    if (!c.words(i)) return false;
    own.push_back(c.inputs()[i]);
  }
  if (!c.join_words(own, all)) return false;
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
    if (!status.ok()) c.refuse(status.error().message);
  }
  return out;
}

void equal_words(OpCall& c) {
  std::vector<ValuePtr> sources;
  Words all;
  if (c.input_count() != 2) return c.refuse("it compares two tensors");
  if (!with_the_same_words(c, 0, sources, all)) return;
  HostArray known;
  if (folded(c, sources, known)) return c.out(0, std::move(known));
  const auto tensors = tensors_of(c, sources);
  if (c.ok()) c.out(0, c.op(Op::Equal, {tensors[0], tensors[1]}));
}

void concat_words(OpCall& c) {
  std::vector<ValuePtr> sources;
  Words all;
  if (!with_the_same_words(c, 0, sources, all)) return;
  HostArray known;
  if (folded(c, sources, known)) {
    c.out(0, std::move(known));
  } else {
    const auto tensors = tensors_of(c, sources);
    if (!c.ok()) return;
    c.out(0, c.op_list(Op::Concat, std::span<const Tensor>(tensors),
                       AxisParams{c.axis(c.attr_int("axis", 0), tensors[0]->rank())}));
  }
  c.mark_words(0, all);
}

void where_words(OpCall& c) {
  if (!c.has(0) || c.input_count() != 3 || c.value(0).words) return c.refuse("it wants a condition and two tensors");
  std::vector<ValuePtr> sources{c.inputs()[0]};
  Words all;
  if (!with_the_same_words(c, 1, sources, all)) return;
  HostArray known;
  if (sources[0]->array) c.known(0);  // so that it is noted where it holds for given inputs
  if (folded(c, sources, known)) {
    c.out(0, std::move(known));
  } else {
    const auto tensors = tensors_of(c, sources);
    if (c.ok()) c.out(0, c.op(Op::Where, {tensors[0], tensors[1], tensors[2]}));
  }
  c.mark_words(0, all);
}

// The operator over places instead of words: what comes of the sources `which` is result 0.
void with_places(OpCall& c, std::vector<ValuePtr> sources, std::initializer_list<size_t> which) {
  std::vector<ValuePtr> own;
  for (const size_t i : which)
    if (i < sources.size() && sources[i]) own.push_back(sources[i]);
  Words all;
  if (own.empty() || !c.join_words(own, all)) return;
  auto joined = own.begin();
  for (const size_t i : which)
    if (i < sources.size() && sources[i]) sources[i] = *joined++;
  OpCall of_numbers(c.lowering(), c.node(), std::move(sources));
  find_handler(c.node().domain, c.node().op)(of_numbers);
  c.take_over(std::move(of_numbers));
  c.mark_words(0, all);
}

ValuePtr one_word(OpCall& c, const std::string& word) {
  ValuePtr value = c.lowering().make_constant(c.name_of(":word"), HostArray::scalar(0));
  value->words = std::make_shared<const std::vector<std::string>>(1, word);
  return value;
}

// What lies outside is an empty string, unless another one is told.
void pad_words(OpCall& c) {
  std::vector<ValuePtr> sources = c.inputs();
  sources.resize(std::max<size_t>(sources.size(), 3));
  if (!sources[2]) sources[2] = one_word(c, "");
  with_places(c, std::move(sources), {0, 2});
}

// In the order of the alphabet.
void unique_words(OpCall& c) {
  const Words words = c.words(0);
  if (!words) return;
  const std::set<std::string> sorted(words->begin(), words->end());
  const auto all = std::make_shared<const std::vector<std::string>>(sorted.begin(), sorted.end());
  HostArray table = HostArray::make(DType::I64, {static_cast<int64_t>(words->size())});
  for (size_t i = 0; i < words->size(); ++i)
    table.ints[i] = std::lower_bound(all->begin(), all->end(), (*words)[i]) - all->begin();
  std::vector<ValuePtr> sources = c.inputs();
  sources[0] = c.look_up(0, std::move(table), ":sorted");
  if (!sources[0]) return;
  sources[0]->words = all;
  with_places(c, std::move(sources), {0});
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

template <class Number>
bool parse(std::string_view text, Number& out) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc() && rest == text.data() + text.size() && !text.empty();
}

// Strings to numbers, each word once.
void cast_from_words(OpCall& c) {
  const auto to = c.attr_type("to", 0);
  const Words words = c.words(0);
  if (!words) return;
  if (to == ir::kStringType) return c.out(0, c.inputs()[0]);
  const auto dtype = ir::to_dtype(to);
  if (!dtype) return c.refuse(fmt::format("it casts strings to {}", ir::type_name(to)));
  HostArray table = HostArray::make(*dtype, {static_cast<int64_t>(words->size())});
  for (size_t i = 0; i < words->size(); ++i) {
    const std::string& text = (*words)[i];
    int64_t whole = 0;
    double number = 0;
    const bool is_whole = !table.floating() && parse(text, whole);
    if (!is_whole && !parse(text, number)) return c.refuse(fmt::format("'{}' is no number", text.substr(0, 64)));
    const auto at = static_cast<int64_t>(i);
    is_whole ? table.set_integer(at, whole) : table.set(at, number);
  }
  if (ValuePtr numbers = c.look_up(0, std::move(table))) c.out(0, std::move(numbers));
}

std::string text_of(const HostArray& numbers, int64_t i) {
  if (!numbers.floating()) return fmt::format("{}", numbers.integer(i));
  const double number = numbers.number(i);
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "INF" : "-INF";
  // With as few digits as tell it from all others of its type.
  return numbers.dtype == DType::F64 ? fmt::format("{}", number) : fmt::format("{}", static_cast<float>(number));
}

// A line of noughts for each string, with a one where its category stands.
void one_hot_words(OpCall& c) {
  const Words words = c.words(0);
  const auto* categories = c.attr("cats_strings");
  if (!words) return;
  if (!categories || categories->strings.empty()) return c.refuse("its categories are no strings");
  const size_t width = categories->strings.size();
  if (words->size() * width > static_cast<size_t>(HostArray::kMaxElements))
    return c.refuse(fmt::format("{} categories of {} words", width, words->size()));
  HostArray table = HostArray::make(DType::F32, {static_cast<int64_t>(words->size()), static_cast<int64_t>(width)});
  for (size_t i = 0; i < words->size(); ++i)
    for (size_t k = 0; k < width; ++k) table.floats[i * width + k] = (*words)[i] == categories->strings[k] ? 1 : 0;
  if (c.sizes(0).rank() == kMaxDims) return c.refuse("its source has too many dimensions");
  c.out(0, c.op_with(Op::Gather, {c.constant(std::move(table), ":words"), c.in(0)}, AxisParams{0}));
}

void first_words(OpCall& c) { with_places(c, c.inputs(), {0}); }

constexpr HandlerEntry kWordHandlers[] = {
    {"Cast", cast_from_words},
    {"Concat", concat_words},
    {"DynamicSlice", first_words},
    {"Equal", equal_words},
    {"OneHot", [](OpCall& c) { with_places(c, c.inputs(), {2}); }},
    {"Pad", pad_words},
    {"Scatter",
     [](OpCall& c) {
       with_places(c, c.inputs(), {0, 2});
     }},
    {"ScatterElements",
     [](OpCall& c) {
       with_places(c, c.inputs(), {0, 2});
     }},
    {"ScatterND",
     [](OpCall& c) {
       with_places(c, c.inputs(), {0, 2});
     }},
    {"TensorScatter",
     [](OpCall& c) {
       with_places(c, c.inputs(), {0, 1});
     }},
    {"Unique", unique_words},
    {"Where", where_words},
    {"ai.onnx.ml::ArrayFeatureExtractor", first_words},
    {"ai.onnx.ml::OneHotEncoder", one_hot_words},
    {"com.microsoft::ExpandDims", first_words},
    {"com.microsoft::GatherND", first_words},
    {"com.microsoft::MurmurHash3", hash_words},
};

}  // namespace

void cast_to_words(OpCall& c) {
  const Value& from = c.value(0);
  if (!c.ok()) return;
  if (from.small != 0) return c.refuse(fmt::format("it casts {} to strings", ir::type_name(from.small)));
  const auto numbers = c.known(0);
  if (!numbers) return c.wait_for(0, fmt::format("'{}' must be known to become strings", from.name), true);
  std::vector<std::string> out;
  for (int64_t i = 0; i < numbers->count(); ++i) out.push_back(text_of(*numbers, i));
  c.out_strings(0, numbers->sizes, out);
}

bool Lowering::reads_words(const ir::Node& node) {
  if (find_word_handler(node.domain, node.op)) return true;
  if (node.domain == "ai.onnx.ml")
    return node.op == "LabelEncoder" || node.op == "CategoryMapper" || node.op == "DictVectorizer" ||
           node.op == "CastMap";
  if (node.domain == "com.microsoft") return node.op == "Tokenizer";
  return node.domain.empty() &&
         (node.op.starts_with("String") || node.op == "RegexFullMatch" || node.op == "TfIdfVectorizer");
}

std::span<const HandlerEntry> word_handlers() { return kWordHandlers; }

}  // namespace arenascope::models
