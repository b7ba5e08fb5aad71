// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM compared with the formulas of ONNX's specification in float64: directions, sequences of different
// lengths, activations, clipping, coupled gates and peepholes.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "file_runs.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::OnnxMaker;
using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;

OnnxMaker& add_lengths(OnnxMaker& m, const std::string& name, const Ints& lengths) {
  const std::vector<int32_t> numbers(lengths.begin(), lengths.end());
  const std::string bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int32_t));
  return m.raw_weight(name, {static_cast<int64_t>(lengths.size())}, bytes, models::test::kInt32);
}

struct Recurrence {
  int64_t gates = 4;  // 1: RNN, 3: GRU, 4: LSTM
  std::string direction = "bidirectional";
  Ints lengths;               // empty: not specified
  bool lengths_come = false;  // as an input of the file
  bool states = false, peepholes = false, couples = false, before_reset = false, wants_cell = true;
  double limit = 0;
  std::vector<std::string> functions;
  std::vector<float> alphas, betas;
  int64_t layout = 0, steps = 4;

  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
};

constexpr int64_t kBatch = 3, kIn = 2, kHidden = 3;

struct Weights {
  Numbers x, w, r, b, h0, c0, p;
};

Weights weights_of(const Recurrence& c) {
  std::mt19937 random(static_cast<unsigned>(c.gates * 31 + c.directions()));
  std::uniform_real_distribution<float> number(-0.9f, 0.9f);
  const auto filled = [&](int64_t count) {
    Numbers out(static_cast<size_t>(count));
    for (double& v : out) v = static_cast<double>(number(random));
    return out;
  };
  const int64_t d = c.directions(), width = c.gates * kHidden;
  return {filled(c.steps * kBatch * kIn), filled(d * width * kIn),      filled(d * width * kHidden),
          filled(d * 2 * width),          filled(d * kBatch * kHidden), filled(d * kBatch * kHidden),
          filled(d * 3 * kHidden)};
}

double applied(const std::string& name, double x, double alpha, double beta) {
  if (name == "Tanh") return std::tanh(x);
  if (name == "Sigmoid") return 1 / (1 + std::exp(-x));
  if (name == "Relu") return std::max(x, 0.0);
  if (name == "Softplus") return std::log1p(std::exp(x));
  if (name == "Softsign") return x / (1 + std::abs(x));
  if (name == "Affine") return alpha * x + beta;
  if (name == "LeakyRelu") return x < 0 ? alpha * x : x;
  if (name == "ThresholdedRelu") return x > alpha ? x : 0;
  if (name == "ScaledTanh") return alpha * std::tanh(beta * x);
  if (name == "HardSigmoid") return std::clamp(alpha * x + beta, 0.0, 1.0);
  REQUIRE(name == "Elu");
  return x < 0 ? alpha * (std::exp(x) - 1) : x;
}

// The functions of a direction; parameters are counted over those that have them.
struct Functions {
  std::vector<std::string> names;
  Numbers alphas, betas;

  Functions(const Recurrence& c, int64_t direction) {
    const size_t each = c.gates == 1 ? 1 : c.gates == 3 ? 2 : 3;
    static const std::vector<std::string> kUsual[] = {{"Tanh"}, {"Sigmoid", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}};
    size_t alpha = 0, beta = 0;
    for (size_t i = 0; i < each * static_cast<size_t>(c.directions()); ++i) {
      const std::string name = c.functions.empty() ? kUsual[each - 1][i % each] : c.functions[i];
      const bool both = name == "Affine" || name == "ScaledTanh" || name == "HardSigmoid";
      const bool first = both || name == "LeakyRelu" || name == "ThresholdedRelu" || name == "Elu";
      const double a = first ? static_cast<double>(c.alphas.at(alpha++)) : 0;
      const double b = both ? static_cast<double>(c.betas.at(beta++)) : 0;
      if (i / each == static_cast<size_t>(direction)) names.push_back(name), alphas.push_back(a), betas.push_back(b);
    }
  }
  double operator()(size_t i, double x) const { return applied(names[i], x, alphas[i], betas[i]); }
};

struct Expected {
  Numbers y, h, cell;
};

// One sequence in one direction; `y` is [T, D, B, H].
void follow(const Recurrence& c, const Weights& w, int64_t d, int64_t b, Expected& out) {
  const Functions f(c, d);
  const auto at = [](const Numbers& from, int64_t i) { return from[static_cast<size_t>(i)]; };
  const int64_t width = c.gates * kHidden, length = c.lengths.empty() ? c.steps : c.lengths[static_cast<size_t>(b)];
  const auto limited = [&](double v) { return c.limit > 0 ? std::clamp(v, -c.limit, c.limit) : v; };
  Numbers h(kHidden, 0), cell(kHidden, 0);
  for (int64_t i = 0; c.states && i < kHidden; ++i) {
    h[static_cast<size_t>(i)] = at(w.h0, (d * kBatch + b) * kHidden + i);
    cell[static_cast<size_t>(i)] = at(w.c0, (d * kBatch + b) * kHidden + i);
  }
  const bool backward = c.direction == "reverse" || d == 1;
  for (int64_t step = 0; step < length; ++step) {
    const int64_t t = backward ? length - 1 - step : step;
    const auto from_x = [&](int64_t row) {
      double sum = at(w.b, d * 2 * width + row);
      for (int64_t k = 0; k < kIn; ++k)
        sum += at(w.w, (d * width + row) * kIn + k) * at(w.x, (t * kBatch + b) * kIn + k);
      return sum;
    };
    const auto from_h = [&](int64_t row, const Numbers& state) {
      double sum = at(w.b, d * 2 * width + width + row);
      for (int64_t k = 0; k < kHidden; ++k) sum += at(w.r, (d * width + row) * kHidden + k) * at(state, k);
      return sum;
    };
    const Numbers before = h;
    Numbers gated(kHidden);
    for (int64_t i = 0; i < kHidden && c.gates == 3; ++i)
      gated[static_cast<size_t>(i)] = f(0, limited(from_x(kHidden + i) + from_h(kHidden + i, before))) * at(before, i);
    for (int64_t i = 0; i < kHidden; ++i) {
      const auto n = static_cast<size_t>(i);
      const auto gate = [&](int64_t which, double peep) {
        const double seen = c.peepholes ? at(w.p, (d * 3 + which) * kHidden + i) * peep : 0;
        return f(0, limited(from_x(which * kHidden + i) + from_h(which * kHidden + i, before) + seen));
      };
      if (c.gates == 1) {
        h[n] = f(0, limited(from_x(i) + from_h(i, before)));
      } else if (c.gates == 3) {
        const double z = f(0, limited(from_x(i) + from_h(i, before)));
        const double reset = f(0, limited(from_x(kHidden + i) + from_h(kHidden + i, before)));
        const double inner = c.before_reset ? reset * from_h(2 * kHidden + i, before) : from_h(2 * kHidden + i, gated);
        h[n] = (1 - z) * f(1, limited(from_x(2 * kHidden + i) + inner)) + z * before[n];
      } else {
        const double in = gate(0, cell[n]), forget = c.couples ? 1 - in : gate(2, cell[n]);
        cell[n] = forget * cell[n] + in * f(1, limited(from_x(3 * kHidden + i) + from_h(3 * kHidden + i, before)));
        h[n] = gate(1, cell[n]) * f(2, cell[n]);
      }
    }
    for (int64_t i = 0; i < kHidden; ++i)
      out.y[static_cast<size_t>(((t * c.directions() + d) * kBatch + b) * kHidden + i)] = at(h, i);
  }
  for (int64_t i = 0; i < kHidden; ++i) {  // a sequence without steps has zero results
    const auto place = static_cast<size_t>((d * kBatch + b) * kHidden + i);
    out.h[place] = length == 0 ? 0 : at(h, i), out.cell[place] = length == 0 ? 0 : at(cell, i);
  }
}

Numbers turned(const Numbers& x, int64_t outer, int64_t middle, int64_t row) {  // [outer, middle, row], both swapped
  Numbers out(x.size());
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t k = 0; k < middle; ++k)
      for (int64_t e = 0; e < row; ++e)
        out[static_cast<size_t>((k * outer + i) * row + e)] = x[static_cast<size_t>((i * middle + k) * row + e)];
  return out;
}

// Y with the batch first, [B, T, D, H], as [T, D, B, H].
Numbers by_step(const Numbers& y, int64_t steps, int64_t directions) {
  Numbers out = turned(y, kBatch, steps, directions * kHidden);
  for (size_t t = 0; t < static_cast<size_t>(steps); ++t) {
    const auto row = static_cast<size_t>(kBatch * directions * kHidden);
    const Numbers step(out.begin() + static_cast<std::ptrdiff_t>(t * row),
                       out.begin() + static_cast<std::ptrdiff_t>((t + 1) * row));
    std::copy_n(turned(step, kBatch, directions, kHidden).begin(), row,
                out.begin() + static_cast<std::ptrdiff_t>(t * row));
  }
  return out;
}

void check_recurrence(const Recurrence& c) {
  CAPTURE(c.gates);
  CAPTURE(c.direction);
  const Weights w = weights_of(c);
  const int64_t d = c.directions(), width = c.gates * kHidden;
  Expected expected{Numbers(static_cast<size_t>(c.steps * d * kBatch * kHidden)),
                    Numbers(static_cast<size_t>(d * kBatch * kHidden)),
                    Numbers(static_cast<size_t>(d * kBatch * kHidden))};
  for (int64_t i = 0; i < d; ++i)
    for (int64_t b = 0; b < kBatch; ++b) follow(c, w, i, b, expected);
  OnnxMaker m(14);
  const auto weight = [&](const char* name, const Ints& sizes, const Numbers& numbers) {
    m.weight(name, sizes, std::vector<float>(numbers.begin(), numbers.end()));
  };
  const bool batch_first = c.layout != 0;
  m.input("x", batch_first ? Ints{kBatch, c.steps, kIn} : Ints{c.steps, kBatch, kIn});
  weight("w", {d, width, kIn}, w.w), weight("r", {d, width, kHidden}, w.r), weight("b", {d, 2 * width}, w.b);
  std::vector<std::string> names{"x", "w", "r", "b", "", ""};
  std::vector<Given> given{{"x", batch_first ? turned(w.x, c.steps, kBatch, kIn) : w.x}};
  if (!c.lengths.empty()) {
    names[4] = "lengths";
    if (c.lengths_come)
      m.input("lengths", {kBatch}, models::test::kInt32),
          given.push_back({"lengths", {c.lengths.begin(), c.lengths.end()}});
    else
      add_lengths(m, "lengths", c.lengths);
  }
  const Ints state = batch_first ? Ints{kBatch, d, kHidden} : Ints{d, kBatch, kHidden};
  if (c.states) names[5] = "h0", weight("h0", state, batch_first ? turned(w.h0, d, kBatch, kHidden) : w.h0);
  if (c.gates == 4) {
    names.insert(names.end(), {c.states ? "c0" : "", c.peepholes ? "p" : ""});
    if (c.states) weight("c0", state, batch_first ? turned(w.c0, d, kBatch, kHidden) : w.c0);
    if (c.peepholes) weight("p", {d, 3 * kHidden}, w.p);
  }
  std::vector<Attr> attributes{{"hidden_size", kHidden}, {"direction", c.direction}};
  if (c.layout != 0) attributes.push_back({"layout", c.layout});
  if (c.limit > 0) attributes.push_back({"clip", static_cast<float>(c.limit)});
  if (c.couples && c.gates == 4) attributes.push_back({"input_forget", int64_t{1}});
  if (c.before_reset && c.gates == 3) attributes.push_back({"linear_before_reset", int64_t{1}});
  if (!c.functions.empty()) attributes.push_back({"activations", c.functions});
  if (!c.alphas.empty()) attributes.push_back({"activation_alpha", c.alphas});
  if (!c.betas.empty()) attributes.push_back({"activation_beta", c.betas});
  std::vector<std::string> outputs{"y", "h"};
  if (c.gates == 4 && c.wants_cell) outputs.emplace_back("c");
  for (const std::string& name : outputs) m.output(name);
  m.node(c.gates == 1 ? "RNN" : c.gates == 3 ? "GRU" : "LSTM", names, outputs, attributes);
  const Results made = run_file(m, given);
  REQUIRE_MESSAGE(made.refused.empty(), made.refused);
  if (!batch_first || c.steps > 4)
    check_near(batch_first ? by_step(made.numbers.at("y"), c.steps, d) : made.numbers.at("y"), expected.y);
  check_near(made.numbers.at("h"), batch_first ? turned(expected.h, d, kBatch, kHidden) : expected.h);
  if (outputs.size() == 3)
    check_near(made.numbers.at("c"), batch_first ? turned(expected.cell, d, kBatch, kHidden) : expected.cell);
}

}  // namespace

TEST_CASE("sequences of different lengths start and end at their own bounds") {
  for (const int64_t gates : {1, 3, 4})
    for (const char* direction : {"forward", "reverse", "bidirectional"})
      for (const bool come : {false, true}) {
        Recurrence c{gates, direction, {2, 4, 0}, come};
        c.states = come;
        check_recurrence(c);
      }
  for (const bool states : {false, true}) {  // an LSTM without a consumer of its cell, and an unrolled one
    Recurrence c{4, "bidirectional", {3, 1, 4}, true};
    c.states = states, c.wants_cell = false;
    check_recurrence(c);
    c.wants_cell = true, c.peepholes = true;
    check_recurrence(c);
    c.peepholes = false, c.layout = 1;
    check_recurrence(c);
  }
  Recurrence whole{4, "reverse", {4, 4, 4}};
  check_recurrence(whole);
}

TEST_CASE("unrolled sequences of different lengths start and end at their own bounds") {
  for (const int64_t gates : {1, 3, 4})
    for (const char* direction : {"forward", "reverse", "bidirectional"})
      for (const bool come : {false, true}) {
        Recurrence c{gates, direction, {2, 4, 0}, come};
        c.states = come, c.limit = 0.3, c.before_reset = come;  // an operator with clipping is not one op
        check_recurrence(c);
      }
}

TEST_CASE("recurrent cells use the activations, clipping and coupling of the file") {
  for (const char* name : {"Tanh", "Sigmoid", "Relu", "Softplus", "Softsign", "Affine", "LeakyRelu", "ThresholdedRelu",
                           "ScaledTanh", "HardSigmoid", "Elu"}) {
    CAPTURE(name);
    Recurrence c{1, "forward", {2, 4, 3}};
    c.functions = {name}, c.alphas = {0.4f}, c.betas = {0.7f};
    check_recurrence(c);
  }
  Recurrence mixed{4, "bidirectional", {}};
  mixed.functions = {"HardSigmoid", "Relu", "Softsign", "Sigmoid", "ScaledTanh", "Elu"};
  mixed.alphas = {0.3f, 0.8f, 1.5f}, mixed.betas = {0.4f, 0.6f};
  mixed.states = true;
  check_recurrence(mixed);
  mixed.gates = 3, mixed.functions = {"Sigmoid", "Affine", "HardSigmoid", "Tanh"}, mixed.alphas = {0.3f, 0.2f};
  check_recurrence(mixed);
  for (const int64_t gates : {1, 3, 4})
    for (const bool other : {false, true}) {
      Recurrence c{gates, "bidirectional", {}};
      c.limit = 0.3, c.before_reset = other, c.couples = other, c.peepholes = other, c.states = true;
      check_recurrence(c);
    }
}

TEST_CASE("recurrences beyond the unroll limit run as a loop") {
  const Ints lengths{8200, 300, 0};
  for (const int64_t gates : {1, 3})
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      Recurrence c{gates, direction, lengths};
      c.steps = 8200, c.states = gates == 3, c.lengths_come = gates == 1;
      c.limit = 0.5;  // an operator with clipping is not one op
      check_recurrence(c);
    }
  Recurrence even{3, "bidirectional"};  // the steps fill whole iterations
  even.steps = 8448, even.before_reset = true, even.limit = 0.5;
  check_recurrence(even);
  Recurrence peeped{4, "bidirectional", lengths};
  peeped.steps = 8200, peeped.peepholes = true, peeped.states = true, peeped.limit = 2;
  check_recurrence(peeped);
  peeped.lengths = {}, peeped.layout = 1;
  peeped.functions = {"HardSigmoid", "Relu", "Softsign", "Sigmoid", "ScaledTanh", "Elu"};
  peeped.alphas = {0.3f, 0.8f, 1.5f}, peeped.betas = {0.4f, 0.6f}, peeped.limit = 0.3;
  check_recurrence(peeped);
}

TEST_CASE("plain recurrences of any number of steps are one op") {
  const Ints lengths{8200, 300, 0};
  for (const int64_t gates : {1, 3, 4})
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      Recurrence c{gates, direction, lengths};
      c.steps = 8200, c.states = gates == 3, c.lengths_come = gates == 1;
      check_recurrence(c);
    }
  Recurrence even{3, "bidirectional"};
  even.steps = 8448, even.before_reset = true;
  check_recurrence(even);
}

TEST_CASE("invalid recurrent operators are errors") {
  const auto refused = [](const std::vector<Attr>& attributes, const Ints& lengths = {}, const char* op = "GRU") {
    OnnxMaker m(14);
    m.input("x", {4, 3, 2}).weight("w", {1, 9, 2}, std::vector<float>(18)).output("y");
    m.weight("r", {1, 9, 3}, std::vector<float>(27));
    if (!lengths.empty()) add_lengths(m, "l", lengths);
    std::vector<Attr> all{{"hidden_size", int64_t{3}}};
    all.insert(all.end(), attributes.begin(), attributes.end());
    m.node(op, {"x", "w", "r", "", lengths.empty() ? "" : "l"}, {"y"}, all);
    return run_file(m, {}).refused;
  };
  CHECK(refused({}).empty());
  CHECK(refused({}, {4, 5, 1}).find("the sequence length 5 is out of range for 4 steps") != std::string::npos);
  CHECK(refused({}, {4, -1, 1}).find("-1") != std::string::npos);
  CHECK(refused({}, {4, 1}).find("lengths") != std::string::npos);
  CHECK(refused({{"activations", std::vector<std::string>{"Sigmoid", "Sine"}}}).find("'Sine'") != std::string::npos);
  CHECK_FALSE(refused({{"activations", std::vector<std::string>{"Sigmoid"}}}).empty());
  CHECK(refused({{"clip", -1.0f}}).find("clip is -1") != std::string::npos);
  CHECK_FALSE(refused({}, {}, "LSTM").empty());
}

}  // namespace arenascope::test
