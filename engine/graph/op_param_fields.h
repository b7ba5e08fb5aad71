// SPDX-License-Identifier: MIT
// The named fields of each op's parameters, listed once for printing and parsing (graph_text.cpp).
#pragma once
#include <initializer_list>

#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/graph/opaque.h>

namespace arenascope {

// Lists the fields of one op's parameters in a fixed order. Fields provides
//   one(name, value, default)             a number, boolean or data type; required if it has no default
//   choice(name, value, names)            an enumeration; the default is the first name
//   list(name, values, count, default)    `count` elements; the others are set to the default
//   dims(name, value)                     sizes or strides, required
//   bits(name, value)                     a bit mask as a list of bit numbers
//   text(name, characters)                a zero-terminated string
template <class Fields>
class OpParamFields {
 public:
  // `rank`: of the first source. `sources`: their number.
  OpParamFields(Fields& fields, int rank, size_t sources) : f_(fields), rank_(rank), sources_(sources) {}

  // Passes all fields of `params` to the visitor and stores its changes. No effect for an op without parameters.
  void visit(Op op, OpParams& params) const {
    switch (op) {
      case Op::Reshape:
      case Op::Expand: return on<ReshapeParams>(params);
      case Op::View: return on<ViewParams>(params);
      case Op::Permute: return on<PermuteParams>(params);
      case Op::Cast:
      case Op::BitCast: return on<CastParams>(params);
      case Op::Concat:
      case Op::Gather:
      case Op::GatherElements: return on<AxisParams>(params);
      case Op::Pad: return on<PadParams>(params);
      case Op::Fill:
      case Op::Arange: return on<FillParams>(params);
      case Op::Opaque: return on<OpaqueParams>(params);
      case Op::Resize: return on<ResizeParams>(params);
      case Op::GridSample: return on<GridSampleParams>(params);
      case Op::RoundSmall: return on<SmallFloatParams>(params);
      case Op::DepthToSpace: return on<DepthToSpaceParams>(params);
      case Op::Tril: return on<TrilParams>(params);
      case Op::Conv:
      case Op::ConvTranspose: return on<ConvParams>(params);
      case Op::MaxPool:
      case Op::AvgPool:
      case Op::MaxPoolBack: return on<PoolParams>(params);
      case Op::SetRows: return on<SetRowsParams>(params);
      case Op::GatherBack: return on<GatherBackParams>(params);
      case Op::OptimizerStep: return on<OptimizerStepParams>(params);
      case Op::Dropout: return on<DropoutParams>(params);
      case Op::Lrn: return on<LrnParams>(params);
      case Op::MulMat: return on<MulMatParams>(params);
      case Op::Attention: return on<AttentionParams>(params);
      case Op::Lstm: return on<LstmParams>(params);
      case Op::Gru:
      case Op::Rnn: return on<RecurrentParams>(params);
      case Op::BatchNorm: return on<BatchNormParams>(params);
      case Op::Norm:
      case Op::RmsNorm: return on<NormParams>(params);
      case Op::GroupNorm: return on<GroupNormParams>(params);
      case Op::SoftMax:
      case Op::LogSoftMax: return on<SoftMaxParams>(params);
      case Op::ReduceSum:
      case Op::ReduceMean:
      case Op::ReduceMax:
      case Op::ReduceMin:
      case Op::ReduceProd:
      case Op::ReduceL2: return on<ReduceParams>(params);
      case Op::ArgMax:
      case Op::ArgMin: return on<ArgParams>(params);
      case Op::TopKValues:
      case Op::TopKIndices: return on<TopKParams>(params);
      case Op::CumSum:
      case Op::CumProd: return on<CumSumParams>(params);
      case Op::Rope: return on<RopeParams>(params);
      default: return scalars(info(op).traits, params);
    }
  }

 private:
  template <class P>
  void on(OpParams& params) const {
    P p = params.get<P>();
    fields(p);
    params.set(p);
  }
  void scalars(uint16_t traits, OpParams& params) const {
    if (traits & kAlpha) on<AlphaParams>(params);
    if (traits & kLimits) on<ClampParams>(params);
    if (traits & kAffine) on<ScaleParams>(params);
  }

  void fields(ReshapeParams& p) const { f_.dims("sizes", p.sizes); }
  void fields(ViewParams& p) const {
    f_.dims("sizes", p.sizes);
    f_.dims("strides", p.strides);
    f_.one("offset", p.offset, int64_t{0});
  }
  void fields(PermuteParams& p) const { f_.list("axes", p.axes, rank_, int8_t{-1}); }
  void fields(CastParams& p) const { f_.one("dtype", p.dtype); }
  void fields(AxisParams& p) const { f_.one("axis", p.axis); }
  void fields(PadParams& p) const {
    f_.list("begin", p.begin, rank_, 0);
    f_.list("end", p.end, rank_, 0);
    f_.choice("mode", p.mode, {"constant", "reflect", "edge"});
    f_.one("value", p.value, 0.0f);
  }
  void fields(FillParams& p) const {
    f_.one("dtype", p.dtype);
    f_.dims("sizes", p.sizes);
    f_.one("start", p.start, 0.0);
    f_.one("step", p.step, 0.0);
  }
  void fields(OpaqueParams& p) const {
    f_.text("op", p.op);
    f_.one("unknown_size", p.unknown_size, false);
    fields(p.result);
  }
  void fields(ResizeParams& p) const {
    f_.dims("sizes", p.sizes);
    f_.list("scales", p.scales, 4, 0.0f);
    f_.choice("mode", p.mode, {"nearest", "linear", "cubic"});
    f_.choice("coordinates", p.coordinates, {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"});
    f_.choice("nearest", p.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
    f_.one("cubic_a", p.cubic_a, 0.0f);
  }
  void fields(GridSampleParams& p) const {
    f_.choice("mode", p.mode, {"nearest", "linear", "cubic"});
    f_.choice("padding", p.padding, {"zeros", "border", "reflection"});
    f_.one("align_corners", p.align_corners, false);
  }
  void fields(SmallFloatParams& p) const {
    f_.choice("format", p.format, {"e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0", "e2m1"});
    f_.one("saturate", p.saturate, false);
    f_.choice("rounding", p.rounding, {"nearest", "up", "down"});
  }
  void fields(DepthToSpaceParams& p) const {
    f_.one("block", p.block);
    f_.one("column_row_depth", p.column_row_depth, false);
  }
  void fields(TrilParams& p) const {
    f_.one("diagonal", p.diagonal, int64_t{0});
    f_.one("upper", p.upper, false);
  }
  void fields(AlphaParams& p) const {
    f_.one("alpha", p.alpha);
    f_.one("beta", p.beta, 0.0f);
  }
  void fields(ClampParams& p) const {
    f_.one("low", p.low);
    f_.one("high", p.high);
  }
  void fields(ScaleParams& p) const {
    f_.one("scale", p.scale);
    f_.one("bias", p.bias, 0.0f);
  }
  void fields(ConvParams& p) const {
    p.spatial = spatial();
    f_.list("strides", p.strides, p.spatial, 1);
    f_.list("dilations", p.dilations, p.spatial, 1);
    f_.list("pads_begin", p.pads_begin, p.spatial, 0);
    f_.list("pads_end", p.pads_end, p.spatial, 0);
    f_.list("output_padding", p.output_padding, p.spatial, 0);
    f_.one("groups", p.groups, 1);
  }
  void fields(PoolParams& p) const {
    p.spatial = spatial();
    f_.list("kernel", p.kernel, p.spatial, 1);
    f_.list("strides", p.strides, p.spatial, 1);
    f_.list("dilations", p.dilations, p.spatial, 1);
    f_.list("pads_begin", p.pads_begin, p.spatial, 0);
    f_.list("pads_end", p.pads_end, p.spatial, 0);
    f_.one("ceil_mode", p.ceil_mode, false);
    f_.one("count_include_pad", p.count_include_pad, false);
  }
  void fields(SetRowsParams& p) const {
    f_.one("axis", p.axis);
    f_.one("rows", p.rows, sources_ > 2);
  }
  void fields(GatherBackParams& p) const { f_.one("size", p.size); }
  void fields(OptimizerStepParams& p) const {
    f_.one("adaptive", p.adaptive, false);
    f_.one("states", p.states, 0);
    f_.one("keep", p.keep, 0);
    f_.one("beta1", p.beta1, 0.0f);
    f_.one("rest1", p.rest1, 0.0f);
    f_.one("beta2", p.beta2, 0.0f);
    f_.one("rest2", p.rest2, 0.0f);
    f_.one("epsilon", p.epsilon, 0.0f);
    f_.one("decay", p.decay, 0.0f);
  }
  void fields(DropoutParams& p) const {
    f_.one("ratio", p.ratio);
    f_.one("sequence", p.sequence, 0u);
  }
  void fields(LrnParams& p) const {
    f_.one("size", p.size);
    f_.one("alpha", p.alpha);
    f_.one("beta", p.beta, 0.0f);
    f_.one("bias", p.bias, 0.0f);
  }
  void fields(MulMatParams& p) const { f_.one("scale", p.scale, 1.0f); }
  void fields(AttentionParams& p) const {
    f_.one("scale", p.scale, 1.0f);
    f_.one("causal", p.causal, false);
  }
  void fields(LstmParams& p) const {
    f_.one("hidden", p.hidden);
    f_.one("direction", p.direction, 0);
    f_.one("present", p.present, 0);
    f_.one("quantised_state", p.quantised_state, false);
  }
  void fields(RecurrentParams& p) const {
    f_.one("hidden", p.hidden);
    f_.one("direction", p.direction, 0);
    f_.one("present", p.present, 0);
    f_.one("linear_before_reset", p.linear_before_reset, false);
  }
  void fields(BatchNormParams& p) const { f_.one("epsilon", p.epsilon, 0.0f); }
  void fields(NormParams& p) const {
    f_.one("axis", p.axis);
    f_.one("epsilon", p.epsilon, 0.0f);
  }
  void fields(GroupNormParams& p) const {
    f_.one("groups", p.groups);
    f_.one("epsilon", p.epsilon, 0.0f);
  }
  void fields(SoftMaxParams& p) const {
    f_.one("axis", p.axis);
    f_.one("scale", p.scale, 1.0f);
  }
  void fields(ReduceParams& p) const {
    f_.bits("axes", p.axes);
    f_.one("keep_dims", p.keep_dims, true);
  }
  void fields(ArgParams& p) const {
    f_.one("axis", p.axis);
    f_.one("keep_dims", p.keep_dims, true);
    f_.one("select_last", p.select_last, false);
  }
  void fields(TopKParams& p) const {
    f_.one("axis", p.axis);
    f_.one("k", p.k);
    f_.one("largest", p.largest, true);
    f_.one("sorted", p.sorted, true);
  }
  void fields(CumSumParams& p) const {
    f_.one("axis", p.axis);
    f_.one("exclusive", p.exclusive, false);
    f_.one("reverse", p.reverse, false);
  }
  void fields(RopeParams& p) const {
    f_.one("dims", p.dims);
    f_.one("base", p.base);
    f_.one("scale", p.scale, 1.0f);
    f_.one("start", p.start, 0);
    f_.one("neox", p.neox, false);
  }

  int spatial() const { return rank_ > 2 && rank_ < 6 ? rank_ - 2 : 0; }

  Fields& f_;
  int rank_;
  size_t sources_;
};

}  // namespace arenascope
