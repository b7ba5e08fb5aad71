// SPDX-License-Identifier: MIT
// Models with data-dependent shapes: the deferred subgraph is compiled, planned and run after the values are known.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <arenascope/models/npy.h>
#include <arenascope/run/runner.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::OnnxMaker;
using Ints = std::vector<int64_t>;

std::string written(const OnnxMaker& maker, const char* name) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("arenascope-rest-{}-{}.onnx", name, ::getpid());
  const auto bytes = maker.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

template <class T>
std::vector<T> numbers(const RunResult& result) {
  auto bytes = result.read();
  REQUIRE_MESSAGE(bytes.ok(), (bytes.ok() ? "" : bytes.error().message));
  std::vector<T> out(bytes->size() / sizeof(T));
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

RunResult named(Runner& runner, std::string_view name) {
  for (const RunResult& result : runner.results())
    if (result.value->name == name) return result;
  FAIL("there is no such result");
  return {};
}

// Boxes by descending score, without those that overlap a better one by more than half.
Ints kept_boxes(const std::vector<float>& boxes, const std::vector<float>& scores, size_t most, float least) {
  Ints order;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > least) order.push_back(static_cast<int64_t>(i));
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
  });
  Ints kept;
  const auto corner = [&](int64_t box, size_t i) {  // 0, 1 the lower, 2, 3 the upper
    const float* b = boxes.data() + box * 4;
    return static_cast<double>(i < 2 ? std::min(b[i], b[i + 2]) : std::max(b[i], b[i - 2]));
  };
  const auto area = [&](int64_t b) { return (corner(b, 2) - corner(b, 0)) * (corner(b, 3) - corner(b, 1)); };
  for (const int64_t box : order) {
    const bool hidden = std::any_of(kept.begin(), kept.end(), [&](int64_t k) {
      const double h = std::min(corner(box, 2), corner(k, 2)) - std::max(corner(box, 0), corner(k, 0));
      const double w = std::min(corner(box, 3), corner(k, 3)) - std::max(corner(box, 1), corner(k, 1));
      return h > 0 && w > 0 && h * w > 0.5 * (area(box) + area(k) - h * w);
    });
    if (!hidden && kept.size() < most) kept.push_back(box);
  }
  return kept;
}

RunnerOptions options() {
  RunnerOptions out;
  out.threads = 2;
  out.planner = "greedy-by-size";
  return out;
}

constexpr int64_t kBoxes = 300;  // 1200 coordinates and 600 scores: what folding would refuse is no bound here

}  // namespace

TEST_CASE("the tail of a detector: boxes kept by NonMaxSuppression and their consumers") {
  OnnxMaker m(13);
  m.input("x", {1, kBoxes, 4}).input("s", {1, 2, kBoxes}).weight("wide", {1}, std::vector<float>{8});
  m.weight("most", {1}, Ints{7})
      .weight("half", {1}, std::vector<float>{0.5f})
      .weight("least", {1}, std::vector<float>{0.4f});
  m.weight("two", {1}, Ints{2}).weight("three", {1}, Ints{3}).weight("one", {1}, Ints{1});
  m.node("Mul", {"x", "wide"}, {"boxes"}).node("Sigmoid", {"s"}, {"scores"});
  m.node("NonMaxSuppression", {"boxes", "scores", "most", "half", "least"}, {"selected"}, {}, "nms");
  m.node("Slice", {"selected", "two", "three", "one"}, {"column"}).node("Squeeze", {"column", "one"}, {"index"});
  m.node("Gather", {"boxes", "index"}, {"kept"}, {Attr{"axis", int64_t{1}}}).node("Relu", {"kept"}, {"positive"});
  m.output("scores", {1, 2, kBoxes}).output("selected", {-1, 3}, models::test::kInt64).output("positive", {1, -1, 4});
  const std::string path = written(m, "detector");
  trace::Recorder recorder;
  auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  recorder.start();
  {
    RunnerOptions o = options();
    o.recorder = &recorder;
    auto runner = Runner::open(path, o);
    REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
    const auto& rest = (*runner)->model().deferred;
    REQUIRE(rest);
    CHECK(rest->why.find("nms") != std::string::npos);
    CHECK(rest->node_count == 5);
    CHECK((*runner)->results().size() == 1);  // the others are not there before a run
    for (int round = 0; round < 2; ++round) {
      std::vector<float> x(static_cast<size_t>(kBoxes) * 4), s(static_cast<size_t>(kBoxes) * 2);
      for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i) * 0.37f + static_cast<float>(round));
      for (size_t i = 0; i < s.size(); ++i)
        s[i] = 3 * std::cos(static_cast<float>(i) * 1.7f - static_cast<float>(round));
      REQUIRE((*runner)->set_input("x", std::as_bytes(std::span(x))).ok());
      REQUIRE((*runner)->set_input("s", std::as_bytes(std::span(s))).ok());
      auto report = (*runner)->run();
      REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
      for (float& v : x) v *= 8;
      const auto scores = numbers<float>(named(**runner, "scores"));
      Ints rows;
      std::vector<float> positive;
      for (int64_t kind = 0; kind < 2; ++kind) {
        const std::vector<float> own(scores.begin() + kind * kBoxes, scores.begin() + (kind + 1) * kBoxes);
        for (const int64_t box : kept_boxes(x, own, 7, 0.4f)) {
          rows.insert(rows.end(), {0, kind, box});
          for (int64_t c = 0; c < 4; ++c) positive.push_back(std::max(x[static_cast<size_t>(box * 4 + c)], 0.0f));
        }
      }
      REQUIRE(rows.size() >= 6);
      CHECK(numbers<int64_t>(named(**runner, "selected")) == rows);
      CHECK(numbers<float>(named(**runner, "positive")) == positive);
      CHECK(named(**runner, "positive").value->tensor.sizes() == Dims{1, static_cast<int64_t>(rows.size() / 3), 4});
    }
  }
  recorder.stop();
  const auto snapshot = session->snapshot();
  CHECK(snapshot->runs.size() == 4);  // each of the two in two parts, which are watched alike
  std::filesystem::remove(path);
}

TEST_CASE("nested deferred subgraphs and a deferred If are opened in order") {
  // Selects the numbers above 0, and counts those of them above their mean.
  OnnxMaker m(13);
  m.input("x", {50}).weight("zero", {1}, std::vector<float>{0}).weight("axis", {1}, Ints{0});
  m.node("Tanh", {"x"}, {"t"}).node("Greater", {"t", "zero"}, {"is"}).node("Compress", {"t", "is"}, {"some"});
  m.node("ReduceMean", {"some"}, {"mean"}, {Attr{"keepdims", int64_t{1}}}).node("Greater", {"some", "mean"}, {"more"});
  m.node("NonZero", {"more"}, {"places"}).node("Shape", {"places"}, {"count"});
  m.output("places", {1, -1}, models::test::kInt64).output("count", {2}, models::test::kInt64);
  const std::string path = written(m, "states");
  auto runner = Runner::open(path, options());
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  std::vector<float> x(50), some;
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i * i));
  REQUIRE((*runner)->set_input("x", std::as_bytes(std::span(x))).ok());
  auto report = (*runner)->run();
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  for (const float v : x)
    if (v > 0) some.push_back(std::tanh(v));
  const float mean = std::accumulate(some.begin(), some.end(), 0.0f) / static_cast<float>(some.size());
  Ints places;
  for (size_t i = 0; i < some.size(); ++i)
    if (some[i] > mean) places.push_back(static_cast<int64_t>(i));
  CHECK(numbers<int64_t>(named(**runner, "places")) == places);
  CHECK(numbers<int64_t>(named(**runner, "count")) == Ints{1, static_cast<int64_t>(places.size())});
  CHECK((*runner)->continuation()->continuation() != nullptr);
  std::filesystem::remove(path);

  OnnxMaker yes(13), no(13);
  yes.node("Exp", {"t"}, {"a"}).output("a");
  no.node("Neg", {"t"}, {"b"}).output("b");
  OnnxMaker choice(13);
  choice.input("x", {4}).weight("zero", {}, std::vector<float>{0});
  choice.node("Tanh", {"x"}, {"t"}).node("ReduceSum", {"t"}, {"sum"}, {Attr{"keepdims", int64_t{0}}});
  choice.node("Greater", {"sum", "zero"}, {"is"});
  choice.node("If", {"is"}, {"y"}, {Attr{"then_branch", &yes}, Attr{"else_branch", &no}}).output("y", {4});
  const std::string second = written(choice, "choice");
  auto chosen = Runner::open(second, options());
  REQUIRE_MESSAGE(chosen.ok(), (chosen.ok() ? "" : chosen.error().message));
  for (const float sign : {1.0f, -1.0f}) {
    const std::vector<float> in(4, 0.5f * sign);
    REQUIRE((*chosen)->set_input("x", std::as_bytes(std::span(in))).ok());
    REQUIRE((*chosen)->run().ok());
    const double t = std::tanh(0.5 * static_cast<double>(sign));
    for (const float y : numbers<float>(named(**chosen, "y")))
      CHECK(static_cast<double>(y) == doctest::Approx(sign > 0 ? std::exp(t) : -t).epsilon(1e-6));
  }
  std::filesystem::remove(second);
}

TEST_CASE("a loop runs until its computed condition is false") {
  // Doubles until a sum is above a limit; the scan output of an iteration is the negative.
  OnnxMaker body(16);
  body.input("i", {}, models::test::kInt64).input("go", {}, models::test::kBool).input("s", {4});
  body.output("on", {}, models::test::kBool).output("doubled", {4}).output("iteration", {5});
  body.node("Add", {"s", "s"}, {"doubled"}).node("Gelu", {"doubled"}, {"g"});
  body.node("ReduceSum", {"g"}, {"sum"}, {Attr{"keepdims", int64_t{0}}}).node("Less", {"sum", "limit"}, {"on"});
  body.node("Neg", {"s"}, {"minus"}).node("Cast", {"i"}, {"at"}, {Attr{"to", int64_t{1}}});
  body.node("Reshape", {"at", "one"}, {"at1"})
      .node("Concat", {"minus", "at1"}, {"iteration"}, {Attr{"axis", int64_t{0}}});
  OnnxMaker m(20);
  m.input("x", {4}).weight("limit", {}, std::vector<float>{1000}).weight("one", {1}, Ints{1});
  m.weight("most", {}, Ints{9}).node("Tanh", {"x"}, {"t"});
  m.node("Loop", {"most", "", "t"}, {"last", "states"}, {Attr{"body", &body}}, "doubling").output("last", {4});
  m.node("Neg", {"last"}, {"minus_last"}).output("states", {-1, 5}).output("minus_last", {4});
  const std::string path = written(m, "loop");
  auto runner = Runner::open(path, options());
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  REQUIRE((*runner)->model().deferred);
  CHECK((*runner)->model().deferred->why.find("doubling") != std::string::npos);
  for (const float first : {2.0f, 0.02f, 1e-4f}) {  // few iterations, some, the maximum
    const std::vector<float> x(4, first);
    REQUIRE((*runner)->set_input("x", std::as_bytes(std::span(x))).ok());
    auto report = (*runner)->run();
    REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
    float s = std::tanh(first);
    std::vector<float> expected;
    for (int iteration = 0; iteration < 9; ++iteration) {
      expected.insert(expected.end(), {-s, -s, -s, -s, static_cast<float>(iteration)});
      s += s;
      if (4 * 0.5f * s * (1 + std::erf(s / std::sqrt(2.0f))) >= 1000) break;
    }
    CAPTURE(first);
    const auto made = numbers<float>(named(**runner, "states"));
    REQUIRE(made.size() == expected.size());
    for (size_t i = 0; i < made.size(); ++i) CHECK(made[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    for (const float v : numbers<float>(named(**runner, "last"))) CHECK(v == doctest::Approx(s).epsilon(1e-5));
    for (const float v : numbers<float>(named(**runner, "minus_last"))) CHECK(v == doctest::Approx(-s).epsilon(1e-5));
  }
  std::filesystem::remove(path);
}

TEST_CASE("Pow of an integer with a fractional exponent truncates the result only") {
  OnnxMaker m(13);
  m.input("x", {3}).weight("none", {1}, std::vector<float>{0});
  m.weight("bases", {3}, std::vector<float>{1, 2, 3}).weight("exponents", {3}, std::vector<float>{4, 5.5f, 2.5f});
  m.node("Mul", {"x", "none"}, {"zeros"})
      .node("Add", {"zeros", "bases"}, {"b"})
      .node("Add", {"zeros", "exponents"}, {"e"});
  m.node("Cast", {"b"}, {"whole"}, {Attr{"to", int64_t{7}}}).node("Pow", {"whole", "e"}, {"y"});
  m.output("y", {3}, models::test::kInt64);
  const std::string path = written(m, "power");
  auto runner = Runner::open(path, options());
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  REQUIRE((*runner)->run().ok());
  CHECK(numbers<int64_t>(named(**runner, "y")) == Ints{1, 45, 15});
  std::filesystem::remove(path);
}

TEST_CASE("a pooling window beyond the image uses the elements inside") {
  OnnxMaker m(18);
  m.input("x", {1, 1, 10}).weight("none", {1}, std::vector<float>{0}).weight("tens", {1}, std::vector<float>{10});
  m.node("Mul", {"x", "none"}, {"zeros"}).node("Add", {"zeros", "tens"}, {"t"});
  m.node(
      "LpPool", {"t"}, {"y"},
      {Attr{"kernel_shape", Ints{3}}, Attr{"strides", Ints{3}}, Attr{"ceil_mode", int64_t{1}}, Attr{"p", int64_t{1}}});
  m.output("y", {1, 1, 4});
  const std::string path = written(m, "window");
  auto runner = Runner::open(path, options());
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  REQUIRE((*runner)->run().ok());
  const auto sums = numbers<float>(named(**runner, "y"));
  REQUIRE(sums.size() == 4);
  CHECK(sums[0] == doctest::Approx(30));
  CHECK(sums[3] == doctest::Approx(10));
  std::filesystem::remove(path);
}

TEST_CASE("values that no operator accepts are an error of the run") {
  OnnxMaker m(13);
  m.input("x", {6}).weight("wide", {1}, std::vector<float>{1});
  m.node("Mul", {"x", "wide"}, {"t"}).node("Cast", {"t"}, {"sizes"}, {Attr{"to", int64_t{7}}});
  m.node("Reshape", {"t", "sizes"}, {"y"}, {}, "shaped").output("y", {-1, -1, -1, -1, -1, -1});
  const std::string path = written(m, "sizes");
  auto runner = Runner::open(path, options());
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  for (const float last : {6.0f, 5.0f}) {
    const std::vector<float> x{1, 1, 1, 1, 1, last};
    REQUIRE((*runner)->set_input("x", std::as_bytes(std::span(x))).ok());
    auto report = (*runner)->run();
    CHECK(report.ok() == (last == 6.0f));
    if (!report) CHECK(report.error().message.find("shaped") != std::string::npos);
    CHECK((*runner)->results().size() == (report.ok() ? 1 : 0));
  }
  std::filesystem::remove(path);
}

}  // namespace arenascope::test
