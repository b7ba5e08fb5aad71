// SPDX-License-Identifier: MIT
// A rewrite rule: a pattern matched at a node and its replacement. To add one, write a function in one of the
// rule_*.cpp files and add a row to the table in rules.cpp.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/transform/graph_copier.h"
#include "engine/transform/rules/pattern_matcher.h"

namespace arenascope::rewriting {

// Creates the nodes that replace a matched one, over the mapped inputs. The first error is kept; after it all results
// are undefined tensors.
class ReplacementBuilder {
 public:
  ReplacementBuilder(GraphCopier& copier, const TensorImpl& root) : copier_(copier), root_(root) {}

  Tensor mapped(const TensorImpl& tensor) const { return copier_.mapped(tensor); }
  // Named like the root plus `suffix`, which distinguishes it from the other new nodes.
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
  // Returns `x` if it has these sizes; a non-contiguous tensor is copied first.
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

// A match: the root's value computed from `reads` in another way. Nodes between them and the root vanish if nothing
// else reads them. The new value has the root's type and sizes.
struct Replacement {
  std::vector<const TensorImpl*> reads;
  std::function<Tensor(ReplacementBuilder&)> make;
};

using Finder = std::optional<Replacement> (*)(const PatternMatcher& matcher, const TensorImpl& root);

// The rules of a stage are applied until none matches, then those of the next stage.
enum class Stage : uint8_t { Patterns, Numbers, Weights, Movement };
inline constexpr Stage kStages[] = {Stage::Patterns, Stage::Numbers, Stage::Weights, Stage::Movement};

struct Rule {
  RewriteRule info;
  Stage stage;
  Finder find;
};

std::span<const Rule> rules();
// Listed for branches over weights alone; it is not a rule for a single node.
const RewriteRule& constant_rule();

// rule_activations.cpp
std::optional<Replacement> find_gelu(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_gelu_tanh(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_silu(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_mish(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_softplus(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_hard_swish(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_hard_sigmoid(const PatternMatcher& matcher, const TensorImpl& root);
// rule_norms.cpp
std::optional<Replacement> find_layer_norm(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_rms_norm(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_norm_bias(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_soft_max(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_log_soft_max(const PatternMatcher& matcher, const TensorImpl& root);
// rule_attention.cpp
std::optional<Replacement> find_attention(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_rotary(const PatternMatcher& matcher, const TensorImpl& root);
// rule_one_hot.cpp
std::optional<Replacement> find_one_hot(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_sinkable_gather(const PatternMatcher& matcher, const TensorImpl& root);
// rule_int8.cpp
std::optional<Replacement> find_int8_matmul(const PatternMatcher& matcher, const TensorImpl& root);
// rule_arithmetic.cpp
std::optional<Replacement> find_affine(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_power(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_clamp(const PatternMatcher& matcher, const TensorImpl& root);
// rule_weights.cpp
std::optional<Replacement> find_foldable_batch_norm(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_foldable_scale(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_splittable_concat(const PatternMatcher& matcher, const TensorImpl& root);
// rule_movement.cpp
std::optional<Replacement> find_transpose_chain(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_broadcast(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_identity(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_sinkable_transpose(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_soft_max_transpose(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_sinkable_reshape(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_joined_slices(const PatternMatcher& matcher, const TensorImpl& root);
std::optional<Replacement> find_common_subexpression(const PatternMatcher& matcher, const TensorImpl& root);

}  // namespace arenascope::rewriting
