// SPDX-License-Identifier: MIT
// The op table: one line per op with all properties that do not depend on the backend. Columns:
//   enumerator, name, minimum and maximum number of sources (-1: any number), family, shape rule, cost rule, traits,
//   error bound, gradient
// Each family has one section here and an enumeration in op.h. Backends select kernels by a switch over that
// enumeration, so a missing op is a compile error. Rules are declared in engine/graph/op_rules.h, parameters in
// op_params.h, gradients in engine/graph/autodiff_rules.h (`none`: not differentiable or not implemented). A pointwise
// op also has a formula in elementwise.h. CONTRIBUTING.md describes how to add an op.
//
// Traits: kView      computes nothing, shares its first source's bytes
//         kWrites    writes into its first source; the result shares that source's bytes
//         kIndices   reads indices from a source; one that is out of range is an error of the run, which backends check after it
//         kPointwise out[i] depends on the sources' i-th elements only, so it may be computed in place
//         kFusable   may be a step of a FUSED node (fused.h): f32 in, f32 out
//         kFunction  costs about ten additions; used by backends to divide work
//         kAlpha, kLimits, kAffine  has AlphaParams, ClampParams or ScaleParams (read by scalars_of())
//         kStep, kMath  kPointwise | kFusable, and the same with kFunction
// Error bound: maximum difference between a result computed in float or double and the exact one (op.h, ErrorBound);
// integers and booleans are always exact.
#pragma once

// clang-format off
#define ARENASCOPE_GIVEN_OPS(X) \
  X(None, "NONE", 0, 0, Given, no_rule, no_flops, 0, exact, none)

// Views: share their first source's bytes
#define ARENASCOPE_VIEW_OPS(X) \
  X(Reshape, "RESHAPE", 1, 1, View, reshape_rule, no_flops, kView, exact, reshape) \
  X(View, "VIEW", 1, 1, View, view_rule, no_flops, kView, exact, view) \
  X(Permute, "PERMUTE", 1, 1, View, permute_rule, no_flops, kView, exact, permute) \
  X(Transpose, "TRANSPOSE", 1, 1, View, transpose_rule, no_flops, kView, exact, transpose) \
  X(Expand, "EXPAND", 1, 1, View, expand_rule, no_flops, kView, exact, same)

// Move, convert and generate elements
#define ARENASCOPE_MOVEMENT_OPS(X) \
  X(Cont, "CONT", 1, 1, Movement, same_rule, no_flops, 0, exact, same) \
  X(Cast, "CAST", 1, 1, Movement, cast_rule, no_flops, 0, exact, same) \
  X(Concat, "CONCAT", 1, -1, Movement, concat_rule, no_flops, 0, exact, concat) \
  X(Pad, "PAD", 1, 1, Movement, pad_rule, no_flops, 0, exact, pad) \
  X(Gather, "GATHER", 2, 2, Movement, gather_rule, no_flops, kIndices, exact, gather) \
  X(GatherElements, "GATHER_ELEMENTS", 2, 2, Movement, gather_elements_rule, no_flops, kIndices, exact, gather_elements) \
  X(Fill, "FILL", 0, 0, Movement, fill_rule, no_flops, 0, exact, none) \
  X(Arange, "ARANGE", 0, 0, Movement, fill_rule, element_flops, 0, exact, none) \
  X(Resize, "RESIZE", 1, 1, Movement, resize_rule, element_flops, 0, of_largest(16), resize) \
  X(DepthToSpace, "DEPTH_TO_SPACE", 1, 1, Movement, depth_to_space_rule, no_flops, 0, exact, depth_to_space) \
  X(Tril, "TRIL", 1, 1, Movement, same_rule, no_flops, kPointwise, exact, tril) \
  X(Copy, "COPY", 1, 1, Movement, same_rule, no_flops, 0, exact, same)

// Two sources, broadcast; any numeric type
#define ARENASCOPE_ARITHMETIC_OPS(X) \
  X(Add, "ADD", 2, 2, Binary, binary_rule, element_flops, kStep, exact, add) \
  X(Sub, "SUB", 2, 2, Binary, binary_rule, element_flops, kStep, exact, sub) \
  X(Mul, "MUL", 2, 2, Binary, binary_rule, element_flops, kStep, exact, mul) \
  X(Div, "DIV", 2, 2, Binary, binary_rule, element_flops, kStep, exact, div) \
  X(Pow, "POW", 2, 2, Binary, pow_rule, element_flops, kMath, ulps(1), pow) \
  X(Min, "MIN", 2, 2, Binary, binary_rule, element_flops, kStep, exact, extreme) \
  X(Max, "MAX", 2, 2, Binary, binary_rule, element_flops, kStep, exact, extreme) \
  X(Mod, "MOD", 2, 2, Binary, binary_rule, element_flops, kPointwise, exact, none)

// Two sources, broadcast; integers. A shift by at least the number of bits gives 0.
#define ARENASCOPE_BITWISE_OPS(X) \
  X(BitAnd, "BIT_AND", 2, 2, Binary, bits_rule, element_flops, kPointwise, exact, none) \
  X(BitOr, "BIT_OR", 2, 2, Binary, bits_rule, element_flops, kPointwise, exact, none) \
  X(BitXor, "BIT_XOR", 2, 2, Binary, bits_rule, element_flops, kPointwise, exact, none) \
  X(ShiftLeft, "SHIFT_LEFT", 2, 2, Binary, shift_rule, element_flops, kPointwise, exact, none) \
  X(ShiftRight, "SHIFT_RIGHT", 2, 2, Binary, shift_rule, element_flops, kPointwise, exact, none)

// Two sources, broadcast; boolean result
#define ARENASCOPE_COMPARISON_OPS(X) \
  X(Equal, "EQUAL", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none) \
  X(Less, "LESS", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none) \
  X(LessEqual, "LESS_EQUAL", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none) \
  X(Greater, "GREATER", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none) \
  X(GreaterEqual, "GREATER_EQUAL", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none) \
  X(And, "AND", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none) \
  X(Or, "OR", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none) \
  X(Xor, "XOR", 2, 2, Comparison, compare_rule, element_flops, kPointwise, exact, none)

// Elementwise selection by a condition
#define ARENASCOPE_CHOICE_OPS(X) \
  X(Where, "WHERE", 3, 3, Choice, where_rule, element_flops, kPointwise, exact, where)

// One source, element by element; any numeric type
#define ARENASCOPE_NUMBER_OPS(X) \
  X(Neg, "NEG", 1, 1, Unary, same_rule, element_flops, kStep, exact, neg) \
  X(Abs, "ABS", 1, 1, Unary, same_rule, element_flops, kStep, exact, abs) \
  X(Sign, "SIGN", 1, 1, Unary, same_rule, element_flops, kStep, exact, none) \
  X(Floor, "FLOOR", 1, 1, Unary, same_rule, element_flops, kStep, exact, none) \
  X(Ceil, "CEIL", 1, 1, Unary, same_rule, element_flops, kStep, exact, none) \
  X(Round, "ROUND", 1, 1, Unary, same_rule, element_flops, kStep, exact, none) \
  X(Relu, "RELU", 1, 1, Unary, same_rule, element_flops, kStep, exact, relu) \
  X(Clamp, "CLAMP", 1, 1, Unary, same_rule, element_flops, kStep | kLimits, exact, clamp) \
  X(Not, "NOT", 1, 1, Unary, same_rule, element_flops, kPointwise, exact, none)

// One source, element by element; integers
#define ARENASCOPE_INTEGER_OPS(X) \
  X(BitNot, "BIT_NOT", 1, 1, Unary, bits_rule, element_flops, kPointwise, exact, none)

// One source, element by element; floating-point numbers
#define ARENASCOPE_FUNCTION_OPS(X) \
  X(Sqrt, "SQRT", 1, 1, Unary, float_rule, element_flops, kStep, exact, sqrt) \
  X(Reciprocal, "RECIPROCAL", 1, 1, Unary, float_rule, element_flops, kStep, exact, reciprocal) \
  X(Exp, "EXP", 1, 1, Unary, float_rule, element_flops, kMath, ulps(2), exp) \
  X(Log, "LOG", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), log) \
  X(Erf, "ERF", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), erf) \
  X(Sin, "SIN", 1, 1, Unary, float_rule, element_flops, kMath, ulps(1), sin) \
  X(Cos, "COS", 1, 1, Unary, float_rule, element_flops, kMath, ulps(1), cos) \
  X(Tan, "TAN", 1, 1, Unary, float_rule, element_flops, kMath, ulps(2), tan) \
  X(Asin, "ASIN", 1, 1, Unary, float_rule, element_flops, kMath, ulps(2), asin) \
  X(Acos, "ACOS", 1, 1, Unary, float_rule, element_flops, kMath, ulps(2), acos) \
  X(Atan, "ATAN", 1, 1, Unary, float_rule, element_flops, kMath, ulps(2), atan) \
  X(Sinh, "SINH", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), sinh) \
  X(Cosh, "COSH", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), cosh) \
  X(Asinh, "ASINH", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), asinh) \
  X(Acosh, "ACOSH", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), acosh) \
  X(Atanh, "ATANH", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), atanh) \
  X(Tanh, "TANH", 1, 1, Unary, float_rule, element_flops, kMath, ulps(4), tanh) \
  X(Sigmoid, "SIGMOID", 1, 1, Unary, float_rule, element_flops, kMath, ulps(5).or_least(0x1p-126, "results below 2^-126 may be 0"), sigmoid) \
  X(LeakyRelu, "LEAKY_RELU", 1, 1, Unary, float_rule, element_flops, kStep | kAlpha, ulps(1), leaky_relu) \
  X(Elu, "ELU", 1, 1, Unary, float_rule, element_flops, kMath | kAlpha, ulps(5), elu) \
  X(Softplus, "SOFTPLUS", 1, 1, Unary, float_rule, element_flops, kMath, ulps(5), softplus) \
  X(Softsign, "SOFTSIGN", 1, 1, Unary, float_rule, element_flops, kMath, ulps(2), softsign) \
  X(Gelu, "GELU", 1, 1, Unary, float_rule, element_flops, kMath, terms(2), gelu) \
  X(GeluTanh, "GELU_TANH", 1, 1, Unary, float_rule, element_flops, kMath, terms(2), gelu_tanh) \
  X(Silu, "SILU", 1, 1, Unary, float_rule, element_flops, kMath, ulps(5).and_terms(0x1p-103, "below -88 it may be 0"), silu) \
  X(Mish, "MISH", 1, 1, Unary, float_rule, element_flops, kMath, ulps(8).and_terms(0x1p-124, "below -87 an error of |x|·2^-147"), mish) \
  X(HardSigmoid, "HARD_SIGMOID", 1, 1, Unary, float_rule, element_flops, kMath | kAlpha, terms(1).or_least(1.2e-7), hard_sigmoid) \
  X(HardSwish, "HARD_SWISH", 1, 1, Unary, float_rule, element_flops, kMath | kAlpha, ulps(1).and_terms(1), hard_swish) \
  X(Scale, "SCALE", 1, 1, Unary, float_rule, element_flops, kStep | kAffine, ulps(1).and_terms(1), scale)

// One source, element by element; boolean result
#define ARENASCOPE_PREDICATE_OPS(X) \
  X(IsNan, "IS_NAN", 1, 1, Unary, predicate_rule, element_flops, kPointwise, exact, none)

// Matrix multiplications and ops built on them
#define ARENASCOPE_CONTRACTION_OPS(X) \
  X(MulMat, "MUL_MAT", 2, 3, Contraction, mul_mat_rule, mul_mat_flops, 0, terms(16).or_least(0x1p-139), mul_mat) \
  X(Conv, "CONV", 2, 3, Contraction, conv_rule, conv_flops, 0, terms(16).or_least(0x1p-139), conv) \
  X(ConvTranspose, "CONV_TRANSPOSE", 2, 3, Contraction, conv_transpose_rule, conv_transpose_flops, 0, terms(16).or_least(0x1p-139), conv_transpose) \
  X(Attention, "ATTENTION", 3, 4, Contraction, attention_rule, attention_flops, 0, of_largest(16), attention) \
  X(Lstm, "LSTM", 3, 6, Contraction, lstm_rule, lstm_flops, 0, of_largest(16), lstm)

// Sliding windows
#define ARENASCOPE_WINDOW_OPS(X) \
  X(MaxPool, "MAX_POOL", 1, 1, Window, pool_rule, pool_flops, 0, exact, max_pool) \
  X(AvgPool, "AVG_POOL", 1, 1, Window, pool_rule, pool_flops, 0, ulps(1).and_terms(4).or_least(0x1p-139), avg_pool) \
  X(Lrn, "LRN", 1, 1, Window, lrn_rule, lrn_flops, 0, of_largest(16), lrn)

// Normalisations
#define ARENASCOPE_NORM_OPS(X) \
  X(BatchNorm, "BATCH_NORM", 5, 5, Norm, batch_norm_rule, norm_flops, kStep, of_largest(8, "one factor and one shift a channel, which must be finite"), batch_norm) \
  X(Norm, "NORM", 1, 3, Norm, norm_rule, norm_flops, kPointwise, of_largest(16), norm) \
  X(RmsNorm, "RMS_NORM", 1, 2, Norm, norm_rule, norm_flops, kPointwise, of_largest(16), norm) \
  X(GroupNorm, "GROUP_NORM", 1, 3, Norm, group_norm_rule, norm_flops, kPointwise, of_largest(16), group_norm) \
  X(SoftMax, "SOFT_MAX", 1, 2, Norm, soft_max_rule, norm_flops, kPointwise, of_largest(32), soft_max) \
  X(LogSoftMax, "LOG_SOFT_MAX", 1, 1, Norm, soft_max_rule, norm_flops, kPointwise, of_largest(32), log_soft_max)

// Reductions over any set of dimensions
#define ARENASCOPE_REDUCTION_OPS(X) \
  X(ReduceSum, "REDUCE_SUM", 1, 1, Reduction, reduce_rule, source_flops, 0, terms(8), reduce) \
  X(ReduceMean, "REDUCE_MEAN", 1, 1, Reduction, reduce_rule, source_flops, 0, terms(8), reduce) \
  X(ReduceMax, "REDUCE_MAX", 1, 1, Reduction, reduce_rule, source_flops, 0, exact, reduce_extreme) \
  X(ReduceMin, "REDUCE_MIN", 1, 1, Reduction, reduce_rule, source_flops, 0, exact, reduce_extreme) \
  X(ReduceProd, "REDUCE_PROD", 1, 1, Reduction, reduce_rule, source_flops, 0, ulps(64), reduce_prod) \
  X(ReduceL2, "REDUCE_L2", 1, 1, Reduction, reduce_rule, source_flops, 0, ulps(8), reduce_l2)

// Along one axis
#define ARENASCOPE_LINE_OPS(X) \
  X(ArgMax, "ARG_MAX", 1, 1, Line, arg_rule, source_flops, 0, exact, none) \
  X(ArgMin, "ARG_MIN", 1, 1, Line, arg_rule, source_flops, 0, exact, none) \
  X(TopKValues, "TOP_K_VALUES", 1, 1, Line, top_k_rule, source_flops, 0, exact, top_k) \
  X(TopKIndices, "TOP_K_INDICES", 1, 1, Line, top_k_rule, source_flops, 0, exact, none) \
  X(CumSum, "CUM_SUM", 1, 1, Line, same_rule, element_flops, 0, terms(8), cum_sum) \
  X(CumProd, "CUM_PROD", 1, 1, Line, same_rule, element_flops, 0, ulps(64), cum_prod) \
  X(Rope, "ROPE", 1, 2, Line, rope_rule, norm_flops, 0, of_largest(8), rope)

// Ops that belong to no other family. The partition assigns those without a kernel of the backend to the host.
#define ARENASCOPE_HOST_OPS(X) \
  X(BitCast, "BIT_CAST", 1, 1, Host, bit_cast_rule, no_flops, 0, exact, none) \
  X(RoundSmall, "ROUND_SMALL", 1, 1, Host, float_rule, element_flops, kPointwise, exact, none) \
  X(GridSample, "GRID_SAMPLE", 2, 2, Host, grid_sample_rule, element_flops, 0, of_largest(64), none) \
  X(SetRows, "SET_ROWS", 2, -1, Host, set_rows_rule, no_flops, kWrites | kIndices, exact, set_rows) \
  X(MaxPoolBack, "MAX_POOL_BACK", 2, 2, Host, max_pool_back_rule, source_flops, 0, of_largest(8), none) \
  X(GatherBack, "GATHER_BACK", 2, 3, Host, gather_back_rule, source_flops, kIndices, of_largest(8), none) \
  X(OptimizerStep, "OPTIMIZER_STEP", 4, -1, Host, optimizer_step_rule, norm_flops, kWrites, of_largest(16), none) \
  X(Dropout, "DROPOUT", 2, 2, Host, dropout_rule, element_flops, kPointwise, exact, dropout) \
  X(MulMatId, "MUL_MAT_ID", 3, 3, Host, mul_mat_id_rule, mul_mat_flops, kIndices, terms(16).or_least(0x1p-139), none) \
  X(Gru, "GRU", 3, 5, Host, recurrent_rule, lstm_flops, 0, of_largest(16), gru) \
  X(Rnn, "RNN", 3, 5, Host, recurrent_rule, lstm_flops, 0, of_largest(16), rnn)

// OPAQUE: an unsupported operator of a file, so that the graph can still be shown and planned. FUSED: several ops as
// one node.
#define ARENASCOPE_COMPOUND_OPS(X) \
  X(Opaque, "OPAQUE", 0, -1, Opaque, fill_rule, no_flops, 0, exact, none) \
  X(Fused, "FUSED", 1, -1, Fused, fused_rule, fused_flops, 0, exact, none)

#define ARENASCOPE_BINARY_OPS(X) ARENASCOPE_ARITHMETIC_OPS(X) ARENASCOPE_BITWISE_OPS(X)
#define ARENASCOPE_UNARY_OPS(X) \
  ARENASCOPE_NUMBER_OPS(X) ARENASCOPE_INTEGER_OPS(X) ARENASCOPE_FUNCTION_OPS(X) ARENASCOPE_PREDICATE_OPS(X)

#define ARENASCOPE_OPS(X) \
  ARENASCOPE_GIVEN_OPS(X) ARENASCOPE_VIEW_OPS(X) ARENASCOPE_MOVEMENT_OPS(X) ARENASCOPE_BINARY_OPS(X) \
  ARENASCOPE_COMPARISON_OPS(X) ARENASCOPE_CHOICE_OPS(X) ARENASCOPE_UNARY_OPS(X) ARENASCOPE_CONTRACTION_OPS(X) \
  ARENASCOPE_WINDOW_OPS(X) ARENASCOPE_NORM_OPS(X) ARENASCOPE_REDUCTION_OPS(X) ARENASCOPE_LINE_OPS(X) \
  ARENASCOPE_HOST_OPS(X) ARENASCOPE_COMPOUND_OPS(X)
// clang-format on
