// SPDX-License-Identifier: MIT
// The plane is first copied with its padding, and with every stride-th column side by side, so that each tap
// of a row of results reads consecutive floats:
//
//   stride 2:  0 0 a b c d e f 0   →   0 a c e 0 …  |  0 b d f …
#include "engine/backends/cpu/kernels/depthwise.h"

#include <algorithm>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

struct Plane {
  int64_t covered[3];              // padded extent that windows cover
  int64_t phase, row, slice, all;  // floats of a phase, a row, a plane of rows, everything

  explicit Plane(const ConvGeometry& g) {
    for (int i = 0; i < 3; ++i) covered[i] = (g.out[i] - 1) * g.stride[i] + (g.kernel[i] - 1) * g.dilation[i] + 1;
    phase = (covered[2] + g.stride[2] - 1) / g.stride[2];
    row = phase * g.stride[2];
    slice = covered[1] * row;
    all = covered[0] * slice + kTapSlack;
  }
  // Two planes: one is filled while the last one's stores still go on.
  Bytes share(const ConvGeometry& g) const {
    return 2 * round_to_line(4 * all) + round_to_line(g.taps * static_cast<Bytes>(sizeof(float) + sizeof(int64_t)));
  }
};

float number(const TensorImpl& vector, int64_t i) {
  if (vector.dtype == DType::F32) return vector.data_as<float>()[i * vector.strides[0]];
  float value;
  loader<float>(vector.dtype)(&value, vector.data() + i * vector.strides[0] * element_bytes(vector.dtype), 1, 1);
  return value;
}

void spread_rows(const ConvGeometry& g, const Plane& p, const float* image, float* to) {
  const int64_t s = g.stride[2];
  int64_t inside[3];  // of the source, covered by windows
  for (int i = 0; i < 3; ++i) inside[i] = std::clamp<int64_t>(p.covered[i] - g.begin[i], 0, g.in[i]);
  for (int64_t z = 0; z < inside[0]; ++z) {
    if (s == 1 && g.in_stride[2] == 1) {
      simd().copy_rows(to + (z + g.begin[0]) * p.slice + g.begin[1] * p.row + g.begin[2], p.row,
                       image + z * g.in_stride[0], g.in_stride[1], inside[1], inside[2]);
      continue;
    }
    for (int64_t y = 0; y < inside[1]; ++y) {
      float* row = to + (z + g.begin[0]) * p.slice + (y + g.begin[1]) * p.row;
      const float* from = image + z * g.in_stride[0] + y * g.in_stride[1];
      if (s == 2 && g.in_stride[2] == 1) {
        float *first = row + g.begin[2] % 2 * p.phase + g.begin[2] / 2,
              *second = row + (g.begin[2] + 1) % 2 * p.phase + (g.begin[2] + 1) / 2;
        simd().halves(first, second, from, inside[2] / 2);
        if (inside[2] % 2 == 1) first[inside[2] / 2] = from[inside[2] - 1];
      } else {
        for (int64_t x = 0; x < std::min(s, inside[2]); ++x) {  // one phase after the other
          float* phase = row + (x + g.begin[2]) % s * p.phase + (x + g.begin[2]) / s;
          for (int64_t i = x; i < inside[2]; i += s) *phase++ = from[i * g.in_stride[2]];
        }
      }
    }
  }
}

}  // namespace

Bytes depthwise_work(const ConvGeometry& g, int tasks) { return tasks * Plane(g).share(g); }

void depthwise(const Job& job, const ConvGeometry& g) {
  const TensorImpl &x = job.source(0), &w = job.source(1);
  const Plane p(g);
  const int64_t size = round_to_line(4 * p.all) / 4;
  float* const both = job.scratch<float>(p.share(g));
  auto* const taps = reinterpret_cast<int64_t*>(both + 2 * size);
  for (int64_t tap = 0; tap < g.taps; ++tap) {
    const int64_t at = tap % g.kernel[2] * g.dilation[2];
    taps[tap] = tap / g.kernel[2] / g.kernel[1] * g.dilation[0] * p.slice +
                tap / g.kernel[2] % g.kernel[1] * g.dilation[1] * p.row + at % g.stride[2] * p.phase + at / g.stride[2];
  }
  const Range planes = job.part(g.batch * g.groups);
  if (planes.size() <= 0) return;
  std::fill(both, both + 2 * size, 0.0f);  // the padding; it is never written again
  const auto spread = [&](int64_t plane) {
    spread_rows(g, p, x.data_as<float>() + plane / g.groups * g.batch_stride + plane % g.groups * g.channel_stride,
                both + plane % 2 * size);
  };
  spread(planes.begin);
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    if (plane + 1 < planes.end) spread(plane + 1);
    const int64_t channel = plane % g.groups;
    const float* weight = w.data_as<float>() + channel * w.strides[0];
    const float bias = job.sources() > 2 ? number(job.source(2), channel) : 0;
    const float* rows = both + plane % 2 * size;
    float* out = job.node.data_as<float>() + plane * g.positions;
    for (int64_t z = 0; z < g.out[0]; ++z)
      simd().weigh_rows(out + z * g.out[1] * g.out[2], g.out[2], rows + z * g.stride[0] * p.slice, taps, weight, g.taps,
                        g.stride[1] * p.row, g.out[1], g.out[2], bias);
    job.done(plane * g.positions, g.positions);
  }
}

}  // namespace arenascope::cpu
