// SPDX-License-Identifier: MIT
#include <arenascope/graph/builder.h>

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/base/checked.h>

namespace arenascope {
namespace {

template <class P>
OpParams pack(const P& value) {
  OpParams params;
  params.set(value);
  return params;
}

}  // namespace

Tensor GraphBuilder::keep(Result<Tensor> result) {
  if (result) return std::move(*result);
  fail(result.error());
  return {};
}

Tensor GraphBuilder::input(std::string_view name, const Dims& sizes, DType dtype) {
  if (!ok()) return {};
  Tensor t = keep(context_.new_tensor(dtype, sizes, name));
  if (t) t.set_flag(kFlagInput);
  return t;
}

Tensor GraphBuilder::weight(std::string_view name, const Dims& sizes, DType dtype) {
  if (!ok()) return {};
  Tensor t = keep(context_.new_tensor(dtype, sizes, name));
  if (t) t.set_flag(kFlagWeight);
  return t;
}

void GraphBuilder::output(const Tensor& tensor) {
  if (tensor) tensor.set_flag(kFlagOutput);
}

Tensor GraphBuilder::op(Op o, std::initializer_list<Tensor> sources, const OpParams& params, std::string_view name) {
  return op(o, std::span<const Tensor>(sources.begin(), sources.size()), params, name);
}

Tensor GraphBuilder::op(Op o, std::span<const Tensor> sources, const OpParams& params, std::string_view name) {
  return ok() ? keep(context_.apply(o, sources, params, name)) : Tensor();
}

Tensor GraphBuilder::mul_mat(const Tensor& a, const Tensor& b, const Tensor& bias, std::string_view name) {
  const OpParams params = pack(MulMatParams{1.0f});
  return bias ? op(Op::MulMat, {a, b, bias}, params, name) : op(Op::MulMat, {a, b}, params, name);
}

Tensor GraphBuilder::scale(const Tensor& x, float factor, float bias, std::string_view name) {
  return op_with(Op::Scale, {x}, ScaleParams{factor, bias}, name);
}

Tensor GraphBuilder::conv2d(const Tensor& x, const Tensor& w, const Tensor& bias, int stride, int pad, int groups,
                            int dilation, std::string_view name) {
  const OpParams params = pack(
      ConvParams{2, {stride, stride, 1}, {dilation, dilation, 1}, {pad, pad, 0}, {pad, pad, 0}, {0, 0, 0}, groups});
  return bias ? op(Op::Conv, {x, w, bias}, params, name) : op(Op::Conv, {x, w}, params, name);
}

Tensor GraphBuilder::pool2d(Op o, const Tensor& x, int kernel, int stride, int pad, std::string_view name) {
  return op_with(
      o, {x},
      PoolParams{2, {kernel, kernel, 1}, {stride, stride, 1}, {1, 1, 1}, {pad, pad, 0}, {pad, pad, 0}, false, false},
      name);
}

Tensor GraphBuilder::reshape(const Tensor& x, const Dims& sizes, std::string_view name) {
  if (!ok() || !x) return op(Op::Reshape, {x}, pack(ReshapeParams{sizes}), name);
  const Tensor source = x->contiguous() ? x : cont(x, name.empty() ? "" : fmt::format("{} (cont)", name));
  return op(Op::Reshape, {source}, pack(ReshapeParams{sizes}), name);
}

Tensor GraphBuilder::permute(const Tensor& x, std::initializer_list<int> axes, std::string_view name) {
  if (ok() && x && axes.size() != static_cast<size_t>(x->rank())) {
    fail(Error{fmt::format("'{}': {} axes permute {} dimensions", name, axes.size(), x->rank())});
    return {};
  }
  PermuteParams params{};
  std::fill(std::begin(params.axes), std::end(params.axes), int8_t{-1});
  size_t i = 0;
  for (int axis : axes)
    if (i < kMaxDims) params.axes[i++] = axis >= 0 && axis < kMaxDims ? static_cast<int8_t>(axis) : int8_t{-1};
  return op_with(Op::Permute, {x}, params, name);
}

Tensor GraphBuilder::slice(const Tensor& x, int axis, int64_t start, int64_t end, int64_t step, std::string_view name) {
  if (!ok() || !x) return {};
  if (axis < 0 || axis >= x->rank() || step == 0) {
    fail(Error{fmt::format("'{}': a slice of axis {} of {} dimensions by {}", name, axis, x->rank(), step)});
    return {};
  }
  const bool none = step > 0 ? start >= end : start <= end;
  ViewParams view{x.sizes(), x.strides(), 0};
  view.sizes[axis] = 0;
  if (!none) {
    // Unsigned arithmetic cannot overflow for the distance and the step.
    const auto above = static_cast<uint64_t>(std::max(start, end)), below = static_cast<uint64_t>(std::min(start, end));
    const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    const auto count = static_cast<int64_t>(std::min<uint64_t>((above - below - 1) / stride, INT64_MAX - 1) + 1);
    const int64_t size = x.sizes()[axis];
    const auto reach = checked_mul(count - 1, step);
    const auto last = reach ? checked_add(start, *reach) : std::nullopt;
    if (start < 0 || start >= size || !last || *last < 0 || *last >= size) {
      fail(Error{fmt::format("'{}': a slice from {} to {} by {} of {} elements", name, start, end, step, size)});
      return {};
    }
    const auto offset = checked_mul(start, x.strides()[axis]);
    const auto walk = count > 1 ? checked_mul(step, x.strides()[axis]) : x.strides()[axis];
    if (!offset || !walk) {
      fail(Error{fmt::format("'{}': a slice from {} by {} overflows", name, start, step)});
      return {};
    }
    view.sizes[axis] = count;
    view.offset = x->element_count() == 0 ? 0 : *offset;
    view.strides[axis] = *walk;
  }
  return op_with(Op::View, {x}, view, name);
}

Tensor GraphBuilder::concat(std::span<const Tensor> parts, int axis, std::string_view name) {
  return op(Op::Concat, parts, pack(AxisParams{axis}), name);
}

Tensor GraphBuilder::soft_max(const Tensor& x, int axis, float factor, const Tensor& mask, std::string_view name) {
  const OpParams params = pack(SoftMaxParams{axis, factor});
  return mask ? op(Op::SoftMax, {x, mask}, params, name) : op(Op::SoftMax, {x}, params, name);
}

Tensor GraphBuilder::norm(const Tensor& x, int axis, float epsilon, const Tensor& gain, const Tensor& bias,
                          std::string_view name) {
  const OpParams params = pack(NormParams{axis, epsilon});
  if (gain && bias) return op(Op::Norm, {x, gain, bias}, params, name);
  return gain ? op(Op::Norm, {x, gain}, params, name) : op(Op::Norm, {x}, params, name);
}

Tensor GraphBuilder::rms_norm(const Tensor& x, float epsilon, const Tensor& gain, std::string_view name) {
  const OpParams params = pack(NormParams{x ? x->rank() - 1 : 0, epsilon});
  return gain ? op(Op::RmsNorm, {x, gain}, params, name) : op(Op::RmsNorm, {x}, params, name);
}

Tensor GraphBuilder::reduce(Op o, const Tensor& x, std::initializer_list<int> axes, bool keep_dims,
                            std::string_view name) {
  ReduceParams params{0, keep_dims};
  for (int axis : axes) {
    if (axis < 0 || axis >= kMaxDims) {
      fail(Error{fmt::format("'{}': a reduction of axis {}", name, axis)});
      return {};
    }
    params.axes |= 1u << axis;
  }
  return op_with(o, {x}, params, name);
}

}  // namespace arenascope
