// SPDX-License-Identifier: MIT
// A rule: what it finds at a node, and what it makes instead. To add one: a function in one of the rules' files and a
// line in the table of rules.cpp.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/transform/graph_copier.h"
#include "engine/transform/rules/look.h"

namespace arenascope::rewriting {

// Makes the nodes that take the place of one, over the twins of what they read. The first error is kept; what follows
// it are undefined tensors.
class Maker {
 public:
  Maker(GraphCopier& copier, const TensorImpl& root) : copier_(copier), root_(root) {}

  Tensor twin(const TensorImpl& tensor) const { return copier_.twin(tensor); }
  // Named as the root, with what tells it apart from other nodes behind that.
  Tensor op(Op op, std::span<const Tensor> sources, const OpParams& params = {}, const char* suffix = "");
  Tensor op(Op o, std::initializer_list<Tensor> sources, const char* suffix = "") {
    return op(o, std::span<const Tensor>(sources.begin(), sources.size()), {}, suffix);
  }
  template <class P>
  Tensor op_with(Op o, std::initializer_list<Tensor> sources, const P& params, const char* suffix = "") {
    OpParams bytes;
    bytes.set(params);
    return op(o, std::span<const Tensor>(sources.begin(), sources.size()), bytes, suffix);
  }
  // Itself where it has these sizes; what does not lie contiguously is copied first.
  Tensor reshape(const Tensor& x, const Dims& sizes, const char* suffix = "");
  Tensor permute(const Tensor& x, std::span<const int> axes, const char* suffix = "");
  Tensor contiguous(const Tensor& x, const char* suffix = "");

  const Status& status() const { return status_; }
  const std::vector<Tensor>& made() const { return made_; }

 private:
  GraphCopier& copier_;
  const TensorImpl& root_;
  Status status_;
  std::vector<Tensor> made_;
};

// What a rule found: the root's value, made of these tensors in another way. Everything between them and the root goes
// where nothing else reads it. The value has the root's type and sizes.
struct Found {
  std::vector<const TensorImpl*> reads;
  std::function<Tensor(Maker&)> make;
};

using Finder = std::optional<Found> (*)(const Look& look, const TensorImpl& root);

// Rules of one stage are tried until none finds anything, then those of the next.
enum class Stage : uint8_t { Patterns, Numbers, Weights, Movement };
inline constexpr Stage kStages[] = {Stage::Patterns, Stage::Numbers, Stage::Weights, Stage::Movement};

struct Rule {
  RewriteRule info;
  Stage stage;
  Finder find;
};

std::span<const Rule> rules();
// Of what a branch over weights alone becomes, which is no rule of a single node.
const RewriteRule& constant_rule();

// rule_activations.cpp
std::optional<Found> find_gelu(const Look& look, const TensorImpl& root);
std::optional<Found> find_gelu_tanh(const Look& look, const TensorImpl& root);
std::optional<Found> find_silu(const Look& look, const TensorImpl& root);
std::optional<Found> find_mish(const Look& look, const TensorImpl& root);
std::optional<Found> find_softplus(const Look& look, const TensorImpl& root);
std::optional<Found> find_hard_swish(const Look& look, const TensorImpl& root);
std::optional<Found> find_hard_sigmoid(const Look& look, const TensorImpl& root);
// rule_norms.cpp
std::optional<Found> find_layer_norm(const Look& look, const TensorImpl& root);
std::optional<Found> find_rms_norm(const Look& look, const TensorImpl& root);
std::optional<Found> find_norm_bias(const Look& look, const TensorImpl& root);
std::optional<Found> find_soft_max(const Look& look, const TensorImpl& root);
std::optional<Found> find_log_soft_max(const Look& look, const TensorImpl& root);
// rule_attention.cpp
std::optional<Found> find_attention(const Look& look, const TensorImpl& root);
std::optional<Found> find_rotary(const Look& look, const TensorImpl& root);
// rule_one_hot.cpp
std::optional<Found> find_one_hot(const Look& look, const TensorImpl& root);
std::optional<Found> find_gathered_last(const Look& look, const TensorImpl& root);
// rule_bytes.cpp
std::optional<Found> find_bytes(const Look& look, const TensorImpl& root);
// rule_numbers.cpp
std::optional<Found> find_affine(const Look& look, const TensorImpl& root);
std::optional<Found> find_power(const Look& look, const TensorImpl& root);
std::optional<Found> find_limits(const Look& look, const TensorImpl& root);
// rule_weights.cpp
std::optional<Found> find_folded_norm(const Look& look, const TensorImpl& root);
std::optional<Found> find_folded_factor(const Look& look, const TensorImpl& root);
std::optional<Found> find_parted_join(const Look& look, const TensorImpl& root);
// rule_movement.cpp
std::optional<Found> find_moved(const Look& look, const TensorImpl& root);
std::optional<Found> find_broadcast(const Look& look, const TensorImpl& root);
std::optional<Found> find_nothing_done(const Look& look, const TensorImpl& root);
std::optional<Found> find_turned_later(const Look& look, const TensorImpl& root);
std::optional<Found> find_soft_max_turned_later(const Look& look, const TensorImpl& root);
std::optional<Found> find_reshaped_later(const Look& look, const TensorImpl& root);
std::optional<Found> find_joined_slices(const Look& look, const TensorImpl& root);
std::optional<Found> find_same(const Look& look, const TensorImpl& root);

}  // namespace arenascope::rewriting
