// SPDX-License-Identifier: MIT
#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/trace/bind_event.h>
#include <arenascope/train/optimizer.h>
#include <arenascope/train/schedule.h>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

using namespace arenascope;
using namespace arenascope::train;

namespace {

constexpr int kCount = 64;

double gradient_at(int step, int i) { return std::sin(0.37 * step + 0.11 * i) * (i % 7 == 0 ? 1e-3 : 1); }

// One parameter under an optimiser, step by step.
class Descent {
 public:
  explicit Descent(const OptimizerOptions& options) : options_(options), g_(*Context::create({.mem_size = 1 << 22})) {
    parameter_ = g_.input("p", {kCount});
    gradient_ = g_.input("g", {kCount});
    numbers_ = g_.input("numbers", {number_count(options)});
    spoilt_ = g_.input("spoilt", {}, DType::Bool);
    graph_ = *g_.context().new_graph(256);
    const Tensor parameters[] = {parameter_}, gradients[] = {gradient_};
    std::vector<models::State> states;
    for (const Tensor& last : add_optimizer(g_, graph_, {parameters, gradients}, options, numbers_, spoilt_, states)) {
      REQUIRE_MESSAGE(g_.ok(), g_.status().error().message);
      REQUIRE(graph_.expand(last).ok());
    }
    for (const models::State& state : states)
      std::memset(state.tensor->data(), 0, static_cast<size_t>(state.tensor->byte_count()));
    for (int i = 0; i < kCount; ++i) p()[i] = start(i);
    // Optimizer states have a flag that weights do not have.
    size_t state_count = 0;
    for (const trace::TensorInfo& leaf : describe_graph(graph_).leafs)
      state_count += (leaf.flags & trace::kOptimizerState) != 0 ? 1 : 0;
    CHECK(state_count == states.size());
  }

  static float start(int i) { return static_cast<float>(std::cos(0.5 * i)); }
  float* p() { return parameter_.data_as<float>(); }

  void step(int n, bool spoilt = false) {
    const auto numbers = numbers_of(options_, n, options_.learning_rate);
    std::memcpy(numbers_->data(), numbers.data(), numbers.size() * sizeof(float));
    for (int i = 0; i < kCount; ++i) gradient_.data_as<float>()[i] = static_cast<float>(gradient_at(n, i));
    *reinterpret_cast<uint8_t*>(spoilt_->data()) = spoilt ? 1 : 0;
    for (const TensorImpl* node : graph_.nodes())
      if (has_work(*node)) REQUIRE(compute_in_parts(*cpu_, *node, 1).ok());
  }

 private:
  const OptimizerOptions options_;
  GraphBuilder g_;
  std::unique_ptr<Backend> cpu_ = cpu::make_cpu_backend();
  Tensor parameter_, gradient_, numbers_, spoilt_;
  Graph graph_;
};

}  // namespace

// The expected numbers are those of the update as PyTorch documents it, in double. The decayed parameter is rounded to f32
// first, as PyTorch multiplies f32 parameters by the decay.
TEST_CASE("a hundred steps of AdamW equal PyTorch's") {
  OptimizerOptions o;
  o.learning_rate = 3e-3;
  o.weight_decay = 0.05;
  Descent descent(o);
  std::vector<double> p(kCount), m(kCount), v(kCount);
  for (int i = 0; i < kCount; ++i) p[static_cast<size_t>(i)] = static_cast<double>(Descent::start(i));
  for (int n = 1; n <= 100; ++n) {
    descent.step(n);
    for (int i = 0; i < kCount; ++i) {
      const auto at = static_cast<size_t>(i);
      const double g = static_cast<double>(static_cast<float>(gradient_at(n, i)));
      p[at] *= static_cast<double>(static_cast<float>(1 - o.learning_rate * o.weight_decay));
      m[at] += (1 - o.beta1) * (g - m[at]);
      v[at] = o.beta2 * v[at] + (1 - o.beta2) * g * g;
      const double root = std::sqrt(v[at]) / std::sqrt(1 - std::pow(o.beta2, n)) + o.epsilon;
      p[at] -= o.learning_rate / (1 - std::pow(o.beta1, n)) * m[at] / root;
      CHECK(std::abs(static_cast<double>(descent.p()[i]) - p[at]) < 1e-6);
    }
  }
}

TEST_CASE("a hundred steps of SGD with momentum equal PyTorch's") {
  OptimizerOptions o;
  o.kind = OptimizerKind::Sgd;
  o.learning_rate = 1e-2;
  o.weight_decay = 0.01;
  Descent descent(o);
  std::vector<double> p(kCount), v(kCount);
  for (int i = 0; i < kCount; ++i) p[static_cast<size_t>(i)] = static_cast<double>(Descent::start(i));
  for (int n = 1; n <= 100; ++n) {
    descent.step(n);
    for (int i = 0; i < kCount; ++i) {
      const auto at = static_cast<size_t>(i);
      const double g = static_cast<double>(static_cast<float>(gradient_at(n, i))) + o.weight_decay * p[at];
      v[at] = n == 1 ? g : o.momentum * v[at] + g;
      p[at] -= o.learning_rate * v[at];
      CHECK(std::abs(static_cast<double>(descent.p()[i]) - p[at]) < 1e-6);
    }
  }
}

// Results of PyTorch 2.15, from packaging/peers/train --updates.
TEST_CASE("a hundred steps equal recorded PyTorch results") {
  struct Expected {
    int step;
    std::array<float, 6> p;  // of kPlaces
  };
  constexpr std::array<size_t, 6> kPlaces{0, 1, 7, 20, 42, 63};
  OptimizerOptions adamw, sgd;
  adamw.learning_rate = 3e-3, adamw.weight_decay = 0.05;
  sgd.kind = OptimizerKind::Sgd, sgd.learning_rate = 1e-2, sgd.weight_decay = 0.01;
  const std::array<Expected, 3> of_adamw{
      {{1, {0.996850073f, 0.874450862f, -0.939316154f, -0.841945648f, -0.544647098f, 0.993318439f}},
       {10, {0.971353173f, 0.849586189f, -0.956187665f, -0.831950188f, -0.536129296f, 0.972510517f}},
       {100, {0.958077192f, 0.838725984f, -0.938725233f, -0.814429641f, -0.536142051f, 0.963435411f}}}};
  const std::array<Expected, 3> of_sgd{
      {{1, {0.999896407f, 0.872877002f, -0.936372101f, -0.844397306f, -0.547664881f, 0.996359766f}},
       {10, {0.995606244f, 0.614560306f, -0.932781518f, -0.695202231f, -0.545425832f, 0.992131948f}},
       {100, {0.912090361f, 0.565419972f, -0.854462206f, -0.52008599f, -0.499813884f, 0.908991814f}}}};
  for (const auto& [options, expected] : {std::pair(adamw, of_adamw), std::pair(sgd, of_sgd)}) {
    Descent descent(options);
    for (int n = 1; n <= 100; ++n) {
      descent.step(n);
      for (const Expected& e : expected)
        for (size_t i = 0; e.step == n && i < kPlaces.size(); ++i)
          CHECK(std::abs(descent.p()[kPlaces[i]] - e.p[i]) < 1e-6f);
    }
  }
}

TEST_CASE("parameter groups have their own weight decay") {
  OptimizerOptions all, group;
  all.weight_decay = 0.5;
  group.decays = {{"*", 3}, {"p*", 0.5}, {"q*", 2}};
  for (const OptimizerKind kind : {OptimizerKind::AdamW, OptimizerKind::Sgd}) {
    all.kind = group.kind = kind;
    Descent a(all), b(group);
    for (int n = 1; n <= 3; ++n) a.step(n), b.step(n);
    CHECK(std::vector<float>(a.p(), a.p() + kCount) == std::vector<float>(b.p(), b.p() + kCount));
  }
  group.decays = {{"*", -1}};
  CHECK(check(group).error().message == "a weight decay of -1 of '*'");
}

TEST_CASE("learning rates follow their schedule") {
  const auto shares = [](ScheduleKind kind) {
    const LearningRate rate(2, {kind, 3, 11, 0.01});
    std::vector<double> out;
    for (const int64_t step : {0, 2, 3, 7, 10, 99}) out.push_back(rate.at(step));
    return out;
  };
  const auto are = [](const std::vector<double>& got, std::initializer_list<double> reference) {
    REQUIRE(got.size() == reference.size());
    for (size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - reference.begin()[i]) < 1e-12);
  };
  const double halfway = 4.0 / 7;
  are(shares(ScheduleKind::Constant), {0.5, 1.5, 2, 2, 2, 2});
  are(shares(ScheduleKind::Linear), {0.5, 1.5, 2, 2 * (1 - 0.99 * halfway), 0.02, 0.02});
  are(shares(ScheduleKind::Cosine),
      {0.5, 1.5, 2, 2 * (0.01 + 0.99 * 0.5 * (1 + std::cos(M_PI * halfway))), 0.02, 0.02});
  are(shares(ScheduleKind::Steps), {0.5, 1.5, 2, 0.2, 0.02, 0.02});
  CHECK(LearningRate(0.5).at(1000) == 0.5);
  CHECK(!parse_schedule("wavy"));
}

TEST_CASE("a step with non-finite gradients changes nothing, and the next one continues") {
  Descent a({}), b({});
  a.step(1), b.step(1);
  const std::vector<float> before(a.p(), a.p() + kCount);
  a.step(2, true);
  CHECK(std::vector<float>(a.p(), a.p() + kCount) == before);
  a.step(2), b.step(2);
  CHECK(std::vector<float>(a.p(), a.p() + kCount) == std::vector<float>(b.p(), b.p() + kCount));
}

TEST_CASE("gradients are clipped to a norm") {
  OptimizerOptions o;
  o.kind = OptimizerKind::Sgd;
  o.learning_rate = 1, o.momentum = 0, o.weight_decay = 0, o.clip = 0.5;
  Descent descent(o);
  descent.step(1);
  double norm = 0;
  for (int i = 0; i < kCount; ++i) {
    const double moved = static_cast<double>(descent.p()[i]) - static_cast<double>(Descent::start(i));
    norm += moved * moved;
  }
  CHECK(std::abs(std::sqrt(norm) - 0.5) < 1e-5);
}

TEST_CASE("invalid hyperparameters are errors") {
  const auto refused = [](auto change) {
    OptimizerOptions o;
    change(o);
    return !check(o).ok();
  };
  CHECK(check({}).ok());
  CHECK(refused([](OptimizerOptions& o) { o.learning_rate = -1; }));
  CHECK(refused([](OptimizerOptions& o) { o.learning_rate = NAN; }));
  CHECK(refused([](OptimizerOptions& o) { o.momentum = 1; }));
  CHECK(refused([](OptimizerOptions& o) { o.beta2 = 1; }));
  CHECK(refused([](OptimizerOptions& o) { o.epsilon = -1e-8; }));
  CHECK(!parse_optimizer("adam"));
  CHECK(parse_optimizer("sgd") == OptimizerKind::Sgd);
}
