// SPDX-License-Identifier: MIT
#include "engine/graph/op_param_text.h"

#include <algorithm>
#include <concepts>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include <arenascope/base/printable.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/graph/op_param_fields.h"

namespace arenascope {
namespace {

using ChoiceNames = std::initializer_list<const char*>;

class ParamPrinter {
 public:
  std::string out;

  template <class T>
  void one(const char* name, const T& value, std::optional<std::type_identity_t<T>> fallback = std::nullopt) {
    if (fallback && value == *fallback) return;
    if constexpr (std::same_as<T, DType>)
      out += fmt::format(" {}={}", name, arenascope::name(value));
    else
      out += fmt::format(" {}={}", name, value);
  }
  template <class T, size_t N>
  void one(const char* name, const ZeroPadded<T, N>& value,
           std::optional<std::type_identity_t<T>> fallback = std::nullopt) {
    one(name, static_cast<T>(value), fallback);
  }
  template <class E>
  void choice(const char* name, const E& value, ChoiceNames names) {
    const auto index = static_cast<size_t>(value);
    if (index > 0 && index < names.size()) out += fmt::format(" {}={}", name, names.begin()[index]);
  }
  template <class T, size_t N>
  void list(const char* name, const T (&values)[N], int count, T fallback) {
    const std::span<const T> used(values, static_cast<size_t>(count));
    if (std::any_of(used.begin(), used.end(), [&](T v) { return v != fallback; }))
      out += fmt::format(" {}=[{}]", name, fmt::join(used, ","));
  }
  void dims(const char* name, const Dims& value) { out += fmt::format(" {}={}", name, dims_text(value.span())); }
  void bits(const char* name, uint32_t mask) {
    std::vector<int> set;
    for (int i = 0; i < 32; ++i)
      if (mask >> i & 1) set.push_back(i);
    if (!set.empty()) out += fmt::format(" {}=[{}]", name, fmt::join(set, ","));
  }
  template <size_t N>
  void text(const char* name, const char (&characters)[N]) {
    const std::string_view text(characters, static_cast<size_t>(std::find(characters, characters + N, 0) - characters));
    if (!text.empty()) out += fmt::format(" {}={}", name, json_string(text));
  }
};

bool parse_value(std::string_view text, bool& value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0";
}
bool parse_value(std::string_view text, DType& value) {
  const auto type = parse_dtype(text);
  value = type.value_or(DType::F32);
  return type.has_value();
}
template <class T>
bool parse_value(std::string_view text, T& value) {
  return parse_number(text, value);
}

std::vector<std::string> elements_of(std::string_view text) {
  std::vector<std::string> out;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class ParamParser {
 public:
  ParamParser(Op op, std::span<const std::string> arguments) : op_(arenascope::name(op)) {
    for (const std::string& argument : arguments) {
      const size_t equals = argument.find('=');
      if (equals == std::string::npos)
        positional_.push_back(argument);
      else if (!named_.emplace(argument.substr(0, equals), argument.substr(equals + 1)).second)
        fail(fmt::format("'{}': '{}' is given twice", op_, argument.substr(0, equals)));
    }
  }

  template <class T>
  void one(const char* name, T& value, std::optional<std::type_identity_t<T>> fallback = std::nullopt) {
    value = fallback.value_or(T());
    if (const auto text = next(name))
      parse(name, *text, value);
    else if (!fallback)
      fail(fmt::format("'{}' requires the parameter '{}'", op_, name));
  }
  template <class T, size_t N>
  void one(const char* name, ZeroPadded<T, N>& value, std::optional<std::type_identity_t<T>> fallback = std::nullopt) {
    T plain{};
    one(name, plain, fallback);
    value = plain;
  }
  template <class E>
  void choice(const char* name, E& value, ChoiceNames names) {
    const auto text = next(name);
    const auto found = text ? std::find(names.begin(), names.end(), *text) : names.begin();
    if (found == names.end())
      fail(fmt::format("'{}': invalid {} '{}': expected {}", op_, name, *text, fmt::join(names, ", ")));
    else
      value = static_cast<E>(found - names.begin());
  }
  template <class T, size_t N>
  void list(const char* name, T (&values)[N], int count, T fallback) {
    std::fill(values, values + N, fallback);
    const std::vector<std::string> given = all(name, static_cast<size_t>(count));
    if (given.size() > static_cast<size_t>(count))
      return fail(fmt::format("'{}': {} has {} values, expected {}", op_, name, given.size(), count));
    for (size_t i = 0; i < given.size(); ++i) parse(name, given[i], values[i]);
  }
  void dims(const char* name, Dims& value) {
    if (first_ == positional_.size() && !named_.contains(name))
      return fail(fmt::format("'{}' requires the parameter '{}'", op_, name));
    auto parsed = parse_dims_text(all(name, kMaxDims));
    if (parsed)
      value = *parsed;
    else
      fail(fmt::format("'{}': {}: {}", op_, name, parsed.error().message));
  }
  void bits(const char* name, uint32_t& mask) {
    mask = 0;
    for (const std::string& text : all(name, 32)) {
      uint32_t bit = 0;
      if (!parse_number(text, bit) || bit >= 32)
        return fail(fmt::format("'{}': invalid {} '{}': expected 0 to 31", op_, name, text));
      mask |= 1u << bit;
    }
  }
  template <size_t N>
  void text(const char* name, char (&characters)[N]) {
    const std::string text = next(name).value_or("");
    std::fill(characters, characters + N, '\0');
    std::copy_n(text.begin(), std::min(text.size(), N - 1), characters);
  }

  Status finish() {
    if (first_ < positional_.size())
      fail(fmt::format("'{}' does not accept the argument '{}'", op_, positional_[first_]));
    if (!named_.empty()) fail(fmt::format("'{}' has no parameter '{}'", op_, named_.begin()->first));
    return status_;
  }

 private:
  void fail(std::string message) {
    if (status_.ok()) status_ = Error{std::move(message)};
  }
  template <class T>
  void parse(const char* name, std::string_view text, T& value) {
    if (!parse_value(text, value)) fail(fmt::format("'{}': invalid {} '{}'", op_, name, text));
  }
  std::optional<std::string> next(const char* name) {
    if (auto named = named_.extract(name)) return named.mapped();
    if (first_ == positional_.size()) return std::nullopt;
    return positional_[first_++];
  }
  std::vector<std::string> all(const char* name, size_t most) {
    if (auto named = named_.extract(name)) return elements_of(named.mapped());
    if (first_ < positional_.size() && positional_[first_].starts_with('[')) return elements_of(positional_[first_++]);
    std::vector<std::string> out;
    while (first_ < positional_.size() && out.size() < most) out.push_back(positional_[first_++]);
    return out;
  }

  std::string op_;
  std::vector<std::string> positional_;
  size_t first_ = 0;  // the next one
  std::map<std::string, std::string, std::less<>> named_;
  Status status_;
};

}  // namespace

std::string op_params_text(Op op, const OpParams& params, int rank, size_t sources) {
  ParamPrinter printer;
  OpParams copy = params;
  OpParamFields(printer, rank, sources).visit(op, copy);
  return printer.out;
}

Result<OpParams> parse_op_params(Op op, std::span<const std::string> arguments, int rank, size_t sources) {
  ParamParser parser(op, arguments);
  OpParams params;
  OpParamFields(parser, rank, sources).visit(op, params);
  if (auto ok = parser.finish(); !ok) return ok.error();
  return params;
}

Result<Dims> parse_dims_text(std::span<const std::string> arguments) {
  const bool listed = arguments.size() == 1 && arguments[0].starts_with('[');
  const std::vector<std::string> elements =
      listed ? elements_of(arguments[0]) : std::vector<std::string>(arguments.begin(), arguments.end());
  std::vector<int64_t> values;
  for (const std::string& text : elements)
    if (!parse_number(text, values.emplace_back())) return Error{fmt::format("expected an integer, found '{}'", text)};
  return checked_dims(values);
}

std::string dims_text(std::span<const int64_t> values) { return fmt::format("[{}]", fmt::join(values, ",")); }

}  // namespace arenascope
