// SPDX-License-Identifier: MIT
// Random small networks with extreme sizes, counts and axes: each is opened and run, or refused, in bounded time and
// memory.
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>

#include <ctime>
#include <random>

#include "sanitized.h"
#include "support/limited_memory.h"
#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::OnnxMaker;
using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

constexpr int64_t kExtremes[] = {0,
                                 -1,
                                 1,
                                 2,
                                 3,
                                 7,
                                 64,
                                 1000,
                                 1 << 16,
                                 1'000'000,
                                 1 << 24,
                                 int64_t{1} << 31,
                                 INT64_MAX,
                                 INT64_MIN,
                                 int64_t{1} << 40,
                                 int64_t{1} << 62};

// Appends nodes to "x" f32 [1, 2, 6, 6], each with a few extreme numbers.
class NetworkMaker {
 public:
  NetworkMaker(OnnxMaker& maker, uint64_t seed) : maker_(maker), random_(seed) {}

  void make() {
    maker_.input("x", {1, 2, 6, 6}).output("y");
    for (size_t nodes = 1 + below(4); nodes > 0; --nodes) add();
    maker_.node("Identity", {last_}, {"y"});
  }

 private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  int64_t number(int64_t usual) { return below(3) == 0 ? kExtremes[below(std::size(kExtremes))] : usual; }
  Ints numbers(size_t count, int64_t usual) {
    Ints out;
    for (size_t i = 0; i < count; ++i) out.push_back(number(usual));
    return out;
  }
  std::string constant(const Ints& values, bool scalar = false) {
    const std::string name = "c" + std::to_string(++names_);
    maker_.weight(name, scalar ? Ints{} : Ints{static_cast<int64_t>(values.size())}, values);
    return name;
  }
  std::string constant(const std::vector<float>& values, const Ints& sizes) {
    const std::string name = "c" + std::to_string(++names_);
    maker_.weight(name, sizes, values);
    return name;
  }
  void node(const std::string& op, const Names& inputs, const std::vector<Attr>& attributes = {}, size_t outputs = 1) {
    Names results;
    for (size_t i = 0; i < outputs; ++i) results.push_back("t" + std::to_string(++names_));
    maker_.node(op, inputs, results, attributes);
    last_ = results[0];
  }

  void add() {
    switch (below(20)) {
      case 0: return node("Tile", {last_, constant(numbers(4, 1))});
      case 1: return node("Expand", {last_, constant(numbers(4, 1))});
      case 2: return node("Pad", {last_, constant(numbers(8, 0))}, {{"mode", std::string("reflect")}});
      case 3: return node("Resize", {last_, "", "", constant(numbers(4, 2))}, {{"mode", std::string("linear")}});
      case 4: return node("ConstantOfShape", {constant(numbers(4, 2))});
      case 5: return node("Range", {constant({0}, true), constant({number(5)}, true), constant({number(1)}, true)});
      case 6: return node("Reshape", {last_, constant(numbers(4, 0))});
      case 7: return repeated("Concat", {{"axis", number(0)}});
      case 8: return loop();
      case 9: return node("MaxPool", {last_}, {{"kernel_shape", numbers(2, 2)}, {"strides", numbers(2, 1)}});
      case 10: return convolution("Conv");
      case 11: return convolution("ConvTranspose");
      case 12: return node("RandomNormal", {}, {{"shape", numbers(4, 2)}});
      case 13:
        return node("Slice", {last_, constant(numbers(1, 0)), constant(numbers(1, 2)), constant(numbers(1, 1)),
                              constant(numbers(1, 1))});
      case 14: return node("DepthToSpace", {last_}, {{"blocksize", number(2)}});
      case 15: return node("Gather", {last_, constant(numbers(2, 0))}, {{"axis", number(1)}});
      case 16: return node("LRN", {last_}, {{"size", number(3)}});
      case 17: return node("TopK", {last_, constant(numbers(1, 1))}, {{"axis", number(3)}}, 2);
      case 18: return node("Split", {last_}, {{"axis", number(1)}}, 1 + below(4));
      default: return node(below(2) == 0 ? "Sub" : "Where", below(2) == 0 ? Names{} : Names{last_});
    }
  }
  void repeated(const std::string& op, const std::vector<Attr>& attributes) {
    for (size_t times = 1 + below(16); times > 0; --times) node(op, {last_, last_}, attributes);
  }
  void convolution(const std::string& op) {
    node(op, {last_, constant(std::vector<float>(36, 0.5f), {2, 2, 3, 3})},
         {{"pads", numbers(4, 1)}, {"strides", numbers(2, 1)}, {"dilations", numbers(2, 1)}});
  }
  // At most 64 iterations, as all of them are run. The state may grow in each.
  void loop() {
    OnnxMaker body(16);
    const bool grows = below(2) == 0;
    body.input("i", {}, models::test::kInt64).input("go_on", {}, models::test::kBool).input("s", {1, 2, 6, 6});
    body.output("again", {}, models::test::kBool).output("next");
    body.node("Identity", {"go_on"}, {"again"});
    if (grows)
      body.node("Concat", {"s", "s"}, {"next"}, {{"axis", int64_t{0}}});
    else
      body.node("Add", {"s", "s"}, {"next"});
    const int64_t trips = grows ? 10 : 64;
    node("Loop", {constant({std::min(number(3), trips)}, true), "", last_}, {{"body", &body}});
  }

  OnnxMaker& maker_;
  std::mt19937_64 random_;
  std::string last_ = "x";
  int names_ = 0;
};

enum Outcome { kRan = 0, kRefused = 1, kSlow = 2, kSilent = 3 };

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Opens and runs the network of a seed.
Status open_and_run(uint64_t seed) {
  OnnxMaker maker(16);
  NetworkMaker(maker, seed).make();
  auto model = models::open_onnx(maker.bytes(), "");
  if (!model) return model.error();
  RunnerOptions options;
  options.threads = 1;
  options.budget_seconds = 0.01;
  auto runner = Runner::open(std::move(*model), options);
  if (!runner) return runner.error();
  auto report = (*runner)->run();
  return report ? Status() : Status(report.error());
}

// In a child process with a limit of addresses, which SIGALRM ends if it hangs.
int limited_outcome(uint64_t seed) {
  constexpr size_t kMaxAddresses = size_t{1} << 30;
  constexpr double kMaxSeconds = 10;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    if (!limit_addresses(kMaxAddresses)) ::_exit(101);
    const double begin = cpu_seconds();
    const Status status = open_and_run(seed);
    if (!status && status.error().message.empty()) ::_exit(kSilent);
    ::_exit(cpu_seconds() - begin > kMaxSeconds ? kSlow : status ? kRan : kRefused);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("random networks with extreme numbers are run or refused in bounded time and memory") {
  if (kSanitized) return;  // sanitizers reserve terabytes of addresses
  const uint64_t networks = std::getenv("ARENASCOPE_LONG_TESTS") ? 5000 : 300;
  int ran = 0, refused = 0;
  for (uint64_t seed = 0; seed < networks; ++seed) {
    CAPTURE(seed);
    const int outcome = limited_outcome(seed);
    CHECK((outcome == kRan || outcome == kRefused));
    ++(outcome == kRan ? ran : refused);
  }
  CHECK(ran > 20);
  CHECK(refused > 20);
}

}  // namespace arenascope::test
