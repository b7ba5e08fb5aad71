// SPDX-License-Identifier: MIT
// Beam searches of ONNX Runtime's domain, compared with a reference implementation.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "reference_beam_search.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kInt32;
using models::test::OnnxMaker;

std::string bytes_of(size_t number) { return {static_cast<char>(number), 0, 0, 0}; }

struct Form {
  std::vector<Attr> graphs;
  const char* op = "BeamSearch";
  std::vector<Given> more = {};
};

Results run_beams(const Beams& b, const Form& form,
                  const std::vector<std::string>& results = {"text", "worth", "all_scores"},
                  OnnxMaker&& m = OnnxMaker(17)) {
  SearchInputs in = add_inputs(m, b.search, {2, 6, 7, 8, 9}, 12);
  m.raw_weight("beams", {1}, bytes_of(b.beams), kInt32).raw_weight("count", {1}, bytes_of(b.results), kInt32);
  m.weight("length_penalty", {1}, Floats{static_cast<float>(b.length_penalty)});
  in.from[3] = "beams";
  in.from[4] = "count";
  in.from[5] = "length_penalty";
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].empty()) m.output(results[i], {}, i == 0 ? kInt32 : models::test::kFloat);
  std::vector<Attr> attributes{{"eos_token_id", b.search.end}, {"pad_token_id", b.search.pad}};
  if (b.search.unlike > 0) attributes.push_back({"no_repeat_ngram_size", b.search.unlike});
  if (b.early) attributes.push_back({"early_stopping", int64_t{1}});
  attributes.insert(attributes.end(), form.graphs.begin(), form.graphs.end());
  m.node(form.op, in.from, results, attributes, "write", "com.microsoft");
  return run_file(m, in.given);
}

void check_like(const Results& made, const Beams& b, const Written& expected) {
  REQUIRE(made.refused == "");
  const auto texts = std::ssize(b.search.prompts), results = static_cast<int64_t>(b.results);
  CHECK(made.sizes.at("text") == Dims{texts, results, b.search.most});
  CHECK(made.numbers.at("text") == expected.words);
  CHECK(made.sizes.at("worth") == Dims{texts, results});
  check_near(made.numbers.at("worth"), expected.scores);
  const std::vector<double>& iteration_scores = made.numbers.at("all_scores");
  const auto size = expected.iteration_scores[0].size();
  CHECK(made.sizes.at("all_scores")[0] == b.search.most - std::ssize(b.search.prompts[0]));
  REQUIRE(iteration_scores.size() >= size * expected.iteration_scores.size());
  for (size_t t = 0; t < expected.iteration_scores.size(); ++t) {
    CAPTURE(t);
    for (size_t i = 0; i < size; ++i) {
      const double there = iteration_scores[t * size + i], want = expected.iteration_scores[t][i];
      REQUIRE(std::abs(there - want) <= 1e-4 + 1e-5 * std::abs(want));
    }
  }
  CHECK(std::all_of(iteration_scores.begin() + static_cast<std::ptrdiff_t>(size * expected.iteration_scores.size()),
                    iteration_scores.end(), [](double x) { return x == 0; }));
}

Scorer of_decoder(const Beams& b, double first_phase = 0) {
  Scorer out;
  out.scores = [&b, first_phase](size_t who, int64_t last, int64_t iteration, int64_t sum) {
    const Ints& prompt = b.search.prompts[who];
    const auto words = std::ssize(prompt) - std::count(prompt.begin(), prompt.end(), b.search.pad);
    const int64_t place = iteration == 0 && last == b.search.pad ? 0 : words - 1 + iteration;
    return scores_of(last, place, sum, iteration == 0 ? first_phase : 0);
  };
  return out;
}

void check_plain(const Beams& b) {
  OnnxMaker inner(17);
  check_like(run_beams(b, {{{"decoder", &decoder(inner)}}}), b, search_reference(b, of_decoder(b)));
}

// An encoder and a decoder: scores depend on the last token and on the sum of all tokens written and read, which the caches hold.
class Pair {
 public:
  Pair(const Beams& b, bool begins, bool one) : b_(b) {
    encoder_.input("read", {-1, -2}, kInt32).input("read_mask", {-1, -2}, kInt32);
    if (begins) {
      encoder_.input("ids", {-1, 1}, kInt32).output("scores", {-1, 1, kWords}).output("hidden", {-1, -2, 1});
      encoder_.output("keys", {-1, 1, 1, 1}).output("values", {-1, 1, 1, 1});
    }
    encoder_.output("cross_keys", {-1, 1, -2, 1}).output("cross_values", {-1, 1, -2, 1});
    encoder_.node("Cast", {"read"}, {"read_real"}, {{"to", int64_t{1}}}).weight("sides", {2}, Ints{1, 3});
    encoder_.node("Unsqueeze", {"read_real", "sides"}, {"cross_keys"})
        .node("Identity", {"cross_keys"}, {"cross_values"});
    if (begins) {
      encoder_.weight("last", {1}, Ints{2}).node("Unsqueeze", {"read_real", "last"}, {"hidden"});
      cached(encoder_, "ids", "keys", "");
      encoder_.node("Identity", {"keys"}, {"values"});
      score(encoder_, "ids", "read_mask", "cross_keys", "cross_values", "keys", "values");
    }
    decoder_.input("ids", {-1, one ? 1 : -5}, kInt32).input("mask", {-1, -2}, kInt32);
    for (const char* past : {"past_keys", "past_values"}) decoder_.input(past, {-1, 1, -3, 1});
    for (const char* cross : {"cross_keys", "cross_values"}) decoder_.input(cross, {-1, 1, -2, 1});
    decoder_.output("scores", {-1, 1, kWords}).output("keys", {-1, 1, -4, 1}).output("values", {-1, 1, -4, 1});
    decoder_.weight("end", {1}, Ints{-1}).node("Gather", {"ids", "end"}, {"id"}, {{"axis", int64_t{1}}});
    cached(decoder_, "id", "keys", "past_keys");
    cached(decoder_, "id", "values", "past_values");
    score(decoder_, "id", "mask", "cross_keys", "cross_values", "keys", "values");
    begins_ = begins;
  }

  Form form() const {
    return {{{"encoder", &encoder_},
             {"decoder", &decoder_},
             {"model_type", int64_t{1}},
             {"decoder_start_token_id", kStart}}};
  }

  // The output starts with a token of its own; input tokens count, except for padding before the first one.
  Written write() const {
    Beams written = b_;
    for (Ints& prompt : written.search.prompts) prompt = {kStart};
    Scorer scorer;
    scorer.first_by_encoder = begins_;
    scorer.scores = [this](size_t who, int64_t last, int64_t, int64_t sum) {
      const Ints& read = b_.search.prompts[who];
      bool begun = false;
      for (size_t i = 0; i < read.size(); ++i) {
        begun = begun || read[i] != b_.search.pad;
        const bool counts = b_.search.mask.empty() ? begun : b_.search.mask[who * read.size() + i] != 0;
        if (counts) sum += read[i];
      }
      std::vector<double> out;
      for (int64_t v = 0; v < kWords; ++v)
        out.push_back(static_cast<double>(tables_.words[static_cast<size_t>(last * kWords + v)]) +
                      static_cast<double>(sum) * static_cast<double>(tables_.sums[static_cast<size_t>(v)]));
      return out;
    };
    return search_reference(written, scorer);
  }

 private:
  static constexpr int64_t kStart = 1;

  static void cached(OnnxMaker& m, const std::string& ids, const std::string& cache, const std::string& past) {
    m.node("Cast", {ids}, {cache + "_real"}, {{"to", int64_t{1}}}).weight(cache + "_sides", {2}, Ints{1, 3});
    const std::string now = past.empty() ? cache : cache + "_now";
    m.node("Unsqueeze", {cache + "_real", cache + "_sides"}, {now});
    if (!past.empty()) m.node("Concat", {past, now}, {cache}, {{"axis", int64_t{2}}});
  }

  void score(OnnxMaker& m, const char* ids, const char* mask, const char* cross_keys, const char* cross_values,
             const char* keys, const char* values) {
    m.weight("of_words", {kWords, kWords}, tables_.words).weight("of_sums", {kWords}, tables_.sums);
    m.weight("mask_sides", {2}, Ints{1, 3}).weight("inner", {2}, Ints{1, 2}).weight("half", {}, Floats{0.5F});
    m.node("Cast", {mask}, {"counts"}, {{"to", int64_t{1}}}).node("Unsqueeze", {"counts", "mask_sides"}, {"count"});
    m.node("Add", {cross_keys, cross_values}, {"cross_both"}).node("Mul", {"cross_both", "count"}, {"cross"});
    m.node("ReduceSum", {"cross", "inner"}, {"cross_sum"}, {{"keepdims", int64_t{0}}});
    m.node("Add", {keys, values}, {"both"}).node("ReduceSum", {"both", "inner"}, {"sum"}, {{"keepdims", int64_t{0}}});
    m.node("Add", {"sum", "cross_sum"}, {"twice"}).node("Mul", {"twice", "half"}, {"all"});
    m.weight("to_words", {1}, Ints{2}).node("Unsqueeze", {"all", "to_words"}, {"each"});
    m.node("Mul", {"each", "of_sums"}, {"by_sum"}).node("Gather", {"of_words", ids}, {"by_word"});
    m.node("Add", {"by_word", "by_sum"}, {"scores"});
  }

  const Beams& b_;
  const Tables tables_;
  bool begins_ = false;
  OnnxMaker encoder_{17}, decoder_{17};
};

const Search kTwo{{{3, 4, 5}, {7, 1, 2}}, 10};

}  // namespace

TEST_CASE("beam search returns the most probable texts") {
  check_plain({{{{3, 4, 5}}, 9}, 1});
  check_plain({{{{3, 4, 5}}, 9}, 3, 2});
  check_plain({kTwo, 4, 4});
  check_plain({{{{0, 0, 5}, {7, 0, 2}}, 9}, 2, 2});  // padding has no position
  check_plain({{{{3, 4, 5}, {7, 1, 2}}, 12, 0, -1, 0, 0, 1.8}, 3, 3});
  check_plain({{{{3, 4, 5}, {7, 1, 2}}, 12, 0, -1, 0, 2, 0.7}, 3, 3});
  Ints some(kWords, 1), first(2 * kWords, 0);
  some[2] = some[7] = some[11] = 0;
  first[5] = first[kWords + 8] = 1;
  check_plain({{{{3, 4}, {6, 1}}, 8, 0, -1, 0, 0, 1, some}, 3, 2});
  check_plain({{{{3, 4}, {6, 1}}, 8, 0, -1, 0, 1, 1, some, first}, 4, 4});
}

TEST_CASE("beam search keeps finished beams and ends when no beam can improve") {
  int ended = 0, filled = 0;
  for (int64_t end = 1; end < kWords; ++end)
    for (const size_t beams : {1, 2, 3}) {
      CAPTURE(end);
      CAPTURE(beams);
      Beams b{kTwo, beams, beams, end % 2 == 0, 0.25 * static_cast<double>(end) - 1};
      b.search.end = end;
      b.search.least = end % 3 == 0 ? 6 : 0;
      check_plain(b);
      const Written written = search_reference(b, of_decoder(b));
      ended += written.iteration_scores.size() < 7 ? 1 : 0;
      filled += std::find(written.words.begin(), written.words.end(), 0.0) != written.words.end() ? 1 : 0;
    }
  CHECK(ended > 2);
  CHECK(filled > 8);
}

TEST_CASE("the first beam search iteration may use a separate decoder") {
  const Beams b{kTwo, 3, 2};
  OnnxMaker inner(17), first(17);
  const Form form{{{"decoder", &decoder(inner)}, {"init_decoder", &decoder(first, 2.5)}}};
  check_like(run_beams(b, form), b, search_reference(b, of_decoder(b, 2.5)));
}

TEST_CASE("an encoder-decoder beam search runs the encoder once") {
  for (const bool begins : {false, true})
    for (const bool one : {true, false})
      for (const int64_t end : {-1, 3, 4, 8}) {
        CAPTURE(begins);
        CAPTURE(end);
        Beams b{{{{3, 4, 5, 2}, {0, 0, 7, 0}}, 8}, end < 0 ? size_t{1} : 3, 1, end == 4};
        b.search.end = end;
        if (end == 8) b.search.mask = {1, 1, 0, 1, 0, 1, 1, 1};
        const Pair pair(b, begins, one);
        Results made = run_beams(b, pair.form());
        Beams written = b;  // begins with one word
        for (Ints& prompt : written.search.prompts) prompt = {1};
        check_like(made, written, pair.write());
      }
}

TEST_CASE("beam search returns the requested outputs") {
  const Beams b{kTwo, 3, 2};
  const Written expected = search_reference(b, of_decoder(b));
  OnnxMaker inner(17);
  const Form form{{{"decoder", &decoder(inner)}}};
  CHECK(run_beams(b, form, {"text"}).numbers.at("text") == expected.words);
  check_near(run_beams(b, form, {"", "worth"}).numbers.at("worth"), expected.scores);
}

TEST_CASE("beam search with an empty batch, and with no tokens to generate") {
  for (const auto& [texts, most] : {std::pair<int64_t, int64_t>{0, 6}, {2, 3}}) {
    CAPTURE(texts);
    OnnxMaker inner(17), m(17);
    m.opset("com.microsoft", 1).input("words", {texts, 3}, kInt32).output("text", {}, kInt32);
    m.raw_weight("most", {1}, bytes_of(static_cast<size_t>(most)), kInt32).output("worth").output("all_scores");
    m.raw_weight("beams", {1}, bytes_of(4), kInt32).raw_weight("count", {1}, bytes_of(2), kInt32);
    m.node("BeamSearch", {"words", "most", "", "beams", "count"}, {"text", "worth", "all_scores"},
           {{"decoder", &decoder(inner)}, {"eos_token_id", int64_t{-1}}, {"pad_token_id", int64_t{0}}}, "write",
           "com.microsoft");
    const Results made = run_file(m, {});
    REQUIRE(made.refused == "");
    CHECK(made.sizes.at("text") == Dims{texts, 2, most});
    CHECK(made.sizes.at("worth") == Dims{texts, 2});
    CHECK(made.sizes.at("all_scores") == Dims{most - 3, texts, 4, kWords});
  }
}

TEST_CASE("the number of beams may be a run-time value") {
  const Beams b{kTwo, 3, 1};
  OnnxMaker inner(17), m(17);
  SearchInputs in = add_inputs(m, b.search, {2, 6, 7, 8, 9}, 12);
  m.weight("axis", {1}, Ints{0}).weight("four", {1}, Ints{4}).weight("one", {1}, Ints{1}).output("text", {}, kInt32);
  m.node("Cast", {"words"}, {"whole"}, {{"to", int64_t{7}}});
  m.weight("axes", {2}, Ints{0, 1})
      .node("ReduceMax", {"whole"}, {"largest"}, {{"axes", Ints{0, 1}}, {"keepdims", int64_t{0}}});
  m.node("Unsqueeze", {"largest", "axis"}, {"seven"}).node("Sub", {"seven", "four"}, {"three"});
  m.node("Cast", {"three"}, {"beams"}, {{"to", int64_t{6}}}).node("Cast", {"one"}, {"count"}, {{"to", int64_t{6}}});
  m.weight("length_penalty", {1}, Floats{1});
  in.from[3] = "beams";
  in.from[4] = "count";
  in.from[5] = "length_penalty";
  m.node("BeamSearch", in.from, {"text"},
         {{"decoder", &decoder(inner)}, {"eos_token_id", int64_t{-1}}, {"pad_token_id", int64_t{0}}}, "write",
         "com.microsoft");
  const Results made = run_file(m, in.given);
  REQUIRE(made.refused == "");
  CHECK(made.numbers.at("text") == search_reference(b, of_decoder(b)).words);
}

TEST_CASE("unsupported beam searches are an error") {
  OnnxMaker inner(17), other(17);
  other.input("ids", {1, 1}, kInt32).output("scores").node("Identity", {"ids"}, {"scores"});
  const Form plain{{{"decoder", &decoder(inner)}}};
  const auto refused = [](const Beams& b, const Form& form, const std::vector<std::string>& results = {"text"}) {
    const std::string why = run_beams(b, form, results).refused;
    CHECK(why != "");
    CHECK(why.find('\n') == std::string::npos);
  };
  refused({{{{3, 4}}, 0}, 2}, plain);
  refused({kTwo, 0}, plain);
  refused({kTwo, 129}, plain);
  refused({kTwo, 2, 0}, plain);
  refused({kTwo, 2, 3}, plain);
  refused({kTwo, 2}, {{}});
  refused({kTwo, 2}, {{{"decoder", &other}}});
  refused({kTwo, 2}, {{{"decoder", &inner}, {"init_decoder", &other}}});
  for (const int64_t type : {-1, 1, 2, 3}) refused({kTwo, 2}, {{{"decoder", &inner}, {"model_type", type}}});
  refused({kTwo, 2}, {{{"decoder", &inner}, {"encoder", &other}, {"model_type", int64_t{1}}}});
  const Beams b{kTwo, 2};
  const Pair pair(b, true, true);
  for (const char* left_out : {"encoder", "decoder", "decoder_start_token_id"}) {
    Form form = pair.form();
    std::erase_if(form.graphs, [&](const Attr& a) { return a.name == left_out; });
    refused(b, form);
  }
  for (const bool named : {false, true}) {
    Form heard = pair.form();
    heard.op = "WhisperBeamSearch";
    if (!named) std::erase_if(heard.graphs, [](const Attr& a) { return a.name == "model_type"; });
    refused(b, heard);
  }
}

}  // namespace arenascope::test
