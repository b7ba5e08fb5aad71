// SPDX-License-Identifier: MIT
#include "engine/models/onnx/dimension_equations.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <arenascope/base/checked.h>

#include "engine/models/onnx/symbolic_shapes.h"

namespace arenascope::models {
namespace {

std::string without_spaces(const std::string& text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](unsigned char c) { return !std::isspace(c); });
  return out;
}

// "3*n", "n" or "3".
std::optional<LinearSize> parse_term(std::string_view text) {
  LinearSize out = LinearSize::number(1);
  while (true) {
    const std::string_view factor = text.substr(0, text.find('*'));
    if (factor.empty()) return std::nullopt;
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(factor.data(), factor.data() + factor.size(), number);
    const bool is_number = problem == std::errc() && end == factor.data() + factor.size();
    const bool is_name =
        !std::isdigit(static_cast<unsigned char>(factor[0])) && factor.find_first_of("()/%,^<>=") == factor.npos;
    if (!is_number && !is_name) return std::nullopt;
    const auto product = out.times(is_number ? LinearSize::number(number) : LinearSize::dimension(std::string(factor)));
    if (!product) return std::nullopt;
    out = *product;
    if (factor.size() == text.size()) return out;
    text.remove_prefix(factor.size() + 1);
  }
}

std::string in_lower_case(const std::string& text) {
  std::string out = text;
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// "total_sequence_length" → "sequence_length"; nullopt if the name does not contain the word.
std::optional<std::string> without_word(const std::string& name, const std::string& word) {
  std::string text = in_lower_case(name);
  const size_t begin = text.find(word);
  if (begin == text.npos) return std::nullopt;
  size_t end = begin + word.size();
  if (end < text.size() && (text[end] == '_' || text[end] == '-')) ++end;
  text.erase(begin, end - begin);
  return text;
}

// total = past + new, of names that differ in these words only.
void add_name_equations(const std::vector<std::string>& names, DimensionEquations& equations) {
  for (const std::string& total : names) {
    const auto base = without_word(total, "total");
    if (!base || base->empty()) continue;
    const auto past = std::find_if(names.begin(), names.end(),
                                   [&](const std::string& name) { return without_word(name, "past") == base; });
    const auto own = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return in_lower_case(name) == *base || without_word(name, "new") == base;
    });
    if (past == names.end() || own == names.end()) continue;
    const auto sum = equations.of_symbol(*past)->plus(*equations.of_symbol(*own));
    if (sum) equations.add(*equations.of_symbol(total), *sum);
  }
}

}  // namespace

std::optional<LinearSize> LinearSize::plus(const LinearSize& other, int64_t factor) const {
  LinearSize out = *this;
  const auto add = [&](int64_t& to, int64_t value) {
    const auto scaled = checked_mul(value, factor);
    const auto sum = scaled ? checked_add(to, *scaled) : std::nullopt;
    if (sum) to = *sum;
    return sum.has_value();
  };
  if (!add(out.constant, other.constant)) return std::nullopt;
  for (const auto& [key, value] : other.factors)
    if (!add(out.factors[key], value)) return std::nullopt;
  std::erase_if(out.factors, [](const auto& term) { return term.second == 0; });
  return out;
}

std::optional<LinearSize> LinearSize::times(const LinearSize& other) const {
  if (is_number()) return LinearSize().plus(other, constant);
  if (other.is_number()) return LinearSize().plus(*this, other.constant);
  return std::nullopt;
}

std::optional<int64_t> LinearSize::value(const std::map<std::string, int64_t>& sizes) const {
  LinearSize out = number(constant);
  for (const auto& [key, factor] : factors) {
    const auto size = sizes.find(key);
    const auto sum = size == sizes.end() ? std::nullopt : out.plus(number(size->second), factor);
    if (!sum) return std::nullopt;
    out = *sum;
  }
  return out.constant;
}

std::optional<LinearSize> parse_linear_size(const std::string& text) {
  const std::string compact = without_spaces(text);
  LinearSize out;
  for (size_t begin = 0; begin < compact.size();) {
    const bool negative = compact[begin] == '-';
    if (negative || compact[begin] == '+') ++begin;
    const size_t end = std::min(compact.find_first_of("+-", begin), compact.size());
    const auto term = parse_term(std::string_view(compact).substr(begin, end - begin));
    const auto sum = term ? out.plus(*term, negative ? -1 : 1) : std::nullopt;
    if (!sum) return std::nullopt;
    out = *sum, begin = end;
  }
  return compact.empty() ? std::nullopt : std::optional(out);
}

std::optional<LinearSize> DimensionEquations::of_symbol(const std::string& symbol) const {
  if (const auto size = sizes_.find(symbol); size != sizes_.end()) return LinearSize::number(size->second);
  if (std::find(keys_.begin(), keys_.end(), symbol) != keys_.end()) return LinearSize::dimension(symbol);
  return of_expression(symbol);
}

std::optional<LinearSize> DimensionEquations::of_expression(const std::string& text) const {
  const auto expression = parse_linear_size(text);
  if (!expression || expression->factors.contains(text)) return std::nullopt;
  LinearSize out = LinearSize::number(expression->constant);
  for (const auto& [name, factor] : expression->factors) {
    const auto part = of_symbol(name);
    const auto sum = part ? out.plus(*part, factor) : std::nullopt;
    if (!sum) return std::nullopt;
    out = *sum;
  }
  return out;
}

std::optional<LinearSize> DimensionEquations::reduced(const LinearSize& size) const {
  LinearSize out = LinearSize::number(size.constant);
  for (const auto& [key, factor] : size.factors) {
    const auto known = solved_.find(key);
    const auto sum = out.plus(known == solved_.end() ? LinearSize::dimension(key) : known->second, factor);
    if (!sum) return std::nullopt;
    out = *sum;
  }
  return out;
}

// The dimension that an equation `zero` = 0 determines: one that is a sum of others if possible, and no past.
std::optional<std::string> DimensionEquations::dependent(const LinearSize& zero) const {
  std::optional<std::string> best;
  int best_rank = -1;
  for (const std::string& key : keys_) {
    const auto found = zero.factors.find(key);
    if (found == zero.factors.end() || std::abs(found->second) != 1) continue;
    bool is_sum = zero.constant == 0 || (zero.constant < 0) == (found->second > 0);
    for (const auto& [other, factor] : zero.factors)
      is_sum = is_sum && (other == key || (factor < 0) == (found->second > 0));
    const int rank = (is_sum ? 2 : 0) + (in_lower_case(key).find("past") == std::string::npos ? 1 : 0);
    if (rank >= best_rank) best = key, best_rank = rank;
  }
  return best;
}

std::vector<std::string> DimensionEquations::names() const {
  std::vector<std::string> out = keys_;
  for (const auto& [name, size] : sizes_) out.push_back(name);
  return out;
}

void DimensionEquations::add(const LinearSize& a, const LinearSize& b) {
  const auto left = reduced(a), right = reduced(b);
  const auto zero = left && right ? left->minus(*right) : std::nullopt;
  const auto key = zero ? dependent(*zero) : std::nullopt;
  if (!key) return;
  const int64_t factor = zero->factors.at(*key);
  const auto others = zero->minus(*LinearSize().plus(LinearSize::dimension(*key), factor));
  const auto solution = others ? LinearSize().plus(*others, -factor) : std::nullopt;
  if (!solution || (solution->is_number() && solution->constant < 1)) return;
  auto all = solved_;
  all[*key] = *solution;
  for (auto& [other, expression] : all) {
    const auto found = expression.factors.find(*key);
    if (found == expression.factors.end()) continue;
    const int64_t times = found->second;
    expression.factors.erase(found);
    const auto sum = expression.plus(*solution, times);
    if (!sum || (sum->is_number() && sum->constant < 1)) return;
    expression = *sum;
  }
  solved_ = std::move(all);
}

std::map<std::string, int64_t> specified_sizes(const ir::File& file, const OpenOptions& options) {
  std::map<std::string, int64_t> sizes = options.dims;
  for (const ir::ValueType& input : file.graph.inputs) {
    const auto given = options.inputs.find(input.name);
    if (given == options.inputs.end() || given->second->rank() != static_cast<int>(input.symbols.size())) continue;
    for (size_t i = 0; i < input.symbols.size(); ++i)
      if (!input.symbols[i].empty()) sizes.try_emplace(input.symbols[i], given->second->sizes[static_cast<int>(i)]);
  }
  return sizes;
}

DimensionEquations equations_of(const ir::File& file, const std::vector<std::string>& keys,
                                const OpenOptions& options) {
  DimensionEquations out(keys, specified_sizes(file, options));
  const auto declared = add_shape_equations(file, out);
  const std::vector<std::string> names = out.names();
  for (const std::string& name : names)
    if (const auto sum = out.of_expression(name)) out.add(*out.of_symbol(name), *sum);
  add_name_equations(names, out);
  for (const auto& [a, b] : declared) out.add(a, b);
  return out;
}

}  // namespace arenascope::models
