// SPDX-License-Identifier: MIT
// What each op's backward rule is given and gives. Private to this room.
#pragma once
#include <arenascope/graph/builder.h>
#include <arenascope/graph/op_params.h>

namespace arenascope::autodiff {

class Backward {
 public:
  Backward(GraphBuilder& builder, Tensor node, Tensor gradient, std::span<const bool> wants)
      : g(builder), y(std::move(node)), dy(std::move(gradient)), wants_(wants), shares_(wants.size()) {}

  GraphBuilder& g;
  const Tensor y;   // the node
  const Tensor dy;  // the loss's gradient with respect to it, of its shape

  Tensor source(size_t i) const { return Tensor(y->sources[i]); }
  size_t source_count() const { return y->sources.size(); }
  bool wants(size_t i) const { return i < wants_.size() && wants_[i]; }
  // The share of source i. One that is broadcast in the node is summed over what it was repeated for.
  void give(size_t i, const Tensor& share) { shares_[i] = folded(share, source(i).sizes()); }
  const std::vector<Tensor>& shares() const { return shares_; }
  void refuse(std::string_view why);

  // Shorthand; all of them pass undefined tensors on, as the builder does.
  Tensor op(Op o, std::initializer_list<Tensor> sources) const { return g.op(o, sources); }
  Tensor add(const Tensor& a, const Tensor& b) const { return g.op(Op::Add, {a, b}); }
  Tensor sub(const Tensor& a, const Tensor& b) const { return g.op(Op::Sub, {a, b}); }
  Tensor mul(const Tensor& a, const Tensor& b) const { return g.op(Op::Mul, {a, b}); }
  Tensor scale(const Tensor& x, double factor, double bias = 0) const {
    return g.scale(x, static_cast<float>(factor), static_cast<float>(bias));
  }
  Tensor constant(double number) const { return g.op_with(Op::Fill, {}, FillParams{{}, DType::F32, number, 0}); }
  // 1 where the comparison holds, else 0.
  Tensor truth(Op comparison, const Tensor& left, const Tensor& right) const {
    return g.op_with(Op::Cast, {g.op(comparison, {left, right})}, CastParams{DType::F32});
  }
  // With `axis` as the last dimension, and back.
  Tensor axis_last(const Tensor& x, int axis) const;
  Tensor axis_back(const Tensor& x, int axis) const;
  // Along `axis`, of which i-th numbers come from places[i] of `size`: each place gets the sum of what came from it.
  Tensor to_places(const Tensor& share, int axis, const Tensor& places, int64_t size) const;
  // The same where each element tells its own place; `places` has the share's shape.
  Tensor to_own_places(const Tensor& share, int axis, const Tensor& places, int64_t size) const;
  // Sum over the dimensions from `axis` on, kept with size 1.
  Tensor sum_from(const Tensor& x, int axis, Op op = Op::ReduceSum) const;
  Tensor sum_along(const Tensor& x, int axis) const;
  // `x` summed down to a shape that broadcasts to its own.
  Tensor folded(const Tensor& x, const Dims& sizes) const;

 private:
  std::span<const bool> wants_;
  std::vector<Tensor> shares_;
};

using Rule = void (*)(Backward&);

// The gradients that op_list.h names, each in the autodiff_*.cpp of its family; none() refuses.
#define X(id, name, least, most, family, shape, cost, traits, bound, gradient) void gradient(Backward& b);
ARENASCOPE_OPS(X)
#undef X

}  // namespace arenascope::autodiff
