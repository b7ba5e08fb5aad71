// SPDX-License-Identifier: MIT
// Ops that a backend may lack, and the parameters of floating-point formats of one byte or less.
#include "engine/backends/opencl/ops.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::opencl {
namespace {

// BIT_CAST is CONT of the input, read as the result's type.
Status bit_cast(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  Layout lx = layout_of(x);
  collapse({&lx});
  const int64_t n = node.element_count();
  return Call(ctx, "movement", "", "copy_cells")
      .tensor(x, lx)
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(cl_int(info(node.dtype).block_bytes))
      .items(n);
}

// The same struct as in kernels/round_small.cl.
struct SmallFormat {
  cl_int digits, least;
  cl_float largest;
  cl_int rounding, saturate, infinity, negative_zero, nan;
};

SmallFormat small_format(const SmallFloatParams& p) {
  const SmallFloat f = p.format;
  SmallFormat out{
      4, -6, 448, static_cast<cl_int>(p.rounding), p.saturate, f == SmallFloat::E5M2, 0, f != SmallFloat::E2M1};
  out.negative_zero = f == SmallFloat::E4M3FN || f == SmallFloat::E5M2 || f == SmallFloat::E2M1;
  switch (f) {
    case SmallFloat::E4M3FN: break;
    case SmallFloat::E4M3FNUZ: out.least = -7, out.largest = 240; break;
    case SmallFloat::E5M2: out.digits = 3, out.least = -14, out.largest = 57344; break;
    case SmallFloat::E5M2FNUZ: out.digits = 3, out.least = -15, out.largest = 57344; break;
    case SmallFloat::E2M1: out.digits = 2, out.least = 0, out.largest = 6; break;
    case SmallFloat::E8M0: out.digits = 0, out.least = -127, out.largest = 0x1p127f; break;
  }
  return out;
}

Status round_small(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& x = *node.sources[0];
  Layout lx = layout_of(x);
  collapse({&lx});
  return Call(ctx, "round_small", domain_option(domain_of(x.dtype)), "round_small")
      .tensor(x, lx)
      .tensor(node, layout_of(node))
      .arg(cl_long(node.element_count()))
      .arg(small_format(node.params.get<SmallFloatParams>()))
      .items(node.element_count());
}

}  // namespace

Status run_host_op(KernelContext& ctx, const TensorImpl& node) {
  switch (static_cast<HostOp>(node.op)) {
    case HostOp::BitCast: return bit_cast(ctx, node);
    case HostOp::RoundSmall: return round_small(ctx, node);
    case HostOp::GridSample: return run_sampling(ctx, node);
    case HostOp::SetRows: return run_set_rows(ctx, node);
    case HostOp::MaxPoolBack: return run_pool_back(ctx, node);
    case HostOp::GatherBack:
    case HostOp::OptimizerStep:
    case HostOp::Dropout:
    case HostOp::MulMatId: return run_training(ctx, node);
    case HostOp::Gru:
    case HostOp::Rnn: break;
  }
  return no_kernel(node);
}

}  // namespace arenascope::opencl
