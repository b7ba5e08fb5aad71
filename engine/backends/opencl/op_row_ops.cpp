// SPDX-License-Identifier: MIT
#include <algorithm>

#include "engine/backends/opencl/ops.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::opencl {
namespace {

// Work distribution of a row op: a work group per row on a GPU, a work item per row on a CPU.
struct Lines {
  size_t group;
  bool shared;
  std::string option() const { return " -DLOCAL=" + std::to_string(shared ? group : 1); }
};
Lines lines_of(const KernelContext& ctx) {
  const DeviceFacts& f = ctx.runtime.facts();
  if (f.is_cpu()) return {8, false};
  return {std::min<size_t>(64, f.max_work_group), true};
}
Status over_lines(Call& call, const Lines& lines, int64_t count) {
  return lines.shared ? call.groups(count, lines.group) : call.items(count, lines.group);
}

Status norm(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  const bool grouped = node.op == Op::GroupNorm;
  int64_t n = 1, channels = 0, inner = 1;
  float epsilon = 0;
  if (grouped) {
    const auto p = node.params.get<GroupNormParams>();
    n = node.element_count() / (node.sizes[0] * p.groups);
    channels = node.sizes[1];
    inner = node.element_count() / (node.sizes[0] * channels);
    epsilon = p.epsilon;
  } else {
    const auto p = node.params.get<NormParams>();
    for (int d = p.axis; d < node.rank(); ++d) n *= node.sizes[d];
    epsilon = p.epsilon;
  }
  const int64_t count = node.element_count() / n;
  const auto factor = [&](size_t s) {
    const TensorImpl& t = s < node.sources.size() ? *node.sources[s] : x;
    Layout l = grouped && s < node.sources.size() ? layout_of(t) : broadcast_layout(t, node.sizes);
    collapse({&l});
    return l;
  };
  const auto source = [&](size_t s) -> const TensorImpl& { return s < node.sources.size() ? *node.sources[s] : x; };
  Layout lx = layout_of(x);
  collapse({&lx});
  const Lines lines = lines_of(ctx);
  Call call(ctx, "row_ops", domain_option(domain_of(x.dtype)) + " -DNORMS" + lines.option(), "norm");
  call.tensor(x, lx)
      .tensor(source(1), factor(1))
      .tensor(source(2), factor(2))
      .tensor(node, layout_of(node))
      .arg(cl_long(count))
      .arg(cl_long(n))
      .arg(cl_int(node.op == Op::RmsNorm))
      .arg(static_cast<cl_int>(node.sources.size()))
      .arg(epsilon)
      .arg(cl_long(channels))
      .arg(cl_long(inner));
  return over_lines(call, lines, count);
}

Status batch_norm(KernelContext& ctx, const TensorImpl& node) {
  const int64_t n = node.element_count(), channels = node.sizes[1];
  Call call(ctx, "row_ops", domain_option(domain_of(node.dtype)) + " -DNORMS -DLOCAL=1", "batch_norm");
  for (const TensorImpl* s : node.sources) {
    Layout l = layout_of(*s);
    collapse({&l});
    call.tensor(*s, l);
  }
  return call.tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(cl_long(channels))
      .arg(cl_long(n / (node.sizes[0] * channels)))
      .arg(node.params.get<BatchNormParams>().epsilon)
      .items(n);
}

Status soft_max(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<SoftMaxParams>();
  const TensorImpl& x = *node.sources[0];
  const bool masked = node.sources.size() > 1;
  const TensorImpl& mask = masked ? *node.sources[1] : x;
  int64_t sx = 0, sm = 0, so = 0;
  Layout lx = without(layout_of(x), p.axis, &sx), lm = without(broadcast_layout(mask, node.sizes), p.axis, &sm),
         lo = without(layout_of(node), p.axis, &so);
  collapse({&lx, &lm, &lo});
  const int64_t n = node.sizes[p.axis], count = node.element_count() / n;
  const Lines lines = lines_of(ctx);
  Call call(ctx, "row_ops", domain_option(domain_of(x.dtype)) + " -DNORMS" + lines.option(), "soft_max");
  call.tensor(x, lx)
      .arg(cl_long(sx))
      .tensor(mask, lm)
      .arg(cl_long(sm))
      .tensor(node, lo)
      .arg(cl_long(so))
      .arg(cl_long(count))
      .arg(cl_long(n))
      .arg(p.scale)
      .arg(static_cast<cl_int>(masked))
      .arg(static_cast<cl_int>(node.op == Op::LogSoftMax));
  return over_lines(call, lines, count);
}

Status select(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  const std::string options = domain_option(domain_of(x.dtype)) + " -DSELECT -DLOCAL=1";
  int64_t sx = 0, so = 0;
  if (node.op == Op::ArgMax || node.op == Op::ArgMin) {
    const auto p = node.params.get<ArgParams>();
    const int64_t n = x.sizes[p.axis];
    Layout lx = without(layout_of(x), p.axis, &sx);
    collapse({&lx});
    return Call(ctx, "row_ops", options, "arg")
        .tensor(x, lx)
        .arg(cl_long(sx))
        .tensor(node, layout_of(node))
        .arg(cl_long(node.element_count()))
        .arg(cl_long(n))
        .arg(static_cast<cl_int>(node.op == Op::ArgMax))
        .arg(static_cast<cl_int>(p.select_last))
        .items(node.element_count());
  }
  const bool top = node.op == Op::TopKValues || node.op == Op::TopKIndices;
  const auto t = node.params.get<TopKParams>();
  const auto s = node.params.get<CumSumParams>();
  const int axis = top ? int32_t{t.axis} : s.axis;
  const int64_t n = x.sizes[axis], count = node.element_count() / node.sizes[axis];
  Layout lx = without(layout_of(x), axis, &sx), lo = without(layout_of(node), axis, &so);
  collapse({&lx});
  collapse({&lo});
  Call call(ctx, "row_ops", options, top ? "top_k" : "cum_sum");
  call.tensor(x, lx).arg(cl_long(sx)).tensor(node, lo).arg(cl_long(so)).arg(cl_long(count)).arg(cl_long(n));
  if (top)
    call.arg(cl_long(node.sizes[axis]))
        .arg(static_cast<cl_int>(t.largest))
        .arg(static_cast<cl_int>(node.op == Op::TopKIndices));
  else
    call.arg(static_cast<cl_int>(s.exclusive))
        .arg(static_cast<cl_int>(s.reverse))
        .arg(static_cast<cl_int>(node.op == Op::CumProd));
  return call.items(count, 8);
}

Status rope(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<RopeParams>();
  const TensorImpl& x = *node.sources[0];
  const bool given = node.sources.size() > 1;
  const TensorImpl& positions = given ? *node.sources[1] : x;
  Layout lx = layout_of(x);
  collapse({&lx});
  const int64_t n = node.element_count();
  return Call(ctx, "row_ops", domain_option(domain_of(x.dtype)) + " -DNORMS -DLOCAL=1", "rope")
      .tensor(x, lx)
      .tensor(positions, layout_of(positions))
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(cl_long(node.sizes.back(1)))
      .arg(cl_long(node.sizes.back()))
      .arg(cl_int(p.dims))
      .arg(p.base)
      .arg(p.scale)
      .arg(cl_int(p.start))
      .arg(static_cast<cl_int>(p.neox))
      .arg(static_cast<cl_int>(given))
      .items(n);
}

}  // namespace

Status run_reduction(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<ReduceParams>();
  const TensorImpl& x = *node.sources[0];
  Layout kept = layout_of(x), reduced = kept;
  kept.rank = reduced.rank = 0;
  int64_t n = 1;
  for (int d = 0; d < x.rank(); ++d) {
    Layout& l = p.axes >> d & 1 ? reduced : kept;
    l.size[l.rank] = x.sizes[d];
    l.stride[l.rank++] = x.strides[d];
    if (p.axes >> d & 1) n *= x.sizes[d];
  }
  if (n > 0) {
    collapse({&kept});
    collapse({&reduced});
  }
  reduced.offset = 0;
  const Lines lines = lines_of(ctx);
  Call call(ctx, "row_ops", domain_option(domain_of(x.dtype)) + " -DREDUCE" + lines.option(), "reduce");
  call.tensor(x, kept)
      .arg(reduced)
      .tensor(node, layout_of(node))
      .arg(cl_long(node.element_count()))
      .arg(cl_long(n))
      .arg(static_cast<cl_int>(node.op));
  return over_lines(call, lines, node.element_count());
}

Status run_norms(KernelContext& ctx, const TensorImpl& node) {
  switch (static_cast<NormOp>(node.op)) {
    case NormOp::Norm:
    case NormOp::RmsNorm:
    case NormOp::GroupNorm: return norm(ctx, node);
    case NormOp::BatchNorm: return batch_norm(ctx, node);
    case NormOp::SoftMax:
    case NormOp::LogSoftMax: return soft_max(ctx, node);
  }
  return no_kernel(node);
}

Status run_row_ops(KernelContext& ctx, const TensorImpl& node) {
  switch (static_cast<LineOp>(node.op)) {
    case LineOp::Rope: return rope(ctx, node);
    case LineOp::ArgMax:
    case LineOp::ArgMin:
    case LineOp::TopKValues:
    case LineOp::TopKIndices:
    case LineOp::CumSum:
    case LineOp::CumProd: return select(ctx, node);
  }
  return no_kernel(node);
}

}  // namespace arenascope::opencl
