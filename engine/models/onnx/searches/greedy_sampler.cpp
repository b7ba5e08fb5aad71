// SPDX-License-Identifier: MIT
// One text a row: its next token is the one that scores best, or one that is drawn by the scores.
#include "engine/models/onnx/searches/search_loop.h"

namespace arenascope::models::ir::search {
namespace {

class Greedy : public Choice {
 public:
  explicit Greedy(const Call& call) : call_(call) {}

  std::vector<State> begin(Nodes& n, const std::string& tokens) override {
    const std::string rows = n.unsqueezed(n.size(tokens, 0, "rows"), 0, "rows_there");
    const std::string none = n.add("Expand", {n.number(0, "not_done"), rows}, "zeros");
    return {{value(call_.now("tokens"), kInt64), tokens},
            {value(call_.now("done"), kBool), n.cast(none, kBool, "nobody")}};
  }

  Chosen choose(Nodes& n, Iteration iteration, const std::string& scores) override {
    const std::string pad = n.number(call_.pad(), "pad"), eos = n.number(call_.eos(), "eos");
    const std::string best = pick(n, weigh(n, call_, iteration, 1, scores));
    const std::string axis = n.numbers({1}, "axis");
    // Finished texts have padding at the end, not the end-of-text token.
    const std::string ends = n.add("Squeeze", {n.add("Equal", {best, eos}, "ends_1"), axis}, "ends");
    const std::string done = n.add("Or", {call_.now("done"), ends}, "done_now");
    const std::string token = n.add("Where", {n.add("Unsqueeze", {done, axis}, "done_1"), pad, best}, "token");
    const std::string all = n.add("ReduceMin", {n.cast(done, kInt32, "done_whole")}, "all", {{"keepdims", whole(0)}});
    Chosen out;
    out.tokens = n.add("Concat", {call_.now("tokens"), token}, "tokens_now", along(1));
    out.token = token;
    out.more = n.add("Not", {n.cast(all, kBool, "all_done")}, "more");
    out.states = {value(out.tokens, kInt64), value(done, kBool)};
    return out;
  }

  // Padded to the requested length. After all texts have ended there is padding, where ONNX Runtime leaves memory
  // undefined.
  void end(Nodes& n, const std::vector<std::string>& states, const std::vector<std::string>&) override {
    const std::string& tokens = states[0];
    const std::string missing = n.add("Sub", {n.name("most"), n.size(tokens, 1, "made")}, "missing");
    const std::string pads =
        n.add("Concat", {n.numbers({0, 0, 0}, "no_pads"), n.unsqueezed(missing, 0, "missing_1")}, "pads", along(0));
    n.cast(n.add("Pad", {tokens, pads, n.number(call_.pad(), "padding")}, "padded"), kInt32, "sequences");
    n.rename(call_.node.outputs[0]);
  }

 protected:
  // One token per row, [rows, 1].
  virtual std::string pick(Nodes& n, const std::string& scores) {
    return n.add("ArgMax", {scores}, "best", {{"axis", whole(1)}, {"keepdims", whole(1)}});
  }

  const Call& call_;
};

// Top-p sampling: excludes the least likely tokens beyond a cumulative probability of top_p and samples among the others.
class TopPSampler : public Greedy {
 public:
  using Greedy::Greedy;

 protected:
  std::string pick(Nodes& n, const std::string& scores) override {
    std::string x = scores;
    if (const float temperature = call_.real("temperature", 1); temperature > 0 && temperature != 1)
      x = n.add("Div", {x, n.real(temperature, "temperature")}, "tempered");
    const float penalty = call_.real("presence_penalty", 0);
    if (call_.has(call_.sources.presence) && penalty != 0) {
      const std::string there = n.cast(call_.source(call_.sources.presence), kFloat, "presence");
      x = n.add("Sub", {x, n.add("Mul", {there, n.real(penalty, "presence_penalty")}, "less_by")}, "less_present");
    }
    const bool custom = call_.attribute("custom", 0) != 0;
    const std::string tokens = n.size(x, 1, "tokens_there"), count = n.unsqueezed(tokens, 0, "tokens_there_1");
    const std::string sorted = n.top(x, count, custom, "sorted"), at = n.name("sorted_at");
    const std::string chances = n.add("Softmax", {sorted}, "chances", along(-1));
    const std::string place = n.range(tokens, "places_in_order");
    const std::string out = custom ? after_enough(n, chances, place) : before_enough(n, chances, place, tokens);
    const std::string filter = n.real(call_.real("filter_value", -1e20F), "filter");
    const std::string kept = n.add("Where", {out, filter, sorted}, "kept");
    const std::string weighed = n.add("ScatterElements", {x, at, kept}, "chances_left", along(1));
    Attributes drawing{{"dtype", whole(7)}, {"sample_size", whole(1)}};
    if (const auto seed = call_.known(kSeed)) {
      drawing["seed"].kind = Attribute::kFloat;
      drawing["seed"].f = static_cast<float>(*seed);
    }
    return n.add("Multinomial", {weighed}, "drawn", std::move(drawing));
  }

 private:
  static constexpr size_t kSeed = 8;

  // In ascending order: tokens with a cumulative probability of at most 1 - top_p, except the last min_tokens_to_keep.
  std::string before_enough(Nodes& n, const std::string& chances, const std::string& place, const std::string& tokens) {
    const std::string sums = n.add("CumSum", {chances, n.number(1, "sum_axis")}, "sums");
    const float missing = 1 - call_.real("top_p", 0);
    const std::string few = n.add("LessOrEqual", {sums, n.real(missing, "missing_chance")}, "few");
    const std::string keep = n.number(call_.attribute("min_tokens_to_keep", 0), "keep");
    const std::string end = n.add("Max", {n.add("Sub", {tokens, keep}, "all_but"), n.number(1, "one_at_least")}, "end");
    return n.add("And", {few, n.add("Less", {place, end}, "may_go")}, "out");
  }

  // In descending order: tokens that follow a cumulative probability of more than top_p.
  std::string after_enough(Nodes& n, const std::string& chances, const std::string& place) {
    const std::string sums = n.add("CumSum", {chances, n.number(1, "sum_axis")}, "sums", {{"exclusive", whole(1)}});
    const std::string enough = n.add("Greater", {sums, n.real(call_.real("top_p", 0), "top_p")}, "enough");
    return n.add("And", {enough, n.add("Greater", {place, n.number(0, "best_place")}, "may_go")}, "out");
  }
};

}  // namespace

std::unique_ptr<Choice> greedy_choice(const Call& call) { return std::make_unique<Greedy>(call); }
std::unique_ptr<Choice> sampling_choice(const Call& call) { return std::make_unique<TopPSampler>(call); }

}  // namespace arenascope::models::ir::search
