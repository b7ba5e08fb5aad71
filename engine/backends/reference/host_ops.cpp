// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>

#include <arenascope/graph/own_places.h>
#include <fmt/format.h>

#include <arenascope/graph/dropout_mask.h>
#include "engine/backends/reference/values.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::reference {
namespace {

using Out = std::vector<Real>;

// Copies the bits to the result and reads them as its type.
Out bit_cast(const TensorImpl& node) {
  const TensorImpl& source = *node.sources[0];
  const int64_t bytes = info(node.dtype).block_bytes;
  for (int64_t i = 0; i < node.element_count(); ++i) {
    const Dims index = unravel(i, node.sizes);
    int64_t at = 0;
    for (int d = 0; d < node.rank(); ++d) at += index[d] * source.strides[d];
    std::memcpy(node.data() + i * bytes, source.data() + at * bytes, static_cast<size_t>(bytes));
  }
  return read(node).v;
}

// The finite numbers of a format that are not negative, by their code without the sign.
std::vector<Real> numbers_of(SmallFloat format) {
  int exponent_bits = 4, fraction_bits = 3, bias = 7, codes = 0;
  switch (format) {
    case SmallFloat::E4M3FN: codes = 127; break;
    case SmallFloat::E4M3FNUZ: bias = 8, codes = 128; break;
    case SmallFloat::E5M2: exponent_bits = 5, fraction_bits = 2, bias = 15, codes = 124; break;
    case SmallFloat::E5M2FNUZ: exponent_bits = 5, fraction_bits = 2, bias = 16, codes = 128; break;
    case SmallFloat::E2M1: exponent_bits = 2, fraction_bits = 1, bias = 1, codes = 8; break;
    case SmallFloat::E8M0: exponent_bits = 8, fraction_bits = 0, bias = 127, codes = 255; break;
  }
  (void)exponent_bits;
  std::vector<Real> out;
  for (int code = 0; code < codes; ++code) {
    const int exponent = code >> fraction_bits, fraction = code & ((1 << fraction_bits) - 1);
    const bool normal = exponent > 0 || format == SmallFloat::E8M0;
    const int significand = fraction + (normal ? 1 << fraction_bits : 0);
    out.push_back(std::ldexp(static_cast<Real>(significand), (normal ? exponent : 1) - bias - fraction_bits));
  }
  return out;
}

Real rounded(Real x, const std::vector<Real>& numbers, const SmallFloatParams& p) {
  const bool powers = p.format == SmallFloat::E8M0, no_nan = p.format == SmallFloat::E2M1;
  const bool has_infinity = p.format == SmallFloat::E5M2;
  const bool has_minus_zero = has_infinity || no_nan || p.format == SmallFloat::E4M3FN;
  if (std::isnan(x)) return no_nan ? Real{-0.0} : x;
  if (powers && std::signbit(x)) return NAN;
  const Real sign = std::signbit(x) ? -1 : 1, magnitude = std::abs(x), largest = numbers.back();
  // The step from the largest finite value to the next value beyond it, which decides when to round to infinity.
  const Real step = powers ? largest : largest - numbers[numbers.size() - 2];
  const Real half = powers && p.rounding == SmallRounding::Down ? step
                    : powers && p.rounding == SmallRounding::Up ? 0
                                                                : step / 2;
  const bool odd = (numbers.size() - 1) % 2 == 1;
  if (magnitude > largest + half || (magnitude == largest + half && magnitude > largest && (powers || odd)))
    return p.saturate || no_nan ? sign * largest : has_infinity ? sign * INFINITY : static_cast<Real>(NAN);
  if (magnitude >= largest) return sign * largest;
  if (magnitude <= numbers.front()) return numbers.front() == 0 && has_minus_zero ? sign * 0 : numbers.front();
  const auto above = std::upper_bound(numbers.begin(), numbers.end(), magnitude), below = above - 1;
  const Real up = *above - magnitude, down = magnitude - *below;
  bool to_upper = up < down || (up == down && (powers || (below - numbers.begin()) % 2 == 1));
  if (powers && down == 0) to_upper = false;
  if (powers && down != 0 && p.rounding != SmallRounding::Nearest) to_upper = p.rounding == SmallRounding::Up;
  const Real y = to_upper ? *above : *below;
  return y == 0 && !has_minus_zero ? 0 : sign * y;
}

// Reflects a coordinate outside of [low, high] at the ends.
Real reflected(Real x, Real low, Real high) {
  const Real range = high - low;
  if (range <= 0) return low;
  while (std::isfinite(x) && (x < low || x > high)) {
    const Real periods = std::floor((x - low) / (2 * range));
    x -= 2 * range * periods;  // in [low, low + 2·range)
    if (x > high) x = 2 * high - x;
  }
  return std::isfinite(x) ? x : static_cast<Real>(NAN);
}

struct Axis {
  int64_t size;
  GridSampleParams p;

  Real low() const { return p.align_corners ? 0 : -0.5L; }
  Real high() const { return static_cast<Real>(size - 1) + (p.align_corners ? 0 : 0.5L); }
  Real clamped(Real x) const { return std::clamp<Real>(x, 0, static_cast<Real>(size - 1)); }
  // -1: outside of the input.
  int64_t index(Real x) const {
    if (std::isnan(x)) return -1;
    if (x >= 0 && x <= static_cast<Real>(size - 1)) return static_cast<int64_t>(x);
    if (p.padding == GridPadding::Zeros) return -1;
    if (p.padding == GridPadding::Reflection) x = std::trunc(reflected(x, low(), high()));
    return std::isnan(x) ? -1 : static_cast<int64_t>(clamped(x));
  }
  // The elements that make the value at a coordinate, and their weights.
  std::vector<std::pair<int64_t, Real>> taps(Real coordinate) const {
    const auto length = static_cast<Real>(size);
    Real x = p.align_corners ? (coordinate + 1) / 2 * (length - 1) : ((coordinate + 1) * length - 1) / 2;
    if (p.mode == ResizeMode::Nearest) x = std::nearbyint(x);
    if (x < low() || x > high()) {
      if (p.padding == GridPadding::Border) x = clamped(x);
      if (p.padding == GridPadding::Reflection) x = reflected(x, low(), high());
    }
    if (p.mode == ResizeMode::Nearest) return {{index(std::nearbyint(x)), 1}};
    const Real first = std::floor(x), t = x - first;
    if (p.mode == ResizeMode::Linear) return {{index(first), 1 - t}, {index(first + 1), t}};
    std::vector<std::pair<int64_t, Real>> out;
    for (int k = -1; k <= 2; ++k) {
      const Real s = std::abs(t - k), a = -0.75L;
      const Real weight =
          s <= 1 ? (a + 2) * s * s * s - (a + 3) * s * s + 1 : a * s * s * s - 5 * a * s * s + 8 * a * s - 4 * a;
      out.push_back({index(first + k), weight});
    }
    return out;
  }
};

Real sampled(const TensorImpl& node, const Sources& s, const Dims& index) {
  const int spatial = node.rank() - 2;
  Dims in_grid = {index[0]}, from = index;
  for (int d = 0; d < spatial; ++d) in_grid.push_back(index[d + 2]);
  in_grid.push_back(0);
  std::vector<std::vector<std::pair<int64_t, Real>>> taps;
  for (int d = 0; d < spatial; ++d) {
    in_grid[spatial + 1] = spatial - 1 - d;
    taps.push_back(Axis{s[0].size(d + 2), node.params.get<GridSampleParams>()}.taps(s[1][ravel(in_grid, s[1].sizes)]));
  }
  Dims counts;
  for (const auto& axis : taps) counts.push_back(static_cast<int64_t>(axis.size()));
  Real sum = 0;
  for (int64_t i = 0; i < element_count(counts); ++i) {
    const Dims k = unravel(i, counts);
    Real weight = 1;
    bool inside = true;
    for (int d = 0; d < spatial; ++d) {
      const auto& [at, share] = taps[static_cast<size_t>(d)][static_cast<size_t>(k[d])];
      inside = inside && at >= 0;
      from[d + 2] = at;
      weight *= share;
    }
    if (inside) sum += weight * s[0][ravel(from, s[0].sizes)];
  }
  return sum;
}

// The first input with the rows written into it; an index out of range is an error.
Result<Out> rows_set(const TensorImpl& node, const Sources& s) {
  Out out = s[0].v;
  const auto [axis, has_rows] = node.params.get<SetRowsParams>();
  const bool own = own_places(node);
  for (int64_t i = 0; i < static_cast<int64_t>(s[1].v.size()); ++i) {
    Dims index = unravel(i, s[1].sizes);
    if (has_rows) index[axis] = static_cast<int64_t>(s[2][own ? i : index[axis]]);
    if (own && index[axis] < 0) index[axis] += s[0].size(axis);
    if (index[axis] < 0 && !own) continue;
    if (index[axis] < 0 || index[axis] >= s[0].size(axis))
      return Error{fmt::format("{} '{}' on the reference: row index {} is out of range for {} rows", name(node.op),
                               node.name, index[axis], s[0].size(axis))};
    out[static_cast<size_t>(ravel(index, s[0].sizes))] = s[1][i];
  }
  return out;
}

Out max_pool_back(const TensorImpl& node, const Sources& s) {
  const auto p = node.params.get<PoolParams>();
  Out out(s[0].v.size());
  Dims kernel;
  for (int d = 0; d < p.spatial; ++d) kernel.push_back(p.kernel[d]);
  for (int64_t i = 0; i < static_cast<int64_t>(s[1].v.size()); ++i) {
    const Dims at = unravel(i, s[1].sizes);
    int64_t best = -1;
    for (int64_t k = 0; k < element_count(kernel); ++k) {
      const Dims tap = unravel(k, kernel);
      Dims from = at;
      bool inside = true;
      for (int d = 0; d < p.spatial; ++d) {
        from[d + 2] = at[d + 2] * p.strides[d] - p.pads_begin[d] + tap[d] * p.dilations[d];
        inside = inside && from[d + 2] >= 0 && from[d + 2] < s[0].size(d + 2);
      }
      if (!inside) continue;
      const int64_t place = ravel(from, s[0].sizes);
      if (best < 0 || s[0][place] > s[0][best] || std::isnan(s[0][place])) best = place;
    }
    if (best >= 0) out[static_cast<size_t>(best)] += s[1][i];
  }
  return out;
}

Result<Out> gathered_back(const TensorImpl& node, const Sources& s) {
  Out out(static_cast<size_t>(node.element_count()), Real{0});
  if (s.size() > 2) out = s[2].v;
  const int64_t size = node.sizes[0], count = s[1].sizes[0];
  const int64_t width = count > 0 ? static_cast<int64_t>(s[0].v.size()) / count : 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto row_index = static_cast<int64_t>(s[1][i]);
    if (row_index < -size || row_index >= size)
      return Error{fmt::format("{} '{}' on the reference: index {} is out of range for a table of {} rows",
                               name(node.op), node.name, row_index, size)};
    for (int64_t w = 0; w < width; ++w)
      out[static_cast<size_t>((row_index < 0 ? row_index + size : row_index) * width + w)] += s[0][i * width + w];
  }
  return out;
}

Out stepped(const TensorImpl& node, const Sources& s) {
  const auto p = node.params.get<OptimizerStepParams>();
  Out out = s[0].v, first = p.states > 0 ? s[4].v : Out(), second = p.states > 1 ? s[5].v : Out();
  if (s[3][0] != 0) return out;
  const auto real = [](float x) { return static_cast<Real>(x); };
  for (size_t i = 0; i < out.size(); ++i) {
    Real g = s[1].v[i];
    if (p.adaptive) {
      first[i] = real(p.beta1) * first[i] + real(p.rest1) * g;
      second[i] = real(p.beta2) * second[i] + real(p.rest2) * g * g;
      const Real root = std::sqrt(second[i]) * s[2][2] + real(p.epsilon);
      out[i] = out[i] * s[2][p.keep] - s[2][1] * first[i] / root;
      continue;
    }
    g += real(p.decay) * out[i];
    if (p.states > 0) g = first[i] = real(p.beta1) * first[i] + g;
    out[i] -= s[2][0] * g;
  }
  if (p.states > 0) write(*node.sources[4], first);
  if (p.states > 1) write(*node.sources[5], second);
  return out;
}

Out dropped(const TensorImpl& node, const Sources& s) {
  const auto p = node.params.get<DropoutParams>();
  const DropoutMask mask(p.ratio, p.sequence, static_cast<int64_t>(s[1][0]), static_cast<int64_t>(s[1][1]));
  Out out(s[0].v.size(), Real{0});
  for (size_t i = 0; i < out.size(); ++i)
    if (mask.keeps(i)) out[i] = s[0].v[i] * static_cast<Real>(DropoutMask::factor(p.ratio));
  return out;
}

Result<Out> multiplied(const TensorImpl& node, const Sources& s) {
  Out out(static_cast<size_t>(node.element_count()));
  const int64_t each = node.sizes[1], columns = node.sizes[2], depth = s[0].size(2), experts = s[0].size(0);
  for (int64_t r = 0; r < node.sizes[0] * each; ++r) {
    const auto id = static_cast<int64_t>(s[2][r]);
    if (id < 0 || id >= experts)
      return Error{fmt::format("{} '{}' on the reference: index {} is out of range for a table of {} rows",
                               name(node.op), node.name, id, experts)};
    const int64_t row = s[1].sizes.rank() == 3 ? r : r / each;
    for (int64_t n = 0; n < columns; ++n) {
      Real sum = 0;
      for (int64_t k = 0; k < depth; ++k) sum += s[0][(id * columns + n) * depth + k] * s[1][row * depth + k];
      out[static_cast<size_t>(r * columns + n)] = sum;
    }
  }
  return out;
}

Real logistic(Real x) { return 1 / (1 + std::exp(-x)); }

// One direction of one sequence.
class Recurrence {
 public:
  Recurrence(const TensorImpl& node, const Sources& s, int64_t direction, int64_t sequence)
      : p_(node.params.get<RecurrentParams>()),
        s_(s),
        gates_(node.op == Op::Gru ? 3 : 1),
        h_(p_.hidden),
        direction_(direction),
        sequence_(sequence),
        steps_(s[0].size(0)),
        batch_(s[0].size(1)),
        state_(static_cast<size_t>(h_), Real{0}) {
    const size_t initial = p_.present & 1 ? 4 : 3;
    for (int64_t i = 0; p_.present & 2 && i < h_; ++i)
      state_[static_cast<size_t>(i)] = s[initial][(direction * batch_ + sequence) * h_ + i];
  }

  void run(Out& out) {
    const int64_t directions = s_[1].size(0);
    for (int64_t k = 0; k < steps_; ++k) {
      const int64_t t = p_.direction == 1 || direction_ == 1 ? steps_ - 1 - k : k;
      step(t);
      store(out, (t * directions + direction_) * batch_ + sequence_);
    }
    store(out, (steps_ * directions + direction_) * batch_ + sequence_);
  }

 private:
  void store(Out& out, int64_t row) const { std::copy(state_.begin(), state_.end(), out.begin() + row * h_); }
  Real bias(int64_t gate) const { return p_.present & 1 ? s_[3][direction_ * 2 * gates_ * h_ + gate] : 0; }
  // Row `gate` of W times the input of step t, with its bias.
  Real from_input(int64_t gate, int64_t t) const {
    const int64_t width = s_[0].size(2);
    Real sum = bias(gate);
    for (int64_t i = 0; i < width; ++i)
      sum += s_[1][(direction_ * gates_ * h_ + gate) * width + i] * s_[0][(t * batch_ + sequence_) * width + i];
    return sum;
  }
  Real from_state(int64_t gate, const Out& state) const {
    Real sum = bias(gates_ * h_ + gate);
    for (int64_t i = 0; i < h_; ++i)
      sum += s_[2][(direction_ * gates_ * h_ + gate) * h_ + i] * state[static_cast<size_t>(i)];
    return sum;
  }
  void step(int64_t t) {
    const Out before = state_;
    Out reset = state_;
    for (int64_t i = 0; gates_ == 3 && i < h_; ++i)
      reset[static_cast<size_t>(i)] *= logistic(from_input(h_ + i, t) + from_state(h_ + i, before));
    for (int64_t i = 0; i < h_; ++i) {
      Real& state = state_[static_cast<size_t>(i)];
      if (gates_ == 1) {
        state = std::tanh(from_input(i, t) + from_state(i, before));
        continue;
      }
      const Real update = logistic(from_input(i, t) + from_state(i, before)), fresh = from_input(2 * h_ + i, t);
      const Real inner = p_.linear_before_reset ? logistic(from_input(h_ + i, t) + from_state(h_ + i, before)) *
                                                      from_state(2 * h_ + i, before)
                                                : from_state(2 * h_ + i, reset);
      state = (1 - update) * std::tanh(fresh + inner) + update * state;
    }
  }

  const RecurrentParams p_;
  const Sources& s_;
  const int64_t gates_, h_, direction_, sequence_, steps_, batch_;
  Out state_;
};

Out recurrent(const TensorImpl& node, const Sources& s) {
  Out out(static_cast<size_t>(node.element_count()));
  for (int64_t d = 0; d < s[1].size(0); ++d)
    for (int64_t b = 0; b < s[0].size(1); ++b) Recurrence(node, s, d, b).run(out);
  return out;
}

}  // namespace

Result<std::vector<Real>> host_ops(const TensorImpl& node, const Sources& sources) {
  Out out(static_cast<size_t>(node.element_count()));
  switch (static_cast<HostOp>(node.op)) {
    case HostOp::BitCast: return bit_cast(node);
    case HostOp::RoundSmall: {
      const auto p = node.params.get<SmallFloatParams>();
      const std::vector<Real> numbers = numbers_of(p.format);
      for (size_t i = 0; i < out.size(); ++i) out[i] = rounded(sources[0].v[i], numbers, p);
      break;
    }
    case HostOp::GridSample:
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = sampled(node, sources, unravel(static_cast<int64_t>(i), node.sizes));
      break;
    case HostOp::SetRows: return rows_set(node, sources);
    case HostOp::MaxPoolBack: return max_pool_back(node, sources);
    case HostOp::GatherBack: return gathered_back(node, sources);
    case HostOp::OptimizerStep: return stepped(node, sources);
    case HostOp::Dropout: return dropped(node, sources);
    case HostOp::MulMatId: return multiplied(node, sources);
    case HostOp::Gru:
    case HostOp::Rnn: return recurrent(node, sources);
  }
  return out;
}

}  // namespace arenascope::reference
