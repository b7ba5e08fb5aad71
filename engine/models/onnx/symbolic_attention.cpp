// SPDX-License-Identifier: MIT
// Symbolic shapes of attention and its neighbours: T keys are those of the past and of this run.
#include "engine/models/onnx/symbolic_call.h"

#include <algorithm>

namespace arenascope::models::symbolic {
namespace {

// The masks of an attention node: [.., T] or [.., S, T] for S queries and T keys.
void require_mask(SymbolicCall& c, size_t i, const SymbolicSize& queries, const SymbolicSize& keys) {
  const SymbolicSizes* mask = c.shape(i);
  if (!mask || mask->size() < 2) return;
  if (!is_number(mask->back(), 1)) c.require(mask->back(), keys);
  const SymbolicSize& rows = (*mask)[mask->size() - 2];
  if (mask->size() > 2 && !is_number(rows, 1)) c.require(rows, queries);
}

// Keys of the past and of this run, [.., T, ..] along `along`, as result i.
SymbolicSize joined_keys(SymbolicCall& c, size_t past, size_t along, const SymbolicSize& own,
                         std::initializer_list<size_t> results) {
  if (!c.has(past)) return own;
  const SymbolicSizes* x = c.shape(past);
  SymbolicSize total;
  if (x && x->size() > along && (*x)[along] && own) total = (*x)[along]->plus(*own);
  for (const size_t result : results) {
    if (!x || x->size() <= along) continue;
    SymbolicSizes y = *x;
    y[along] = total;
    c.out(result, shaped(std::move(y)));
  }
  return total;
}

void skip_norm(SymbolicCall& c) {
  const SymbolicSizes *x = c.shape(0), *skip = c.shape(1);
  if (!x) return;
  for (size_t i = 0; skip && skip->size() == x->size() && i < x->size(); ++i) c.require((*x)[i], (*skip)[i]);
  c.out(0, shaped(*x)), c.out(3, shaped(*x));
}

void embed_norm(SymbolicCall& c) {
  const SymbolicSizes *ids = c.shape(0), *vocabulary = c.shape(2), *positions = c.shape(8);
  if (!ids) return;
  for (size_t i = 0; positions && positions->size() == ids->size() && i < ids->size(); ++i)
    if (!is_number((*positions)[i], 1)) c.require((*ids)[i], (*positions)[i]);
  SymbolicSizes y = *ids;
  y.push_back(vocabulary && vocabulary->size() == 2 ? (*vocabulary)[1] : std::nullopt);
  c.out(0, shaped(y)), c.out(2, shaped(std::move(y)));
}

void attention(SymbolicCall& c) {
  const SymbolicSizes *x = c.shape(0), *weight = c.shape(1);
  if (!x || x->size() != 3) return;
  const SymbolicSize total = joined_keys(c, 4, 3, (*x)[1], {1});
  require_mask(c, 3, (*x)[1], total);
  require_mask(c, 5, (*x)[1], total);
  SymbolicSizes y = *x;
  const ir::Attribute* sizes = c.attribute("qkv_hidden_sizes");
  const bool even = weight && weight->size() == 2 && (*weight)[1] && (*weight)[1]->is_number();
  y[2] = sizes && sizes->ints.size() == 3 ? number(sizes->ints[2])
         : even                           ? number((*weight)[1]->constant / 3)
                                          : std::nullopt;
  c.out(0, shaped(std::move(y)));
}

void multi_head_attention(SymbolicCall& c) {
  const SymbolicSizes *q = c.shape(0), *k = c.shape(1), *v = c.shape(2);
  if (!q || q->size() != 3) return;
  const SymbolicSize own = k && k->size() >= 3 ? (*k)[k->size() == 4 ? 2 : 1] : std::nullopt;
  const SymbolicSize total = joined_keys(c, 6, 2, own, {1, 2});
  require_mask(c, 4, (*q)[1], total);
  require_mask(c, 5, (*q)[1], total);
  SymbolicSizes y = *q;
  y[2] = v && v->size() == 3 ? (*v)[2] : std::nullopt;
  c.out(0, shaped(std::move(y)));
}

void group_query_attention(SymbolicCall& c) {
  const SymbolicSizes *q = c.shape(0), *n = c.numbers(6);
  if (!q || q->size() != 3) return;
  const SymbolicSize total = joined_keys(c, 3, 2, (*q)[1], {1, 2});
  if (n && n->size() == 1) c.require((*n)[0], total);
  SymbolicSizes y = *q;
  if (!c.has(1)) y[2] = std::nullopt;
  c.out(0, shaped(std::move(y)));
}

// ONNX's own, from opset 23.
void standard_attention(SymbolicCall& c) {
  if (!c.node().domain.empty()) return attention(c);
  const SymbolicSizes *q = c.shape(0), *k = c.shape(1), *v = c.shape(2);
  if (!q || !k || q->size() < 3 || k->size() < 3) return;
  const SymbolicSize total = joined_keys(c, 4, 2, (*k)[k->size() - 2], {1});
  joined_keys(c, 5, 2, (*k)[k->size() - 2], {2});
  require_mask(c, 3, (*q)[q->size() - 2], total);
  SymbolicSizes y = *q;
  y.back() = v && q->size() == 4 && v->size() == 4 ? v->back() : std::nullopt;
  c.out(0, shaped(std::move(y)));
}

constexpr Rule kAttentionRules[] = {
    {"Attention", standard_attention},
    {"EmbedLayerNormalization", embed_norm},
    {"GroupQueryAttention", group_query_attention},
    {"MultiHeadAttention", multi_head_attention},
    {"SkipLayerNormalization", skip_norm},
    {"SkipSimplifiedLayerNormalization", skip_norm},
};

}  // namespace

std::span<const Rule> attention_rules() { return kAttentionRules; }

}  // namespace arenascope::models::symbolic
