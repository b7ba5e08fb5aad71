// SPDX-License-Identifier: MIT
// ONNX's Fourier transforms as sums over tables of sines and cosines, and the steps of optimisers.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <cmath>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kLongest = 1 << 14;  // a table has the square of it
constexpr int64_t kMostTerms = 1 << 24;

Tensor whole_range(OpCall& c, const Dims& sizes, const char* suffix) {
  OpParams bytes;
  bytes.set(FillParams{sizes, DType::I64, 0, 1});
  return c.apply(Op::Arange, std::span<const Tensor>{}, bytes, suffix);
}

// 2π·k·n / length for k < rows and n < columns, in double; k·n is reduced before it is rounded.
Tensor angles(OpCall& c, int64_t rows, int64_t columns, int64_t length) {
  const Tensor product = c.op(Op::Mul, {whole_range(c, {rows, 1}, ":k"), whole_range(c, {1, columns}, ":n")}, ":turns");
  const Tensor part = c.op(Op::Mod, {product, c.scalar(static_cast<double>(length), DType::I64, ":length")}, ":part");
  const Tensor step = c.scalar(2 * M_PI / static_cast<double>(length), DType::F64, ":step");
  return c.op(Op::Mul, {c.cast(part, DType::F64, ":part_f64"), step}, ":angles");
}

// Cut off or filled up with zeros.
Tensor to_length(OpCall& c, const Tensor& x, int axis, int64_t length, const char* suffix) {
  if (!x || x.sizes()[axis] == length) return x;
  if (x.sizes()[axis] > length) return c.slice(x, axis, 0, length, 1, suffix);
  PadParams pad{};
  pad.mode = PadMode::Constant;
  pad.end[axis] = static_cast<int32_t>(length - x.sizes()[axis]);
  return c.op_with(Op::Pad, {x}, pad, suffix);
}

struct Transform {
  int axis = 0;
  int64_t length = 0;
  bool inverse = false, onesided = false;

  int64_t in() const { return inverse && onesided ? length / 2 + 1 : length; }
  int64_t out() const { return !inverse && onesided ? length / 2 + 1 : length; }
};

bool read(OpCall& c, const Tensor& x, Transform& t) {
  int64_t axis = c.opset() < 20 ? c.attr_int("axis", 1) : -2;
  if (c.opset() >= 20 && c.has(2)) {
    const auto given = c.ints(2);
    if (!given || given->size() != 1) c.refuse("its axis must be one number");
    if (c.ok()) axis = (*given)[0];
  }
  t.axis = c.axis(axis, x->rank());
  t.inverse = c.attr_int("inverse", 0) != 0;
  t.onesided = c.attr_int("onesided", 0) != 0;
  if (!c.ok() || x->rank() < 2 || t.axis == x->rank() - 1 || x.sizes().back() < 1 || x.sizes().back() > 2) {
    c.refuse("its source is no signal of real or complex numbers");
    return false;
  }
  t.length = t.inverse && t.onesided ? 2 * (x.sizes()[t.axis] - 1) : x.sizes()[t.axis];
  if (c.has(1)) {
    const auto given = c.ints(1);
    if (!given || given->size() != 1) c.refuse("its length must be one number");
    if (c.ok()) t.length = (*given)[0];
  }
  if (t.length < 1 || t.length > kLongest) c.refuse(fmt::format("a length of {}", t.length));
  return c.ok();
}

// How often each frequency of a one-sided spectrum counts, over the length.
Tensor weights(OpCall& c, const Transform& t) {
  HostArray out = HostArray::make(DType::F64, {t.in(), 1});
  for (int64_t k = 0; k < t.in(); ++k) {
    const bool once = !t.onesided || k == 0 || 2 * k == t.length;
    out.set(k, (once ? 1.0 : 2.0) / static_cast<double>(t.length));
  }
  return c.constant(std::move(out), ":weights");
}

void dft(OpCall& c) {
  const Tensor x = c.in(0);
  Transform t;
  if (!x || !read(c, x, t)) return;
  const int rank = x->rank();
  // The axis goes to the end, the parts before it: [2 or 1, .., in].
  std::vector<int> order = {rank - 1};
  for (int d = 0; d < rank - 1; ++d)
    if (d != t.axis) order.push_back(d);
  order.push_back(t.axis);
  const Tensor signal = to_length(c, c.cast(x, DType::F64, ":f64"), t.axis, t.in(), ":sized");
  const Tensor turned = c.op(Op::Cont, {c.permute(signal, order, ":turned")}, ":lines");
  if (!turned) return;
  Dims lines = turned.sizes(), row;
  for (int d = 1; d < rank; ++d) row.push_back(lines[d]);
  const auto part = [&](int64_t i, const char* suffix) {
    return c.reshape(c.slice(turned, 0, i, i + 1, 1, (std::string(suffix) + "_part").c_str()), row, suffix);
  };
  const Tensor real = part(0, ":real"), imaginary = lines[0] == 2 ? part(1, ":imaginary") : Tensor();
  const Tensor table = angles(c, t.out(), t.in(), t.length);
  Tensor cosine = c.op(Op::Cos, {table}, ":cos"), sine = c.op(Op::Sin, {table}, ":sin");
  if (t.inverse) {
    const Tensor share = c.reshape(weights(c, t), {1, t.in()}, ":shares");
    cosine = c.op(Op::Mul, {cosine, share}, ":cos_weighed"), sine = c.op(Op::Mul, {sine, share}, ":sin_weighed");
  } else {
    sine = c.op(Op::Neg, {sine}, ":minus_sin");
  }
  if (!real || !cosine || !sine) return;
  // Sums in double: frequencies that cancel out are to be zeros.
  const int64_t terms = real->element_count() * t.out();
  if (terms > kMostTerms) return c.refuse(fmt::format("{} products at once, of at most {}", terms, kMostTerms));
  Dims spread = row;
  spread[spread.rank() - 1] = 1;
  spread.push_back(t.in());
  const auto times = [&](const Tensor& m, const Tensor& v, const char* suffix) {
    const std::string at = suffix;
    const Tensor products =
        c.op(Op::Mul, {c.reshape(v, spread, (at + "_spread").c_str()), m}, (at + "_products").c_str());
    return products ? c.op_with(Op::ReduceSum, {products}, ReduceParams{1u << (products->rank() - 1), false}, suffix)
                    : Tensor();
  };
  Tensor y = times(cosine, real, ":rc");
  if (imaginary) y = c.op(Op::Sub, {y, times(sine, imaginary, ":is")}, ":y_real");
  const bool complex = !(t.inverse && t.onesided);
  Tensor z;
  if (complex) {
    z = times(sine, real, ":rs");
    if (imaginary) z = c.op(Op::Add, {z, times(cosine, imaginary, ":ic")}, ":y_imaginary");
  }
  if (!y) return;
  Dims each = {1};
  for (int64_t size : y.sizes()) each.push_back(size);
  Tensor both = c.reshape(y, each, ":y_each");
  if (complex) both = c.op_with(Op::Concat, {both, c.reshape(z, each, ":z_each")}, AxisParams{0}, ":both");
  std::vector<int> back(static_cast<size_t>(rank));
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int>(i);
  c.out(0, c.cast(c.op(Op::Cont, {c.permute(both, back, ":back")}, x.dtype() == DType::F64 ? "" : ":y"), x.dtype()));
}

// An optimiser's step over tensors in groups: X…, then gradients, then each kind of state. Scalars are f32 tensors.
struct Step {
  Tensor rate, count, x, gradient;
  std::vector<Tensor> states;
};

Tensor scaled(OpCall& c, const Tensor& x, float by, const std::string& at) {
  return c.op_with(Op::Scale, {x}, ScaleParams{by, 0}, at.c_str());
}
Tensor is_later(OpCall& c, const Step& s, const std::string& at) {
  return c.op(Op::Greater, {s.count, c.scalar(0, DType::F32, (at + "_zero").c_str())}, at.c_str());
}
Tensor regular(OpCall& c, const Step& s, const std::string& at) {
  return c.op(Op::Add, {scaled(c, s.x, c.attr_float("norm_coefficient", 0), at + "_norm"), s.gradient},
              (at + "_g").c_str());
}

// `one` gives the new x and the new states of a group; `kinds` is how many states there are.
template <class F>
void optimise(OpCall& c, size_t kinds, F&& one) {
  const size_t per = 2 + kinds, sources = c.input_count();
  if (sources < 2 + per || (sources - 2) % per != 0) return c.refuse("its sources are not in whole groups");
  const size_t groups = (sources - 2) / per;
  const Tensor rate = c.in_f32(0), count = c.cast(c.in(1), DType::F32, ":count");
  for (size_t i = 0; i < groups && c.ok(); ++i) {
    Step s{c.reshape(rate, {}, fmt::format(":rate_{}", i).c_str()),
           c.reshape(count, {}, fmt::format(":t_{}", i).c_str()),
           c.in(2 + i),
           c.in(2 + groups + i),
           {}};
    for (size_t k = 0; k < kinds; ++k) s.states.push_back(c.in(2 + (2 + k) * groups + i));
    if (!c.ok()) return;
    const std::vector<Tensor> made = one(s, fmt::format(":{}", i));
    for (size_t k = 0; k < made.size(); ++k) c.out(k * groups + i, made[k]);
  }
}

void momentum(OpCall& c) {
  const std::string mode = c.attr_string("mode", "standard");
  if (mode != "standard" && mode != "nesterov") return c.refuse(fmt::format("mode '{}'", mode));
  const float alpha = c.attr_float("alpha", 0), beta = c.attr_float("beta", 0);
  optimise(c, 1, [&](const Step& s, const std::string& at) -> std::vector<Tensor> {
    const Tensor g = regular(c, s, at);
    const Tensor share =
        c.op(Op::Where, {is_later(c, s, at + "_later"), scaled(c, g, beta, at + "_less"), g}, (at + "_share").c_str());
    const Tensor v = c.op(Op::Add, {scaled(c, s.states[0], alpha, at + "_kept"), share}, (at + "_v").c_str());
    const Tensor step =
        mode == "standard" ? v : c.op(Op::Add, {g, scaled(c, v, alpha, at + "_ahead")}, (at + "_step").c_str());
    return {c.op(Op::Sub, {s.x, c.op(Op::Mul, {s.rate, step}, (at + "_moved").c_str())}, (at + "_x").c_str()), v};
  });
}

void adagrad(OpCall& c) {
  const float decay = c.attr_float("decay_factor", 0), epsilon = c.attr_float("epsilon", 0);
  optimise(c, 1, [&](const Step& s, const std::string& at) -> std::vector<Tensor> {
    const Tensor g = regular(c, s, at);
    const Tensor h = c.op(Op::Add, {s.states[0], c.op(Op::Mul, {g, g}, (at + "_gg").c_str())}, (at + "_h").c_str());
    const Tensor root = c.op_with(Op::Scale, {c.op(Op::Sqrt, {h}, (at + "_root").c_str())}, ScaleParams{1, epsilon},
                                  (at + "_over").c_str());
    const Tensor rate =
        c.op(Op::Div, {s.rate, c.op_with(Op::Scale, {s.count}, ScaleParams{decay, 1}, (at + "_age").c_str())},
             (at + "_rate").c_str());
    const Tensor step = c.op(Op::Div, {c.op(Op::Mul, {rate, g}, (at + "_rg").c_str()), root}, (at + "_step").c_str());
    return {c.op(Op::Sub, {s.x, step}, (at + "_x").c_str()), h};
  });
}

// 1 - base^t.
Tensor unbiased(OpCall& c, const Tensor& t, float base, const std::string& at) {
  const Tensor power = c.op(Op::Pow, {c.scalar(static_cast<double>(base), DType::F32, (at + "_base").c_str()), t},
                            (at + "_power").c_str());
  return c.op_with(Op::Scale, {power}, ScaleParams{-1, 1}, at.c_str());
}

void adam(OpCall& c) {
  const float alpha = c.attr_float("alpha", 0.9f), beta = c.attr_float("beta", 0.999f),
              epsilon = c.attr_float("epsilon", 0);
  optimise(c, 2, [&](const Step& s, const std::string& at) -> std::vector<Tensor> {
    const Tensor g = regular(c, s, at);
    const auto mixed = [&](const Tensor& old, const Tensor& now, float keep, const std::string& name) {
      return c.op(Op::Add, {scaled(c, old, keep, name + "_old"), scaled(c, now, 1 - keep, name + "_new")},
                  name.c_str());
    };
    const Tensor v = mixed(s.states[0], g, alpha, at + "_v");
    const Tensor h = mixed(s.states[1], c.op(Op::Mul, {g, g}, (at + "_gg").c_str()), beta, at + "_h");
    const Tensor root = c.op_with(Op::Scale, {c.op(Op::Sqrt, {h}, (at + "_root").c_str())}, ScaleParams{1, epsilon},
                                  (at + "_over").c_str());
    const Tensor late =
        c.op(Op::Div,
             {c.op(Op::Mul, {s.rate, c.op(Op::Sqrt, {unbiased(c, s.count, beta, at + "_b")}, (at + "_br").c_str())},
                   (at + "_rb").c_str()),
              unbiased(c, s.count, alpha, at + "_a")},
             (at + "_late").c_str());
    const Tensor rate = c.op(Op::Where, {is_later(c, s, at + "_later"), late, s.rate}, (at + "_rate").c_str());
    const Tensor step = c.op(Op::Mul, {rate, c.op(Op::Div, {v, root}, (at + "_vr").c_str())}, (at + "_step").c_str());
    const Tensor x = c.op(Op::Sub, {s.x, step}, (at + "_moved").c_str());
    return {scaled(c, x, 1 - c.attr_float("norm_coefficient_post", 0), at + "_x"), v, h};
  });
}

constexpr HandlerEntry kHandlers[] = {
    {"DFT", dft},
    {"ai.onnx.preview.training::Adagrad", adagrad},
    {"ai.onnx.preview.training::Adam", adam},
    {"ai.onnx.preview.training::Momentum", momentum},
};

}  // namespace

std::span<const HandlerEntry> signal_handlers() { return kHandlers; }

}  // namespace arenascope::models
