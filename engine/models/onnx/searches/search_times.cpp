// SPDX-License-Identifier: MIT
// Whisper's timestamps: tokens from an id on are timestamps. They come in pairs and never decrease, the first one is early,
// and if all timestamps together are more likely than any other token, a timestamp is chosen.
#include "engine/models/onnx/searches/subgraph_builder.h"

#include <limits>

namespace arenascope::models::ir::search {
namespace {

constexpr int64_t kLatestFirst = 50;  // after the first of all times
constexpr float kLowest = std::numeric_limits<float>::lowest();

class Times {
 public:
  Times(Nodes& n, const Call& call, std::string x) : n_(n), call_(call), x_(std::move(x)) {}

  std::string weigh() {
    lowest_ = n_.real(kLowest, "time_lowest");
    first_ = n_.number(call_.attribute("beginning_timestamp_token_id", -1), "first_time");
    token_ = n_.range(n_.size(x_, 1, "tokens_to_weigh"), "token_to_weigh");
    is_time_ = n_.add("GreaterOrEqual", {token_, first_}, "token_is_time");
    no_time_ = n_.add("Not", {is_time_}, "token_is_no_time");
    look_back();
    forbid("never", n_.add("Or", {is("no_timestamps_token_id"), is("start_of_lm_token_id")}, "never_comes"));
    const std::string task = n_.add("Or", {is("translate_token_id"), is("transcribe_token_id")}, "is_task");
    const std::string start = n_.add("Or", {task, is("decoder_start_token_id")}, "is_start");
    forbid("start", n_.add("And", {begun_, start}, "start_again"));
    pair();
    const std::string latest =
        n_.number(call_.attribute("beginning_timestamp_token_id", -1) + kLatestFirst, "latest_first");
    const std::string late = n_.add("Greater", {token_, latest}, "late");
    forbid("late_first", n_.add("And", {n_.add("Not", {begun_}, "not_begun"), late}, "too_late"));
    weigh_together();
    return x_;
  }

 private:
  void forbid(const std::string& what, const std::string& where) {
    x_ = n_.add("Where", {where, lowest_, x_}, "without_" + what);
  }

  std::string is(const char* attribute) {
    const std::string name = attribute;
    return n_.add("Equal", {token_, n_.number(call_.attribute(attribute, -1), name)}, "is_" + name);
  }

  // Boolean masks of the tokens generated so far, [rows, 1] each: is the last one a timestamp, and so on.
  void look_back() {
    const std::string tokens = call_.now("tokens");
    const std::string times = n_.cast(n_.add("GreaterOrEqual", {tokens, first_}, "are_times"), kInt64, "times");
    // With one element in front, so that there are at least two.
    const std::string pads = n_.numbers({0, 1, 0, 0}, "place_in_front");
    const std::string padded = n_.add("Pad", {times, pads}, "times_padded");
    const auto one = [&](int64_t at, const std::string& what) {
      return n_.cast(n_.add("Gather", {padded, n_.numbers({at}, what + "_at")}, what + "_whole", along(1)), kBool,
                     what);
    };
    last_ = one(-1, "last_is_time");
    const std::string before_last = one(-2, "one_before_is_time");
    const std::string before =
        n_.slice(padded, n_.numbers({0}, "from_front"), n_.numbers({-1}, "to_last"), 1, "times_before");
    begun_ = n_.cast(n_.add("ReduceMax", {before}, "times_begun", {{"axes", axes()}, {"keepdims", whole(1)}}), kBool,
                     "begun");
    paired_ = n_.add("Or", {n_.add("Not", {begun_}, "none_before"), before_last}, "pair_before");
    any_ = n_.add("Or", {begun_, last_}, "any_time");
    const Attributes last_one{{"axis", whole(1)}, {"keepdims", whole(1)}, {"select_last_index", whole(1)}};
    newest_ = n_.add("GatherElements", {tokens, n_.add("ArgMax", {times}, "newest_at", last_one)}, "newest", along(1));
  }

  static Attribute axes() {
    Attribute a;
    a.kind = Attribute::kInts;
    a.ints = {1};
    return a;
  }

  void pair() {
    const std::string after_pair = n_.add("And", {last_, paired_}, "after_pair");
    forbid("third_time", n_.add("And", {after_pair, is_time_}, "third"));
    const std::string alone = n_.add("And", {last_, n_.add("Not", {paired_}, "not_paired")}, "time_alone");
    const std::string text = n_.add("Less", {token_, n_.number(call_.eos(), "end_of_tokens")}, "is_text");
    forbid("text_in_pair", n_.add("And", {alone, text}, "splits_pair"));
    const std::string next = n_.add("Add", {newest_, n_.number(1, "one_later")}, "next_time");
    const std::string least = n_.add("Where", {alone, newest_, next}, "least_time");
    const std::string early = n_.add("And", {is_time_, n_.add("Less", {token_, least}, "before_least")}, "goes_back");
    forbid("early", n_.add("And", {any_, early}, "too_early"));
  }

  void weigh_together() {
    const Attributes row{{"axes", axes()}, {"keepdims", whole(1)}};
    const std::string of_times = n_.add("Where", {is_time_, x_, lowest_}, "of_times");
    const std::string best = n_.add("ReduceMax", {of_times}, "best_time", row);
    const std::string counts = n_.add("Greater", {of_times, lowest_}, "time_counts");
    const std::string parts = n_.add("Exp", {n_.add("Sub", {of_times, best}, "below_best")}, "time_parts");
    const std::string counted = n_.add("Where", {counts, parts, n_.real(0, "no_part")}, "counted_parts");
    const std::string sum =
        n_.add("ReduceSum", {counted, n_.numbers({1}, "parts_axis")}, "all_parts", {{"keepdims", whole(1)}});
    const std::string together = n_.add("Add", {n_.add("Log", {sum}, "log_parts"), best}, "times_together");
    const std::string text =
        n_.add("ReduceMax", {n_.add("Where", {is_time_, lowest_, x_}, "of_text")}, "best_text", row);
    const std::string likelier = n_.add("Greater", {together, text}, "times_likelier");
    forbid("text", n_.add("And", {likelier, no_time_}, "must_be_time"));
  }

  Nodes& n_;
  const Call& call_;
  std::string x_, lowest_, first_, token_, is_time_, no_time_;
  std::string last_, begun_, paired_, any_,
      newest_;  // the last token is a time; one was before it; both, or it is the first
};

}  // namespace

std::string weigh_times(Nodes& n, const Call& call, std::string x) { return Times(n, call, std::move(x)).weigh(); }

}  // namespace arenascope::models::ir::search
