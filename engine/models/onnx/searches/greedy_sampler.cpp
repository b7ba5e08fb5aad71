// SPDX-License-Identifier: MIT
// One text a row: its next word is the one that scores best, or one that is drawn by the scores.
#include "engine/models/onnx/searches/search_loop.h"

namespace arenascope::models::ir::search {
namespace {

class Greedy : public Choice {
 public:
  explicit Greedy(const Call& call) : call_(call) {}

  std::vector<State> begin(Nodes& n, const std::string& strings) override {
    const std::string rows = n.unsqueezed(n.size(strings, 0, "rows"), 0, "rows_there");
    const std::string none = n.add("Expand", {n.number(0, "not_done"), rows}, "zeros");
    return {{value(call_.now("words"), kInt64), strings},
            {value(call_.now("done"), kBool), n.cast(none, kBool, "nobody")}};
  }

  Chosen choose(Nodes& n, Turn turn, const std::string& scores) override {
    const std::string pad = n.number(call_.pad(), "pad"), eos = n.number(call_.eos(), "eos");
    const std::string best = pick(n, weigh(n, call_, turn, 1, scores));
    const std::string axis = n.numbers({1}, "axis");
    // Who ends has padding there, not the sign for it.
    const std::string ends = n.add("Squeeze", {n.add("Equal", {best, eos}, "ends_1"), axis}, "ends");
    const std::string done = n.add("Or", {call_.now("done"), ends}, "done_now");
    const std::string word = n.add("Where", {n.add("Unsqueeze", {done, axis}, "done_1"), pad, best}, "word");
    const std::string all = n.add("ReduceMin", {n.cast(done, kInt32, "done_whole")}, "all", {{"keepdims", whole(0)}});
    Chosen out;
    out.strings = n.add("Concat", {call_.now("words"), word}, "words_now", along(1));
    out.word = word;
    out.more = n.add("Not", {n.cast(all, kBool, "all_done")}, "more");
    out.states = {value(out.strings, kInt64), value(done, kBool)};
    return out;
  }

  // As long as was asked for. After what was written when all were done there is padding, where ONNX Runtime leaves whatever was
  // there.
  void end(Nodes& n, const std::vector<std::string>& states, const std::vector<std::string>&) override {
    const std::string& strings = states[0];
    const std::string missing = n.add("Sub", {n.name("most"), n.size(strings, 1, "made")}, "missing");
    const std::string pads =
        n.add("Concat", {n.numbers({0, 0, 0}, "no_pads"), n.unsqueezed(missing, 0, "missing_1")}, "pads", along(0));
    n.cast(n.add("Pad", {strings, pads, n.number(call_.pad(), "padding")}, "padded"), kInt32, "sequences");
    n.rename(call_.node.outputs[0]);
  }

 protected:
  // Of each row a word, [rows, 1].
  virtual std::string pick(Nodes& n, const std::string& scores) {
    return n.add("ArgMax", {scores}, "best", {{"axis", whole(1)}, {"keepdims", whole(1)}});
  }

  const Call& call_;
};

// StringTable whose chances, from the best one down, add up to more than top_p are out; one of the others is drawn.
class Drawn : public Greedy {
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
    const std::string strings = n.size(x, 1, "words_there"), count = n.unsqueezed(strings, 0, "words_there_1");
    const std::string sorted = n.top(x, count, custom, "sorted"), at = n.name("sorted_at");
    const std::string chances = n.add("Softmax", {sorted}, "chances", along(-1));
    const std::string place = n.range(strings, "places_in_order");
    const std::string out = custom ? after_enough(n, chances, place) : before_enough(n, chances, place, strings);
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

  // From the worst one up: what all up to it add up to is no more than what may be missing. The last ones stay.
  std::string before_enough(Nodes& n, const std::string& chances, const std::string& place,
                            const std::string& strings) {
    const std::string sums = n.add("CumSum", {chances, n.number(1, "sum_axis")}, "sums");
    const float missing = 1 - call_.real("top_p", 0);
    const std::string few = n.add("LessOrEqual", {sums, n.real(missing, "missing_chance")}, "few");
    const std::string keep = n.number(call_.attribute("min_tokens_to_keep", 0), "keep");
    const std::string end =
        n.add("Max", {n.add("Sub", {strings, keep}, "all_but"), n.number(1, "one_at_least")}, "end");
    return n.add("And", {few, n.add("Less", {place, end}, "may_go")}, "out");
  }

  // From the best one down: those before it add up to enough.
  std::string after_enough(Nodes& n, const std::string& chances, const std::string& place) {
    const std::string sums = n.add("CumSum", {chances, n.number(1, "sum_axis")}, "sums", {{"exclusive", whole(1)}});
    const std::string enough = n.add("Greater", {sums, n.real(call_.real("top_p", 0), "top_p")}, "enough");
    return n.add("And", {enough, n.add("Greater", {place, n.number(0, "best_place")}, "may_go")}, "out");
  }
};

}  // namespace

std::unique_ptr<Choice> greedy_choice(const Call& call) { return std::make_unique<Greedy>(call); }
std::unique_ptr<Choice> drawn_choice(const Call& call) { return std::make_unique<Drawn>(call); }

}  // namespace arenascope::models::ir::search
