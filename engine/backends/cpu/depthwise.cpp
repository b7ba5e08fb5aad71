// SPDX-License-Identifier: MIT
// The plane's rows are first copied with their padding, and with every stride-th column side by side, so that each tap
// of a row of results reads consecutive floats:
//
//   stride 2:  0 0 a b c d e f 0   →   0 a c e 0 …  |  0 b d f …
#include <arenascope/backends/cpu/depthwise.h>

#include <algorithm>

#include <arenascope/backends/cpu/elements.h>
#include <arenascope/backends/cpu/simd.h>

namespace arenascope::cpu {
namespace {

// Where a tap reads, from its window's first row and column on.
struct Tap {
  int64_t d, h, offset;
};

struct Plane {
  int64_t covered, phase, row, rows;  // padded columns that windows cover; floats of a phase, of a row; rows

  explicit Plane(const ConvGeometry& g) {
    covered = (g.out[2] - 1) * g.stride[2] + (g.kernel[2] - 1) * g.dilation[2] + 1;
    phase = (covered + g.stride[2] - 1) / g.stride[2] + kTapSlack;
    row = phase * g.stride[2];
    rows = g.in[0] * g.in[1];
  }
  Bytes share(const ConvGeometry& g) const {
    return round_to_line(4 * rows * row) + round_to_line(g.taps * static_cast<Bytes>(sizeof(float) + sizeof(const float*) + sizeof(Tap)));
  }
};

float number(const TensorImpl& vector, int64_t i) {
  float value;
  loader<float>(vector.dtype)(&value, vector.data() + i * vector.strides[0] * element_bytes(vector.dtype), 1, 1);
  return value;
}

void spread_rows(const ConvGeometry& g, const Plane& p, const float* image, float* to) {
  const int64_t s = g.stride[2];
  const int64_t columns = std::clamp<int64_t>(p.covered - g.begin[2], 0, g.in[2]);
  for (int64_t r = 0; r < p.rows; ++r, to += p.row) {
    const float* from = image + r / g.in[1] * g.in_stride[0] + r % g.in[1] * g.in_stride[1];
    if (s == 1 && g.in_stride[2] == 1) {
      std::copy(from, from + columns, to + g.begin[2]);
      continue;
    }
    for (int64_t x = 0; x < std::min(s, columns); ++x) {  // one phase after the other
      float* phase = to + (x + g.begin[2]) % s * p.phase + (x + g.begin[2]) / s;
      for (int64_t i = x; i < columns; i += s) *phase++ = from[i * g.in_stride[2]];
    }
  }
}

}  // namespace

Bytes depthwise_work(const ConvGeometry& g, int tasks) { return tasks * Plane(g).share(g); }

void depthwise(const Job& job, const ConvGeometry& g) {
  const TensorImpl &x = job.source(0), &w = job.source(1);
  const Plane p(g);
  float* const rows = job.scratch<float>(p.share(g));
  auto* const taps = reinterpret_cast<const float**>(rows + round_to_line(4 * p.rows * p.row) / 4);
  auto* const windows = reinterpret_cast<Tap*>(taps + g.taps);
  float* const weights = reinterpret_cast<float*>(windows + g.taps);
  for (int64_t tap = 0; tap < g.taps; ++tap) {
    const int64_t at = tap % g.kernel[2] * g.dilation[2];
    windows[tap] = {tap / g.kernel[2] / g.kernel[1] * g.dilation[0], tap / g.kernel[2] % g.kernel[1] * g.dilation[1],
                    at % g.stride[2] * p.phase + at / g.stride[2]};
  }
  const Range planes = job.part(g.batch * g.groups);
  if (planes.size() > 0) std::fill(rows, rows + p.rows * p.row, 0.0f);  // the padding; it is never written again
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    const int64_t channel = plane % g.groups;
    const float* weight = w.data_as<float>() + channel * w.strides[0];
    const float bias = job.sources() > 2 ? number(job.source(2), channel) : 0;
    spread_rows(g, p, x.data_as<float>() + plane / g.groups * g.batch_stride + channel * g.channel_stride, rows);
    float* out = job.node.data_as<float>() + plane * g.positions;
    for (int64_t r = 0; r < g.out[0] * g.out[1]; ++r, out += g.out[2]) {
      const int64_t first_d = r / g.out[1] * g.stride[0] - g.begin[0], first_h = r % g.out[1] * g.stride[1] - g.begin[1];
      int64_t count = 0;
      for (int64_t tap = 0; tap < g.taps; ++tap) {
        const int64_t d = first_d + windows[tap].d, h = first_h + windows[tap].h;
        if (d < 0 || d >= g.in[0] || h < 0 || h >= g.in[1]) continue;
        taps[count] = rows + (d * g.in[1] + h) * p.row + windows[tap].offset;
        weights[count++] = weight[tap];
      }
      simd().weigh_taps(out, taps, weights, count, bias, g.out[2]);
    }
  }
}

}  // namespace arenascope::cpu
