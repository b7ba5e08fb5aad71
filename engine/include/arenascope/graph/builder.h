// SPDX-License-Identifier: MIT
// Builds a graph of ops without an error check after each call. The first error is kept and returned by status(); every
// call after it returns an undefined tensor.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <arenascope/graph/context.h>

namespace arenascope {

class GraphBuilder {
 public:
  explicit GraphBuilder(Context context) : context_(std::move(context)) {}

  const Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  Context& context() { return context_; }
  void layer(std::string_view name) { context_.set_layer(name); }
  void fail(Error error) {
    if (ok()) status_ = std::move(error);
  }

  // Leaf tensors.
  Tensor input(std::string_view name, const Dims& sizes, DType dtype = DType::F32);
  Tensor weight(std::string_view name, const Dims& sizes, DType dtype = DType::F32);
  void output(const Tensor& tensor);  // marks the tensor as an output of the graph

  // Any op, with or without parameters.
  Tensor op(Op op, std::initializer_list<Tensor> sources, const OpParams& params = {}, std::string_view name = {});
  Tensor op(Op op, std::span<const Tensor> sources, const OpParams& params = {}, std::string_view name = {});
  template <class P>
  Tensor op_with(Op o, std::initializer_list<Tensor> sources, const P& params, std::string_view name = {}) {
    OpParams bytes;
    bytes.set(params);
    return op(o, sources, bytes, name);
  }

  Tensor add(const Tensor& a, const Tensor& b, std::string_view name = {}) { return op(Op::Add, {a, b}, {}, name); }
  Tensor mul(const Tensor& a, const Tensor& b, std::string_view name = {}) { return op(Op::Mul, {a, b}, {}, name); }
  // b·aᵀ (+ bias): a [.., N, K], b [.., M, K] → [.., M, N].
  Tensor mul_mat(const Tensor& a, const Tensor& b, const Tensor& bias = {}, std::string_view name = {});
  Tensor scale(const Tensor& x, float factor, float bias = 0, std::string_view name = {});
  Tensor conv2d(const Tensor& x, const Tensor& w, const Tensor& bias, int stride, int pad, int groups = 1,
                int dilation = 1, std::string_view name = {});
  Tensor pool2d(Op op, const Tensor& x, int kernel, int stride, int pad, std::string_view name = {});
  // A view of a contiguous source; any other source is copied first (CONT).
  Tensor reshape(const Tensor& x, const Dims& sizes, std::string_view name = {});
  Tensor permute(const Tensor& x, std::initializer_list<int> axes, std::string_view name = {});
  Tensor transpose(const Tensor& x, std::string_view name = {}) { return op(Op::Transpose, {x}, {}, name); }
  Tensor cont(const Tensor& x, std::string_view name = {}) { return op(Op::Cont, {x}, {}, name); }
  // A view of every `step`-th element of [start, end) along one axis. A negative step runs from start down to end,
  // exclusive.
  Tensor slice(const Tensor& x, int axis, int64_t start, int64_t end, int64_t step = 1, std::string_view name = {});
  Tensor concat(std::span<const Tensor> parts, int axis, std::string_view name = {});
  Tensor soft_max(const Tensor& x, int axis, float factor = 1, const Tensor& mask = {}, std::string_view name = {});
  Tensor norm(const Tensor& x, int axis, float epsilon, const Tensor& gain, const Tensor& bias,
              std::string_view name = {});
  Tensor rms_norm(const Tensor& x, float epsilon, const Tensor& gain, std::string_view name = {});
  Tensor reduce(Op op, const Tensor& x, std::initializer_list<int> axes, bool keep_dims, std::string_view name = {});

 private:
  Tensor keep(Result<Tensor> result);
  Context context_;
  Status status_;
};

}  // namespace arenascope
