// SPDX-License-Identifier: MIT
// ONNX's operators over strings. Elementwise operators process each distinct string once; operators with new shapes
// need strings that are known when the model is opened.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/operators/text.h"
#include "engine/models/tokenizer/utf8.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxStrings = int64_t{1} << 20;  // strings of a result
constexpr size_t kMaxLetters = size_t{1} << 28;    // bytes of a result

void string_concat(OpCall& c) {
  const auto a = c.strings(0), b = c.ok() ? c.strings(1) : std::nullopt;
  if (!a || !b) return;
  const auto sizes = broadcast(c.sizes(0), c.sizes(1));
  if (!sizes) return c.fail(fmt::format("{} and {} do not broadcast", to_string(c.sizes(0)), to_string(c.sizes(1))));
  const auto count = checked_element_count(*sizes);
  if (!count || *count > kMaxStrings) return c.fail(fmt::format("its result {} is too large", to_string(*sizes)));
  const auto first = broadcast_index(c.sizes(0), *sizes), second = broadcast_index(c.sizes(1), *sizes);
  size_t bytes = 0;
  for (size_t i = 0; i < first.size(); ++i)
    bytes += (*a)[static_cast<size_t>(first[i])].size() + (*b)[static_cast<size_t>(second[i])].size();
  if (bytes > kMaxLetters) return c.fail(fmt::format("its strings have {} bytes", bytes));
  std::vector<std::string> out;
  for (size_t i = 0; i < first.size(); ++i)
    out.push_back((*a)[static_cast<size_t>(first[i])] + (*b)[static_cast<size_t>(second[i])]);
  c.out_strings(0, *sizes, out);
}

// Unicode white space, which separates parts if no delimiter is given.
bool is_space(uint32_t code) {
  return (code >= 9 && code <= 13) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

std::string_view without_space_before(std::string_view text) {
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (!letter.valid || !is_space(letter.code)) break;
    text.remove_prefix(static_cast<size_t>(letter.bytes));
  }
  return text;
}

// Splits at runs of white space; the last part that `most` permits has the remaining text.
void split_by_space(std::string_view text, int64_t most, std::vector<std::string>& out) {
  for (text = without_space_before(text); !text.empty(); text = without_space_before(text)) {
    size_t end = 0;
    while (end < text.size() && most != 0) {
      const Letter letter = first_letter(text.substr(end));
      if (letter.valid && is_space(letter.code)) break;
      end += static_cast<size_t>(letter.bytes);
    }
    if (most == 0) end = text.size();
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    --most;
  }
}

void split_by(std::string_view text, std::string_view delimiter, int64_t most, std::vector<std::string>& out) {
  for (; most != 0; --most) {
    const size_t end = text.find(delimiter);
    if (end == text.npos) break;
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  out.emplace_back(text);
}

void string_split(OpCall& c) {
  const auto texts = c.strings(0);
  if (!texts) return;
  const std::string delimiter = c.attr_string("delimiter", "");
  const int64_t most = c.attr_int("maxsplit", -1);
  std::vector<std::vector<std::string>> parts(texts->size());
  HostArray counts = HostArray::make(DType::I64, c.sizes(0));
  size_t width = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    delimiter.empty() ? split_by_space((*texts)[i], most, parts[i]) : split_by((*texts)[i], delimiter, most, parts[i]);
    counts.ints[i] = static_cast<int64_t>(parts[i].size());
    width = std::max(width, parts[i].size());
    if (static_cast<int64_t>(width) > kMaxStrings / static_cast<int64_t>(parts.size()))
      return c.fail(fmt::format("splitting {} strings into up to {} parts exceeds the limit", parts.size(), width));
  }
  Dims sizes = c.sizes(0);
  if (sizes.rank() == kMaxDims) return c.fail(fmt::format("its result has more than {} dimensions", kMaxDims));
  sizes.push_back(static_cast<int64_t>(width));
  std::vector<std::string> out;
  for (std::vector<std::string>& line : parts) {
    line.resize(width);
    for (std::string& part : line) out.push_back(std::move(part));
  }
  c.out_strings(0, sizes, out);
  if (c.has_output(1)) c.out(1, std::move(counts));
}

// Changes the case of one string; an error if that is not possible.
std::string cased(OpCall& c, const std::string& text, const std::string& action) {
  if (action == "NONE" || !c.ok()) return text;
  auto changed = change_case(text, action == "UPPER");
  if (changed) return std::move(*changed);
  c.fail(changed.error().message);
  return {};
}

void string_normalizer(OpCall& c) {
  const auto texts = c.strings(0);
  if (!texts) return;
  const std::string action = c.attr_string("case_change_action", "NONE");
  if (action != "NONE" && action != "UPPER" && action != "LOWER")
    return c.fail(fmt::format("the case_change_action '{}' is not supported", action));
  const bool sensitive = c.attr_int("is_case_sensitive", 0) != 0;
  const Dims& from = c.sizes(0);
  if (from.rank() < 1 || from.rank() > 2 || (from.rank() == 2 && from[0] != 1))
    return c.fail(fmt::format("the input {} must be a row of strings", to_string(from)));
  // Case-insensitive comparison compares lower case.
  const std::string compared = sensitive ? "NONE" : "LOWER";
  std::set<std::string> stops;
  if (const auto* a = c.attr("stopwords"))
    for (const std::string& stop : a->strings) stops.insert(cased(c, stop, compared));
  std::vector<std::string> out;
  for (const std::string& text : *texts)
    if (stops.empty() || !stops.contains(cased(c, text, compared))) out.push_back(cased(c, text, action));
  if (!c.ok()) return;
  if (out.empty()) out.emplace_back();
  const auto count = static_cast<int64_t>(out.size());
  c.out_strings(0, from.rank() == 2 ? Dims{1, count} : Dims{count}, out);
}

void regex_full_match(OpCall& c) {
  const StringTable string_table = c.string_table(0);
  if (!string_table) return;
  auto regex = Regex::make(c.attr_string("pattern", ""));
  if (!regex) return c.fail(regex.error().message);
  HostArray table = HostArray::make(DType::Bool, {static_cast<int64_t>(string_table->size())});
  for (size_t i = 0; i < string_table->size(); ++i)
    table.ints[i] = (*regex)->matches_all_of((*string_table)[i]) ? 1 : 0;
  if (ValuePtr matches = c.lookup(0, std::move(table))) c.out(0, std::move(matches));
}

constexpr HandlerEntry kStringHandlers[] = {
    {"RegexFullMatch", regex_full_match},
    {"StringConcat", string_concat},
    {"StringNormalizer", string_normalizer},
    {"StringSplit", string_split},
};

}  // namespace

std::span<const HandlerEntry> string_handlers() { return kStringHandlers; }

}  // namespace arenascope::models
