// SPDX-License-Identifier: MIT
// Logits processors: penalties for repetition, vocabulary masks, and the minimum length.
#include "engine/models/onnx/searches/subgraph_builder.h"

#include <limits>

namespace arenascope::models::ir::search {
namespace {

class Scores {
 public:
  Scores(Nodes& n, const Call& call, int64_t beams, std::string x)
      : n_(n), call_(call), from_(call.sources), beams_(beams), x_(std::move(x)) {}

  std::string weigh(Iteration iteration) {
    tokens_ = call_.now("tokens");
    lowest_ = n_.real(std::numeric_limits<float>::lowest(), "lowest");
    zero_ = n_.number(0, "zero");
    if (call_.has(from_.penalty)) penalise();
    if (const int64_t run = call_.attribute("no_repeat_ngram_size", 0); run > 0) forbid_runs(run);
    if (call_.has(from_.vocabulary)) forbid("in_vocabulary", masked(call_.source(from_.vocabulary), "vocabulary"));
    if (call_.has(from_.first_vocabulary) && iteration != Iteration::Later) keep_first(iteration);
    if (call_.has(from_.least)) lower_continuation();
    if (call_.has(from_.temperature)) temper();
    return call_.times ? weigh_times(n_, call_, x_) : x_;
  }

 private:
  void forbid(const std::string& what, const std::string& where) { x_ = n_.add("Where", {where, lowest_, x_}, what); }

  std::string masked(const std::string& mask, const std::string& what) {
    return n_.add("Equal", {n_.cast(mask, kInt64, what), zero_}, "not_in_" + what);
  }

  void penalise() {
    const std::string& penalty = call_.source(from_.penalty);
    const std::string said = n_.add("GatherElements", {x_, tokens_}, "said", along(1));
    const std::string below = n_.add("Less", {said, n_.real(0, "nought")}, "below");
    const std::string less = n_.add(
        "Where", {below, n_.add("Mul", {said, penalty}, "lower"), n_.add("Div", {said, penalty}, "smaller")}, "less");
    x_ = n_.add("ScatterElements", {x_, tokens_, less}, "penalised", along(1));
  }

  void forbid_runs(int64_t run) {
    const Attributes attributes{{"ngram_size", whole(run)}};
    const std::string other = n_.add("NGramRepeatBlock", {tokens_, x_}, "unlike", attributes, "com.microsoft");
    x_ = n_.add("Max", {other, lowest_}, "not_below_lowest");
  }

  void keep_first(Iteration iteration) {
    std::string mask = call_.source(from_.first_vocabulary);
    if (beams_ > 1) mask = n_.add("Gather", {mask, call_.outer("text_of_row")}, "first_of_rows", along(0));
    std::string where = masked(mask, "first_vocabulary");
    if (iteration == Iteration::Any)
      where = n_.add("And", {where, n_.add("Equal", {call_.now("iteration"), zero_}, "is_first")}, "not_now");
    forbid("first", where);
  }

  void lower_continuation() {
    const std::string least = n_.add("Squeeze", {n_.cast(call_.source(from_.least), kInt64, "least_1")}, "least");
    const std::string few = n_.add("Less", {n_.size(tokens_, 1, "tokens_so_far"), least}, "few");
    const std::string all = n_.range(n_.size(x_, 1, "vocabulary_size"), "all_tokens");
    const std::string is_end = n_.add("Equal", {all, n_.number(call_.eos(), "end")}, "is_end");
    forbid("goes_on_till_least", n_.add("And", {is_end, few}, "not_yet"));
  }

  void temper() {
    const std::string given = n_.cast(call_.source(from_.temperature), kFloat, "temperature");
    const std::string above = n_.add("Greater", {given, n_.real(0, "no_temperature")}, "is_warm");
    x_ = n_.add("Div", {x_, n_.add("Where", {above, given, n_.real(1, "as_it_is")}, "warmth")}, "tempered");
  }

  Nodes& n_;
  const Call& call_;
  const Sources& from_;
  const int64_t beams_;
  std::string x_, tokens_, lowest_, zero_;
};

}  // namespace

std::string weigh(Nodes& n, const Call& call, Iteration iteration, int64_t beams, std::string x) {
  return Scores(n, call, beams, std::move(x)).weigh(iteration);
}

}  // namespace arenascope::models::ir::search
