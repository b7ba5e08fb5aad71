// SPDX-License-Identifier: MIT
#include "engine/models/onnx/searches/search_loop.h"

#include <fmt/format.h>

namespace arenascope::models::ir::search {
namespace {

class LoopOf {
 public:
  LoopOf(const Call& call, int64_t beams, Decoder& decoder, Choice& choice)
      : call_(call), beams_(beams), decoder_(decoder), choice_(choice) {}

  std::vector<Node> make() {
    std::vector<Node> out;
    Nodes n(call_.prefix, out);
    if (beams_ > 1) {
      const std::string texts = n.size(call_.source(call_.sources.ids), 0, "texts_given"),
                        beams = n.number(beams_, "beams_of_text");
      n.add("Div", {n.range(n.add("Mul", {texts, beams}, "rows_of_all_texts"), "rows_in_order"), beams}, "text_of_row");
    }
    const std::string tokens = decoder_.begin(n);
    states_ = choice_.begin(n, tokens);
    choices_ = states_.size();
    for (State& state : decoder_.states()) states_.push_back(std::move(state));
    const std::string most = n.add("Squeeze", {n.cast(call_.source(call_.sources.most), kInt64, "most_1")}, "most");
    iterations_ = n.add("Sub", {most, n.size(tokens, 1, "length")}, "iterations");
    more_ = n.cast(n.number(1, "one"), kBool, "always");
    if (decoder_.first()) take_first_iteration(n);
    go_round(n);
    return out;
  }

 private:
  // One iteration of a graph; its inputs and outputs are the caller's.
  std::shared_ptr<Graph> iteration_of(const Graph& graph, Iteration iteration, const char* part) {
    auto out = std::make_shared<Graph>(graph);
    out->inputs.clear();
    out->outputs.clear();
    Nodes n(call_.prefix + "/" + part, out->nodes);
    const std::string logits = n.cast(graph.outputs[0].name, kFloat, "logits");
    const std::string last = n.add("Gather", {logits, n.number(-1, "last")}, "scores", along(1));
    Chosen chosen = choice_.choose(n, iteration, decoder_.of_rows(n, iteration, last));
    out->outputs.push_back(value(chosen.more, kBool));
    for (ValueType& state : chosen.states) out->outputs.push_back(std::move(state));
    for (ValueType& state : decoder_.next(n, graph, iteration, chosen)) out->outputs.push_back(std::move(state));
    left_ = chosen.left.size();
    for (ValueType& left : chosen.left) out->outputs.push_back(std::move(left));
    return out;
  }

  void take_first_iteration(Nodes& n) {
    auto graph = iteration_of(*decoder_.first(), Iteration::First, "first");
    Bound bound = decoder_.bound_first();
    for (size_t i = 0; i < choices_; ++i) bound.emplace_back(states_[i].now.name, states_[i].first);
    for (const std::string& kept : decoder_.kept_of_first()) graph->outputs.push_back(value(kept, 0));
    bind_names(*graph, bound);
    std::vector<std::string> results;
    for (size_t i = 0; i < graph->outputs.size(); ++i) results.push_back(n.name(fmt::format("first_{}", i)));
    n.graph(std::move(graph), "first iteration", results);
    for (size_t i = 0; i < states_.size(); ++i) states_[i].first = results[1 + i];
    for (size_t i = 0; i < left_; ++i)
      left_by_first_.push_back(n.unsqueezed(results[1 + states_.size() + i], 0, fmt::format("left_by_first_{}", i)));
    if (decoder_.first_may_end()) more_ = results[0];
    iterations_ = n.add("Sub", {iterations_, n.number(1, "one_iteration")}, "iterations_after_first");
    const size_t made = 1 + states_.size() + left_;
    decoder_.after_first(n, {results.begin() + static_cast<std::ptrdiff_t>(made), results.end()});
  }

  void go_round(Nodes& n) {
    Node loop;
    loop.op = "Loop";
    loop.name = call_.node.name.empty() ? call_.node.op : call_.node.name;
    loop.opset = 17;
    loop.continues = true;
    loop.inputs = {iterations_, more_};
    auto body = iteration_of(decoder_.graph(), decoder_.first() ? Iteration::Later : Iteration::Any, "next");
    body->inputs = {value(call_.now("iteration"), kInt64), value(call_.now("goes_on"), kBool)};
    for (const State& state : states_) {
      loop.inputs.push_back(state.first);
      body->inputs.push_back(state.now);
    }
    bind_names(*body, decoder_.bound());
    loop.attributes["body"] = of_graph(std::move(body));
    std::vector<std::string> ends, left;
    for (size_t i = 0; i < states_.size(); ++i) ends.push_back(n.name(fmt::format("end_{}", i)));
    for (size_t i = 0; i < left_; ++i) left.push_back(n.name(fmt::format("left_{}", i)));
    loop.outputs = ends;
    loop.outputs.insert(loop.outputs.end(), left.begin(), left.end());
    n.all().push_back(std::move(loop));
    for (size_t i = 0; i < left_by_first_.size(); ++i)
      left[i] = n.add("Concat", {left_by_first_[i], left[i]}, fmt::format("left_by_all_{}", i), along(0));
    choice_.end(n, ends, left);
  }

  const Call& call_;
  const int64_t beams_;
  Decoder& decoder_;
  Choice& choice_;
  std::vector<State> states_;
  std::vector<std::string> left_by_first_;
  std::string iterations_, more_;
  size_t choices_ = 0, left_ = 0;  // states of the choice; what each iteration leaves
};

}  // namespace

std::vector<Node> loop_of(const Call& call, int64_t beams, Decoder& decoder, Choice& choice) {
  return LoopOf(call, beams, decoder, choice).make();
}

std::string spread(Nodes& n, const Call& call, int64_t beams, const std::string& x, const std::string& result) {
  return beams == 1 ? x : n.add("Gather", {x, call.outer("text_of_row")}, result, along(0));
}

}  // namespace arenascope::models::ir::search
