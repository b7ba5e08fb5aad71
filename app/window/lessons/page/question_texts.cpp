// SPDX-License-Identifier: GPL-3.0-or-later
#include "question_texts.h"

#include <arenascope/planner/rule_planner.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_pages.h>
#include <views/lesson/verdict_text.h>

#include <algorithm>
#include <cmath>

#include "picture_data.h"

namespace arenascope::app {
namespace {

using lesson::Answer;
using lesson::QuestionKind;

constexpr size_t kMaxOrders = 5'000;

std::string filled(const QString& text, const lesson::Scene& scene) {
  return views::with_figures(text, scene, false).toStdString();
}

Json reply_json(const lesson::Verdict& verdict, const lesson::Question& q, const lesson::Scene& scene) {
  return {{"right", verdict.right}, {"text", filled(views::sentence_of(verdict, q), scene)}};
}

Result<Json> judged(const lesson::Question& q, const lesson::Scene& scene, const Answer& answer) {
  auto verdict = lesson::judge(scene, q, answer);
  if (!verdict) return verdict.error();
  return reply_json(*verdict, q, scene);
}

// [{text, right, reply}], in the order of the options.
Result<Json> option_replies(const lesson::Question& q, const lesson::Scene& scene) {
  Json out = Json::array();
  for (const lesson::Option& option : q.options) {
    auto reply = judged(q, scene, {option.value, {}, {}});
    if (!reply) return reply;
    (*reply)["option"] = filled(views::text_of(option.text), scene);
    out.push_back(std::move(*reply));
  }
  return out;
}

// A page cannot run a planner: it offers known rules.
Result<Json> rule_replies(const lesson::Question& q, const lesson::Scene& scene) {
  Json out = Json::array();
  for (const planner::KnownRule& known : planner::known_rules()) {
    auto reply = judged(q, scene, {std::string(known.rule), {}, {}});
    if (!reply) return reply;
    (*reply)["option"] = std::string(known.rule);
    out.push_back(std::move(*reply));
  }
  return out;
}

// By name, for each tensor of the graph.
Result<Json> tensor_replies(const lesson::Question& q, const lesson::Scene& scene) {
  Json out = Json::object();
  if (!scene.graph) return out;
  const auto add = [&](trace::TensorRef ref) -> Status {
    const std::string name = tensor_name(*scene.graph, ref);
    auto reply = judged(q, scene, {name, {}, {}});
    if (!reply) return reply.error();
    out[name] = std::move(*reply);
    return {};
  };
  for (size_t i = 0; i < scene.graph->nodes.size(); ++i)
    if (auto ok = add(trace::TensorRef::node(NodeId(i))); !ok) return ok.error();
  for (size_t i = 0; i < scene.graph->leafs.size(); ++i)
    if (auto ok = add(trace::TensorRef::leaf(LeafId(i))); !ok) return ok.error();
  return out;
}

// Answers below the true one are judged at zero and at each sum of live bytes: between two of these the reply is the same.
Result<Json> number_replies(const lesson::Question& q, const lesson::Scene& scene) {
  auto truth = lesson::evaluate(scene, q.fact);
  if (!truth) return truth.error();
  Json wrong = Json::array(), below = Json::array();
  for (const lesson::WrongAnswer& w : q.wrong) {
    auto value = lesson::evaluate(scene, w.fact);
    if (!value) return value.error();
    if (value->kind == lesson::Value::Kind::Number)
      wrong.push_back({value->number, filled(views::text_of(w.text), scene)});
  }
  lesson::Question plain = q;
  plain.wrong.clear();
  std::vector<double> from{0};
  if (scene.plan)
    for (const Bytes live : trace::Snapshot::occupancy(*scene.plan)) from.push_back(static_cast<double>(live));
  std::ranges::sort(from);
  from.erase(std::unique(from.begin(), from.end()), from.end());
  for (const double value : from) {
    if (value >= truth->number) break;
    auto reply = judged(plain, scene, {QString::number(value, 'f', 0).toStdString(), {}, {}});
    if (!reply) return reply;
    below.push_back({value, (*reply)["text"]});
  }
  const double larger = std::ceil(truth->number) + 1 + std::abs(truth->number);
  auto above = lesson::judge(scene, plain, {QString::number(larger, 'f', 0).toStdString(), {}, {}});
  if (!above) return above.error();
  return Json{{"truth", truth->number},
              {"wrong", wrong},
              {"below", below},
              {"counts_bytes", above->bytes > 0},
              {"right", filled(views::text_of(q.right), scene)}};
}

// The nodes of `names` that a node reads, by name.
Result<Json> inputs_of(const lesson::Question& q, const lesson::Scene& scene) {
  Json out = Json::object();
  for (const std::string& name : q.names) {
    auto sources = lesson::evaluate(scene, "sources(" + name + ")");
    if (!sources) return sources.error();
    out[name] = Json::array();
    for (const std::string& source : sources->list)
      if (std::ranges::find(q.names, source) != q.names.end()) out[name].push_back(source);
  }
  return out;
}

// Each order in which every node follows its inputs.
class ValidOrders {
 public:
  ValidOrders(const std::vector<std::string>& names, const Json& inputs) : names_(names), inputs_(inputs) { extend(); }
  const std::vector<std::vector<std::string>>& all() const { return all_; }

 private:
  bool has(const std::string& name) const { return std::ranges::find(order_, name) != order_.end(); }
  void extend() {
    if (all_.size() > kMaxOrders) return;
    if (order_.size() == names_.size()) return all_.push_back(order_);
    for (const std::string& name : names_) {
      const auto& inputs = inputs_[name];
      if (has(name) || !std::ranges::all_of(inputs, [&](const Json& i) { return has(i.get<std::string>()); })) continue;
      order_.push_back(name);
      extend();
      order_.pop_back();
    }
  }

  const std::vector<std::string>& names_;
  const Json& inputs_;
  std::vector<std::string> order_;
  std::vector<std::vector<std::string>> all_;
};

Result<Json> order_replies(const lesson::Question& q, const lesson::Scene& scene) {
  auto inputs = inputs_of(q, scene);
  if (!inputs) return inputs;
  const ValidOrders orders(q.names, *inputs);
  if (orders.all().size() > kMaxOrders)
    return Error{"a page cannot hold an order question with more than " + std::to_string(kMaxOrders) +
                 " valid orders: ask about fewer nodes"};
  Json out = Json::object();
  for (const std::vector<std::string>& order : orders.all()) {
    auto reply = judged(q, scene, {"", order, {}});
    if (!reply) return reply;
    std::string key;
    for (const std::string& name : order) key += (key.empty() ? "" : ",") + name;
    out[key] = std::move(*reply);
  }
  return out;
}

Result<Json> replies_of(const lesson::Question& q, const lesson::Scene& scene) {
  switch (q.kind) {
    case QuestionKind::Choice: return option_replies(q, scene);
    case QuestionKind::Number: return number_replies(q, scene);
    case QuestionKind::Rule: return rule_replies(q, scene);
    case QuestionKind::Order: return order_replies(q, scene);
    case QuestionKind::Place: return Json{{"right", filled(views::text_of(q.right), scene)}};
    default: return tensor_replies(q, scene);
  }
}

const char* kind_name(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::Choice:
    case QuestionKind::Rule: return "choice";
    case QuestionKind::Number: return "number";
    case QuestionKind::Place: return "place";
    case QuestionKind::Order: return "order";
    default: return "tensor";
  }
}

// The lesson's number is shown with its unit.
QString solution_text(const Answer& solution, const lesson::Question& q, const lesson::Scene& scene) {
  if (q.kind == QuestionKind::Number)
    if (const auto known = scene.known.find(q.fact); known != scene.known.end())
      return views::text_of(lesson::shown(known->second));
  return views::sentence_of(solution, q);
}

}  // namespace

Result<Json> question_texts(const lesson::Question& q, const lesson::Scene& scene) {
  auto replies = replies_of(q, scene);
  if (!replies) return replies;
  auto solution = lesson::solution(scene, q);
  if (!solution) return solution.error();
  Json hints = Json::array();
  for (const std::string& hint : q.hints) hints.push_back(filled(views::text_of(hint), scene));
  lesson::Question offered = q;
  if (q.kind == QuestionKind::Rule) offered.kind = QuestionKind::Choice;
  return Json{{"invitation", views::invitation(offered).toStdString()},
              {"hints", hints},
              {"replies", std::move(*replies)},
              {"solution", filled(solution_text(*solution, q, scene), scene)},
              {"right", filled(views::text_of(q.right), scene)}};
}

Result<Json> question_data(const lesson::Question& q, const lesson::Scene& scene) {
  Json hidden = Json::array();
  for (const std::string& panel : lesson::panels_with_answer(q)) hidden.push_back(panel);
  Json out{{"kind", kind_name(q.kind)}, {"hidden", hidden}, {"names", q.names}};
  auto solution = lesson::solution(scene, q);
  if (!solution) return solution.error();
  if (q.kind == QuestionKind::Order) {
    auto inputs = inputs_of(q, scene);
    if (!inputs) return inputs;
    out["inputs"] = std::move(*inputs);
    out["solution"] = solution->names;
  }
  if (q.kind != QuestionKind::Place) return out;
  auto pieces = lesson::pieces_of(scene, q);
  if (!pieces) return pieces.error();
  auto limit = lesson::evaluate(scene, q.fact);
  if (!limit) return limit.error();
  out["pieces"] = Json::array();
  for (const lesson::Piece& piece : *pieces)
    out["pieces"].push_back({piece.name, piece.bytes, piece.first, piece.last});
  out["solution"] = Json::object();
  for (const lesson::Placed& placed : solution->placed) out["solution"][placed.name] = placed.offset;
  out["alignment"] = scene.plan ? std::max<Bytes>(scene.plan->alignment, 1) : 1;
  out["steps"] = scene.plan ? scene.plan->order.size() : 1;
  out["limit"] = static_cast<Bytes>(limit->number);
  return out;
}

}  // namespace arenascope::app
