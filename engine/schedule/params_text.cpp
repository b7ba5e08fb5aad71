// SPDX-License-Identifier: MIT
#include "engine/schedule/params_text.h"

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/graph/fused.h>
#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/graph/opaque.h>

namespace arenascope {
namespace {

template <class T>
T params(const TensorImpl& node) {
  return node.params.get<T>();
}

template <class Numbers>
std::string times(const Numbers& first, const Numbers& last) {
  std::string out;
  for (auto at = first; at != last; ++at) out += fmt::format("{}{}", at == first ? "" : "×", *at);
  return out;
}
template <class Number>
std::string times(const Number* list, int count) {
  return times(list, list + count);
}
std::string times(const Dims& dims) { return times(dims.begin(), dims.end()); }

template <size_t N>
const char* choice(const char* const (&names)[N], int value) {
  return value >= 0 && static_cast<size_t>(value) < N ? names[value] : "?";
}
const char* flag(bool on, const char* text) { return on ? text : ""; }

// The parameters may come from a file, so the number of dimensions is clamped.
int spatial(int32_t n) { return std::clamp(n, 0, 3); }

std::string conv(const TensorImpl& node) {
  const auto p = params<ConvParams>(node);
  const int n = spatial(p.spatial);
  const Dims& w = node.sources[1]->sizes;
  std::string out = fmt::format("kernel {} stride {} pad {} groups {}", times(w.begin() + 2, w.end()),
                                times(p.strides, n), times(p.pads_begin, n), p.groups);
  if (!std::equal(p.pads_begin, p.pads_begin + n, p.pads_end)) out += " end pad " + times(p.pads_end, n);
  if (std::any_of(p.dilations, p.dilations + n, [](int32_t d) { return d > 1; }))
    out += " dilation " + times(p.dilations, n);
  if (std::any_of(p.output_padding, p.output_padding + n, [](int32_t d) { return d > 0; }))
    out += " output padding " + times(p.output_padding, n);
  return out;
}

std::string pool(const TensorImpl& node) {
  const auto p = params<PoolParams>(node);
  const int n = spatial(p.spatial);
  std::string out =
      fmt::format("kernel {} stride {} pad {}", times(p.kernel, n), times(p.strides, n), times(p.pads_begin, n));
  if (!std::equal(p.pads_begin, p.pads_begin + n, p.pads_end)) out += " end pad " + times(p.pads_end, n);
  if (std::any_of(p.dilations, p.dilations + n, [](int32_t d) { return d > 1; }))
    out += " dilation " + times(p.dilations, n);
  return out + flag(p.ceil_mode, " ceil mode") + flag(p.count_include_pad, " padding included");
}

std::string movement(const TensorImpl& node) {
  const int rank = node.rank();
  switch (node.op) {
    case Op::Reshape:
    case Op::Expand: return "sizes " + times(params<ReshapeParams>(node).sizes);
    case Op::View: {
      const auto p = params<ViewParams>(node);
      return fmt::format("sizes {} strides {} offset {}", times(p.sizes), times(p.strides), p.offset);
    }
    case Op::Permute: {
      const auto p = params<PermuteParams>(node);
      std::string out = "axes";
      for (int i = 0; i < rank; ++i) out += fmt::format(" {}", p.axes[i]);
      return out;
    }
    case Op::Cast:
    case Op::BitCast: return fmt::format("to {}", name(params<CastParams>(node).dtype));
    case Op::Concat:
    case Op::Gather:
    case Op::GatherElements: return fmt::format("axis {}", params<AxisParams>(node).axis);
    case Op::Pad: {
      const auto p = params<PadParams>(node);
      constexpr const char* kModes[] = {"constant", "reflect", "edge"};
      return fmt::format("before {} after {} {} {}", times(p.begin, rank), times(p.end, rank),
                         choice(kModes, static_cast<int>(p.mode)), p.value);
    }
    case Op::Fill:
    case Op::Arange: {
      const auto p = params<FillParams>(node);
      return fmt::format("start {} step {}", p.start, p.step);
    }
    case Op::Opaque: return "not supported";
    case Op::Resize: {
      const auto p = params<ResizeParams>(node);
      constexpr const char* kModes[] = {"nearest", "linear", "cubic"};
      constexpr const char* kCoordinates[] = {"half pixel", "asymmetric", "align corners", "PyTorch half pixel"};
      return fmt::format("to {} {} {}", times(p.sizes), choice(kModes, static_cast<int>(p.mode)),
                         choice(kCoordinates, static_cast<int>(p.coordinates)));
    }
    case Op::DepthToSpace: {
      const auto p = params<DepthToSpaceParams>(node);
      return fmt::format("block {} {}", p.block, p.column_row_depth ? "CRD" : "DCR");
    }
    case Op::Tril: {
      const auto p = params<TrilParams>(node);
      return fmt::format("diagonal {} {}", p.diagonal, p.upper ? "upper" : "lower");
    }
    case Op::SetRows: {
      const auto p = params<SetRowsParams>(node);
      return fmt::format("axis {}{}", p.axis, p.rows ? " by rows" : "");
    }
    default: return {};
  }
}

std::string number(const TensorImpl& node) {
  switch (node.op) {
    case Op::LeakyRelu:
    case Op::Elu: return fmt::format("alpha {}", params<AlphaParams>(node).alpha);
    case Op::HardSigmoid:
    case Op::HardSwish: {
      const auto p = params<AlphaParams>(node);
      return fmt::format("alpha {} beta {}", p.alpha, p.beta);
    }
    case Op::Clamp: {
      const auto p = params<ClampParams>(node);
      return fmt::format("from {} to {}", p.low, p.high);
    }
    case Op::Scale: {
      const auto p = params<ScaleParams>(node);
      return fmt::format("scale {} bias {}", p.scale, p.bias);
    }
    case Op::RoundSmall: {
      const auto p = params<SmallFloatParams>(node);
      constexpr const char* kFormats[] = {"e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0", "e2m1"};
      constexpr const char* kWays[] = {"nearest", "up", "down"};
      return fmt::format("{} {}{}", choice(kFormats, static_cast<int>(p.format)),
                         choice(kWays, static_cast<int>(p.rounding)), p.saturate ? " saturating" : "");
    }
    default: return {};
  }
}

std::string norm(const TensorImpl& node) {
  switch (node.op) {
    case Op::BatchNorm: return fmt::format("epsilon {}", params<BatchNormParams>(node).epsilon);
    case Op::Norm:
    case Op::RmsNorm: {
      const auto p = params<NormParams>(node);
      return fmt::format("axis {} epsilon {}", p.axis, p.epsilon);
    }
    case Op::GroupNorm: {
      const auto p = params<GroupNormParams>(node);
      return fmt::format("groups {} epsilon {}", p.groups, p.epsilon);
    }
    case Op::SoftMax:
    case Op::LogSoftMax: {
      const auto p = params<SoftMaxParams>(node);
      return p.scale == 1 ? fmt::format("axis {}", p.axis) : fmt::format("axis {} scale {}", p.axis, p.scale);
    }
    case Op::Lrn: {
      const auto p = params<LrnParams>(node);
      return fmt::format("size {} alpha {} beta {} bias {}", p.size, p.alpha, p.beta, p.bias);
    }
    default: return {};
  }
}

std::string recurrence(int hidden, int direction) {
  constexpr const char* kDirections[] = {"forward", "reverse", "bidirectional"};
  return fmt::format("hidden {} {}", hidden, choice(kDirections, direction));
}

std::string contraction(const TensorImpl& node) {
  const bool known = !node.params.bytes().empty();  // trailing zeros are not stored, but no op has scale 0
  if (!known && node.op != Op::Conv && node.op != Op::ConvTranspose) return {};
  switch (node.op) {
    case Op::MulMat: return fmt::format("scale {}", params<MulMatParams>(node).scale);
    case Op::Attention: {
      const auto p = params<AttentionParams>(node);
      return fmt::format("scale {}{}", p.scale, p.causal ? " causal" : "");
    }
    case Op::Lstm: {
      const auto p = params<LstmParams>(node);
      return recurrence(p.hidden, p.direction) + (p.quantised_state ? " quantised state" : "");
    }
    default: return conv(node);
  }
}

std::string line(const TensorImpl& node) {
  switch (node.op) {
    case Op::ArgMax:
    case Op::ArgMin: {
      const auto p = params<ArgParams>(node);
      return fmt::format("axis {}{}{}", p.axis, flag(p.keep_dims, " kept"), flag(p.select_last, " the last"));
    }
    case Op::TopKValues:
    case Op::TopKIndices: {
      const auto p = params<TopKParams>(node);
      return fmt::format("axis {} k {} {}{}", p.axis, p.k, p.largest ? "largest" : "smallest",
                         flag(p.sorted, " sorted"));
    }
    case Op::Rope: {
      const auto p = params<RopeParams>(node);
      return fmt::format("dims {} base {} scale {} start {}{}", p.dims, p.base, p.scale, p.start,
                         flag(p.neox, " neox"));
    }
    default: {
      const auto p = params<CumSumParams>(node);
      return fmt::format("axis {}{}{}", p.axis, flag(p.exclusive, " exclusive"), flag(p.reverse, " reverse"));
    }
  }
}

std::string reduction(const TensorImpl& node) {
  const auto p = params<ReduceParams>(node);
  std::string out = "axes";
  for (int i = 0; i < kMaxDims; ++i)
    if (p.axes >> i & 1) out += fmt::format(" {}", i);
  return out + flag(p.keep_dims, " kept");
}

std::string grid(const TensorImpl& node) {
  const auto p = params<GridSampleParams>(node);
  constexpr const char* kModes[] = {"nearest", "linear", "cubic"};
  constexpr const char* kPaddings[] = {"zeros", "border", "reflection"};
  return fmt::format("{} {}{}", choice(kModes, static_cast<int>(p.mode)),
                     choice(kPaddings, static_cast<int>(p.padding)), flag(p.align_corners, " align corners"));
}

std::string optimizer_step(const TensorImpl& node) {
  const auto p = params<OptimizerStepParams>(node);
  if (p.adaptive) return fmt::format("adaptive beta1 {} beta2 {} epsilon {}", p.beta1, p.beta2, p.epsilon);
  return fmt::format("momentum {} decay {}", p.states > 0 ? p.beta1 : 0.0F, p.decay);
}

}  // namespace

std::string params_text(const TensorImpl& node) {
  switch (info(node.op).family) {
    case OpFamily::View:
    case OpFamily::Movement:
    case OpFamily::Opaque: return movement(node);
    case OpFamily::Unary: return number(node);
    case OpFamily::Contraction: return contraction(node);
    case OpFamily::Window: return node.op == Op::Lrn ? norm(node) : pool(node);
    case OpFamily::Norm: return norm(node);
    case OpFamily::Reduction: return reduction(node);
    case OpFamily::Line: return line(node);
    case OpFamily::Fused: return fmt::format("{} ops", held_ops(node).size());
    case OpFamily::Host:
      if (node.op == Op::GridSample) return grid(node);
      if (node.op == Op::OptimizerStep) return optimizer_step(node);
      if (node.op == Op::GatherBack) return fmt::format("size {}", params<GatherBackParams>(node).size);
      if (node.op == Op::Dropout) return fmt::format("ratio {}", params<DropoutParams>(node).ratio);
      if (node.op == Op::MaxPoolBack) return pool(node);
      if (node.op == Op::Gru || node.op == Op::Rnn) {
        const auto p = params<RecurrentParams>(node);
        return recurrence(p.hidden, p.direction) + (p.linear_before_reset ? " linear before reset" : "");
      }
      return node.op == Op::RoundSmall ? number(node) : movement(node);
    default: return {};
  }
}

}  // namespace arenascope
