// SPDX-License-Identifier: MIT
// Deferred subgraphs and loop bodies are compiled once for inputs of the same types and shapes.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <arenascope/run/runner.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::OnnxMaker;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

// A model with a deferred part, opened from a file that the object removes.
class Opened {
 public:
  explicit Opened(const OnnxMaker& maker) {
    const auto bytes = maker.bytes();
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    RunnerOptions options;
    options.threads = 2;
    options.planner = "greedy-by-size";
    auto runner = Runner::open(path_.string(), options);
    REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
    runner_ = std::move(*runner);
    REQUIRE(runner_->model().deferred);
  }
  ~Opened() { std::filesystem::remove(path_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  // Returns the number of compilations.
  int64_t run(const Floats& x) {
    REQUIRE(runner_->set_input("x", std::as_bytes(std::span(x))).ok());
    const auto report = runner_->run();
    REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
    return report->compilations;
  }
  template <class T>
  std::vector<T> values(std::string_view name) {
    for (const RunResult& result : runner_->results()) {
      if (result.value->name != name) continue;
      const auto bytes = result.read();
      REQUIRE(bytes.ok());
      std::vector<T> out(bytes->size() / sizeof(T));
      std::memcpy(out.data(), bytes->data(), bytes->size());
      return out;
    }
    FAIL("there is no such result");
    return {};
  }
  Runner& runner() { return *runner_; }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("arenascope-segments-{}.onnx", ::getpid());
  std::unique_ptr<Runner> runner_;
};

// y = 2 · boxes that are kept, x: boxes [1, 6, 4].
void detector(OnnxMaker& m) {
  m.input("x", {1, 6, 4}).weight("scores", {1, 1, 6}, Floats{0.9f, 0.8f, 0.7f, 0.6f, 0.5f, 0.4f});
  m.weight("most", {1}, Ints{6}).weight("half", {1}, Floats{0.5f}).weight("least", {1}, Floats{0});
  m.weight("two", {1}, Ints{2}).weight("three", {1}, Ints{3}).weight("one", {1}, Ints{1});
  m.weight("factor", {1}, Floats{2}).node("Mul", {"x", "factor"}, {"boxes"});
  m.node("NonMaxSuppression", {"boxes", "scores", "most", "half", "least"}, {"selected"});
  m.node("Slice", {"selected", "two", "three", "one"}, {"column"}).node("Squeeze", {"column", "one"}, {"index"});
  m.node("Gather", {"boxes", "index"}, {"y"}, {Attr{"axis", int64_t{1}}}).output("y", {1, -1, 4});
}

// Boxes of size 1, `distance` apart.
Floats boxes(float distance) {
  Floats out;
  for (int i = 0; i < 6; ++i) {
    const float at = distance * static_cast<float>(i);
    out.insert(out.end(), {at, 0, at + 1, 1});
  }
  return out;
}

// Doubles until the sum is above the limit.
void doubling_loop(OnnxMaker& m, OnnxMaker& body) {
  body.input("i", {}, models::test::kInt64).input("go", {}, models::test::kBool).input("s", {4});
  body.output("on", {}, models::test::kBool).output("doubled", {4});
  body.node("Add", {"s", "s"}, {"doubled"}).node("ReduceSum", {"doubled"}, {"sum"}, {Attr{"keepdims", int64_t{0}}});
  body.node("Less", {"sum", "limit"}, {"on"});
  m.input("x", {4}).weight("limit", {}, Floats{100}).weight("most", {}, Ints{50}).node("Abs", {"x"}, {"t"});
  m.node("Loop", {"most", "", "t"}, {"last"}, {Attr{"body", &body}}).node("Neg", {"last"}, {"y"}).output("y", {4});
}

// Appends its sum to a list until that is above the limit. `scan`: a scalar of each iteration, if any.
void growing_loop(OnnxMaker& m, OnnxMaker& body, const std::string& scan = {}) {
  std::vector<std::string> results{"y"};
  if (!scan.empty()) results.push_back(scan);
  body.input("i", {}, models::test::kInt64).input("go", {}, models::test::kBool).input("list", {-1});
  body.output("on", {}, models::test::kBool).output("longer", {-1});
  if (!scan.empty()) body.output(scan, {});
  body.node("ReduceSum", {"list"}, {"sum"}, {Attr{"keepdims", int64_t{1}}});
  body.node("Concat", {"list", "sum"}, {"longer"}, {Attr{"axis", int64_t{0}}});
  body.node("Squeeze", {"sum"}, {"scalar"}).node("Less", {"scalar", "limit"}, {"on"});
  m.input("x", {1}).weight("limit", {}, Floats{50}).weight("most", {}, Ints{50}).node("Abs", {"x"}, {"t"});
  m.node("Loop", {"most", "", "t"}, results, {Attr{"body", &body}});
  for (const std::string& result : results) m.output(result, {-1});
}

int64_t resident_bytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

TEST_CASE("the deferred subgraph of a detector is compiled once for the same boxes") {
  OnnxMaker m(13);
  detector(m);
  Opened opened(m);
  const Floats apart = boxes(2), overlapping = boxes(0.1f);
  CHECK(opened.run(apart) == 1);
  const auto all = opened.values<float>("y");
  CHECK(all.size() == 24);
  CHECK(opened.run(apart) == 0);
  CHECK(opened.values<float>("y") == all);
  CHECK(opened.run(overlapping) == 1);  // other boxes are kept
  const auto some = opened.values<float>("y");
  CHECK(some.size() < all.size());
  CHECK(opened.run(apart) == 0);
  CHECK(opened.values<float>("y") == all);
  CHECK(opened.run(overlapping) == 0);
  CHECK(opened.values<float>("y") == some);
  REQUIRE(opened.runner().replan("greedy-by-size", "depth-first", MemoryStrategy::Planned, 1).ok());
  CHECK(opened.run(apart) == 1);  // for another number of threads
  CHECK(opened.values<float>("y") == all);
}

TEST_CASE("the body of a loop and its continuation are compiled once for all values of the same shapes") {
  OnnxMaker m(20), body(20);
  doubling_loop(m, body);
  Opened opened(m);
  int64_t compilations = 2;  // the body and the rest of the graph
  for (const float first : {1.0f, 3.0f, 0.01f, 1.0f}) {
    CAPTURE(first);
    CHECK(opened.run(Floats(4, -first)) == compilations);
    compilations = 0;
    float expected = first;
    do expected += expected;
    while (4 * expected < 100);
    for (const float y : opened.values<float>("y")) CHECK(y == doctest::Approx(-expected));
  }
}

TEST_CASE("each iteration of a loop whose state grows is compiled once") {
  OnnxMaker m(20), body(20);
  growing_loop(m, body);
  Opened opened(m);
  const int64_t first = opened.run({1});
  CHECK(first >= 3);
  const auto once = opened.values<float>("y");
  CHECK(opened.run({1}) == 0);
  CHECK(opened.values<float>("y") == once);
  CHECK(opened.runner().loop()->graphs >= 3);
  CHECK(opened.run({1.5f}) == 0);  // as many iterations with other values
  const auto other = opened.values<float>("y");
  REQUIRE(other.size() == once.size());
  for (size_t i = 0; i < other.size(); ++i) CHECK(other[i] == 1.5f * once[i]);
  CHECK(opened.run({0.5f}) > 0);  // more iterations
}

TEST_CASE("each branch of an If is compiled once") {
  OnnxMaker yes(13), no(13), m(13);
  yes.node("Exp", {"t"}, {"a"}).output("a");
  no.node("Neg", {"t"}, {"b"}).output("b");
  m.input("x", {4}).weight("zero", {}, Floats{0});
  m.node("Tanh", {"x"}, {"t"}).node("ReduceSum", {"t"}, {"sum"}, {Attr{"keepdims", int64_t{0}}});
  m.node("Greater", {"sum", "zero"}, {"is"});
  m.node("If", {"is"}, {"y"}, {Attr{"then_branch", &yes}, Attr{"else_branch", &no}}).output("y", {4});
  Opened opened(m);
  bool compiled[2] = {false, false};
  for (const float x : {0.5f, 0.25f, -0.5f, -0.125f, 1.0f}) {
    CAPTURE(x);
    bool& known = compiled[x > 0 ? 1 : 0];
    CHECK(opened.run(Floats(4, x)) == (known ? 0 : 1));
    known = true;
    const double t = std::tanh(static_cast<double>(x));
    for (const float y : opened.values<float>("y"))
      CHECK(static_cast<double>(y) == doctest::Approx(x > 0 ? std::exp(t) : -t).epsilon(1e-6));
  }
}

TEST_CASE("a segment shares the weights that an earlier one has packed") {
  constexpr int64_t kWidth = 256;
  OnnxMaker m(20), body(20);
  m.weight("w", {kWidth, kWidth}, Floats(kWidth * kWidth, 0.5f)).weight("rows", {64, kWidth}, Floats(64 * kWidth, 1));
  body.node("ReduceSum", {"list"}, {"scale"}, {Attr{"keepdims", int64_t{1}}});
  body.node("Mul", {"rows", "scale"}, {"scaled"});
  body.node("Gemm", {"scaled", "w"}, {"product"}, {Attr{"transB", int64_t{1}}});
  body.node("ReduceMax", {"product"}, {"peak"}, {Attr{"keepdims", int64_t{0}}});
  growing_loop(m, body, "peak");
  Opened opened(m);
  CHECK(opened.run({1}) >= 3);
  const auto peaks = opened.values<float>("peak");
  CHECK(peaks[0] == doctest::Approx(128));
  Runner& last = *opened.runner().loop()->body;
  REQUIRE(last.executor().packed_weights().bytes > 0);
  CHECK(last.context().stats({}, MemoryKind::Persistent).peak < last.executor().packed_weights().bytes);
  CHECK(opened.run({1}) == 0);
  CHECK(opened.values<float>("peak") == peaks);
}

// Each iteration has another number of rows, for which the weight is packed again.
TEST_CASE("segments of many shapes stay within the memory limit of their cache") {
  constexpr int64_t kWidth = 2048;  // 16 MiB
  OnnxMaker m(20), body(20);
  m.weight("w", {kWidth, kWidth}, Floats(kWidth * kWidth, 0.5f))
      .weight("block", {1, 16, kWidth}, Floats(16 * kWidth, 1));
  m.weight("axes", {2}, Ints{1, 2}).weight("flat", {2}, Ints{-1, kWidth});
  body.node("Unsqueeze", {"list", "axes"}, {"column"}).node("Mul", {"column", "block"}, {"blocks"});
  body.node("Reshape", {"blocks", "flat"}, {"rows"});
  body.node("Gemm", {"rows", "w"}, {"product"}, {Attr{"transB", int64_t{1}}});
  body.node("ReduceMax", {"product"}, {"peak"}, {Attr{"keepdims", int64_t{0}}});
  growing_loop(m, body, "peak");
  Opened opened(m);
  const int64_t before = resident_bytes();
  CHECK(opened.run({1e-9f}) >= 30);
  REQUIRE(opened.runner().loop()->body->executor().packed_weights().bytes >= Bytes{16} << 20);
  const int64_t grown = resident_bytes() - before;
  CHECK(grown < int64_t{400} << 20);
}

}  // namespace arenascope::test
