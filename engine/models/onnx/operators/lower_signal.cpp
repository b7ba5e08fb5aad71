// SPDX-License-Identifier: MIT
// ONNX's Fourier transforms as sums over tables of sines and cosines, and the matrix of mel frequencies.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kLongestSignal = 1 << 14;  // a table has the square of it
constexpr int64_t kMaxTerms = 1 << 24;

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
    if (!given || given->size() != 1) c.fail("its axis must be one number");
    if (c.ok()) axis = (*given)[0];
  }
  t.axis = c.axis(axis, x->rank());
  t.inverse = c.attr_int("inverse", 0) != 0;
  t.onesided = c.attr_int("onesided", 0) != 0;
  if (!c.ok() || x->rank() < 2 || t.axis == x->rank() - 1 || x.sizes().back() < 1 || x.sizes().back() > 2) {
    c.fail("its input is not a signal: expected a last dimension of 1 (real) or 2 (complex) and another axis");
    return false;
  }
  t.length = t.inverse && t.onesided ? 2 * (x.sizes()[t.axis] - 1) : x.sizes()[t.axis];
  if (c.has(1)) {
    const auto given = c.ints(1);
    if (!given || given->size() != 1) c.fail("its length must be one number");
    if (c.ok()) t.length = (*given)[0];
  }
  if (t.length < 1 || t.length > kLongestSignal) c.fail(fmt::format("a DFT length of {} is not supported", t.length));
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

// `x` transformed, as result 0 of the type `dtype`.
void transform(OpCall& c, const Tensor& x, const Transform& t, DType dtype) {
  const int rank = x->rank();
  // The axis goes to the end, the parts before it: [2 or 1, .., in].
  std::vector<int> order = {rank - 1};
  for (int d = 0; d < rank - 1; ++d)
    if (d != t.axis) order.push_back(d);
  order.push_back(t.axis);
  const Tensor signal = to_length(c, c.cast(x, DType::F64, ":f64"), t.axis, t.in(), ":sized");
  const Tensor transposed = c.op(Op::Cont, {c.permute(signal, order, ":turned")}, ":lines");
  if (!transposed) return;
  Dims lines = transposed.sizes(), row;
  for (int d = 1; d < rank; ++d) row.push_back(lines[d]);
  const auto part = [&](int64_t i, const char* suffix) {
    return c.reshape(c.slice(transposed, 0, i, i + 1, 1, (std::string(suffix) + "_part").c_str()), row, suffix);
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
  if (terms > kMaxTerms)
    return c.fail(fmt::format("a DFT with {} multiplications is not supported: at most {}", terms, kMaxTerms));
  Dims spread = row;
  spread[spread.rank() - 1] = 1;
  spread.push_back(t.in());
  const auto times = [&](const Tensor& m, const Tensor& v, const char* suffix) {
    const std::string at = suffix;
    const Tensor matmuls =
        c.op(Op::Mul, {c.reshape(v, spread, (at + "_spread").c_str()), m}, (at + "_products").c_str());
    return matmuls ? c.op_with(Op::ReduceSum, {matmuls}, ReduceParams{1u << (matmuls->rank() - 1), false}, suffix)
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
  c.out(0, c.cast(c.op(Op::Cont, {c.permute(both, back, ":back")}, dtype == DType::F64 ? "" : ":y"), dtype));
}

void dft(OpCall& c) {
  const Tensor x = c.in(0);
  Transform t;
  if (x && read(c, x, t)) transform(c, x, t, x.dtype());
}

// Short-time Fourier transform: frames of a signal, `step` elements apart.
void stft(OpCall& c) {
  const Tensor x = c.in(0);
  const auto step = c.ints(1);
  if (!x || !step) return c.fail("it needs the step between its frames");
  const Tensor window = c.has(2) ? c.in(2) : Tensor();
  const auto given = c.ints(3);
  if (!c.ok()) return;
  if (x->rank() < 2 || x->rank() > 3 || step->size() != 1 || (given && given->size() != 1) || (!given && !window) ||
      (window && window->rank() != 1))
    return c.fail(fmt::format("its frames do not match a signal of {}", to_string(x.sizes())));
  const int64_t length = given ? (*given)[0] : window.sizes()[0], parts = x->rank() == 3 ? x.sizes()[2] : 1;
  const int64_t by = (*step)[0], all = x.sizes()[1];
  if (by < 1 || length < 1 || length > kLongestSignal || length > all || parts < 1 || parts > 2 ||
      (window && window.sizes()[0] != length))
    return c.fail(fmt::format("frames of {} elements with step {} do not fit in {} elements", length, by, all));
  const int64_t frames = (all - length) / by + 1;
  Transform t{2, length, false, c.attr_int("onesided", 1) != 0};
  if (t.onesided && parts == 2) return c.fail("a one-sided spectrum requires a real signal");
  auto terms = checked_mul(frames, length);
  if (terms) terms = checked_mul(*terms, x.sizes()[0] * t.out());
  if (!terms || *terms > kMaxTerms) return c.fail(fmt::format("{} frames of {} elements are too many", frames, length));
  std::vector<int64_t> indices;
  for (int64_t f = 0; f < frames; ++f)
    for (int64_t i = 0; i < length; ++i) indices.push_back(f * by + i);
  const Tensor picked =
      c.op_with(Op::Gather, {x, c.constant(HostArray::of(std::move(indices)), ":places")}, AxisParams{1}, ":picked");
  Tensor each = c.cast(c.reshape(picked, {x.sizes()[0], frames, length, parts}, ":frames"), DType::F64, ":frames_f64");
  if (window)
    each =
        c.op(Op::Mul, {each, c.cast(c.reshape(window, {length, 1}, ":window"), DType::F64, ":window_f64")}, ":framed");
  if (each) transform(c, each, t, x.dtype());
}

// Triangles over the bins of a spectrum, evenly spaced on the mel scale.
void mel_weight_matrix(OpCall& c) {
  double specified[5] = {};
  for (size_t i = 0; i < 5; ++i) {
    const auto given = c.floats(i);
    if (!given || given->size() != 1) return c.fail("its sizes and frequencies must be known at compile time");
    specified[i] = (*given)[0];
  }
  const auto dtype = ir::to_dtype(c.attr_type("output_datatype", 1));
  const auto [mels, length, rate, low, high] = specified;
  if (!dtype || !(mels >= 1) || !(length >= 1) || !(rate >= 1) || !(low >= 0) || !(high >= low) || mels > 1 << 14 ||
      length > 1 << 20 || (length / 2 + 1) * mels > static_cast<double>(HostArray::kMaxElements))
    return c.fail(fmt::format("{} mel bands for a DFT length of {} are not supported", mels, length));
  const auto bands = static_cast<int64_t>(mels), bins = static_cast<int64_t>(length) / 2 + 1;
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double step = (mel(high) - mel(low)) / (mels + 2);
  std::vector<int64_t> edges;  // in bins
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10.0, (static_cast<double>(i) * step + mel(low)) / 2595) - 1);
    edges.push_back(static_cast<int64_t>(std::floor((length + 1) * hertz / rate)));
  }
  HostArray out = HostArray::make(*dtype, {bins, bands});
  const auto put = [&](int64_t bin, int64_t band, double value) {
    if (bin >= 0 && bin < bins) out.set(bin * bands + band, value);
  };
  for (int64_t i = 0; i < bands; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t from = edges[at], middle = edges[at + 1], to = edges[at + 2];
    if (middle == from) put(middle, i, 1);
    for (int64_t bin = from; bin <= std::min(middle, bins) && middle > from; ++bin)
      put(bin, i, static_cast<double>(bin - from) / static_cast<double>(middle - from));
    for (int64_t bin = middle; bin < std::min(to, bins); ++bin)
      put(bin, i, static_cast<double>(to - bin) / static_cast<double>(to - middle));
  }
  c.out(0, std::move(out));
}

constexpr HandlerEntry kSignalHandlers[] = {
    {"DFT", dft},
    {"MelWeightMatrix", mel_weight_matrix},
    {"STFT", stft},
};

}  // namespace

std::span<const HandlerEntry> signal_handlers() { return kSignalHandlers; }

}  // namespace arenascope::models
