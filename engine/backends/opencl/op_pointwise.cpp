// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {

Status no_kernel(const TensorImpl& node) {
  return Error{fmt::format("{} '{}' has no OpenCL kernel", name(node.op), node.name)};
}

int domain_of(DType type) { return type == DType::F64 ? 1 : info(type).floating || info(type).quantised ? 0 : 2; }

std::string domain_option(int domain) { return " -DDOMAIN=" + std::to_string(domain); }

// Ops that also work on vectors.
bool has_fast(Op op) {
  static constexpr Op kAll[] = {Op::Relu,  Op::LeakyRelu, Op::Clamp, Op::Sigmoid,    Op::Silu,        Op::Tanh,
                                Op::Exp,   Op::Sqrt,      Op::Erf,   Op::Gelu,       Op::HardSigmoid, Op::HardSwish,
                                Op::Scale, Op::Neg,       Op::Abs,   Op::Reciprocal, Op::Add,         Op::Sub,
                                Op::Mul,   Op::Div,       Op::Max,   Op::Min};
  return std::find(std::begin(kAll), std::end(kAll), op) != std::end(kAll);
}

namespace {

void real_argument(Call& call, int domain, bool fp64, double value) {
  if (domain == 2) {
    // Clamp bounds may be outside the integer range.
    call.arg(static_cast<cl_long>(value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN : value));
  } else if (domain == 1 && fp64) {
    call.arg(static_cast<cl_double>(value));
  } else {
    call.arg(static_cast<cl_float>(value));
  }
}

// All operands float32, or all float16.
bool flat(const TensorImpl& t, DType type) {
  return t.dtype == type && (type == DType::F32 || type == DType::F16) && t.contiguous() &&
         t.element_count() < (int64_t{1} << 31) && t.offset + t.element_count() < (int64_t{1} << 31);
}

constexpr int64_t kMinRow = 16;  // elements; shorter rows use the general kernels

// `rows` rows of `inner` contiguous elements, divided like EACH_ROW in fast_pointwise.cl.
struct Rows {
  int64_t rows, inner, per;
  bool spread;
  Rows(const KernelContext& ctx, int64_t all, int64_t each)
      : rows(all), inner(each), spread(!ctx.runtime.facts().is_cpu()) {
    constexpr int64_t kEnough = 8192;  // elements worth a work item
    per = std::clamp<int64_t>(kEnough / std::max<int64_t>(1, inner), 1, rows);
  }
  const char* option() const { return spread ? " -DSPREAD" : ""; }
  Status run(Call& call) const {
    return spread ? call.grid({inner, rows}, {128, 1}) : call.groups((rows + per - 1) / per, 1);
  }
};

// The status if the fast kernel supports the node; none if it does not.
using Attempt = std::optional<Status>;

std::string stored_option(DType type) { return type == DType::F16 ? " -DHALF" : ""; }
std::string op_options(const TensorImpl& node) {
  return stored_option(node.dtype) + " -DNUMBER=float -DOP=" + std::to_string(static_cast<int>(node.op));
}
size_t group_of(const KernelContext& ctx) { return ctx.runtime.facts().is_cpu() ? 256 : 128; }

Attempt fast_batch_norm(KernelContext& ctx, const TensorImpl& node) {
  for (const TensorImpl* s : node.sources)
    if (!flat(*s, node.dtype)) return std::nullopt;
  const int64_t n = node.element_count(), channels = node.sizes[1], inner = n / (node.sizes[0] * channels);
  if (inner < kMinRow) return std::nullopt;
  const Rows rows(ctx, n / inner, inner);
  Call call(ctx, "fast_pointwise", " -DAFFINE" + stored_option(node.dtype) + rows.option(), "batch_norm");
  for (const TensorImpl* s : node.sources) call.flat(*s);
  call.flat(node)
      .arg(cl_int(rows.rows))
      .arg(cl_int(inner))
      .arg(cl_int(channels))
      .arg(cl_int(rows.per))
      .arg(node.params.get<BatchNormParams>().epsilon);
  return rows.run(call);
}

Attempt fast_unary(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  if (!flat(x, node.dtype)) return std::nullopt;
  const int64_t n = node.element_count();
  const auto [a, b] = scalars_of(node);
  return Call(ctx, "fast_pointwise", " -DUNARY" + op_options(node), "unary")
      .flat(x)
      .flat(node)
      .arg(cl_int(n))
      .arg(static_cast<cl_float>(a))
      .arg(static_cast<cl_float>(b))
      .items(n, group_of(ctx));
}

// y repeated over x: rows of `inner` elements of x per element of y, which has `count`; inner is 0 for other patterns.
struct Repetition {
  int64_t inner = 0, count = 1;
  Repetition(const TensorImpl& node, const TensorImpl& y) {
    Layout lo = layout_of(node), ly = broadcast_layout(y, node.sizes);
    collapse({&lo, &ly});
    if (ly.rank == 1 && ly.stride[0] == 0)
      inner = node.element_count();
    else if (ly.rank == 2 && ly.stride[0] == 1 && ly.stride[1] == 0)
      inner = ly.size[1], count = ly.size[0];
    else if (ly.rank == 3 && ly.stride[0] == 0 && ly.stride[1] == 1 && ly.stride[2] == 0)
      inner = ly.size[2], count = ly.size[1];
  }
};

Attempt fast_binary(KernelContext& ctx, const TensorImpl& node) {
  const DType type = node.dtype;
  const int64_t n = node.element_count();
  const TensorImpl *x = node.sources[0], *y = node.sources[1];
  if ((node.op == Op::Add || node.op == Op::Mul) && x->element_count() < n) std::swap(x, y);
  if (!flat(*x, type) || !flat(*y, type) || x->element_count() != n) return std::nullopt;
  const std::string options = " -DBINARY" + op_options(node);
  if (y->element_count() == n) {
    return Call(ctx, "fast_pointwise", options, "binary")
        .flat(*x)
        .flat(*y)
        .flat(node)
        .arg(cl_int(n))
        .items(n, group_of(ctx));
  }
  const Repetition y_over_x(node, *y);
  const int64_t inner = y_over_x.inner;
  if (inner < kMinRow) return std::nullopt;
  const Rows rows(ctx, n / inner, inner);
  Call call(ctx, "fast_pointwise", options + rows.option(), "by_channel");
  call.flat(*x).flat(*y).flat(node);
  call.arg(cl_int(rows.rows)).arg(cl_int(inner)).arg(cl_int(y_over_x.count)).arg(cl_int(rows.per));
  return rows.run(call);
}

}  // namespace

bool fast_pointwise(KernelContext& ctx, const TensorImpl& node, Status& status) {
  if (!ctx.blocked || !flat(node, node.dtype)) return false;
  Attempt attempt;
  if (node.op == Op::BatchNorm)
    attempt = fast_batch_norm(ctx, node);
  else if (has_fast(node.op))
    attempt = node.sources.size() == 1 ? fast_unary(ctx, node) : fast_binary(ctx, node);
  if (attempt) status = *attempt;
  return attempt.has_value();
}

Status run_unary(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  const int domain = domain_of(x.dtype);
  Layout lx = layout_of(x), lo = layout_of(node);
  collapse({&lx});
  Call call(ctx, "pointwise", domain_option(domain), "unary");
  call.tensor(x, lx).tensor(node, lo).arg(cl_long(node.element_count())).arg(static_cast<cl_int>(node.op));
  const auto [a, b] = scalars_of(node);
  const bool fp64 = ctx.runtime.facts().fp64;
  real_argument(call, domain, fp64, a);
  real_argument(call, domain, fp64, b);
  call.arg(static_cast<cl_int>(x.dtype == DType::U64));
  return call.items(node.element_count());
}

Status run_binary(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl &x = *node.sources[0], &y = *node.sources[1];
  const int domain = domain_of(x.dtype);
  Layout lx = broadcast_layout(x, node.sizes), ly = broadcast_layout(y, node.sizes), lo = layout_of(node);
  collapse({&lx, &ly});
  return Call(ctx, "pointwise", domain_option(domain), "binary")
      .tensor(x, lx)
      .tensor(y, ly)
      .tensor(node, lo)
      .arg(cl_long(node.element_count()))
      .arg(static_cast<cl_int>(node.op))
      .arg(static_cast<cl_int>(x.dtype == DType::U64))
      .items(node.element_count());
}

}  // namespace arenascope::opencl
