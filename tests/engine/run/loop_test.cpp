// SPDX-License-Identifier: MIT
// Loops with a trip count that is known only at run time: the body is a graph of its own that runs once per iteration.
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

#include <arenascope/models/npy.h>
#include <arenascope/run/runner.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kBool;
using models::test::kInt64;
using models::test::kString;
using models::test::OnnxMaker;
using Ints = std::vector<int64_t>;

std::unique_ptr<Runner> opened(const OnnxMaker& maker, trace::Recorder* recorder = nullptr) {
  auto model = maker.open();
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  RunnerOptions options;
  options.threads = 2;
  options.recorder = recorder;
  auto runner = Runner::open(std::move(*model), options);
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  return std::move(*runner);
}

void run(Runner& runner) {
  auto report = runner.run();
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
}

RunResult result_of(Runner& runner, std::string_view name) {
  for (const RunResult& result : runner.results())
    if (result.value->name == name) return result;
  FAIL("there is no such result");
  return {};
}

template <class T>
std::vector<T> values(Runner& runner, std::string_view name) {
  auto bytes = result_of(runner, name).read();
  REQUIRE_MESSAGE(bytes.ok(), (bytes.ok() ? "" : bytes.error().message));
  std::vector<T> out(bytes->size() / sizeof(T));
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

std::vector<std::string> strings(Runner& runner, std::string_view name) {
  std::vector<std::string> out;
  const models::StringTable words = result_of(runner, name).value->strings;
  REQUIRE(words);
  for (const int64_t place : values<int64_t>(runner, name)) out.emplace_back(models::string_at(words, place));
  return out;
}

// The first nodes of a body: adds 1 to a state of one element while it is below the limit.
void count_up(OnnxMaker& body) {
  body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {1});
  body.output("on", {}, kBool).output("next", {1});
  body.node("Add", {"s", "step"}, {"next"}).node("ReduceMax", {"next"}, {"max"}, {Attr{"keepdims", int64_t{0}}});
  body.node("Less", {"max", "limit"}, {"on"});
}

// The graph around the loop: `more` loop-carried states, and its results.
void around(OnnxMaker& m, const OnnxMaker& body, float limit, std::vector<std::string> more = {},
            std::vector<std::string> results = {}, const std::string& most = "") {
  m.input("x", {1}).weight("zero", {}, std::vector<float>{0}).weight("step", {}, std::vector<float>{1});
  m.weight("limit", {}, std::vector<float>{limit}).node("Mul", {"x", "zero"}, {"start"});
  std::vector<std::string> sources{most, "", "start"};
  sources.insert(sources.end(), more.begin(), more.end());
  results.insert(results.begin(), "last");
  m.node("Loop", sources, results, {Attr{"body", &body}}, "count").output("last", {1});
}

}  // namespace

TEST_CASE("one graph runs ten thousand iterations") {
  OnnxMaker body(20), m(20);
  count_up(body);
  body.node("Cast", {"i"}, {"index"}, {Attr{"to", int64_t{1}}}).output("index", {});
  around(m, body, 10000, {}, {"iterations"});
  m.output("iterations", {-1});
  const auto runner = opened(m);
  for (int round = 0; round < 2; ++round) {
    run(*runner);
    CHECK(values<float>(*runner, "last") == std::vector<float>{10000});
    const auto iteration_count = values<float>(*runner, "iterations");
    REQUIRE(iteration_count.size() == 10000);
    for (size_t i = 0; i < iteration_count.size(); ++i) REQUIRE(iteration_count[i] == static_cast<float>(i));
    REQUIRE(runner->loop());
    CHECK(runner->loop()->iterations == 9999);  // the first one is in the graph before it
    CHECK(runner->loop()->graphs == 1);
    CHECK(runner->loop()->body->plan().threads == 2);
  }
}

TEST_CASE("a Scan beyond the unroll limit runs as one graph") {
  constexpr int64_t kIterations = 20000;
  for (const Ints& minus_sizes : {Ints{1}, Ints{}}) {  // a file may declare too few dimensions
    OnnxMaker body(20), m(20);
    body.input("s", {1}).input("a", {1}).input("b", {1}).node("Add", {"s", "a"}, {"sum"}).output("sum", {1});
    body.node("Mul", {"sum", "b"}, {"product"}).node("Neg", {"product"}, {"minus"});
    body.output("product", {1}).output("minus", minus_sizes);
    m.input("x", {kIterations, 1}).weight("zero", {1}, std::vector<float>{0});
    m.node("Transpose", {"x"}, {"other"}).node("Identity", {"x"}, {"seen"}).output("seen", {kIterations, 1});
    m.node("Scan", {"zero", "x", "other"}, {"last", "forwards", "backwards"},
           {Attr{"body", &body}, Attr{"num_scan_inputs", int64_t{2}}, Attr{"scan_input_axes", Ints{0, -1}},
            Attr{"scan_input_directions", Ints{0, 1}}, Attr{"scan_output_axes", Ints{0, 1}},
            Attr{"scan_output_directions", Ints{0, 1}}},
           "steps");
    m.output("last", {1}).output("forwards", {-1, 1}).output("backwards", {1, -1});
    const auto runner = opened(m);
    run(*runner);
    float sum = 0;
    const auto x = values<float>(*runner, "seen");
    const auto last = values<float>(*runner, "last"), forwards = values<float>(*runner, "forwards"),
               backwards = values<float>(*runner, "backwards");
    REQUIRE(forwards.size() == kIterations);
    REQUIRE(backwards.size() == kIterations);
    CHECK(result_of(*runner, "backwards").value->tensor.sizes() == Dims{1, kIterations});
    for (size_t t = 0; t < kIterations; ++t) {
      sum += x[t];
      REQUIRE(forwards[t] == sum * x[kIterations - 1 - t]);
      REQUIRE(backwards[kIterations - 1 - t] == -forwards[t]);
    }
    CHECK(last == std::vector<float>{sum});
    REQUIRE(runner->loop());
    CHECK(runner->loop()->title == "Scan 'steps'");
    CHECK(runner->model().deferred->why.starts_with("Scan 'steps'"));
    CHECK(runner->loop()->iterations == kIterations);
    CHECK(runner->loop()->graphs == 1);
  }
}

TEST_CASE("a Scan with data-dependent shapes in its body runs as a deferred loop") {
  OnnxMaker body(20), m(20);
  body.input("s", {1})
      .input("a", {4})
      .node("Greater", {"a", "nothing"}, {"above"})
      .node("Compress", {"a", "above"}, {"some"});
  body.node("ReduceSum", {"some"}, {"sum"}).node("Add", {"s", "sum"}, {"next"}).output("next", {1}).output("sum", {1});
  m.input("x", {5, 4}).weight("nothing", {}, std::vector<float>{0}).weight("zero", {1}, std::vector<float>{0});
  m.node("Identity", {"x"}, {"seen"}).output("seen", {5, 4});
  m.node("Scan", {"zero", "seen"}, {"last", "sums"}, {Attr{"body", &body}, Attr{"num_scan_inputs", int64_t{1}}},
         "steps");
  m.output("last", {1}).output("sums", {5, 1});
  const auto runner = opened(m);
  run(*runner);
  const auto x = values<float>(*runner, "seen"), sums = values<float>(*runner, "sums");
  REQUIRE(sums.size() == 5);
  float last = 0;
  for (size_t t = 0; t < 5; ++t) {
    float sum = 0;
    for (size_t i = 0; i < 4; ++i) sum += std::max(x[4 * t + i], 0.0f);
    CHECK(sums[t] == doctest::Approx(sum));
    last += sums[t];
  }
  CHECK(values<float>(*runner, "last")[0] == doctest::Approx(last));
}

TEST_CASE("a recording has one run per iteration, in a layer of the loop") {
  OnnxMaker body(20), m(20);
  count_up(body);
  around(m, body, 7);
  trace::Recorder recorder;
  auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  recorder.start();
  {
    const auto runner = opened(m, &recorder);
    run(*runner);
  }
  recorder.stop();
  const auto snapshot = session->snapshot();
  REQUIRE(snapshot->runs.size() == 8);  // the first iteration's, six iterations, and the nodes after the loop
  for (size_t i = 1; i < 7; ++i) {
    const trace::GraphInfo* graph = snapshot->graph_of(trace::RunId(i));
    REQUIRE(graph);
    CHECK(snapshot->runs[i].info.graph == snapshot->runs[1].info.graph);
    CHECK(graph->continuation_of == snapshot->runs[0].info.graph);
    for (const trace::TensorInfo& node : graph->nodes)
      if (node.op == "ADD") CHECK(node.layer == "Loop count / iterations from 1");
  }
  CHECK(snapshot->graph_of(trace::RunId(7))->continuation_of == snapshot->runs[1].info.graph);
}

TEST_CASE("a growing loop state recompiles the body while it grows") {
  OnnxMaker body(20), m(20);
  count_up(body);
  body.input("all", {-1}).output("more", {-1}).node("Concat", {"all", "next"}, {"more"}, {Attr{"axis", int64_t{0}}});
  around(m, body, 6, {"start"}, {"grown"});
  m.output("grown", {-1});
  const auto runner = opened(m);
  run(*runner);
  CHECK(values<float>(*runner, "grown") == std::vector<float>{0, 1, 2, 3, 4, 5, 6});
  CHECK(runner->loop()->graphs == 5);
}

TEST_CASE("nested loops with a branch and data-dependent consumers") {
  // Each iteration counts the nonzero elements of the state; if there is more than one, it runs another loop.
  OnnxMaker inner(20), yes(20), no(20), body(20), m(20);
  inner.input("j", {}, kInt64).input("goes", {}, kBool).input("t", {1});
  inner.output("again", {}, kBool).output("u", {1}).node("Add", {"t", "step"}, {"u"});
  inner.node("ReduceMax", {"u"}, {"um"}, {Attr{"keepdims", int64_t{0}}}).node("Less", {"um", "most"}, {"again"});
  yes.node("Loop", {"", "", "next"}, {"inner"}, {Attr{"body", &inner}}, "inner").output("inner");
  no.node("Neg", {"next"}, {"minus"}).output("minus");
  count_up(body);
  body.node("Greater", {"max", "two"}, {"large"});
  body.node("If", {"large"}, {"chosen"}, {Attr{"then_branch", &yes}, Attr{"else_branch", &no}}, "choice");
  body.node("NonZero", {"chosen"}, {"places"})
      .node("Size", {"places"}, {"n"})
      .output("chosen", {1})
      .output("n", {}, kInt64);
  around(m, body, 5, {}, {"chosen_all", "counts"});
  m.weight("two", {}, std::vector<float>{2}).weight("most", {}, std::vector<float>{20});
  m.output("chosen_all", {-1, 1}).output("counts", {-1}, kInt64);
  const auto runner = opened(m);
  run(*runner);
  CHECK(values<float>(*runner, "chosen_all") == std::vector<float>{-1, -2, 20, 20, 20});
  CHECK(values<int64_t>(*runner, "counts") == Ints{1, 1, 1, 1, 1});
}

TEST_CASE("a sequence, also of strings, that grows in a loop") {
  OnnxMaker body(20), m(20);
  count_up(body);
  body.input("list", {}).input("words", {}).output("longer", {}).output("wordier", {}).output("word", {2}, kString);
  body.node("SequenceInsert", {"list", "next"}, {"longer"}).node("Cast", {"next"}, {"text"}, {Attr{"to", int64_t{8}}});
  body.node("Concat", {"text", "hello"}, {"word"}, {Attr{"axis", int64_t{0}}});
  body.node("SequenceInsert", {"words", "word"}, {"wordier"});
  m.weight("hello", {1}, std::vector<std::string>{"hello"}).node("SequenceEmpty", {}, {"none"});
  m.node("SequenceEmpty", {}, {"silence"}, {Attr{"dtype", int64_t{8}}});
  around(m, body, 4, {"none", "silence"}, {"list_out", "words_out", "said"});
  m.node("ConcatFromSequence", {"list_out"}, {"numbers"}, {Attr{"axis", int64_t{0}}}).output("numbers", {-1});
  m.node("ConcatFromSequence", {"words_out"}, {"all_words"}, {Attr{"axis", int64_t{0}}});
  m.output("all_words", {-1}, kString).output("said", {-1, 2}, kString);
  const auto runner = opened(m);
  run(*runner);
  CHECK(values<float>(*runner, "numbers") == std::vector<float>{1, 2, 3, 4});
  const std::vector<std::string> all{"1", "hello", "2", "hello", "3", "hello", "4", "hello"};
  CHECK(strings(*runner, "all_words") == all);
  CHECK(strings(*runner, "said") == all);
}

TEST_CASE("random values differ between iterations and repeat between runs") {
  for (const bool unrolled : {false, true}) {
    OnnxMaker body(20), m(20);
    count_up(body);
    body.node("RandomUniform", {}, {"drawn"}, {Attr{"shape", Ints{3}}, Attr{"dtype", int64_t{1}}}).output("drawn", {3});
    body.node("Bernoulli", {"half"}, {"coins"}, {Attr{"dtype", int64_t{1}}}).output("coins", {32});
    m.weight("half", {32}, std::vector<float>(32, 0.5f)).weight("five", {}, Ints{5});
    around(m, body, unrolled ? 100 : 40, {}, {"all", "tossed"}, unrolled ? "five" : "");
    m.output("all", {-1, 3}).output("tossed", {-1, 32});
    const auto runner = opened(m);
    run(*runner);
    const auto first = values<float>(*runner, "all"), coins = values<float>(*runner, "tossed");
    const size_t iteration_count = unrolled ? 5 : 40;
    REQUIRE(first.size() == iteration_count * 3);
    CHECK(std::set<float>(first.begin(), first.end()).size() == first.size());
    std::set<std::vector<float>> tosses;
    for (size_t t = 0; t < iteration_count; ++t)
      tosses.emplace(coins.begin() + static_cast<long>(t) * 32, coins.begin() + static_cast<long>(t + 1) * 32);
    CHECK(tosses.size() == iteration_count);
    run(*runner);
    CHECK(values<float>(*runner, "all") == first);
  }
}

TEST_CASE("more iterations than the unroll limit") {
  OnnxMaker body(20), m(20);
  body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {1}).output("go").output("next", {1});
  body.node("Add", {"s", "step"}, {"next"});
  m.weight("many", {}, Ints{70000});
  around(m, body, 0, {}, {}, "many");
  const auto runner = opened(m);
  run(*runner);
  CHECK(values<float>(*runner, "last") == std::vector<float>{70000});
}

TEST_CASE("a loop without a trip count is unrolled only if its condition is known to end it") {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  struct Case {
    const char* condition;
    int64_t most, iteration_count, runtime_iterations;  // runtime_iterations: those of the body's own graph
  };
  // Depending on the iteration number, on a state other than the computed one, and on nothing.
  for (const Case& one : {Case{"number", kNoLimit, 5, 0}, Case{"number", 70000, 5, 0}, Case{"state", kNoLimit, 5, 0},
                          Case{"constant", 70000, 70000, 69999}, Case{"equal", 30000, 30000, 29999}}) {
    CAPTURE(one.condition);
    CAPTURE(one.most);
    OnnxMaker body(20), m(20);
    body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {1}).input("k", {}, kInt64);
    body.output("on", {}, kBool).output("next", {1}).output("k2", {}, kInt64);
    body.node("Add", {"s", "step"}, {"next"}).node("Add", {"k", "one"}, {"k2"});
    const std::string condition = one.condition;
    if (condition == "number") body.node("Less", {"i", "four"}, {"on"});
    if (condition == "state") body.node("Less", {"k2", "five"}, {"on"});
    if (condition == "constant") body.node("Identity", {"go"}, {"on"});
    if (condition == "equal") body.node("Equal", {"i", "i"}, {"on"});
    m.weight("one", {}, Ints{1}).weight("four", {}, Ints{4}).weight("five", {}, Ints{5}).weight("k0", {}, Ints{0});
    m.weight("many", {}, Ints{one.most});
    around(m, body, 0, {"k0"}, {"k"}, "many");
    const auto runner = opened(m);
    CHECK(runner->plan().graph.nodes().size() < 12);
    run(*runner);
    CHECK(values<float>(*runner, "last") == std::vector<float>{static_cast<float>(one.iteration_count)});
    CHECK((runner->loop() ? runner->loop()->iterations : 0) == one.runtime_iterations);
  }
}

TEST_CASE("an endless loop can be stopped from another thread") {
  OnnxMaker body(20), m(20);
  count_up(body);
  around(m, body, INFINITY);
  const auto runner = opened(m);
  RunControl control;
  RunOptions options;
  options.control = &control;
  std::thread stopping([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    control.abort();
  });
  auto report = runner->run(options);
  stopping.join();
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  CHECK(report->aborted);
  CHECK(runner->loop()->iterations > 10);
  CHECK(runner->results().empty());
}

TEST_CASE("iterations with scan outputs of different shapes are an error of the run") {
  OnnxMaker body(20), m(20);
  count_up(body);
  body.input("all", {-1}).output("more", {-1}).node("Concat", {"all", "next"}, {"more"}, {Attr{"axis", int64_t{0}}});
  body.node("Neg", {"all"}, {"left"}).output("left", {-1});
  around(m, body, 6, {"start"}, {"grown", "ragged"});
  m.output("ragged", {-1, -1});
  const auto runner = opened(m);
  const auto report = runner->run();
  REQUIRE_FALSE(report.ok());
  CHECK_MESSAGE(report.error().message.find("count") != std::string::npos, report.error().message);
}

}  // namespace arenascope::test
