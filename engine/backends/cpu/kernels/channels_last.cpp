// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/channels_last.h"

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/conv_algorithm.h"
#include "engine/backends/cpu/kernels/conv_transpose_nhwc.h"
#include "engine/backends/cpu/onednn/onednn_conv.h"

namespace arenascope::cpu {
namespace {

// Extra nanoseconds of plain images, measured on one AVX-512 core: per oneDNN convolution; per byte reordered to its
// layout or back; per byte that a transposed convolution scatters; per tap of a depthwise one; per byte read by
// pooling; per multiply-add of a 1×1 convolution with separate or few windows; per byte transposed for a grouped
// convolution.
constexpr double kScatter = 0.06, kDepthwise = 0.03, kReorders = 20000, kReorder = 0.12, kPooling = 0.05,
                 kApart = 0.023, kFew = 0.003, kTranspose = 0.1;
// Cost per byte of a concatenation along the channels, where plain images can be computed in place.
constexpr double kJoin = 0.04;

int64_t rounded(double nanoseconds) { return static_cast<int64_t>(nanoseconds); }
double bytes(const TensorImpl& tensor) { return static_cast<double>(tensor.byte_count()); }

constexpr uint32_t bit(size_t source) { return source < 32 ? uint32_t{1} << source : 0; }

// True if an elementwise op can read the operand along a channels-last result: images of the same shape, or at most one
// value per channel.
bool fits(const TensorImpl& operand, const TensorImpl& node, size_t source, uint32_t& images) {
  if (operand.dtype != DType::F32) return false;
  if (operand.sizes == node.sizes) {
    images |= bit(source);
    return source < 32 && !operand.has(kFlagWeight);
  }
  return operand.element_count() <= node.sizes[0] * node.sizes[1];
}

bool steps_fit(const TensorImpl& node, uint32_t& images) {
  const auto p = node.params.get<FusedParams>();
  for (int i = 0; i < p.steps; ++i) {
    const Op op = FusedParams::op(p.step[i]);
    const auto fit = [&](int8_t operand) {
      return operand < 0 ||
             fits(*node.sources[static_cast<size_t>(operand)], node, static_cast<size_t>(operand), images);
    };
    if (!fit(p.step[i].left) || (step_operands(op) == 2 && op != Op::BatchNorm && !fit(p.step[i].right))) return false;
  }
  return true;
}

ChannelsLast convolution(const TensorImpl& node) {
  const ConvAlgorithm* const algorithm = find_nhwc_algorithm(node);
  if (algorithm == &kConvWideKernel)
    return {.reads = true, .images = bit(0)};  // the result is plain, from either layout
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  if (!algorithm || (node.sizes.back() == 1 && x.sizes.back() == 1)) return {};  // a column is computed like a row
  const int64_t taps = w.sizes[2] * w.sizes[3];
  if (algorithm == &kConvDepthwiseNhwc)
    return {
        .computes = true, .images = bit(0), .gain = rounded(kDepthwise * bytes(node) / 4 * static_cast<double>(taps))};
  if (algorithm == &kConvWinograd)
    return {.computes = true, .images = bit(0), .gain = rounded(kTranspose * (bytes(x) + bytes(node)))};
  const auto p = node.params.get<ConvParams>();
  const double products = bytes(node) / 4 * static_cast<double>(w.sizes[1] * taps);
  ChannelsLast out{.computes = true};
  if (!reads_plain_source(node)) out.images |= bit(0);
  const int64_t positions = node.sizes[2] * node.sizes[3];
  if (taps > 1)
    out.gain = rounded(kReorders + kReorder * (bytes(x) + bytes(node)));
  else if (p.strides[0] > 1 || p.strides[1] > 1)
    out.gain = rounded(kApart * products);
  else if (positions < 100)
    out.gain = rounded(kFew * products);
  return out;
}

ChannelsLast by_op(const TensorImpl& node) {
  ChannelsLast out;
  switch (anchor_of(node)) {
    case Op::Conv: return convolution(node);
    case Op::ConvTranspose:
      if (node.op == Op::Fused || !transposes_channels_last(node, ConvGeometry(node))) return {};
      return {.computes = true, .images = bit(0), .gain = rounded(kScatter * bytes(node))};
    case Op::MaxPool:
    case Op::AvgPool:
      if (node.params.get<PoolParams>().spatial != 2) return {};
      return {.computes = true,
              .reads = !has_two_layouts(node.sizes.span()),
              .images = bit(0),
              .gain = rounded(kPooling * bytes(*node.sources[0]))};
    case Op::ReduceMean:
    case Op::ReduceSum:
      if (node.params.get<ReduceParams>().axes == 0b1100) return {.reads = true, .images = bit(0)};
      return {};
    case Op::Concat: {
      if (node.params.get<AxisParams>().axis != 1 || node.sources.size() > 32) return {};
      out.computes = true;
      for (size_t i = 0; i < node.sources.size(); ++i) out.images |= bit(i);
      if (node.sizes[0] == 1) out.gain = -rounded(kJoin * bytes(node));
      return out;
    }
    case Op::Fused: return {.computes = true};
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Min:
    case Op::Max:
      for (size_t i = 0; i < 2; ++i)
        if (!fits(*node.sources[i], node, i, out.images)) return {};
      out.computes = true;
      return out;
    default:
      if (!is_fused_step(node.op) || step_operands(node.op) != 1 || !(node.sources[0]->sizes == node.sizes)) return {};
      return {.computes = true, .images = bit(0)};
  }
}

}  // namespace

ChannelsLast channels_last_of(const TensorImpl& node) {
  if (node.rank() != 4 && node.op != Op::ReduceMean && node.op != Op::ReduceSum) return {};
  if (node.dtype != DType::F32) return {};
  for (const TensorImpl* source : node.sources)
    if (source->dtype != DType::F32) return {};
  ChannelsLast out = by_op(node);
  const uint32_t own = out.images;
  if (node.op == Op::Fused && !steps_fit(node, out.images)) return {};
  if (!out.computes) out.images = own;  // epilogue inputs have the layout of the result
  return out;
}

}  // namespace arenascope::cpu
