// SPDX-License-Identifier: MIT
// Whisper's beam search of ONNX Runtime's domain: audio is the input, and timestamp tokens follow rules of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reference_beam_search.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kInt32;
using models::test::OnnxMaker;

constexpr double kLowest = static_cast<double>(std::numeric_limits<float>::lowest());
constexpr int64_t kSounds = 2, kRead = 3, kFirstTime = 8, kNever = 5, kTask = 3, kStart = 1, kMaxLength = 10;
const std::vector<double> kHeard{0.5, -1, 2, 0.25, 1, 0.5, -2, 1, 1, 3, 0.75, -0.5};  // of two texts

// Scores by the last word, the sum of all words, and that of all sounds.
class Heard {
 public:
  Heard() {
    encoder_.input("sounds", {-1, kSounds, -2}).input("ids", {-1, -3}, kInt32).output("scores", {-1, -3, kWords});
    encoder_.output("hidden", {-1, -2, kSounds}).output("keys", {-1, 1, -3, 1}).output("values", {-1, 1, -3, 1});
    encoder_.output("cross_keys", {-1, 1, -2, 1}).output("cross_values", {-1, 1, -2, 1});
    encoder_.node("Transpose", {"sounds"}, {"hidden"}, {{"perm", Ints{0, 2, 1}}}).weight("second", {1}, Ints{1});
    encoder_.node("ReduceSum", {"sounds", "second"}, {"each"}, {{"keepdims", int64_t{0}}})
        .weight("sides", {2}, Ints{1, 3});
    encoder_.node("Unsqueeze", {"each", "sides"}, {"cross_keys"}).node("Identity", {"cross_keys"}, {"cross_values"});
    cached(encoder_, "keys", "");
    encoder_.node("Identity", {"keys"}, {"values"});
    score(encoder_);
    decoder_.input("ids", {-1, 1}, kInt32);
    for (const char* past : {"past_keys", "past_values"}) decoder_.input(past, {-1, 1, -3, 1});
    for (const char* cross : {"cross_keys", "cross_values"}) decoder_.input(cross, {-1, 1, -2, 1});
    decoder_.output("scores", {-1, 1, kWords}).output("keys", {-1, 1, -4, 1}).output("values", {-1, 1, -4, 1});
    cached(decoder_, "keys", "past_keys");
    cached(decoder_, "values", "past_values");
    score(decoder_);
  }

  Results run(const Beams& b, bool times, std::optional<double> temperature, bool given) {
    OnnxMaker m(17);
    m.opset("com.microsoft", 1).input("sounds", {2, kSounds, kRead}).output("text", {}, kInt32).output("worth");
    const auto number = [&](const char* name, int64_t value) {
      m.raw_weight(name, {1}, std::string{static_cast<char>(value), 0, 0, 0}, kInt32);
    };
    number("most", kMaxLength);
    number("least", 0);
    number("beams", static_cast<int64_t>(b.beams));
    number("count", static_cast<int64_t>(b.results));
    number("processor", times ? 1 : 0);
    m.weight("length_penalty", {1}, Floats{static_cast<float>(b.length_penalty)});
    std::vector<std::string> from{"sounds", "most", "least", "beams", "count", "length_penalty"};
    from.resize(15);
    from[11] = "processor";
    if (temperature) {
      m.weight("temperature", {1}, Floats{static_cast<float>(*temperature)});
      from[14] = "temperature";
    }
    std::vector<Given> inputs{{"sounds", kHeard}};
    if (given) {
      inputs.push_back({"start", {}});
      for (const Ints& prompt : b.search.prompts)
        for (const int64_t word : prompt) inputs[1].numbers.push_back(static_cast<double>(word));
      m.input(from[10] = "start", {2, std::ssize(b.search.prompts[0])}, kInt32);
    }
    m.node("WhisperBeamSearch", from, {"text", "worth"},
           {{"encoder", &encoder_},
            {"decoder", &decoder_},
            {"eos_token_id", b.search.end},
            {"pad_token_id", b.search.pad},
            {"decoder_start_token_id", kStart},
            {"translate_token_id", kTask},
            {"transcribe_token_id", int64_t{-1}},
            {"no_timestamps_token_id", kNever},
            {"start_of_lm_token_id", int64_t{-1}},
            {"beginning_timestamp_token_id", kFirstTime}},
           "write", "com.microsoft");
    return run_file(m, inputs);
  }

  Scorer scorer(bool times, std::optional<double> temperature) const {
    Scorer out;
    out.first_by_encoder = true;
    out.scores = [this](size_t who, int64_t last, int64_t, int64_t sum) {
      double all = static_cast<double>(sum);
      for (size_t i = 0; i < 6; ++i) all += kHeard[who * 6 + i];
      std::vector<double> scores;
      for (int64_t v = 0; v < kWords; ++v)
        scores.push_back(static_cast<double>(tables_.words[static_cast<size_t>(last * kWords + v)]) +
                         all * static_cast<double>(tables_.sums[static_cast<size_t>(v)]));
      return scores;
    };
    out.also = [times, temperature](const Ints& text, std::vector<double>& scores) {
      for (double& x : scores) x /= temperature.value_or(1);
      if (times) apply_timestamp_rules(text, scores);
    };
    return out;
  }

 private:
  // A text is words, then pairs of times with words between them: a time, words, two times, words, …
  static void apply_timestamp_rules(const Ints& text, std::vector<double>& scores) {
    const auto is_time = [](int64_t word) { return word >= kFirstTime; };
    const auto first = std::find_if(text.begin(), text.end(), is_time);
    const bool has_text = first != text.end() && first + 1 != text.end();  // something was written since
    const bool last = is_time(text.back()), alone = last && has_text && !is_time(text[text.size() - 2]);
    int64_t newest = -1;
    for (const int64_t word : text)
      if (is_time(word)) newest = word;
    for (int64_t v = 0; v < kWords; ++v) {
      bool out = v == kNever || (has_text && (v == kTask || v == kStart));
      if (is_time(v)) out = out || (last && !alone) || (newest >= 0 && v < newest + (alone ? 0 : 1));
      if (alone && v < 7) out = true;  // before the end
      if (out) scores[static_cast<size_t>(v)] = kLowest;
    }
    double together = 0, likeliest = kLowest;
    for (int64_t v = 0; v < kWords; ++v) {
      const double x = scores[static_cast<size_t>(v)];
      if (!is_time(v))
        likeliest = std::max(likeliest, x);
      else if (x > kLowest)
        together += std::exp(x);
    }
    if (together > 0 && std::log(together) > likeliest)
      for (int64_t v = 0; v < kFirstTime; ++v) scores[static_cast<size_t>(v)] = kLowest;
  }

  static void cached(OnnxMaker& m, const std::string& cache, const std::string& past) {
    m.node("Cast", {"ids"}, {cache + "_real"}, {{"to", int64_t{1}}}).weight(cache + "_sides", {2}, Ints{1, 3});
    const std::string now = past.empty() ? cache : cache + "_now";
    m.node("Unsqueeze", {cache + "_real", cache + "_sides"}, {now});
    if (!past.empty()) m.node("Concat", {past, now}, {cache}, {{"axis", int64_t{2}}});
  }

  void score(OnnxMaker& m) const {
    m.weight("of_words", {kWords, kWords}, tables_.words).weight("of_sums", {kWords}, tables_.sums);
    m.weight("inner", {3}, Ints{1, 2, 3}).weight("half", {}, Floats{0.5F});
    m.node("Concat", {"keys", "values", "cross_keys", "cross_values"}, {"both"}, {{"axis", int64_t{2}}});
    m.node("ReduceSum", {"both", "inner"}, {"twice"}).node("Mul", {"twice", "half"}, {"all"});
    m.weight("row", {3}, Ints{-1, 1, 1}).node("Reshape", {"all", "row"}, {"column"});
    m.node("Mul", {"column", "of_sums"}, {"by_sum"}).node("Gather", {"of_words", "ids"}, {"by_word"});
    m.node("Add", {"by_word", "by_sum"}, {"scores"});
  }

  const Tables tables_;
  OnnxMaker encoder_{17}, decoder_{17};
};

}  // namespace

TEST_CASE("WhisperBeamSearch returns the most probable texts") {
  int changed = 0;
  for (const bool given : {false, true})
    for (const std::optional<double> temperature : {std::optional<double>(), std::optional<double>(0.7)})
      for (const size_t beams : {1, 2, 4}) {
        CAPTURE(given);
        CAPTURE(beams);
        Heard heard;
        Beams b{{{{kStart}, {kStart}}, kMaxLength}, beams, beams};
        if (given) b.search.prompts = {{kStart, 4, 2}, {kStart, 6, 9}};
        b.search.end = 7;
        for (const bool times : {false, true}) {
          CAPTURE(times);
          const Results made = heard.run(b, times, temperature, given);
          REQUIRE(made.refused == "");
          const Written expected = search_reference(b, heard.scorer(times, temperature));
          CHECK(made.numbers.at("text") == expected.words);
          check_near(made.numbers.at("worth"), expected.scores);
          if (times) changed += expected.words != search_reference(b, heard.scorer(false, temperature)).words ? 1 : 0;
        }
      }
  CHECK(changed > 6);
}

}  // namespace arenascope::test
