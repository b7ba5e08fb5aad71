// SPDX-License-Identifier: MIT
#include <algorithm>

#include <arenascope/graph/pool_windows.h>
#include "engine/backends/opencl/ops.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::opencl {
namespace {

struct WindowArgs {
  cl_int kernel[3], stride[3], dilation[3], begin[3], end[3];
};

Status lrn(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  const int64_t n = node.element_count();
  const auto p = node.params.get<LrnParams>();
  const int domain = x.dtype == DType::F64 ? 1 : 0;
  Layout lx = layout_of(x);
  collapse({&lx});
  return Call(ctx, "windows", domain_option(domain), "lrn")
      .tensor(x, lx)
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(cl_long(node.sizes[1]))
      .arg(cl_long(n / (node.sizes[0] * node.sizes[1])))
      .arg(cl_int(p.size))
      .arg(p.alpha)
      .arg(p.beta)
      .arg(p.bias)
      .items(n);
}

WindowArgs window_args(const PoolParams& p) {
  WindowArgs w{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
  for (int d = 0; d < p.spatial; ++d) {
    const int at = 3 - p.spatial + d;
    w.kernel[at] = p.kernel[d];
    w.stride[at] = p.strides[d];
    w.dilation[at] = p.dilations[d];
    w.begin[at] = p.pads_begin[d];
    w.end[at] = p.pads_end[d];
  }
  return w;
}

Status pool(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  const int64_t n = node.element_count();
  const int domain = x.dtype == DType::F64 ? 1 : 0;
  const auto p = node.params.get<PoolParams>();
  return Call(ctx, "windows", domain_option(domain), "pool")
      .tensor(x, five_dimensions(x))
      .tensor(node, five_dimensions(node))
      .arg(cl_long(n))
      .arg(window_args(p))
      .arg(static_cast<cl_int>(node.op == Op::MaxPool))
      .arg(static_cast<cl_int>(p.count_include_pad))
      .items(n);
}

}  // namespace

Status run_pool_back(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl &x = *node.sources[0], &dy = *node.sources[1];
  const bool apart = windows_are_apart(node);
  const int64_t n = apart ? dy.element_count() : node.element_count();
  return Call(ctx, "windows", domain_option(domain_of(x.dtype)), apart ? "pool_back_apart" : "pool_back")
      .tensor(x, five_dimensions(x))
      .tensor(dy, five_dimensions(dy))
      .tensor(node, five_dimensions(node))
      .arg(cl_long(n))
      .arg(window_args(node.params.get<PoolParams>()))
      .items(n);
}

Status run_windows(KernelContext& ctx, const TensorImpl& node) {
  switch (static_cast<WindowOp>(node.op)) {
    case WindowOp::MaxPool:
    case WindowOp::AvgPool: return pool(ctx, node);
    case WindowOp::Lrn: return lrn(ctx, node);
  }
  return no_kernel(node);
}

}  // namespace arenascope::opencl
