// SPDX-License-Identifier: MIT
// The parameters of each op, as plain structs without padding that fit in OpParams. Axis 0 is the outermost; axes are
// never negative here, importers resolve them.
#pragma once
#include <cstdint>

#include <arenascope/tensor/op_params_bytes.h>
#include <arenascope/tensor/shape.h>

namespace arenascope {

struct ReshapeParams {
  Dims sizes;
};  // RESHAPE, EXPAND
struct ViewParams {
  Dims sizes;
  Dims strides;
  int64_t offset;
};  // VIEW: strides and offset in elements of the source
struct PermuteParams {
  int8_t axes[kMaxDims];
};  // out dimension i is source dimension axes[i]
struct CastParams {
  DType dtype;
};  // CAST, BIT_CAST
struct AxisParams {
  int32_t axis;
};  // CONCAT, GATHER, GATHER_ELEMENTS
enum class PadMode : int32_t { Constant, Reflect, Edge };
struct PadParams {
  int32_t begin[kMaxDims];
  int32_t end[kMaxDims];
  PadMode mode;
  float value;
};  // may be negative
struct FillParams {
  Dims sizes;
  ZeroPadded<DType, 8> dtype;
  double start;
  double step;
};  // FILL: start everywhere; ARANGE: start + i·step
enum class ResizeMode : int32_t { Nearest, Linear, Cubic };
enum class ResizeCoordinates : int32_t { HalfPixel, Asymmetric, AlignCorners, PytorchHalfPixel };
enum class ResizeNearest : int32_t { RoundPreferFloor, RoundPreferCeil, Floor, Ceil };
struct ResizeParams {
  Dims sizes;       // output sizes, all dimensions
  float scales[4];  // of the last four dimensions if the file specifies scales, else 0
  ResizeMode mode;
  ResizeCoordinates coordinates;
  ResizeNearest nearest;
  float cubic_a;
};
enum class GridPadding : int32_t { Zeros, Border, Reflection };
// GRID_SAMPLE(x [N, C, spatial…], grid [N, out…, spatial]): the innermost dimension of the grid is a sampling position
// in x, normalised to [-1, 1], last dimension of x first. Cubic mode (a = -0.75) supports two spatial dimensions, the
// other modes up to three.
struct GridSampleParams {
  ResizeMode mode;
  GridPadding padding;
  ZeroPadded<bool, 4> align_corners;
};
// Floating-point formats of at most 8 bits. ROUND_SMALL rounds each element to the nearest value (ties to even).
enum class SmallFloat : int32_t { E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ, E8M0, E2M1 };
enum class SmallRounding : int32_t { Nearest, Up, Down };  // the latter two for E8M0
struct SmallFloatParams {
  SmallFloat format;
  ZeroPadded<bool, 4> saturate;  // overflow gives the largest finite value instead of infinity or NaN
  SmallRounding rounding;
};
struct DepthToSpaceParams {
  int32_t block;
  ZeroPadded<bool, 4> column_row_depth;
};  // ONNX: CRD instead of DCR
struct TrilParams {
  int64_t diagonal;
  ZeroPadded<bool, 8> upper;
};
struct AlphaParams {
  float alpha;
  float beta;
};  // LEAKY_RELU, ELU: alpha; HARD_SIGMOID: alpha·x + beta
struct ClampParams {
  double low;
  double high;
};
struct ScaleParams {
  float scale;
  float bias;
};  // scale·x + bias

// CONV: source [N, C, spatial…], weight [M, C/groups, kernel…], optional bias [M]; spatial dimensions 1 to 3.
// CONV_TRANSPOSE: weight [C, M/groups, kernel…].
struct ConvParams {
  int32_t spatial;
  int32_t strides[3];
  int32_t dilations[3];
  int32_t pads_begin[3];
  int32_t pads_end[3];
  int32_t output_padding[3];
  int32_t groups;
};
// MAX_POOL, AVG_POOL over [N, C, spatial…].
struct PoolParams {
  int32_t spatial;
  int32_t kernel[3];
  int32_t strides[3];
  int32_t dilations[3];
  int32_t pads_begin[3];
  int32_t pads_end[3];
  bool ceil_mode;
  ZeroPadded<bool, 3> count_include_pad;
};
// SET_ROWS(to, from[, rows][, after…]): to[.., rows[i], ..] = from[.., i, ..] along `axis`; a negative row is skipped.
// Without `rows` all of `to` is replaced. The result shares the bytes of `to`: later readers use the result, and
// earlier readers that `from` does not depend on are listed in `after`. Used for KV caches and parameter updates.
struct SetRowsParams {
  int32_t axis;
  ZeroPadded<bool, 4> rows;
};
// MAX_POOL_BACK(x, dy) with PoolParams: the gradient of each window is added to its largest element, the first of equal
// ones.
// GATHER_BACK(dy [n, …], indices [n][, base]) → [size, …]: row dy[i] is added to row indices[i] of the result, in order
// of i; the result starts as `base`, or zero.
struct GatherBackParams {
  int64_t size;
};
// OPTIMIZER_STEP(parameter, gradient, numbers, spoilt, states…[, after…]): updates the parameter and the states in
// place unless `spoilt` (one boolean: the step is skipped) is true. All have the same shape and are f32 and contiguous.
// The result is the parameter; its earlier readers are listed in `after`. With n = numbers:
//   adaptive: m = beta1·m + rest1·g, v = beta2·v + rest2·g², p = p·n[keep] - n[1]·m ÷ (√v·n[2] + epsilon)
//   else: g' = g + decay·p, with a state v = beta1·v + g' and g' = v, p = p - n[0]·g'
struct OptimizerStepParams {
  ZeroPadded<bool, 4> adaptive;
  int32_t states;
  int32_t keep;
  float beta1, rest1, beta2, rest2, epsilon, decay;
};
// DROPOUT(x, seed I64 [2]): a fraction `ratio` of the elements, in [0, 1), become 0, the others are multiplied by
// 1 ÷ (1 - ratio). DropoutMask (dropout_mask.h) selects them: seed[0] is the training seed, seed[1] the training step;
// `sequence` is different for each node.
struct DropoutParams {
  float ratio;
  uint32_t sequence;
};
// LRN across channels: x / (bias + alpha/size · Σ x²)^beta over `size` channels.
struct LrnParams {
  int32_t size;
  float alpha;
  float beta;
  float bias;
};
// MUL_MAT(a, b[, bias]): a [.., N, K], b [.., M, K] → [.., M, N], out = scale · b·aᵀ (+ bias [N]).
struct MulMatParams {
  float scale;
};
// MUL_MAT_ID(a [E, N, K], x [T, K] or [T, U, K], ids [T, U]) → [T, U, N]: each row of x times the matrix selected by
// its id (mixture of experts).
// ATTENTION(q [.., H, T, D], k [.., Hkv, S, D], v [.., Hkv, S, Dv][, mask broadcast to [.., H, T, S]]).
struct AttentionParams {
  float scale;
  ZeroPadded<bool, 4> causal;
};
// LSTM(X [T,B,I], W [D,4H,I], R [D,4H,H][, B [D,8H]][, h0 [D,B,H]][, c0 [D,B,H]]), gates in ONNX order i, o, f, c.
// The result is flat: Y [T,D,B,H], then Y_h [D,B,H], then Y_c [D,B,H]. present: bit mask of the optional sources
// (1 bias, 2 h0, 4 c0). direction: 0 forward, 1 reverse, 2 both. quantised_state: before each multiplication by R the
// state of a sequence is rounded to u8 with its own scale and zero point, as ONNX's DynamicQuantizeLinear does.
struct LstmParams {
  int32_t hidden;
  int32_t direction;
  int32_t present;
  ZeroPadded<bool, 4> quantised_state = false;
};
// GRU(X [T,B,I], W [D,3H,I], R [D,3H,H][, B [D,6H]][, h0 [D,B,H]]), gates in ONNX order z, r, h, and RNN with one gate.
// The result is flat: Y [T,D,B,H], then Y_h [D,B,H]. present: bit mask of the optional sources (1 bias, 2 h0).
// direction: as for LSTM. linear_before_reset: GRU's reset gate scales the product of R and the state instead of the
// state.
struct RecurrentParams {
  int32_t hidden;
  int32_t direction;
  int32_t present;
  ZeroPadded<bool, 4> linear_before_reset = false;
};
struct BatchNormParams {
  float epsilon;
};  // sources x, scale, bias, mean, variance; channel axis 1
struct NormParams {
  int32_t axis;
  float epsilon;
};  // NORM, RMS_NORM over the dimensions from `axis` on
struct GroupNormParams {
  int32_t groups;
  float epsilon;
};  // [N, C, …]; groups == C is instance norm
struct SoftMaxParams {
  int32_t axis;
  float scale;
};  // soft_max(scale·x + mask) along axis; optional mask source
struct ReduceParams {
  uint32_t axes;
  ZeroPadded<bool, 4> keep_dims;
};  // bit i: dimension i is reduced
struct ArgParams {
  int32_t axis;
  bool keep_dims;
  ZeroPadded<bool, 3> select_last;
};
struct TopKParams {
  ZeroPadded<int32_t, 8> axis;
  int64_t k;
  bool largest;
  ZeroPadded<bool, 7> sorted;
};
// CUM_SUM, CUM_PROD.
struct CumSumParams {
  int32_t axis;
  bool exclusive;
  ZeroPadded<bool, 3> reverse;
};
// ROPE on [.., T, D] with T the sequence axis: the position is t + start, or element t of the second source.
struct RopeParams {
  int32_t dims;
  float base;
  float scale;
  int32_t start;
  ZeroPadded<bool, 4> neox;
};

}  // namespace arenascope
