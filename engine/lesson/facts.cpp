// SPDX-License-Identifier: MIT
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/question.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/lesson/fact_table.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

struct Call {
  std::string name;
  std::vector<std::string> arguments;
};

// Parses "name" or "name(a,b)".
Result<Call> parse_call(std::string_view token) {
  Call call;
  const size_t open = token.find('(');
  call.name = std::string(token.substr(0, open));
  if (open != token.npos) {
    if (!token.ends_with(')')) return Error{fmt::format("'{}' has no closing parenthesis", token)};
    call.arguments = split(token.substr(open + 1, token.size() - open - 2), ",");
  }
  return call;
}

const Fact* find(const std::string& name) {
  for (const std::span<const Fact> table : fact_tables())
    for (const Fact& fact : table)
      if (fact.info.name == name) return &fact;
  return nullptr;
}

Result<const Fact*> known(const Call& call) {
  const Fact* fact = find(call.name);
  if (!fact) return Error{fmt::format("unknown fact '{}'", call.name)};
  const int given = static_cast<int>(call.arguments.size());
  if (given < fact->info.min_arguments || given > fact->info.max_arguments)
    return Error{fmt::format("the fact '{}' takes {} name(s) in parentheses", call.name, fact->info.min_arguments)};
  return fact;
}

bool is_operator(const std::string& token) {
  return token.size() == 1 && std::string_view("+-*/").find(token[0]) != std::string_view::npos;
}

Result<Value> operand(const Scene& scene, const std::string& token) {
  if (const auto whole = parse_integer(token)) return number_value(static_cast<double>(*whole));
  auto call = parse_call(token);
  if (!call) return call.error();
  auto fact = known(*call);
  if (!fact) return fact.error();
  return (*fact)->answer(scene, call->arguments);
}

Result<Value> combine(const Value& a, char sign, const Value& b) {
  if (a.kind != Value::Kind::Number || b.kind != Value::Kind::Number) return Error{"arithmetic requires numbers"};
  Value out = a;
  if (out.unit == Unit::None && sign != '/') out.unit = b.unit;
  switch (sign) {
    case '+': out.number += b.number; break;
    case '-': out.number -= b.number; break;
    case '*': out.number *= b.number; break;
    default:
      if (b.number == 0) return Error{"division by zero"};
      out.number /= b.number;
      if (a.unit == b.unit) out.unit = Unit::None;
  }
  return out;
}

}  // namespace

std::span<const FactInfo> facts() {
  static const std::vector<FactInfo> all = [] {
    std::vector<FactInfo> out;
    for (const std::span<const Fact> table : fact_tables())
      for (const Fact& fact : table) out.push_back(fact.info);
    return out;
  }();
  return all;
}

Status check_expression(std::string_view expression) {
  const std::vector<std::string> tokens = split(expression, " ");
  if (tokens.size() % 2 == 0) return Error{fmt::format("expected an expression, found '{}'", expression)};
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i % 2 == 1) {
      if (!is_operator(tokens[i])) return Error{fmt::format("unknown operator '{}': expected +, -, * or /", tokens[i])};
    } else if (!parse_integer(tokens[i])) {
      auto call = parse_call(tokens[i]);
      if (!call) return call.error();
      if (auto fact = known(*call); !fact) return fact.error();
    }
  }
  return {};
}

Result<Value> evaluate(const Scene& scene, std::string_view expression) {
  if (const auto known = scene.known.find(expression); known != scene.known.end()) return known->second;
  if (auto good = check_expression(expression); !good) return good.error();
  const std::vector<std::string> tokens = split(expression, " ");
  Result<Value> value = operand(scene, tokens.front());
  for (size_t i = 1; value && i + 1 < tokens.size(); i += 2) {
    auto next = operand(scene, tokens[i + 1]);
    if (!next) return next;
    value = combine(*value, tokens[i][0], *next);
  }
  return value;
}

std::set<std::string> tensors_read_by(std::string_view expression) {
  std::set<std::string> out;
  for (const std::string& token : split(expression, " "))
    if (const auto call = parse_call(token); call) {
      if (call->name == "value" && !call->arguments.empty()) out.insert(call->arguments.front());
      if (call->name == "largest_error") out.insert(call->arguments.begin(), call->arguments.end());
    }
  return out;
}

std::set<std::string> panels_with_answer(const Question& question) {
  std::set<std::string> panels;
  const QuestionKind kind = question.kind;
  if (kind == QuestionKind::Node || kind == QuestionKind::Block || kind == QuestionKind::Barrier ||
      kind == QuestionKind::Rule)
    return panels;
  if (kind == QuestionKind::Place) return {"arena", "blocks", "nodes", "reuse", "inspector"};  // offsets
  for (const std::string& token : split(question.fact, " "))
    if (const auto call = parse_call(token); call && !parse_integer(token))
      if (const Fact* fact = find(call->name); fact != nullptr)
        for (std::string& panel : split(fact->info.shown_in, " ")) panels.insert(std::move(panel));
  for (const std::string& panel : question.read) panels.erase(panel);
  return panels;
}

bool matches(const Value& value, std::string_view expected) {
  if (expected == "*") return true;
  if (value.kind != Value::Kind::Number) {
    std::string text = plain(value);
    std::ranges::replace(text, ' ', '_');
    return text == expected || plain(value) == expected;
  }
  const bool above = expected.starts_with('>'), below = expected.starts_with('<');
  const std::string_view said = above || below ? expected.substr(1) : expected;
  const auto claimed = number_with_unit(said);
  if (!claimed) return false;
  if (above) return value.number > *claimed;
  if (below) return value.number < *claimed;
  if (value.number == *claimed) return true;
  // Tolerance: half a unit of the last given digit.
  const size_t point = said.find('.');
  if (point == said.npos) return false;
  size_t end = point + 1;
  while (end < said.size() && said[end] >= '0' && said[end] <= '9') ++end;
  const double factor = *claimed != 0 ? *claimed / number(said.substr(0, end)).value_or(*claimed) : 1;
  return std::abs(value.number - *claimed) <= 0.501 * std::pow(10.0, -static_cast<double>(end - point - 1)) * factor;
}

std::string plain(const Value& value) {
  if (value.kind == Value::Kind::Text) return value.text;
  if (value.kind == Value::Kind::List) return join(value.list, ",");
  return fmt::format("{:.10g}", value.number);
}

std::string shown(const Value& value, bool bare) {
  if (value.kind == Value::Kind::Text) return value.text;
  if (value.kind == Value::Kind::List) return join(value.list, ", ");
  const double n = value.number;
  if (value.unit == Unit::Bytes && !bare) {
    const bool in_bytes = std::abs(n) < 10'240 || std::fmod(n, 1024) != 0;  // whole KiB are easier to read
    if (std::abs(n) < 100'000 && in_bytes) return fmt::format("{:.0f} B", n);
    for (const auto& [name, bytes] :
         {std::pair{"GiB", 1073741824.0}, std::pair{"MiB", 1048576.0}, std::pair{"KiB", 1024.0}})
      if (std::abs(n) >= bytes) {
        const bool whole = std::floor(n / bytes) == n / bytes;
        return whole ? fmt::format("{:.0f} {}", n / bytes, name) : fmt::format("{:.2f} {}", n / bytes, name);
      }
  }
  if (value.unit == Unit::Nanoseconds && !bare)
    return n < 1e4   ? fmt::format("{:.0f} ns", n)
           : n < 1e7 ? fmt::format("{:.1f} µs", n / 1e3)
                     : fmt::format("{:.1f} ms", n / 1e6);
  if (value.unit == Unit::Percent && !bare) return fmt::format("{:.1f} %", n);
  return std::floor(n) == n && std::abs(n) < 1e15 ? fmt::format("{:.0f}", n) : fmt::format("{:.4g}", n);
}

}  // namespace arenascope::lesson
