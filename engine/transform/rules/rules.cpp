// SPDX-License-Identifier: MIT
// The table of all rewrite rules.
#include "engine/transform/rules/rule.h"

namespace arenascope {
namespace rewriting {
namespace {

constexpr const char* kExact = "bit-exact";
constexpr const char* kRounding = "a few ulp of the largest element";

constexpr Rule kRules[] = {
    {{"gelu", "x/2·(1 + erf(x/√2)), in any order of its factors", kRounding}, Stage::Patterns, find_gelu},
    {{"gelu (tanh)", "x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", kRounding}, Stage::Patterns, find_gelu_tanh},
    {{"silu", "x·sigmoid(x)", kRounding}, Stage::Patterns, find_silu},
    {{"mish", "x·tanh(softplus(x))", kRounding}, Stage::Patterns, find_mish},
    {{"softplus", "log(1 + exp(x))", kRounding}, Stage::Patterns, find_softplus},
    {{"hard swish", "x·clamp(x/6 + 1/2, 0, 1)", kRounding}, Stage::Patterns, find_hard_swish},
    {{"hard sigmoid", "clamp(a·x + b, 0, 1)", kRounding}, Stage::Patterns, find_hard_sigmoid},
    {{"layer norm", "(x - mean)/√(variance + ε), with gain and bias", kRounding}, Stage::Patterns, find_layer_norm},
    {{"rms norm", "x/√(mean of squares + ε), with gain", kRounding}, Stage::Patterns, find_rms_norm},
    {{"layer norm", "a bias added after the normalisation", kRounding}, Stage::Patterns, find_norm_bias},
    {{"softmax", "exp(x - max)/Σ exp(x - max)", kRounding}, Stage::Patterns, find_soft_max},
    {{"log softmax", "x - max - log Σ exp(x - max)", kRounding}, Stage::Patterns, find_log_soft_max},
    {{"attention", "softmax(scale·q·kᵀ + mask)·v", kRounding}, Stage::Patterns, find_attention},
    {{"rotary embedding", "x·cos + (-x2, x1)·sin with tables of angles", "2e-5 of the largest element"},
     Stage::Patterns,
     find_rotary},
    {{"int8 matmul", "matmul or convolution of dequantised int8 values, computed on the bytes", "sums become exact"},
     Stage::Patterns,
     find_int8_matmul},
    {{"gather", "matmul with a one-hot matrix, as GATHER", kExact}, Stage::Patterns, find_one_hot},
    {{"common subexpression", "the same op over the same inputs", kExact}, Stage::Patterns, find_common_subexpression},
    {{"scale chain", "ADD, SUB, MUL and DIV with scalars, as one SCALE", kRounding}, Stage::Numbers, find_affine},
    {{"power", "POW with exponent 2 as MUL, with -1 as RECIPROCAL", kRounding}, Stage::Numbers, find_power},
    {{"clamp", "MAX and MIN with scalars, as one CLAMP", kExact}, Stage::Numbers, find_clamp},
    {{"sink gather", "f(GATHER(table)) as GATHER(f(table))", kExact}, Stage::Numbers, find_sinkable_gather},
    {{"fold batch norm", "a batch norm, folded into a convolution's weights and bias", kRounding},
     Stage::Weights,
     find_foldable_batch_norm},
    {{"fold scale and bias", "per-channel factors and offsets, folded into a convolution", kRounding},
     Stage::Weights,
     find_foldable_scale},
    {{"split concat", "convolution of two concatenated large images, as the sum of two", kRounding},
     Stage::Movement,
     find_splittable_concat},
    {{"identity", "casts to the same type, copies of contiguous tensors, reshapes to the same sizes", kExact},
     Stage::Movement,
     find_identity},
    {{"concat of slices", "concatenation of all slices of a tensor, as the tensor", kExact},
     Stage::Movement,
     find_joined_slices},
    {{"broadcast", "EXPAND before an op that broadcasts is dropped", kExact}, Stage::Movement, find_broadcast},
    {{"transpose chain", "transposes that cancel out or combine into one", kExact},
     Stage::Movement,
     find_transpose_chain},
    {{"sink reshape", "a reshape moves after a pointwise op", kExact}, Stage::Movement, find_sinkable_reshape},
    {{"sink transpose", "a transpose moves after a softmax", kRounding}, Stage::Movement, find_soft_max_transpose},
    {{"sink transpose", "a transpose moves after a pointwise op", kExact}, Stage::Movement, find_sinkable_transpose},
};

constexpr RewriteRule kConstants{"constant folding",
                                 "branches over weights alone, computed when the weights are loaded", kExact};

}  // namespace

std::span<const Rule> rules() { return kRules; }
const RewriteRule& constant_rule() { return kConstants; }

}  // namespace rewriting

std::span<const RewriteRule> rewrite_rules() {
  static const std::vector<RewriteRule> all = [] {
    std::vector<RewriteRule> out;
    for (const rewriting::Rule& rule : rewriting::rules()) out.push_back(rule.info);
    out.push_back(rewriting::constant_rule());
    return out;
  }();
  return all;
}

}  // namespace arenascope
