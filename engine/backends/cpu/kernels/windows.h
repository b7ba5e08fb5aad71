// SPDX-License-Identifier: MIT
// The geometry of a convolution, seen as one over three spatial dimensions (missing outer ones are of size 1).
#pragma once
#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

struct ConvGeometry {
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // of one group
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], begin[3];
  int64_t in_stride[3], batch_stride, channel_stride;  // of the source, elements
  int64_t positions, taps;                             // of the result, of the kernel

  // CONV and CONV_TRANSPOSE; `in` is the source's extent, `out` the result's.
  explicit ConvGeometry(const TensorImpl& node) {
    const auto p = node.params.get<ConvParams>();
    const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
    batch = x.sizes[0];
    groups = p.groups;
    in_channels = x.sizes[1] / groups;
    out_channels = node.sizes[1] / groups;
    batch_stride = x.strides[0];
    channel_stride = x.strides[1];
    positions = taps = 1;
    for (int i = 0; i < 3; ++i) {
      const int own = i - (3 - p.spatial);
      const bool is = own >= 0;
      in[i] = is ? x.sizes[own + 2] : 1;
      in_stride[i] = is ? x.strides[own + 2] : 0;
      out[i] = is ? node.sizes[own + 2] : 1;
      kernel[i] = is ? w.sizes[own + 2] : 1;
      stride[i] = is ? p.strides[own] : 1;
      dilation[i] = is ? p.dilations[own] : 1;
      begin[i] = is ? p.pads_begin[own] : 0;
      positions *= out[i];
      taps *= kernel[i];
    }
  }
  int64_t depth() const { return in_channels * taps; }
  bool depthwise() const { return in_channels == 1 && out_channels == 1; }
};

}  // namespace arenascope::cpu
