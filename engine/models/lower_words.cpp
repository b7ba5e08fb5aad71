// SPDX-License-Identifier: MIT
// Operators of numbers that take strings as well: their places, once both sides count in the same words.
#include <fmt/format.h>
#include "engine/models/lowering.h"
#include "engine/models/small_types.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {
namespace {

// The sources from `first` on, as places among all of their words.
bool with_the_same_words(OpCall& c, size_t first, std::vector<ValuePtr>& sources, Words& all) {
  WordList list;
  for (size_t i = first; i < c.input_count() && c.ok(); ++i) {
    const Words own = c.words(i);
    if (!own) return false;
    HostArray table = HostArray::make(DType::I64, {static_cast<int64_t>(own->size())});
    for (size_t k = 0; k < own->size(); ++k) table.ints[k] = list.place((*own)[k]);
    ValuePtr places = c.look_up(i, std::move(table), fmt::format(":words_{}", i).c_str());
    if (!places) return false;
    sources.push_back(std::move(places));
  }
  all = list.take();
  return c.ok();
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

constexpr HandlerEntry kWordHandlers[] = {
    {"Cast", cast_from_words},
    {"Concat", concat_words},
    {"Equal", equal_words},
    {"Where", where_words},
    {"ai.onnx.ml::OneHotEncoder", one_hot_words},
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
  if (node.domain == "ai.onnx.ml") return node.op == "LabelEncoder" || node.op == "CategoryMapper";
  return node.domain.empty() &&
         (node.op.starts_with("String") || node.op == "RegexFullMatch" || node.op == "TfIdfVectorizer");
}

std::span<const HandlerEntry> word_handlers() { return kWordHandlers; }

}  // namespace arenascope::models
