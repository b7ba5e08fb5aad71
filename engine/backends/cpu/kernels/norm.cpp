// SPDX-License-Identifier: MIT
// Normalisations: over the innermost dimensions (NORM, RMS_NORM), over groups of channels, and with given statistics
// (BATCH_NORM). Sums are accumulated in double across blocks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/row_io.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

template <class C>
double sum(const C* x, int64_t n) {
  if constexpr (std::is_same_v<C, float>) return simd().lines.sum(x, n);
  double total = 0;
  for (int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

template <class C>
double square_sum([[maybe_unused]] const Simd& s, const C* x, C mean, int64_t n) {
  if constexpr (std::is_same_v<C, float>) return s.lines.square_sum(x, mean, n);
  double total = 0;
  for (int64_t i = 0; i < n; ++i) total += (x[i] - mean) * (x[i] - mean);
  return total;
}

template <class C>
struct Moments {
  C mean;
  double variance;
};

// Mean and variance in one pass, relative to the mean of a few elements. If that estimate is so far off that digits
// would be lost, the variance is computed in a second pass.
template <class C>
Moments<C> moments(const Simd& s, const C* x, int64_t n) {
  if constexpr (std::is_same_v<C, float>) {
    const int64_t few = std::min<int64_t>(n, 16);
    const float shift = static_cast<float>(simd().lines.sum(x, few) / static_cast<double>(few));
    double squares;
    const double off = s.lines.moments(x, shift, n, &squares) / static_cast<double>(n);
    const double variance = squares / static_cast<double>(n) - off * off;
    const float mean = static_cast<float>(static_cast<double>(shift) + off);
    if (off * off > variance) return {mean, simd().lines.square_sum(x, mean, n) / static_cast<double>(n)};
    return {mean, variance};
  }
  const C mean = static_cast<C>(sum(x, n) / static_cast<double>(n));
  return {mean, square_sum(s, x, mean, n) / static_cast<double>(n)};
}

template <class C>
void normalise([[maybe_unused]] const Simd& s, C* out, const C* x, C mean, C factor, const C* gain, const C* bias,
               int64_t n) {
  if constexpr (std::is_same_v<C, float>) return s.lines.normalise(out, x, mean, factor, gain, bias, n);
  for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * factor * (gain ? gain[i] : C{1}) + (bias ? bias[i] : C{0});
}

Dims from_axis(const Dims& sizes, int axis) {
  Dims out;
  for (int d = axis; d < sizes.rank(); ++d) out.push_back(sizes[d]);
  return out;
}

// A gain or bias broadcast to `sizes`: in place or expanded into `buffer`.
template <class C>
const C* spread(const TensorImpl& tensor, const Dims& sizes, C* buffer) {
  if (is_native<C>(tensor.dtype) && tensor.contiguous() && tensor.element_count() == element_count(sizes))
    return tensor.data_as<C>();
  const LoopNest nest(sizes, {&tensor});
  const LoadRow<C> load = loader<C>(tensor.dtype);
  C* to = buffer;
  nest.rows({0, nest.count()}, std::numeric_limits<int64_t>::max(), [&](const int64_t* at, int64_t n) {
    load(to, tensor.data() + at[0] * element_bytes(tensor.dtype), nest.inner_stride(0), n);
    to += n;
  });
  return buffer;
}

template <class C>
void run_norm(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<NormParams>();
  const Dims sizes = from_axis(node.sizes, p.axis);
  const int64_t n = element_count(sizes);
  const Bytes share = round_to_line(4 * n * static_cast<Bytes>(sizeof(C)));
  C* const row = args.scratch<C>(share);
  const bool rms = args.op() == Op::RmsNorm;
  const C* gain = args.sources() > 1 ? spread(args.source(1), sizes, row + n) : nullptr;
  const C* bias = args.sources() > 2 ? spread(args.source(2), sizes, row + 2 * n) : nullptr;
  const Range range = args.part(node.element_count() / n);
  const Functions functions(node);
  for (int64_t line = range.begin; line < range.end; ++line) {
    const C* x = elements(source, line * n, n, row);
    const auto [mean, variance] =
        rms ? Moments<C>{0, square_sum(*functions, x, C{0}, n) / static_cast<double>(n)} : moments(*functions, x, n);
    const C factor = static_cast<C>(1 / std::sqrt(variance + static_cast<double>(p.epsilon)));
    C* out = is_native<C>(node.dtype) ? node.data_as<C>() + line * n : row + 3 * n;
    normalise(*functions, out, x, mean, factor, gain, bias, n);
    if (!is_native<C>(node.dtype)) store_elements(node, line * n, n, out);
    args.done(line * n, n);
  }
}

template <class C>
C one(const TensorImpl& vector, int64_t i) {
  C value;
  loader<C>(vector.dtype)(&value, vector.data() + i * vector.strides[0] * element_bytes(vector.dtype), 1, 1);
  return value;
}

template <class C>
void run_group_norm(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<GroupNormParams>();
  const int64_t channels = node.sizes[1], group = channels / p.groups;
  const int64_t spatial = node.element_count() / (node.sizes[0] * channels), n = group * spatial;
  C* const block = args.scratch<C>(round_to_line(2 * n * static_cast<Bytes>(sizeof(C))));
  const Range range = args.part(node.sizes[0] * p.groups);
  const Functions functions(node);
  for (int64_t g = range.begin; g < range.end; ++g) {
    const C* x = elements(source, g * n, n, block);
    const auto [mean, variance] = moments(*functions, x, n);
    const double factor = 1 / std::sqrt(variance + static_cast<double>(p.epsilon));
    C* out = is_native<C>(node.dtype) ? node.data_as<C>() + g * n : block + n;
    for (int64_t c = 0; c < group; ++c) {
      const int64_t channel = g % p.groups * group + c;
      const C by = args.sources() > 1 ? one<C>(args.source(1), channel) : C{1};
      const C add = args.sources() > 2 ? one<C>(args.source(2), channel) : C{0};
      const C* from = x + c * spatial;
      C* to = out + c * spatial;
      normalise<C>(*functions, to, from, mean, static_cast<C>(factor) * by, nullptr, nullptr, spatial);
      if (add != C{0})
        for (int64_t i = 0; i < spatial; ++i) to[i] += add;
    }
    if (!is_native<C>(node.dtype)) store_elements(node, g * n, n, out);
  }
}

template <class C>
void run_batch_norm(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const double epsilon = static_cast<double>(node.params.get<BatchNormParams>().epsilon);
  const int64_t channels = node.sizes[1], spatial = node.element_count() / (node.sizes[0] * channels);
  Writer<C> writer(node);
  alignas(64) C buffer[kPiece];
  const Range range = args.part(node.element_count(), 64);
  for (int64_t at = range.begin; at < range.end;) {
    const int64_t plane = at / spatial, channel = plane % channels;
    const double gain = one<double>(args.source(1), channel), bias = one<double>(args.source(2), channel);
    const double mean = one<double>(args.source(3), channel), variance = one<double>(args.source(4), channel);
    const double factor = gain / std::sqrt(variance + epsilon), shift = bias - mean * factor;
    const int64_t end = std::min(range.end, (plane + 1) * spatial);
    for (; at < end; at += kPiece) {
      const int64_t n = std::min(kPiece, end - at);
      const C* x = elements(source, at, n, buffer);
      C* to = writer.piece(at);
      if constexpr (std::is_same_v<C, float>)
        simd().elements.affine(to, x, n, static_cast<float>(factor), static_cast<float>(shift));
      else
        for (int64_t i = 0; i < n; ++i) to[i] = static_cast<C>(factor * x[i] + shift);
      writer.done(at, n);
    }
    at = end;
  }
}

Bytes width(const TensorImpl& node) { return node.dtype == DType::F64 ? 8 : 4; }

}  // namespace

Bytes norm_work(const TensorImpl& node, int tasks) {
  const int64_t n = element_count(from_axis(node.sizes, node.params.get<NormParams>().axis));
  return tasks * round_to_line(4 * n * width(node));
}

Bytes group_norm_work(const TensorImpl& node, int tasks) {
  const auto groups = node.params.get<GroupNormParams>().groups;
  const bool in_place = (node.dtype == DType::F32 || node.dtype == DType::F64) && node.sources[0]->contiguous();
  return in_place ? 0 : tasks * round_to_line(2 * (node.element_count() / (node.sizes[0] * groups)) * width(node));
}

Status norm(const KernelArgs& args) {
  args.node.dtype == DType::F64 ? run_norm<double>(args) : run_norm<float>(args);
  return {};
}

Status group_norm(const KernelArgs& args) {
  args.node.dtype == DType::F64 ? run_group_norm<double>(args) : run_group_norm<float>(args);
  return {};
}

Status batch_norm(const KernelArgs& args) {
  args.node.dtype == DType::F64 ? run_batch_norm<double>(args) : run_batch_norm<float>(args);
  return {};
}

}  // namespace arenascope::cpu
