// SPDX-License-Identifier: MIT
// All rules, in one list.
#include "engine/transform/rules/rule.h"

namespace arenascope {
namespace rewriting {
namespace {

constexpr const char* kExact = "to the bit";
constexpr const char* kRounding = "a few units in the last place of the largest number";

constexpr Rule kRules[] = {
    {{"gelu", "x/2·(1 + erf(x/√2)), in any order of its factors", kRounding}, Stage::Patterns, find_gelu},
    {{"gelu by tanh", "x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", kRounding}, Stage::Patterns, find_gelu_tanh},
    {{"silu", "x·sigmoid(x)", kRounding}, Stage::Patterns, find_silu},
    {{"mish", "x·tanh(softplus(x))", kRounding}, Stage::Patterns, find_mish},
    {{"softplus", "log(1 + exp(x))", kRounding}, Stage::Patterns, find_softplus},
    {{"hard swish", "x·clamp(x/6 + 1/2, 0, 1)", kRounding}, Stage::Patterns, find_hard_swish},
    {{"hard sigmoid", "clamp(a·x + b, 0, 1)", kRounding}, Stage::Patterns, find_hard_sigmoid},
    {{"layer norm", "(x - mean)/√(variance + ε), with gain and bias", kRounding}, Stage::Patterns, find_layer_norm},
    {{"rms norm", "x/√(mean of squares + ε), with gain", kRounding}, Stage::Patterns, find_rms_norm},
    {{"layer norm", "a bias behind it", kRounding}, Stage::Patterns, find_norm_bias},
    {{"softmax", "exp(x - max)/Σ exp(x - max)", kRounding}, Stage::Patterns, find_soft_max},
    {{"log softmax", "x - max - log Σ exp(x - max)", kRounding}, Stage::Patterns, find_log_soft_max},
    {{"attention", "softmax(scale·q·kᵀ + mask)·v", kRounding}, Stage::Patterns, find_attention},
    {{"rotary positions", "x·cos + (-x2, x1)·sin with tables of angles", "2e-5 of the largest number"},
     Stage::Patterns,
     find_rotary},
    {{"bytes", "a product or convolution of what was opened from 8 bits, of the bytes", "its sums become exact"},
     Stage::Patterns,
     find_bytes},
    {{"gather", "a product with ones and zeros picks rows", kExact}, Stage::Patterns, find_one_hot},
    {{"made twice", "the same op over the same sources", kExact}, Stage::Patterns, find_same},
    {{"numbers", "what is added and multiplied one after the other, as one SCALE", kRounding},
     Stage::Numbers,
     find_affine},
    {{"square", "POW with 2, as a product, or with -1", kRounding}, Stage::Numbers, find_power},
    {{"limits", "MAX and MIN with numbers, as one CLAMP", kExact}, Stage::Numbers, find_limits},
    {{"rows before they are picked", "f of rows that a GATHER picks, of each row once", kExact},
     Stage::Numbers,
     find_gathered_last},
    {{"batch norm in weights", "a convolution's weights and bias times a batch norm's factors", kRounding},
     Stage::Weights,
     find_folded_norm},
    {{"factors in weights", "what multiplies a convolution's channels or is added to them", kRounding},
     Stage::Weights,
     find_folded_factor},
    {{"join in weights", "a convolution of two large images that are joined, as one of each", kRounding},
     Stage::Movement,
     find_parted_join},
    {{"nothing done", "casts to the same type, copies of what lies right, reshapes to the same sizes", kExact},
     Stage::Movement,
     find_nothing_done},
    {{"joined slices", "slices of a tensor that are joined again side by side, as the tensor", kExact},
     Stage::Movement,
     find_joined_slices},
    {{"broadcast", "what broadcasts by itself is not expanded", kExact}, Stage::Movement, find_broadcast},
    {{"turns", "transposes that cancel out, or are one", kExact}, Stage::Movement, find_moved},
    {{"reshaped later", "a reshape goes behind what works element by element", kExact},
     Stage::Movement,
     find_reshaped_later},
    {{"turned later", "a transpose goes behind a softmax", kRounding}, Stage::Movement, find_soft_max_turned_later},
    {{"turned later", "a transpose goes behind what works element by element", kExact},
     Stage::Movement,
     find_turned_later},
};

constexpr RewriteRule kConstants{"constants", "branches over weights alone, computed when these are loaded", kExact};

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
