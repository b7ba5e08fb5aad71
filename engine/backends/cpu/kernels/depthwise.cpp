// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_algorithm.h"

#include <algorithm>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/strided_plane.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

// Two planes, so that one is filled while stores to the other are still in flight; weights, taps.
Bytes share(const ConvGeometry& g, const StridedPlane& p) {
  return 2 * round_to_line(4 * p.all) + round_to_line(g.taps * static_cast<Bytes>(sizeof(float) + sizeof(int64_t)));
}

float number(const TensorImpl& vector, int64_t i) {
  if (vector.dtype == DType::F32) return vector.data_as<float>()[i * vector.strides[0]];
  float value;
  loader<float>(vector.dtype)(&value, vector.data() + i * vector.strides[0] * element_bytes(vector.dtype), 1, 1);
  return value;
}

void depthwise(const KernelArgs& args, const ConvGeometry& g) {
  const TensorImpl &x = args.source(0), &w = args.source(1);
  const StridedPlane p(g);
  const int64_t size = round_to_line(4 * p.all) / 4;
  float* const both = args.scratch<float>(share(g, p));
  auto* const taps = reinterpret_cast<int64_t*>(both + 2 * size);
  for (int64_t t = 0; t < g.taps; ++t) taps[t] = p.tap(g, t);
  const Range planes = args.part(g.batch * g.groups);
  if (planes.size() <= 0) return;
  std::fill(both, both + 2 * size, 0.0f);  // the padding, which is never written again
  const auto spread = [&](int64_t plane) {
    p.fill(g, x.data_as<float>() + plane / g.groups * g.batch_stride + plane % g.groups * g.channel_stride,
           both + plane % 2 * size);
  };
  spread(planes.begin);
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    if (plane + 1 < planes.end) spread(plane + 1);
    const int64_t channel = plane % g.groups;
    const float* weight = w.data_as<float>() + channel * w.strides[0];
    const float bias = args.sources() > 2 ? number(args.source(2), channel) : 0;
    const float* rows = both + plane % 2 * size;
    float* out = args.node.data_as<float>() + plane * g.positions;
    for (int64_t z = 0; z < g.out[0]; ++z)
      simd().weigh_rows(out + z * g.out[1] * g.out[2], g.out[2], rows + z * g.stride[0] * p.slice, taps, weight, g.taps,
                        g.stride[1] * p.row, g.out[1], g.out[2], bias);
    args.done(plane * g.positions, g.positions);
  }
}

}  // namespace

const ConvAlgorithm kConvDepthwise{
    .takes = [](const TensorImpl&, const ConvGeometry& g) { return g.depthwise(); },
    .compute = depthwise,
    .work = [](const TensorImpl&, const ConvGeometry& g, int tasks) { return tasks * share(g, StridedPlane(g)); }};

}  // namespace arenascope::cpu
