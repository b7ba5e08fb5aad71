// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/strided_plane.h"

#include <algorithm>

#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {

StridedPlane::StridedPlane(const WindowGeometry& g) {
  for (int i = 0; i < 3; ++i) covered[i] = (g.out[i] - 1) * g.stride[i] + (g.kernel[i] - 1) * g.dilation[i] + 1;
  phase = (covered[2] + g.stride[2] - 1) / g.stride[2];
  row = phase * g.stride[2];
  slice = covered[1] * row;
  all = covered[0] * slice + kTapSlack;
}

int64_t StridedPlane::tap(const WindowGeometry& g, int64_t element) const {
  const int64_t at = element % g.kernel[2] * g.dilation[2];
  return element / g.kernel[2] / g.kernel[1] * g.dilation[0] * slice +
         element / g.kernel[2] % g.kernel[1] * g.dilation[1] * row + at % g.stride[2] * phase + at / g.stride[2];
}

void StridedPlane::fill(const WindowGeometry& g, const float* source, float* to) const {
  const int64_t s = g.stride[2];
  int64_t inside[3];  // extent of the input that windows cover
  for (int i = 0; i < 3; ++i) inside[i] = std::clamp<int64_t>(covered[i] - g.begin[i], 0, g.in[i]);
  for (int64_t z = 0; z < inside[0]; ++z) {
    if (s == 1 && g.in_stride[2] == 1) {
      simd().copy_rows(to + (z + g.begin[0]) * slice + g.begin[1] * row + g.begin[2], row, source + z * g.in_stride[0],
                       g.in_stride[1], inside[1], inside[2]);
      continue;
    }
    for (int64_t y = 0; y < inside[1]; ++y) {
      float* line = to + (z + g.begin[0]) * slice + (y + g.begin[1]) * row;
      const float* from = source + z * g.in_stride[0] + y * g.in_stride[1];
      if (s == 2 && g.in_stride[2] == 1) {
        float *first = line + g.begin[2] % 2 * phase + g.begin[2] / 2,
              *second = line + (g.begin[2] + 1) % 2 * phase + (g.begin[2] + 1) / 2;
        simd().halves(first, second, from, inside[2] / 2);
        if (inside[2] % 2 == 1) first[inside[2] / 2] = from[inside[2] - 1];
      } else {
        for (int64_t x = 0; x < std::min(s, inside[2]); ++x) {  // one phase after the other
          float* at = line + (x + g.begin[2]) % s * phase + (x + g.begin[2]) / s;
          for (int64_t i = x; i < inside[2]; i += s) *at++ = from[i * g.in_stride[2]];
        }
      }
    }
  }
}

}  // namespace arenascope::cpu
