// SPDX-License-Identifier: MIT
// Beam search: each text has several beams, and the most likely continuations of all beams are kept. Finished hypotheses
// are kept in order of their length-normalised score; free entries score minus infinity.
#include "engine/models/onnx/searches/search_loop.h"

#include <limits>

namespace arenascope::models::ir::search {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();
constexpr size_t kLengthPenalty = 5;
enum Result : size_t { kSequences, kSequencesScores, kScores };
enum Kept : size_t { kTokens, kBeamScores, kDone, kKeptTokens, kKeptScores, kStates };

class Beams : public Choice {
 public:
  Beams(const Call& call, int64_t beams, int64_t results) : call_(call), beams_(beams), results_(results) {}

  std::vector<State> begin(Nodes& n, const std::string& tokens) override {
    const std::string beams = n.number(beams_, "beams"), text_axis = n.numbers({0}, "text_axis");
    const std::string rows = n.size(tokens, 0, "rows"), texts = n.add("Div", {rows, beams}, "texts");
    const std::string texts_1 = n.add("Unsqueeze", {texts, text_axis}, "texts_1");
    const std::string shape = n.add("Concat", {texts_1, n.numbers({beams_}, "beams_1")}, "shape", along(0));
    n.add("Reshape", {n.range(rows, "all_rows"), shape}, "own_row");
    n.unsqueezed(n.add("Mul", {n.range(texts, "all_texts"), beams}, "first_rows"), 1, "first_row");
    n.add("Add", {texts_1, n.numbers({1}, "one_more")}, "texts_and_one");
    n.unsqueezed(rows, 0, "rows_1");
    // At first all beams are alike, so that only the first one counts.
    const std::string first = n.add("Equal", {n.range(beams, "all_beams"), n.number(0, "first_beam")}, "is_first_beam");
    const std::string scores =
        n.add("Where", {first, n.real(0, "as_likely"), n.real(-1e9F, "unlikely")}, "beam_scores");
    const std::string unused = n.add("Expand", {n.number(0, "not_done"), texts_1}, "zeros");
    const std::string all_pad =
        n.add("Expand", {n.number(call_.pad(), "nothing"), n.add("Shape", {tokens}, "tokens_shape")}, "nothing_kept");
    return {{value(call_.now("tokens"), kInt64), tokens},
            {value(call_.now("beam_scores"), kFloat), n.add("Expand", {scores, shape}, "first_beam_scores")},
            {value(call_.now("done"), kBool), n.cast(unused, kBool, "nobody")},
            {value(call_.now("kept_tokens"), kInt64), all_pad},
            {value(call_.now("kept_scores"), kFloat), n.add("Expand", {n.real(kNothing, "free"), shape}, "all_free")}};
  }

  Chosen choose(Nodes& n, Iteration iteration, const std::string& given) override {
    const std::string tokens = call_.now("tokens"), done = call_.now("done");
    const std::string beam_scores =
        n.add("Reshape", {call_.now("beam_scores"), n.numbers({-1, 1}, "column")}, "of_beam");
    const std::string likely = weigh(n, call_, iteration, beams_, n.add("LogSoftmax", {given}, "likely", along(1)));
    const std::string scores = n.add("Add", {likely, beam_scores}, "of_texts");
    find_best(n, scores);
    const std::string texts = n.unsqueezed(done, 1, "done_1");
    Chosen out = lower_continuation(n, texts);
    const std::string by = worth_by(n, tokens);
    const auto [kept_tokens, kept_scores] = keep(n, texts, by);
    const std::string done_now = n.add("Or", {done, ends(n, kept_scores, by)}, "done_now");
    const std::string all =
        n.add("ReduceMin", {n.cast(done_now, kInt32, "done_whole")}, "all", {{"keepdims", whole(0)}});
    out.more = n.add("Not", {n.cast(all, kBool, "all_done")}, "more");
    out.states = {value(out.tokens, kInt64), value(beam_scores_, kFloat), value(done_now, kBool),
                  value(kept_tokens, kInt64), value(kept_scores, kFloat)};
    if (call_.has_output(kScores)) out.left = {value(scores, kFloat)};
    return out;
  }

  // Unfinished beams compete with finished hypotheses; then the best ones are returned.
  void end(Nodes& n, const std::vector<std::string>& states, const std::vector<std::string>& left) override {
    const std::string done = n.unsqueezed(states[kDone], 1, "is_done");
    const std::string open = n.add("Div", {states[kBeamScores], worth_by(n, states[kTokens])}, "open_scores");
    const std::string counts = n.add("Where", {done, n.real(kNothing, "no_more"), open}, "counts");
    const std::string row = call_.outer("own_row");
    const Best best = best_of(n, states[kKeptTokens], states[kKeptScores], states[kTokens], counts, row, results_);
    if (call_.has_output(kSequences)) {
      const std::string missing = n.add("Sub", {n.name("most"), n.size(best.tokens, 1, "made")}, "missing");
      const std::string pads =
          n.add("Concat", {n.numbers({0, 0, 0}, "no_pads"), n.unsqueezed(missing, 0, "missing_1")}, "pads", along(0));
      const std::string padded = n.add("Pad", {best.tokens, pads, n.number(call_.pad(), "padding")}, "padded");
      const std::string most = n.unsqueezed(n.name("most"), 0, "most_tokens");
      const std::string shape =
          n.add("Concat", {n.name("texts_1"), n.numbers({results_}, "results"), most}, "sequences_shape", along(0));
      n.cast(n.add("Reshape", {padded, shape}, "by_text"), kInt32, "sequences");
      n.rename(call_.node.outputs[kSequences]);
    }
    if (call_.has_output(kSequencesScores)) {
      n.add("Identity", {best.scores}, "sequences_scores");
      n.rename(call_.node.outputs[kSequencesScores]);
    }
    if (call_.has_output(kScores)) give_scores(n, left[0]);
  }

 private:
  struct Best {
    std::string tokens, scores;
  };

  // Padded with zeros to the maximum number of iterations; ONNX Runtime leaves that memory undefined.
  void give_scores(Nodes& n, const std::string& all) const {
    const std::string tokens = n.unsqueezed(n.size(all, 2, "tokens_scored"), 0, "tokens_scored_1");
    const std::string by_text =
        n.add("Concat", {n.numbers({0}, "as_many"), n.name("texts_1"), n.numbers({beams_}, "of_beams"), tokens},
              "scores_shape", along(0));
    const std::string reshaped = n.add("Reshape", {all, by_text}, "scores_by_text");
    const std::string can_be = n.add("Sub", {n.name("most"), n.name("length")}, "can_be");
    const std::string missing = n.add("Sub", {can_be, n.size(all, 0, "iterations_made")}, "iterations_missing");
    const std::string pads =
        n.add("Concat",
              {n.numbers({0, 0, 0, 0}, "no_pads_before"), n.unsqueezed(missing, 0, "iterations_missing_1"),
               n.numbers({0, 0, 0}, "no_more_pads")},
              "scores_pads", along(0));
    n.add("Pad", {reshaped, pads}, "scores");
    n.rename(call_.node.outputs[kScores]);
  }

  // By what a sum of logarithms is divided: the length, to the power of its penalty.
  std::string worth_by(Nodes& n, const std::string& tokens) const {
    const std::string length = n.cast(n.size(tokens, 1, "length_now"), kFloat, "length_real");
    if (!call_.has(kLengthPenalty)) return length;
    return n.add("Pow", {length, n.cast(call_.source(kLengthPenalty), kFloat, "length_penalty")}, "worth_by");
  }

  // Twice as many tokens per text as there are beams, so that enough of them do not end a hypothesis.
  void find_best(Nodes& n, const std::string& scores) {
    const std::string tokens = n.size(scores, 1, "tokens_there");
    const std::string all = n.add("Mul", {tokens, n.number(beams_, "beams_there")}, "tokens_of_text");
    const std::string shape =
        n.add("Concat", {call_.outer("texts_1"), n.unsqueezed(all, 0, "tokens_of_text_1")}, "text_shape", along(0));
    top_ = n.top(n.add("Reshape", {scores, shape}, "by_texts"), n.numbers({2 * beams_}, "twice"), true, "top");
    const std::string at = n.name("top_at");
    const std::string beam = n.add("Div", {at, tokens}, "beam");
    token_ = n.add("Sub", {at, n.add("Mul", {beam, tokens}, "tokens_before")}, "top_token");
    row_ = n.add("Add", {beam, call_.outer("first_row")}, "top_row");
    ends_ = n.add("Equal", {token_, n.number(call_.eos(), "eos")}, "ends");
  }

  // The best that do not end, in order.
  Chosen lower_continuation(Nodes& n, const std::string& done) {
    const std::string place = n.cast(n.range(n.number(2 * beams_, "tops"), "top_places"), kFloat, "top_place");
    const std::string after = n.add(
        "Mul", {n.cast(ends_, kFloat, "ends_real"), n.real(static_cast<float>(2 * beams_), "all_tops")}, "demotion");
    n.top(n.add("Add", {place, after}, "order"), n.numbers({beams_}, "beams_going_on"), false, "going_on");
    const std::string at = n.name("going_on_at");
    const auto of_those = [&](const std::string& x, const std::string& if_done, const std::string& what) {
      const std::string those = n.add("GatherElements", {x, at}, "next_" + what, along(1));
      return n.add("Where", {done, if_done, those}, what);
    };
    beam_scores_ = of_those(top_, n.real(0, "score_of_done"), "beam_scores_now");
    const std::string pad = n.number(call_.pad(), "pad");
    const std::string token = of_those(token_, pad, "beam_token");
    const std::string row = of_those(row_, n.number(0, "row_of_done"), "beam_row");
    Chosen out;
    const std::string rows = n.add("Reshape", {row, n.numbers({-1}, "in_line")}, "rows");
    out.token = n.add("Reshape", {token, n.numbers({-1, 1}, "one_each")}, "token");
    const std::string before = n.add("Gather", {call_.now("tokens"), rows}, "tokens_before_token", along(0));
    out.tokens = n.add("Concat", {before, out.token}, "tokens_now", along(1));
    if (beams_ > 1) out.rows = rows;
    return out;
  }

  // Adds hypotheses that end in this iteration to the best ones, without their end-of-text token.
  std::pair<std::string, std::string> keep(Nodes& n, const std::string& done, const std::string& by) {
    const std::string begin = n.numbers({0}, "first_top"), end = n.numbers({beams_}, "tops_that_count");
    const auto first = [&](const std::string& x, const std::string& what) { return n.slice(x, begin, end, 1, what); };
    const std::string ends = n.add("And", {first(ends_, "first_ends"), n.add("Not", {done}, "not_done")}, "ends_now");
    const std::string score = n.add("Div", {first(top_, "first_scores"), by}, "end_scores");
    const std::string counts = n.add("Where", {ends, score, n.real(kNothing, "does_not_end")}, "ended_scores");
    const Best best = best_of(n, call_.now("kept_tokens"), call_.now("kept_scores"), call_.now("tokens"), counts,
                              first(row_, "first_row_of_top"), beams_);
    const std::string pads = n.numbers({0, 0, 0, 1}, "one_place");
    const std::string longer = n.add("Pad", {best.tokens, pads, n.number(call_.pad(), "padding")}, "kept_tokens_now");
    return {longer, best.scores};
  }

  // The highest-scoring ones of the kept hypotheses and of rows with scores.
  Best best_of(Nodes& n, const std::string& kept, const std::string& kept_scores, const std::string& tokens,
               const std::string& scores, const std::string& rows, int64_t count) const {
    const std::string all = n.add("Concat", {kept_scores, scores}, "all_scores", along(1));
    Best out;
    out.scores = n.top(all, n.numbers({count}, "best_count"), true, "best_scores");
    const std::string own = call_.outer("own_row");
    const std::string after = n.add("Add", {rows, call_.outer("rows_1")}, "row_after_kept");
    const std::string all_rows = n.add("Concat", {own, after}, "rows_of_all", along(1));
    const std::string best = n.add("GatherElements", {all_rows, n.name("best_scores_at")}, "best_rows", along(1));
    const std::string line = n.add("Reshape", {best, n.numbers({-1}, "best_line")}, "best_in_line");
    const std::string texts = n.add("Concat", {kept, tokens}, "texts_of_all", along(0));
    out.tokens = n.add("Gather", {texts, line}, "best_tokens", along(0));
    return out;
  }

  // A text is done when it has as many finished hypotheses as beams and no beam can become better than the worst of them.
  // The best possible score is that of ONNX Runtime: the better of the first scores of two adjacent halves of all top scores.
  std::string ends(Nodes& n, const std::string& kept_scores, const std::string& by) const {
    const std::string worst = n.add("Gather", {kept_scores, n.number(beams_ - 1, "last_kept")}, "worst", along(1));
    const std::string full = n.add("Greater", {worst, n.real(kNothing, "free")}, "full");
    if (call_.attribute("early_stopping", 0) == 1) return full;
    const std::string halves = n.add("Reshape", {top_, n.numbers({-1, beams_}, "half")}, "halves");
    const std::string heads = n.add("Gather", {halves, n.number(0, "head")}, "heads", along(1));
    const std::string zero = n.numbers({0}, "from_0"), one = n.numbers({1}, "from_1");
    const std::string own = n.slice(heads, zero, call_.outer("texts_1"), 0, "own_heads");
    const std::string next = n.slice(heads, one, call_.outer("texts_and_one"), 0, "next_heads");
    const std::string best = n.add("Div", {n.add("Max", {own, next}, "best_head"), by}, "can_become");
    return n.add("And", {full, n.add("Not", {n.add("Less", {worst, best}, "can_improve")}, "as_good_as_can_be")},
                 "ends_now_all");
  }

  const Call& call_;
  const int64_t beams_, results_;
  std::string top_, token_, row_, ends_, beam_scores_;  // values of the body under construction
};

}  // namespace

std::unique_ptr<Choice> beam_choice(const Call& call, int64_t beams, int64_t results) {
  return std::make_unique<Beams>(call, beams, results);
}

}  // namespace arenascope::models::ir::search
