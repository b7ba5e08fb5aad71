// SPDX-License-Identifier: MIT
// The interface of the backward rules of the ops. Private to this module.
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
  const Tensor dy;  // gradient of the loss with respect to y, with the shape of y

  Tensor source(size_t i) const { return Tensor(y->sources[i]); }
  size_t source_count() const { return y->sources.size(); }
  bool wants(size_t i) const { return i < wants_.size() && wants_[i]; }
  // Sets the gradient of input i. If the input was broadcast, the gradient is summed over the broadcast dimensions.
  void give(size_t i, const Tensor& share) { shares_[i] = folded(share, source(i).sizes()); }
  const std::vector<Tensor>& shares() const { return shares_; }
  void refuse(std::string_view why);

  // Shorthand; like the builder, all propagate undefined tensors.
  Tensor op(Op o, std::initializer_list<Tensor> sources) const { return g.op(o, sources); }
  Tensor add(const Tensor& a, const Tensor& b) const { return g.op(Op::Add, {a, b}); }
  Tensor sub(const Tensor& a, const Tensor& b) const { return g.op(Op::Sub, {a, b}); }
  Tensor mul(const Tensor& a, const Tensor& b) const { return g.op(Op::Mul, {a, b}); }
  Tensor scale(const Tensor& x, double factor, double bias = 0) const {
    return g.scale(x, static_cast<float>(factor), static_cast<float>(bias));
  }
  Tensor constant(double number) const { return g.op_with(Op::Fill, {}, FillParams{{}, DType::F32, number, 0}); }
  // 1 where the comparison is true, else 0.
  Tensor truth(Op comparison, const Tensor& left, const Tensor& right) const {
    return g.op_with(Op::Cast, {g.op(comparison, {left, right})}, CastParams{DType::F32});
  }
  // Moves `axis` to the last dimension and the reverse.
  Tensor axis_last(const Tensor& x, int axis) const;
  Tensor axis_back(const Tensor& x, int axis) const;
  // Scatter-add along `axis` into a dimension of `size`: slice i of `share` is added at index places[i].
  Tensor to_places(const Tensor& share, int axis, const Tensor& places, int64_t size) const;
  // The same with one index per element; `places` has the shape of `share`.
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

// The backward rules named by op_list.h, each in the autodiff_*.cpp of its family; none() reports an error.
#define X(id, name, least, most, family, shape, cost, traits, bound, gradient) void gradient(Backward& b);
ARENASCOPE_OPS(X)
#undef X

}  // namespace arenascope::autodiff
