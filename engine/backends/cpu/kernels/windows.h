// SPDX-License-Identifier: MIT
// Geometry of convolutions and pools, always with three spatial dimensions (missing outer ones have size 1).
#pragma once
#include <utility>

#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

// Windows over [N, C, spatial…]: `in` is the input's extent, `out` the result's.
struct WindowGeometry {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], begin[3];
  int64_t in_stride[3];  // strides of the input, in elements

  // `kernel_of(i)` is the kernel's extent in spatial dimension i.
  template <class Params, class KernelOf>
  WindowGeometry(const TensorImpl& node, const Params& p, KernelOf kernel_of) {
    const TensorImpl& x = *node.sources[0];
    for (int i = 0; i < 3; ++i) {
      const int own = i - (3 - p.spatial);
      const bool is = own >= 0;
      in[i] = is ? x.sizes[own + 2] : 1;
      in_stride[i] = is ? x.strides[own + 2] : 0;
      out[i] = is ? node.sizes[own + 2] : 1;
      kernel[i] = is ? kernel_of(own) : 1;
      stride[i] = is ? p.strides[own] : 1;
      dilation[i] = is ? p.dilations[own] : 1;
      begin[i] = is ? p.pads_begin[own] : 0;
    }
  }
};

// Geometry of CONV and CONV_TRANSPOSE.
struct ConvGeometry : WindowGeometry {
  int64_t batch, groups;
  int64_t in_channels, out_channels;     // channels of one group
  int64_t batch_stride, channel_stride;  // strides of the input, in elements
  int64_t positions, taps;               // positions of the result, taps of the kernel

  explicit ConvGeometry(const TensorImpl& node) : ConvGeometry(node, node.params.get<ConvParams>()) {}
  int64_t depth() const { return in_channels * taps; }
  bool depthwise() const { return in_channels == 1 && out_channels == 1; }
  // For a transposed convolution: windows are adjacent and cover the result.
  bool side_by_side() const {
    for (int d = 0; d < 3; ++d)
      if (stride[d] != kernel[d] || dilation[d] != 1 || begin[d] != 0 || out[d] != in[d] * kernel[d]) return false;
    return true;
  }

 private:
  ConvGeometry(const TensorImpl& node, const ConvParams& p)
      : WindowGeometry(node, p, [&](int i) { return node.sources[1]->sizes[i + 2]; }) {
    const TensorImpl& x = *node.sources[0];
    batch = x.sizes[0];
    groups = p.groups;
    in_channels = x.sizes[1] / groups;
    out_channels = node.sizes[1] / groups;
    batch_stride = x.strides[0];
    channel_stride = x.strides[1];
    // A column is treated as a row: its bytes are the same, and vectors run along rows.
    if (p.spatial == 2 && in[2] == 1 && out[2] == 1 && kernel[2] == 1 && begin[2] == 0 && in[1] > 1) {
      for (int64_t* two : {in, out, kernel, stride, dilation, begin, in_stride}) std::swap(two[1], two[2]);
    }
    positions = out[0] * out[1] * out[2];
    taps = kernel[0] * kernel[1] * kernel[2];
  }
};

}  // namespace arenascope::cpu
