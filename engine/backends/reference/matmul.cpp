// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "engine/backends/reference/values.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::reference {
namespace {

using Doubles = std::vector<double>;
double& at(Doubles& v, int64_t i) { return v[static_cast<size_t>(i)]; }
double at(const Doubles& v, int64_t i) { return v[static_cast<size_t>(i)]; }

// Row-major offset of `index` in a shape whose leading dimensions are broadcast.
int64_t batch_place(const Dims& sizes, const Dims& index) {
  int64_t i = 0;
  const int shift = index.rank() - sizes.rank();
  for (int d = 0; d < sizes.rank() - 2; ++d) i = i * sizes[d] + (sizes[d] == 1 ? 0 : index[d + shift]);
  return i;
}

void mul_mat(const TensorImpl& node, Reading reading, std::vector<Real>& out) {
  const Doubles a = read_doubles(*node.sources[0], reading), b = read_doubles(*node.sources[1], reading);
  const Doubles bias = node.sources.size() > 2 ? read_doubles(*node.sources[2], reading) : Doubles();
  const Dims &sa = node.sources[0]->sizes, &sb = node.sources[1]->sizes;
  const double scale = static_cast<double>(node.params.get<MulMatParams>().scale);
  const int64_t n = node.sizes.back(), m = node.sizes.back(1), depth = sa.back();
  for (size_t i = 0; i < out.size(); ++i) {
    const Dims index = unravel(static_cast<int64_t>(i), node.sizes);
    const int64_t row_a = batch_place(sa, index) * n + index.back(), row_b = batch_place(sb, index) * m + index.back(1);
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += at(a, row_a * depth + k) * at(b, row_b * depth + k);
    out[i] = scale * sum + (bias.empty() ? 0 : at(bias, index.back()));
  }
}

// CONV gathers: every result is the sum over its window. CONV_TRANSPOSE scatters: every input element adds a scaled
// kernel to the results.
void convolution(const TensorImpl& node, Reading reading, std::vector<Real>& out) {
  const bool transposed = node.op == Op::ConvTranspose;
  const auto p = node.params.get<ConvParams>();
  const Doubles x = read_doubles(*node.sources[0], reading), w = read_doubles(*node.sources[1], reading);
  const Dims &sx = node.sources[0]->sizes, &sw = node.sources[1]->sizes, &so = node.sizes;
  Doubles sums(out.size(), 0);
  if (node.sources.size() > 2) {
    const Doubles bias = read_doubles(*node.sources[2], reading);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = at(bias, unravel(static_cast<int64_t>(i), so)[1]);
  }
  // `small` is the side with windows in front of it (the result of CONV, the input of CONV_TRANSPOSE), `large` the
  // other.
  const Dims &small = transposed ? sx : so, &large = transposed ? so : sx;
  const int64_t small_group = small[1] / p.groups, large_group = large[1] / p.groups;
  Dims kernel;
  for (int d = 0; d < p.spatial; ++d) kernel.push_back(sw[d + 2]);
  const int64_t taps = element_count(kernel);
  int64_t step = 1;  // elements of one channel of the large side
  for (int d = 0; d < p.spatial; ++d) step *= large[d + 2];
  for (int64_t i = 0; i < element_count(small); ++i) {
    const Dims place = unravel(i, small);
    const int64_t group = place[1] / small_group;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const Dims k = unravel(tap, kernel);
      Dims other = place;
      bool inside = true;
      for (int d = 0; d < p.spatial; ++d) {
        other[d + 2] = place[d + 2] * p.strides[d] - p.pads_begin[d] + k[d] * p.dilations[d];
        inside = inside && other[d + 2] >= 0 && other[d + 2] < large[d + 2];
      }
      if (!inside) continue;
      other[1] = group * large_group;
      const int64_t first = ravel(other, large);
      for (int64_t c = 0; c < large_group; ++c) {
        const double weight = at(w, (place[1] * large_group + c) * taps + tap);
        if (transposed)
          at(sums, first + c * step) += at(x, i) * weight;
        else
          at(sums, i) += at(x, first + c * step) * weight;
      }
    }
  }
  out.assign(sums.begin(), sums.end());
}

void attention(const TensorImpl& node, std::vector<Real>& out) {
  const auto p = node.params.get<AttentionParams>();
  const Doubles q = read_doubles(*node.sources[0]), k = read_doubles(*node.sources[1]),
                v = read_doubles(*node.sources[2]);
  const Array mask = node.sources.size() > 3 ? read(*node.sources[3]) : Array{};
  const int64_t heads = node.sizes.back(2), queries = node.sizes.back(1), width = node.sources[0]->sizes.back();
  const int64_t keys = node.sources[1]->sizes.back(1), key_heads = node.sources[1]->sizes.back(2),
                value_width = node.sizes.back();
  const int64_t rows = node.element_count() / value_width;
  Dims row_sizes = node.sizes;
  row_sizes[row_sizes.rank() - 1] = 1;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t t = r % queries, head = r / queries % heads, outer = r / queries / heads;
    const int64_t base = outer * key_heads + head / (heads / key_heads);  // the key head
    Doubles scores(static_cast<size_t>(keys));
    double highest = -INFINITY, total = 0;
    for (int64_t s = 0; s < keys; ++s) {
      double dot = 0;
      for (int64_t i = 0; i < width; ++i) dot += at(q, r * width + i) * at(k, (base * keys + s) * width + i);
      double score = static_cast<double>(p.scale) * dot;
      if (node.sources.size() > 3) {
        Dims index = unravel(r, row_sizes);
        index[index.rank() - 1] = s;
        score += static_cast<double>(broadcast_at(mask, index));
      }
      if (p.causal && s > t + keys - queries) score = -INFINITY;
      at(scores, s) = score;
      highest = std::max(highest, score);
    }
    for (double& score : scores) total += score = std::exp(score - highest);
    for (int64_t i = 0; i < value_width; ++i) {
      double sum = 0;
      for (int64_t s = 0; s < keys; ++s)
        if (at(scores, s) != 0) sum += at(scores, s) * at(v, (base * keys + s) * value_width + i);
      out[static_cast<size_t>(r * value_width + i)] = sum / total;
    }
  }
}

// Between the smallest and the largest element, 0 included, in steps of a 255th.
Doubles rounded_to_bytes(const Doubles& x) {
  const double low = std::min(0.0, *std::min_element(x.begin(), x.end())),
               high = std::max(0.0, *std::max_element(x.begin(), x.end()));
  const double scale = high > low ? (high - low) / 255 : 1, zero = std::clamp(std::nearbyint(-low / scale), 0.0, 255.0);
  Doubles out = x;
  for (double& v : out) v = (std::clamp(std::nearbyint(v / scale) + zero, 0.0, 255.0) - zero) * scale;
  return out;
}

void lstm(const TensorImpl& node, std::vector<Real>& out) {
  const auto p = node.params.get<LstmParams>();
  const Doubles x = read_doubles(*node.sources[0]), w = read_doubles(*node.sources[1]),
                r = read_doubles(*node.sources[2]);
  const int64_t steps = node.sources[0]->sizes[0], batch = node.sources[0]->sizes[1], input = node.sources[0]->sizes[2];
  const int64_t h = p.hidden, directions = node.sources[1]->sizes[0];
  size_t next = 3;
  const Doubles bias =
      p.present & 1 ? read_doubles(*node.sources[next++]) : Doubles(static_cast<size_t>(directions * 8 * h), 0.0);
  const Doubles zero(static_cast<size_t>(directions * batch * h), 0.0);
  const Doubles h0 = p.present & 2 ? read_doubles(*node.sources[next++]) : zero;
  const Doubles c0 = p.present & 4 ? read_doubles(*node.sources[next++]) : zero;
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  for (int64_t d = 0; d < directions; ++d)
    for (int64_t b = 0; b < batch; ++b) {
      Doubles state(static_cast<size_t>(h)), cell(static_cast<size_t>(h)), gates(static_cast<size_t>(4 * h));
      const int64_t place = (d * batch + b) * h;
      for (int64_t i = 0; i < h; ++i) at(state, i) = at(h0, place + i), at(cell, i) = at(c0, place + i);
      for (int64_t s = 0; s < steps; ++s) {
        const int64_t t = p.direction == 1 || d == 1 ? steps - 1 - s : s;
        const Doubles read = p.quantised_state ? rounded_to_bytes(state) : state;
        for (int64_t g = 0; g < 4 * h; ++g) {
          double sum = at(bias, d * 8 * h + g) + at(bias, d * 8 * h + 4 * h + g);
          for (int64_t i = 0; i < input; ++i)
            sum += at(w, (d * 4 * h + g) * input + i) * at(x, (t * batch + b) * input + i);
          for (int64_t i = 0; i < h; ++i) sum += at(r, (d * 4 * h + g) * h + i) * at(read, i);
          at(gates, g) = sum;
        }
        for (int64_t i = 0; i < h; ++i) {
          at(cell, i) =
              sigmoid(at(gates, 2 * h + i)) * at(cell, i) + sigmoid(at(gates, i)) * std::tanh(at(gates, 3 * h + i));
          at(state, i) = sigmoid(at(gates, h + i)) * std::tanh(at(cell, i));
          out[static_cast<size_t>(((t * directions + d) * batch + b) * h + i)] = at(state, i);
        }
      }
      const int64_t end = steps * directions * batch * h;
      for (int64_t i = 0; i < h; ++i) {
        out[static_cast<size_t>(end + place + i)] = at(state, i);
        out[static_cast<size_t>(end + directions * batch * h + place + i)] = at(cell, i);
      }
    }
}

}  // namespace

std::vector<Real> products(const TensorImpl& node, Reading reading) {
  std::vector<Real> out(static_cast<size_t>(node.element_count()));
  switch (static_cast<ContractionOp>(node.op)) {
    case ContractionOp::MulMat: mul_mat(node, reading, out); break;
    case ContractionOp::Conv:
    case ContractionOp::ConvTranspose: convolution(node, reading, out); break;
    case ContractionOp::Attention: attention(node, out); break;
    case ContractionOp::Lstm: lstm(node, out); break;
  }
  return out;
}

}  // namespace arenascope::reference
