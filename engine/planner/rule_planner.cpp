// SPDX-License-Identifier: MIT
// Recursive descent over the rule, into closures.
#include <arenascope/planner/rule_planner.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "engine/planner/fit_allocator.h"
#include "engine/planner/placement.h"

namespace arenascope::planner {
namespace {

enum class Variable : uint8_t { Size, First, Last, Length, Area, Live };
constexpr std::string_view kVariables[] = {"size", "first", "last", "length", "area", "live"};
using Variables = std::array<double, std::size(kVariables)>;
using Expression = std::function<double(const Variables&)>;

constexpr double kLowest = 0, kTightest = 1;
constexpr size_t kLongestRule = 1000;

struct Rule {
  std::vector<Expression> keys;
  Expression fit = [](const Variables&) { return kLowest; };
  bool reads_live = false;
};

class RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text) {}

  Result<Rule> parse() {
    if (text_.size() > kLongestRule)
      return Error{fmt::format("a rule has at most {} characters, found {}", kLongestRule, text_.size())};
    Rule rule;
    if (!keyword("sort")) return expected("'sort'");
    do rule.keys.push_back(choice());
    while (!failed() && symbol(","));
    if (!failed() && symbol(";") && !at_end()) {
      if (!keyword("fit")) return expected("'fit'");
      rule.fit = choice();
      if (!failed()) symbol(";");
    }
    if (!failed() && !at_end()) expected("an operator or the end");
    if (failed()) return *problem_;
    rule.reads_live = reads_live_;
    return rule;
  }

 private:
  bool failed() const { return problem_.has_value(); }

  Error expected(std::string_view what) {
    skip();
    const std::string_view found = text_.substr(at_, 12);
    if (!problem_)
      problem_ = Error{fmt::format("rule, position {}: expected {}, found {}", at_ + 1, what,
                                   found.empty() ? "the end" : fmt::format("'{}'", found))};
    return *problem_;
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  bool symbol(std::string_view symbol) {
    skip();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  std::string_view name() {
    skip();
    size_t end = at_;
    while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end])) != 0) ++end;
    return text_.substr(at_, end - at_);
  }
  bool keyword(std::string_view word) {
    if (name() != word) return false;
    at_ += word.size();
    return true;
  }

  // CONDITION ? A : B
  Expression choice() {
    Expression condition = comparison();
    if (failed() || !symbol("?")) return condition;
    Expression yes = choice();
    if (!failed() && !symbol(":")) expected("':'");
    if (failed()) return condition;
    return [condition, yes, no = choice()](const Variables& v) { return condition(v) != 0 ? yes(v) : no(v); };
  }

  template <class Function>
  static Expression joined(Expression a, Expression b, Function function) {
    return [a = std::move(a), b = std::move(b), function](const Variables& v) {
      return static_cast<double>(function(a(v), b(v)));
    };
  }

  Expression comparison() {
    Expression a = sum();
    if (failed()) return a;
    if (symbol("<=")) return joined(a, sum(), std::less_equal<>());
    if (symbol(">=")) return joined(a, sum(), std::greater_equal<>());
    if (symbol("==")) return joined(a, sum(), std::equal_to<>());
    if (symbol("!=")) return joined(a, sum(), std::not_equal_to<>());
    if (symbol("<")) return joined(a, sum(), std::less<>());
    if (symbol(">")) return joined(a, sum(), std::greater<>());
    return a;
  }

  Expression sum() {
    Expression a = term();
    while (!failed()) {
      if (symbol("+"))
        a = joined(a, term(), std::plus<>());
      else if (symbol("-"))
        a = joined(a, term(), std::minus<>());
      else
        break;
    }
    return a;
  }

  Expression term() {
    Expression a = factor();
    while (!failed()) {
      if (symbol("*"))
        a = joined(a, factor(), std::multiplies<>());
      else if (symbol("/"))
        a = joined(a, factor(), [](double x, double y) { return y == 0 ? 0 : x / y; });
      else
        break;
    }
    return a;
  }

  Expression factor() {
    const Expression nothing = [](const Variables&) { return 0.0; };
    if (failed() || ++depth_ > kDeepest) {
      if (!failed()) expected("fewer nested operators");
      return nothing;
    }
    Expression out = nothing;
    if (symbol("-")) {
      out = joined(nothing, factor(), std::minus<>());
    } else if (symbol("(")) {
      out = choice();
      if (!failed() && !symbol(")")) expected("')'");
    } else {
      out = value();
    }
    --depth_;
    return out;
  }

  Expression value() {
    const std::string_view word = name();
    for (size_t i = 0; i < std::size(kVariables); ++i)
      if (word == kVariables[i]) {
        at_ += word.size();
        reads_live_ |= static_cast<Variable>(i) == Variable::Live;
        return [i](const Variables& v) { return v[i]; };
      }
    for (const auto& [known, constant] : {std::pair{"lowest", kLowest}, std::pair{"tightest", kTightest}})
      if (word == known) {
        at_ += word.size();
        return [constant](const Variables&) { return constant; };
      }
    skip();
    double number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc() || !std::isfinite(number)) {
      expected("a number, size, first, last, length, area, live, lowest or tightest");
      return [](const Variables&) { return 0.0; };
    }
    at_ = static_cast<size_t>(end - text_.data());
    return [number](const Variables&) { return number; };
  }

  static constexpr int kDeepest = 64;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool reads_live_ = false;
  std::optional<Error> problem_;
};

// The largest sum of live bytes while any bytes of each item are live.
std::vector<Bytes> live_during(const Items& items) {
  std::map<int64_t, Bytes> changes;
  for (const Piece& piece : items.pieces) {
    changes[piece.lower] += piece.hi - piece.lo;
    changes[piece.upper] -= piece.hi - piece.lo;
  }
  std::vector<std::pair<int64_t, Bytes>> live;  // from each step on
  Bytes now = 0;
  for (const auto& [step, change] : changes) live.emplace_back(step, now += change);
  std::vector<Bytes> out;
  for (const Item& item : items.items) {
    Bytes most = 0;
    for (int32_t p = item.first; p < item.last; ++p) {
      const Piece& piece = items.pieces[static_cast<size_t>(p)];
      auto at = std::ranges::lower_bound(live, piece.lower, {}, &std::pair<int64_t, Bytes>::first);
      for (; at != live.end() && at->first < piece.upper; ++at) most = std::max(most, at->second);
    }
    out.push_back(most);
  }
  return out;
}

class RulePlanner final : public Planner {
 public:
  explicit RulePlanner(Rule rule) : rule_(std::move(rule)) {}
  std::string_view name() const override { return "rule"; }
  std::string_view description() const override { return "A rule: sort keys and a fit."; }
  Result<Plan> plan(const Problem& problem, const Options&) const override {
    return plan_items(name(), problem, true, [this](const Items& items) { return place(items); });
  }

 private:
  Placement place(const Items& items) const {
    const std::vector<Bytes> live = rule_.reads_live ? live_during(items) : std::vector<Bytes>(items.items.size(), 0);
    std::vector<Variables> variables;
    std::vector<std::vector<double>> keys;
    for (size_t i = 0; i < items.items.size(); ++i) {
      const Item& item = items.items[i];
      const auto size = static_cast<double>(item.size), length = static_cast<double>(item.upper - item.lower);
      variables.push_back({size, static_cast<double>(item.lower), static_cast<double>(item.upper), length,
                           size * length, static_cast<double>(live[i])});
      std::vector<double>& own = keys.emplace_back();
      for (const Expression& key : rule_.keys) {
        const double value = key(variables.back());  // inf - inf is not a number and has no order: last
        own.push_back(std::isnan(value) ? std::numeric_limits<double>::infinity() : value);
      }
    }
    std::vector<int32_t> order(items.items.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, [&](int32_t a, int32_t b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
    FitAllocator allocator(items);
    Placement out;
    out.offsets.resize(items.items.size());
    for (const bool fixed : {true, false})
      for (const int32_t i : order) {
        const Item& item = items.items[static_cast<size_t>(i)];
        if ((item.fixed >= 0) != fixed) continue;
        if (fixed) {
          allocator.put(i, item.fixed);
          out.offsets[static_cast<size_t>(i)] = item.fixed;
        } else {
          const bool tightest = rule_.fit(variables[static_cast<size_t>(i)]) != kLowest;
          out.offsets[static_cast<size_t>(i)] = allocator.place(i, tightest ? Fit::best : Fit::first);
        }
      }
    return out;
  }

  Rule rule_;
};

constexpr KnownRule kKnownRules[] = {
    {"greedy-by-size", "sort -size, first; fit tightest"},
    {"first-fit-by-area", "sort -area; fit lowest"},
    {"first-fit-by-length", "sort -length, -size; fit lowest"},
    {"first-fit-by-time", "sort first, -size; fit lowest"},
    {"peak first", "sort -live, -size; fit lowest"},
};

}  // namespace

Result<std::shared_ptr<const Planner>> rule_planner(const std::string& rule) {
  auto parsed = RuleParser(rule).parse();
  if (!parsed) return parsed.error();
  return std::shared_ptr<const Planner>(std::make_shared<RulePlanner>(std::move(*parsed)));
}

std::span<const KnownRule> known_rules() { return kKnownRules; }

}  // namespace arenascope::planner
