// SPDX-License-Identifier: MIT
// GRID_SAMPLE: images sampled at fractional positions given by a grid. The weights of a position are computed once for
// all channels.
#include <algorithm>
#include <cmath>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

constexpr int kMaxSpatial = 3, kMaxTaps = 16;

// Offset of an image element, and its weight.
template <class C>
struct Tap {
  int64_t offset;
  C weight;
};

template <class C>
class Sampler {
 public:
  Sampler(const TensorImpl& image, const GridSampleParams& p) : p_(p), spatial_(image.rank() - 2) {
    for (int d = 0; d < spatial_; ++d) sizes_[d] = image.sizes[d + 2], strides_[d] = image.strides[d + 2];
  }

  // Maximum number of taps per position.
  int max_taps() const {
    const int each = p_.mode == ResizeMode::Nearest ? 1 : p_.mode == ResizeMode::Linear ? 2 : 4;
    int all = 1;
    for (int d = 0; d < spatial_; ++d) all *= each;
    return all;
  }

  // The taps of a position with the given grid coordinates, last dimension first.
  int taps(const C* place, Tap<C>* to) const {
    int64_t at[kMaxSpatial][4];
    C weights[kMaxSpatial][4];
    int counts[kMaxSpatial];
    for (int d = 0; d < spatial_; ++d) counts[d] = along(d, place[spatial_ - 1 - d], at[d], weights[d]);
    int count = 0;
    if (spatial_ == 2) {  // the common case, without loops over dimensions
      for (int i = 0; i < counts[0]; ++i)
        for (int j = 0; j < counts[1]; ++j)
          if (at[0][i] >= 0 && at[1][j] >= 0)
            to[count++] = {at[0][i] * strides_[0] + at[1][j] * strides_[1], weights[0][i] * weights[1][j]};
      return count;
    }
    const int inner = spatial_ > 2 ? counts[2] : 1, middle = spatial_ > 1 ? counts[1] : 1;
    for (int i = 0; i < counts[0]; ++i)
      for (int j = 0; j < middle; ++j)
        for (int k = 0; k < inner; ++k) {
          const int index[] = {i, j, k};
          Tap<C> tap{0, C{1}};
          bool inside = true;
          for (int d = 0; d < spatial_; ++d) {
            const int64_t x = at[d][index[d]];
            inside = inside && x >= 0;
            tap.offset += x * strides_[d];
            tap.weight *= weights[d][index[d]];
          }
          if (inside) to[count++] = tap;
        }
    return count;
  }

 private:
  // Reflects x at the borders into [low, high).
  static C reflected(C x, C low, C high) {
    const C range = high - low;
    if (!(range > 0)) return low;
    if (x >= low && x <= high) return x;
    const C over = x < low ? low - x : x - high;
    const C reflections = std::floor(over / range), rest = over - reflections * range;
    const bool even = std::fmod(reflections, C{2}) == 0;
    return (x < low) == even ? low + rest : high - rest;
  }
  C low() const { return p_.align_corners ? C{0} : C{-0.5}; }
  C high(int d) const { return static_cast<C>(sizes_[d] - 1) + (p_.align_corners ? C{0} : C{0.5}); }

  // Index of an element after padding; -1: it is zero.
  int64_t padded(int d, C x) const {
    const C last = static_cast<C>(sizes_[d] - 1);
    if (x >= 0 && x <= last) return static_cast<int64_t>(x);
    if (!(p_.padding != GridPadding::Zeros) || x != x) return -1;
    if (p_.padding == GridPadding::Reflection) x = std::trunc(reflected(x, low(), high(d)));
    return static_cast<int64_t>(x < 0 ? C{0} : x > last ? last : x);
  }

  int along(int d, C coordinate, int64_t* at, C* weights) const {
    const C length = static_cast<C>(sizes_[d]);
    C x = p_.align_corners ? (coordinate + 1) / 2 * (length - 1) : ((coordinate + 1) * length - 1) / 2;
    if (p_.mode == ResizeMode::Nearest) x = std::rint(x);
    if (x < low() || x > high(d)) {
      if (p_.padding == GridPadding::Border) x = x < 0 ? C{0} : x > length - 1 ? length - 1 : x;
      if (p_.padding == GridPadding::Reflection) x = reflected(x, low(), high(d));
    }
    if (p_.mode == ResizeMode::Nearest) {
      at[0] = padded(d, std::rint(x));
      weights[0] = 1;
      return 1;
    }
    const C first = std::floor(x), t = x - first;
    if (p_.mode == ResizeMode::Linear) {
      at[0] = padded(d, first), at[1] = padded(d, first + 1);
      weights[0] = 1 - t, weights[1] = t;
      return 2;
    }
    constexpr C a = C{-0.75};
    const C u = t + 1, v = 1 - t, w = 2 - t;
    weights[0] = ((a * u - 5 * a) * u + 8 * a) * u - 4 * a;
    weights[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
    weights[2] = ((a + 2) * v - (a + 3)) * v * v + 1;
    weights[3] = ((a * w - 5 * a) * w + 8 * a) * w - 4 * a;
    for (int k = 0; k < 4; ++k) at[k] = padded(d, first + static_cast<C>(k - 1));
    return 4;
  }

  GridSampleParams p_;
  int spatial_;
  int64_t sizes_[kMaxSpatial] = {1, 1, 1}, strides_[kMaxSpatial] = {0, 0, 0};
};

// Neighbouring positions of one image, whose taps all channels share.
template <class C>
struct SampledPositions {
  static constexpr int64_t kMaxPositions = 64;
  int64_t count = 0, max_taps = 0;
  int taps[kMaxPositions];
  Tap<C> tap[kMaxPositions * kMaxTaps];  // `max_taps` per position, in sequence

  void find(const Sampler<C>& sampler, const TensorImpl& grid, int64_t image, int64_t first, int64_t n) {
    const int spatial = grid.rank() - 2;
    const int64_t bytes = element_bytes(grid.dtype);
    const LoadRow<C> load = loader<C>(grid.dtype);
    count = n, max_taps = sampler.max_taps();
    for (int64_t i = 0; i < n; ++i) {
      int64_t offset = image * grid.strides[0], rest = first + i;
      for (int d = spatial; d >= 1; --d) {
        offset += rest % grid.sizes[d] * grid.strides[d];
        rest /= grid.sizes[d];
      }
      C place[kMaxSpatial];
      load(place, grid.data() + offset * bytes, grid.strides[spatial + 1], spatial);
      taps[i] = sampler.taps(place, tap + i * max_taps);
    }
  }

  template <class Read>
  void sum(Read&& read, C* to) const {
    for (int64_t i = 0; i < count; ++i) {
      const Tap<C>* const t = tap + i * max_taps;
      C sum{};
      if (taps[i] == 4) {  // a plane, between four elements: the common case
        for (int k = 0; k < 4; ++k) sum += t[k].weight * read(t[k].offset);
      } else {
        for (int k = 0; k < taps[i]; ++k) sum += t[k].weight * read(t[k].offset);
      }
      to[i] = sum;
    }
  }
};

template <class C>
void sample(const KernelArgs& args) {
  const TensorImpl &node = args.node, &image = args.source(0), &grid = args.source(1);
  const Sampler<C> sampler(image, node.params.get<GridSampleParams>());
  int64_t count = 1;
  for (int d = 2; d < node.rank(); ++d) count *= node.sizes[d];
  const int64_t channels = node.sizes[1], bytes = element_bytes(image.dtype), node_bytes = element_bytes(node.dtype);
  const LoadRow<C> load = loader<C>(image.dtype);
  const StoreRow<C> store = storer<C>(node.dtype);
  const bool native = is_native<C>(image.dtype);
  SampledPositions<C> places;
  C line[SampledPositions<C>::kMaxPositions];
  const Range range = args.part(node.sizes[0] * count);
  for (int64_t i = range.begin; i < range.end; i += places.count) {
    const int64_t n = i / count, first = i % count;
    places.find(sampler, grid, n, first, std::min({SampledPositions<C>::kMaxPositions, count - first, range.end - i}));
    for (int64_t c = 0; c < channels; ++c) {
      const std::byte* const from = image.data() + (n * image.strides[0] + c * image.strides[1]) * bytes;
      if (native)
        places.sum([&](int64_t offset) { return reinterpret_cast<const C*>(from)[offset]; }, line);
      else
        places.sum(
            [&](int64_t offset) {
              C x;
              load(&x, from + offset * bytes, 1, 1);
              return x;
            },
            line);
      store(node.data() + ((n * channels + c) * count + first) * node_bytes, 1, line, places.count);
    }
  }
}

}  // namespace

Status grid_sample(const KernelArgs& args) {
  if (args.node.dtype == DType::F64)
    sample<double>(args);
  else
    sample<float>(args);
  return {};
}

}  // namespace arenascope::cpu
