// SPDX-License-Identifier: MIT
// Every op, one line each: enumerator, name, least and most sources, shape rule, flops rule, traits.
// To add one: a line here, its rule (engine/graph/ops_*.cpp, if none of these fits), a kernel in a backend.
// Rules are declared in op_rules.h; parameters in op_params.h.
//
// Traits: kView      computes nothing, shares its first source's bytes
//         kPointwise out[i] depends on the sources' i-th elements only, so it may be computed in place
#pragma once

// clang-format off
#define ARENASCOPE_OPS(X)                                                                  \
  X(None,          "NONE",            0,  0, no_rule,          no_flops,       0)          \
  /* views */                                                                              \
  X(Reshape,       "RESHAPE",         1,  1, reshape_rule,     no_flops,       kView)      \
  X(View,          "VIEW",            1,  1, view_rule,        no_flops,       kView)      \
  X(Permute,       "PERMUTE",         1,  1, permute_rule,     no_flops,       kView)      \
  X(Transpose,     "TRANSPOSE",       1,  1, transpose_rule,   no_flops,       kView)      \
  X(Expand,        "EXPAND",          1,  1, expand_rule,      no_flops,       kView)      \
  /* movement */                                                                           \
  X(Cont,          "CONT",            1,  1, same_rule,        no_flops,       0)          \
  X(Cast,          "CAST",            1,  1, cast_rule,        no_flops,       0)          \
  X(Concat,        "CONCAT",          1, -1, concat_rule,      no_flops,       0)          \
  X(Pad,           "PAD",             1,  1, pad_rule,         no_flops,       0)          \
  X(Gather,        "GATHER",          2,  2, gather_rule,      no_flops,       0)          \
  X(GatherElements,"GATHER_ELEMENTS", 2,  2, gather_elements_rule, no_flops,   0)          \
  X(Fill,          "FILL",            0,  0, fill_rule,        no_flops,       0)          \
  X(Arange,        "ARANGE",          0,  0, fill_rule,        element_flops,  0)          \
  X(Resize,        "RESIZE",          1,  1, resize_rule,      element_flops,  0)          \
  X(DepthToSpace,  "DEPTH_TO_SPACE",  1,  1, depth_to_space_rule, no_flops,    0)          \
  X(Tril,          "TRIL",            1,  1, same_rule,        no_flops,       kPointwise) \
  X(Copy,          "COPY",            1,  1, same_rule,        no_flops,       0)          \
  /* two sources, broadcast */                                                             \
  X(Add,           "ADD",             2,  2, binary_rule,      element_flops,  kPointwise) \
  X(Sub,           "SUB",             2,  2, binary_rule,      element_flops,  kPointwise) \
  X(Mul,           "MUL",             2,  2, binary_rule,      element_flops,  kPointwise) \
  X(Div,           "DIV",             2,  2, binary_rule,      element_flops,  kPointwise) \
  X(Pow,           "POW",             2,  2, pow_rule,         element_flops,  kPointwise) \
  X(Min,           "MIN",             2,  2, binary_rule,      element_flops,  kPointwise) \
  X(Max,           "MAX",             2,  2, binary_rule,      element_flops,  kPointwise) \
  X(Mod,           "MOD",             2,  2, binary_rule,      element_flops,  kPointwise) \
  X(Equal,         "EQUAL",           2,  2, compare_rule,     element_flops,  kPointwise) \
  X(Less,          "LESS",            2,  2, compare_rule,     element_flops,  kPointwise) \
  X(LessEqual,     "LESS_EQUAL",      2,  2, compare_rule,     element_flops,  kPointwise) \
  X(Greater,       "GREATER",         2,  2, compare_rule,     element_flops,  kPointwise) \
  X(GreaterEqual,  "GREATER_EQUAL",   2,  2, compare_rule,     element_flops,  kPointwise) \
  X(And,           "AND",             2,  2, compare_rule,     element_flops,  kPointwise) \
  X(Or,            "OR",              2,  2, compare_rule,     element_flops,  kPointwise) \
  X(Xor,           "XOR",             2,  2, compare_rule,     element_flops,  kPointwise) \
  X(Where,         "WHERE",           3,  3, where_rule,       element_flops,  kPointwise) \
  /* one source, element by element */                                                     \
  X(Neg,           "NEG",             1,  1, same_rule,        element_flops,  kPointwise) \
  X(Abs,           "ABS",             1,  1, same_rule,        element_flops,  kPointwise) \
  X(Sign,          "SIGN",            1,  1, same_rule,        element_flops,  kPointwise) \
  X(Floor,         "FLOOR",           1,  1, same_rule,        element_flops,  kPointwise) \
  X(Ceil,          "CEIL",            1,  1, same_rule,        element_flops,  kPointwise) \
  X(Round,         "ROUND",           1,  1, same_rule,        element_flops,  kPointwise) \
  X(Sqrt,          "SQRT",            1,  1, float_rule,       element_flops,  kPointwise) \
  X(Reciprocal,    "RECIPROCAL",      1,  1, float_rule,       element_flops,  kPointwise) \
  X(Exp,           "EXP",             1,  1, float_rule,       element_flops,  kPointwise) \
  X(Log,           "LOG",             1,  1, float_rule,       element_flops,  kPointwise) \
  X(Erf,           "ERF",             1,  1, float_rule,       element_flops,  kPointwise) \
  X(Sin,           "SIN",             1,  1, float_rule,       element_flops,  kPointwise) \
  X(Cos,           "COS",             1,  1, float_rule,       element_flops,  kPointwise) \
  X(Tanh,          "TANH",            1,  1, float_rule,       element_flops,  kPointwise) \
  X(Sigmoid,       "SIGMOID",         1,  1, float_rule,       element_flops,  kPointwise) \
  X(Relu,          "RELU",            1,  1, same_rule,        element_flops,  kPointwise) \
  X(LeakyRelu,     "LEAKY_RELU",      1,  1, float_rule,       element_flops,  kPointwise) \
  X(Elu,           "ELU",             1,  1, float_rule,       element_flops,  kPointwise) \
  X(Softplus,      "SOFTPLUS",        1,  1, float_rule,       element_flops,  kPointwise) \
  X(Softsign,      "SOFTSIGN",        1,  1, float_rule,       element_flops,  kPointwise) \
  X(Gelu,          "GELU",            1,  1, float_rule,       element_flops,  kPointwise) \
  X(GeluTanh,      "GELU_TANH",       1,  1, float_rule,       element_flops,  kPointwise) \
  X(Silu,          "SILU",            1,  1, float_rule,       element_flops,  kPointwise) \
  X(Mish,          "MISH",            1,  1, float_rule,       element_flops,  kPointwise) \
  X(HardSigmoid,   "HARD_SIGMOID",    1,  1, float_rule,       element_flops,  kPointwise) \
  X(HardSwish,     "HARD_SWISH",      1,  1, float_rule,       element_flops,  kPointwise) \
  X(Clamp,         "CLAMP",           1,  1, same_rule,        element_flops,  kPointwise) \
  X(Scale,         "SCALE",           1,  1, float_rule,       element_flops,  kPointwise) \
  X(Not,           "NOT",             1,  1, same_rule,        element_flops,  kPointwise) \
  X(IsNan,         "IS_NAN",          1,  1, predicate_rule,   element_flops,  kPointwise) \
  /* products */                                                                           \
  X(MulMat,        "MUL_MAT",         2,  3, mul_mat_rule,     mul_mat_flops,  0)          \
  X(Conv,          "CONV",            2,  3, conv_rule,        conv_flops,     0)          \
  X(ConvTranspose, "CONV_TRANSPOSE",  2,  3, conv_transpose_rule, conv_transpose_flops, 0) \
  X(Attention,     "ATTENTION",       3,  4, attention_rule,   attention_flops, 0)         \
  X(Lstm,          "LSTM",            3,  6, lstm_rule,        lstm_flops,     0)          \
  /* windows */                                                                            \
  X(MaxPool,       "MAX_POOL",        1,  1, pool_rule,        pool_flops,     0)          \
  X(AvgPool,       "AVG_POOL",        1,  1, pool_rule,        pool_flops,     0)          \
  X(Lrn,           "LRN",             1,  1, lrn_rule,         lrn_flops,      0)          \
  /* normalisations and reductions */                                                      \
  X(BatchNorm,     "BATCH_NORM",      5,  5, batch_norm_rule,  norm_flops,     kPointwise) \
  X(Norm,          "NORM",            1,  3, norm_rule,        norm_flops,     kPointwise) \
  X(RmsNorm,       "RMS_NORM",        1,  2, norm_rule,        norm_flops,     kPointwise) \
  X(GroupNorm,     "GROUP_NORM",      1,  3, group_norm_rule,  norm_flops,     kPointwise) \
  X(SoftMax,       "SOFT_MAX",        1,  2, soft_max_rule,    norm_flops,     kPointwise) \
  X(LogSoftMax,    "LOG_SOFT_MAX",    1,  1, soft_max_rule,    norm_flops,     kPointwise) \
  X(ReduceSum,     "REDUCE_SUM",      1,  1, reduce_rule,      source_flops,   0)          \
  X(ReduceMean,    "REDUCE_MEAN",     1,  1, reduce_rule,      source_flops,   0)          \
  X(ReduceMax,     "REDUCE_MAX",      1,  1, reduce_rule,      source_flops,   0)          \
  X(ReduceMin,     "REDUCE_MIN",      1,  1, reduce_rule,      source_flops,   0)          \
  X(ReduceProd,    "REDUCE_PROD",     1,  1, reduce_rule,      source_flops,   0)          \
  X(ReduceL2,      "REDUCE_L2",       1,  1, reduce_rule,      source_flops,   0)          \
  X(ArgMax,        "ARG_MAX",         1,  1, arg_rule,         source_flops,   0)          \
  X(ArgMin,        "ARG_MIN",         1,  1, arg_rule,         source_flops,   0)          \
  X(TopKValues,    "TOP_K_VALUES",    1,  1, top_k_rule,       source_flops,   0)          \
  X(TopKIndices,   "TOP_K_INDICES",   1,  1, top_k_rule,       source_flops,   0)          \
  X(CumSum,        "CUM_SUM",         1,  1, same_rule,        element_flops,  0)          \
  X(Rope,          "ROPE",            1,  2, rope_rule,        norm_flops,     0)          \
  /* stands for an operator of a file that nothing can compute, so that the rest can be seen and planned */ \
  X(Opaque,        "OPAQUE",          0, -1, fill_rule,        no_flops,       0)          \
  /* several ops as one node: fused.h */                                                    \
  X(Fused,         "FUSED",           1, -1, fused_rule,       fused_flops,    0)
// clang-format on
