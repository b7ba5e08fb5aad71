// SPDX-License-Identifier: MIT
#include <arenascope/graph/dropout_mask.h>
#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {
namespace {

Status gather_back(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl &dy = *node.sources[0], &indices = *node.sources[1];
  const bool based = node.sources.size() > 2;
  const TensorImpl& base = based ? *node.sources[2] : dy;
  const int64_t n = node.element_count();
  return Call(ctx, "training", "", "gather_back")
      .tensor(dy, layout_of(dy))
      .tensor(indices, layout_of(indices))
      .tensor(base, layout_of(base))
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(cl_long(n > 0 ? n / node.sizes[0] : 1))
      .arg(cl_long(node.sizes[0]))
      .arg(cl_long(indices.sizes[0]))
      .arg(static_cast<cl_int>(based))
      .buffer(ctx.problem)
      .items(n);
}

Status dropout(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl &x = *node.sources[0], &seed = *node.sources[1];
  const auto p = node.params.get<DropoutParams>();
  Layout lx = layout_of(x);
  collapse({&lx});
  return Call(ctx, "training", "", "dropout")
      .tensor(x, lx)
      .tensor(seed, layout_of(seed))
      .tensor(node, layout_of(node))
      .arg(cl_long(node.element_count()))
      .arg(cl_ulong(DropoutMask::below(p.ratio)))
      .arg(DropoutMask::factor(p.ratio))
      .arg(cl_uint(p.sequence))
      .items(node.element_count());
}

Status optimizer_step(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<OptimizerStepParams>();
  const struct {
    cl_int keep, adaptive, states;
    cl_float beta1, rest1, beta2, rest2, epsilon, decay;
  } args{p.keep, p.adaptive, p.states, p.beta1, p.rest1, p.beta2, p.rest2, p.epsilon, p.decay};
  const auto state = [&](int which) -> const TensorImpl& {
    return *node.sources[p.states > which ? static_cast<size_t>(4 + which) : 1];
  };
  return Call(ctx, "training", "", "optimizer_step")
      .flat(node)
      .flat(*node.sources[1])
      .flat(*node.sources[2])
      .flat(*node.sources[3])
      .flat(state(0))
      .flat(state(1))
      .arg(cl_long(node.element_count()))
      .arg(args)
      .items(node.element_count());
}

Status mul_mat_id(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl &a = *node.sources[0], &x = *node.sources[1], &ids = *node.sources[2];
  return Call(ctx, "training", info(a.dtype).quantised ? " -DWITH_QUANTISED" : "", "mul_mat_id")
      .tensor(a, layout_of(a))
      .tensor(x, layout_of(x))
      .tensor(ids, layout_of(ids))
      .tensor(node, layout_of(node))
      .arg(cl_long(node.element_count()))
      .arg(cl_long(node.sizes[2]))
      .arg(cl_long(a.sizes[2]))
      .arg(cl_long(node.sizes[1]))
      .arg(cl_long(a.sizes[0]))
      .buffer(ctx.problem)
      .items(node.element_count());
}

}  // namespace

Status run_training(KernelContext& ctx, const TensorImpl& node) {
  if (node.op == Op::GatherBack) return gather_back(ctx, node);
  if (node.op == Op::Dropout) return dropout(ctx, node);
  return node.op == Op::OptimizerStep ? optimizer_step(ctx, node) : mul_mat_id(ctx, node);
}

}  // namespace arenascope::opencl
