// SPDX-License-Identifier: MIT
#include <arenascope/base/step_number.h>
#include <arenascope/lesson/question.h>

#include <algorithm>
#include <cmath>

#include <arenascope/planner/rule_planner.h>
#include <fmt/format.h>

#include "engine/lesson/answers.h"
#include "engine/lesson/fact_table.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

using Why = Verdict::Why;

// Explains a wrong number for a plan's bytes.
Result<Verdict> wrong_number(const Scene& scene, const Question& q, double answer, const Value& truth) {
  Verdict verdict;
  const bool memory = truth.unit == Unit::Bytes && scene.plan && scene.graph;
  verdict.why = answer < truth.number ? Why::TooSmall : Why::TooLarge;
  verdict.bytes = memory && answer > truth.number ? static_cast<Bytes>(answer - truth.number) : 0;
  const bool of_plan =
      q.fact == "peak" || q.fact == "bound" || q.fact.starts_with("arena") || q.fact.starts_with("bound_of");
  if (!memory || !of_plan || answer > truth.number) return verdict;
  const std::vector<Bytes> live = trace::Snapshot::occupancy(*scene.plan);
  for (size_t i = 0; i < live.size(); ++i) {
    if (static_cast<double>(live[i]) <= answer) continue;
    auto names = evaluate(scene, fmt::format("live({})", step_number(Step(i))));
    if (!names) return names.error();
    verdict.step = static_cast<int32_t>(i);
    verdict.names = names->list;
    verdict.bytes = live[i];
    break;
  }
  return verdict;
}

Result<Verdict> judge_number(const Scene& scene, const Question& q, const Answer& answer) {
  auto truth = evaluate(scene, q.fact);
  if (!truth) return truth.error();
  Verdict verdict;
  const auto given = number_with_unit(trimmed(answer.text));
  if (!given) {
    verdict.why = Why::NoNumber;
    return verdict;
  }
  const bool whole = std::floor(truth->number) == truth->number;
  const bool by_unit = answer.text.find_first_of("KMG") != std::string::npos;  // precision as typed
  const double slack = by_unit ? 0.01 * std::abs(truth->number) : whole ? 0 : 0.01 * std::abs(truth->number) + 1e-9;
  if (std::abs(*given - truth->number) <= slack) {
    verdict.right = true;
    return verdict;
  }
  for (const WrongAnswer& wrong : q.wrong) {
    auto value = evaluate(scene, wrong.fact);
    if (!value) return value.error();
    if (value->kind != Value::Kind::Number || value->number != *given) continue;
    verdict.why = Why::Authored;
    verdict.text = wrong.text;
    return verdict;
  }
  return wrong_number(scene, q, *given, *truth);
}

Result<Verdict> judge_choice(const Scene& scene, const Question& q, const Answer& answer) {
  auto truth = evaluate(scene, q.fact);
  if (!truth) return truth.error();
  Verdict verdict;
  for (const Option& option : q.options) {
    if (option.value != answer.text) continue;
    verdict.right = matches(*truth, option.value);
    if (!verdict.right && !option.why.empty()) {
      verdict.why = Why::Authored;
      verdict.text = option.why;
    }
  }
  return verdict;
}

// Describes a selected tensor in the terms of the question.
Verdict reply_to(const Scene& scene, const Question& q, const std::string& name, const Found& found) {
  Verdict verdict;
  verdict.names = {name};
  const auto argument = [&](std::string_view fact) {
    const bool asked = q.fact.starts_with(fact) && q.fact.ends_with(')');
    return asked ? q.fact.substr(fact.size(), q.fact.size() - fact.size() - 1) : std::string();
  };
  if (const std::string read = argument("users("); !read.empty() && !found.info->sources.empty()) {
    verdict.why = Why::Reads;
    verdict.text = read;
    for (const trace::TensorRef source : found.info->sources) verdict.names.push_back(name_of(*scene.graph, source));
  } else if (const std::string reader = argument("sources("); !reader.empty()) {
    verdict.why = Why::NotRead;
    verdict.text = reader;
  } else if (!argument("nodes_on(").empty() && !found.info->backend.empty()) {
    verdict.why = Why::RunsOn;
    verdict.text = found.info->backend;
  } else if (auto wait = evaluate(scene, fmt::format("wait({})", name)); q.kind == QuestionKind::Barrier && wait) {
    verdict.why = Why::Waits;
    verdict.time = static_cast<Nanoseconds>(wait->number);
  } else {
    verdict.why = Why::Clicked;
    verdict.bytes = found.info->bytes;
    if (auto slice = slice_of(scene, name); slice) {
      verdict.first = (*slice)->first.value;
      verdict.last = (*slice)->last.value - 1;
    }
  }
  return verdict;
}

Result<Verdict> judge_named(const Scene& scene, const Question& q, const Answer& answer) {
  auto truth = evaluate(scene, q.fact);
  if (!truth) return truth.error();
  const std::vector<std::string> good = accepted(*truth);
  Verdict verdict;
  std::vector<std::string> given = answer.names;
  if (given.empty()) given = {answer.text};
  verdict.right = std::ranges::any_of(given, [&](const std::string& name) { return contains(good, name); });
  if (verdict.right) return verdict;
  for (const WrongAnswer& wrong : q.wrong) {
    auto value = evaluate(scene, wrong.fact);
    if (!value) return value.error();
    const std::vector<std::string> bad = accepted(*value);
    if (std::ranges::none_of(given, [&](const std::string& name) { return contains(bad, name); })) continue;
    verdict.why = Why::Authored;
    verdict.text = wrong.text;
    return verdict;
  }
  auto found = tensor_of(scene, given.front());
  return found ? reply_to(scene, q, given.front(), *found) : verdict;
}

Result<Verdict> judge_placing(const Scene& scene, const Question& q, const Answer& answer) {
  Verdict verdict;
  std::vector<Placed> so_far;
  for (const Placed& placed : answer.placed) {
    auto one = judge_place(scene, so_far, placed);
    if (!one || !one->right) return one;
    so_far.push_back(placed);
  }
  Bytes arena = 0;
  for (const std::string& name : q.names) {
    const auto placed = std::ranges::find_if(so_far, [&](const Placed& p) { return p.name == name; });
    if (placed == so_far.end()) {
      verdict.why = Why::Missing;
      verdict.names.push_back(name);
      continue;
    }
    auto slice = slice_of(scene, name);
    if (!slice) return slice.error();
    arena = std::max(arena, placed->offset + (*slice)->size);
  }
  if (verdict.why == Why::Missing) return verdict;
  auto limit = evaluate(scene, q.fact);
  if (!limit) return limit.error();
  verdict.right = static_cast<double>(arena) <= limit->number;
  if (!verdict.right) {
    verdict.why = Why::Arena;
    verdict.bytes = arena;
    verdict.limit = static_cast<Bytes>(limit->number);
  }
  return verdict;
}

Result<Verdict> judge_rule(const Scene& scene, const Question& q, const Answer& answer) {
  Verdict verdict;
  auto rule = planner::rule_planner(answer.text);
  if (!rule) {
    verdict.why = Why::BadRule;
    verdict.text = rule.error().message;
    return verdict;
  }
  auto arena = arena_by(scene, **rule);
  if (!arena) return arena.error();
  auto limit = evaluate(scene, q.fact);
  if (!limit) return limit.error();
  verdict.right = static_cast<double>(*arena) <= limit->number;
  if (!verdict.right) {
    verdict.why = Why::Arena;
    verdict.bytes = *arena;
    verdict.limit = static_cast<Bytes>(limit->number);
  }
  return verdict;
}

Result<Verdict> judge_peak(const Scene& scene, const std::vector<NodeId>& order, Bytes limit, Verdict verdict) {
  auto lives = order_lives(scene, order);
  if (!lives) return lives.error();
  const std::vector<Bytes> live = live_by_step(*lives, order.size());
  const auto most = std::ranges::max_element(live);
  verdict.right = *most <= limit;
  if (verdict.right) return verdict;
  verdict.why = Why::HigherPeak;
  verdict.step = static_cast<int32_t>(most - live.begin());
  verdict.bytes = *most;
  verdict.limit = limit;
  for (size_t i = 0; i < lives->size(); ++i)
    if (is_live(*lives, i, verdict.step))
      verdict.names.push_back(name_of(*scene.graph, trace::TensorRef::node(NodeId(i))));
  return verdict;
}

Result<Verdict> judge_order(const Scene& scene, const Question& q, const Answer& answer) {
  auto truth = evaluate(scene, q.fact);
  if (!truth) return truth.error();
  Verdict verdict;
  auto order = order_of(scene, answer.names, verdict);
  if (!order || verdict.why != Why::None) return order ? Result<Verdict>(verdict) : order.error();
  if (truth->kind == Value::Kind::Number)
    return judge_peak(scene, *order, static_cast<Bytes>(truth->number), std::move(verdict));
  std::vector<std::string> expected;
  for (const std::string& name : truth->list)
    if (contains(q.names, name)) expected.push_back(name);
  verdict.right = expected == answer.names;
  for (size_t i = 0; !verdict.right && i < std::min(expected.size(), answer.names.size()); ++i) {
    if (expected[i] == answer.names[i]) continue;
    verdict.why = Why::Order;
    verdict.step = static_cast<int32_t>(i);
    verdict.names = {answer.names[i], expected[i]};
    break;
  }
  return verdict;
}

}  // namespace

Result<Verdict> judge_place(const Scene& scene, const std::vector<Placed>& placed, const Placed& next) {
  Verdict verdict;
  auto mine = slice_of(scene, next.name);
  if (!mine) return mine.error();
  const Bytes alignment = scene.plan->alignment > 0 ? scene.plan->alignment : 1;
  if (next.offset < 0 || next.offset % alignment != 0) {
    verdict.why = Why::Misaligned;
    verdict.names = {next.name};
    verdict.bytes = alignment;
    return verdict;
  }
  for (const Placed& other : placed) {
    if (other.name == next.name) continue;
    auto theirs = slice_of(scene, other.name);
    if (!theirs) return theirs.error();
    const auto& a = **mine;
    const auto& b = **theirs;
    const Step first = std::max(a.first, b.first), last = std::min(a.last, b.last);
    const Bytes lo = std::max(next.offset, other.offset);
    const Bytes hi = std::min(next.offset + a.size, other.offset + b.size);
    if (first >= last || lo >= hi) continue;
    verdict.why = Why::Collides;
    verdict.names = {next.name, other.name};
    verdict.first = first.value;
    verdict.last = last.value - 1;
    verdict.bytes = hi - lo;
    verdict.offset = lo;
    return verdict;
  }
  verdict.right = true;
  return verdict;
}

Result<Verdict> judge(const Scene& scene, const Question& question, const Answer& answer) {
  switch (question.kind) {
    case QuestionKind::Choice: return judge_choice(scene, question, answer);
    case QuestionKind::Number: return judge_number(scene, question, answer);
    case QuestionKind::Node:
    case QuestionKind::Block:
    case QuestionKind::Barrier: return judge_named(scene, question, answer);
    case QuestionKind::Place: return judge_placing(scene, question, answer);
    case QuestionKind::Rule: return judge_rule(scene, question, answer);
    case QuestionKind::Order: break;
  }
  return judge_order(scene, question, answer);
}

}  // namespace arenascope::lesson
