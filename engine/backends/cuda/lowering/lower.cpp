// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/lowering/families.h"

#include <fmt/format.h>

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::cuda {
namespace {

constexpr int64_t kMostHidden = 2048;  // of an LSTM: six floats a unit in 48 KiB of shared memory

// No blocks of quantised numbers, but for those of the sources that `takes_blocks` has a bit of.
Status plain(const TensorImpl& node, unsigned takes_blocks = 0) {
  if (info(node.dtype).quantised) return refuse(node, fmt::format("it cannot make {}", name(node.dtype)));
  for (size_t i = 0; i < node.sources.size(); ++i)
    if (const TensorImpl& source = *node.sources[i]; info(source.dtype).quantised && !(takes_blocks >> i & 1))
      return refuse(node, fmt::format("its source '{}' is {} and must be cast first", source.name, name(source.dtype)));
  return {};
}

Status movement_supports(const TensorImpl& node) {
  switch (static_cast<MovementOp>(node.op)) {
    case MovementOp::Cont:
    case MovementOp::Copy: return {};
    case MovementOp::Cast:
      if (info(node.dtype).quantised && node.dtype != node.sources[0]->dtype)
        return refuse(node, fmt::format("it cannot make {}", name(node.dtype)));
      return {};
    case MovementOp::Gather:
      if (info(node.dtype).quantised) return refuse(node, fmt::format("it cannot make {}", name(node.dtype)));
      if (info(node.sources[0]->dtype).quantised && node.params.get<AxisParams>().axis == node.sources[0]->rank() - 1)
        return refuse(node, "it cannot take single elements out of quantised blocks");
      return {};
    case MovementOp::Concat:
    case MovementOp::Pad:
    case MovementOp::GatherElements:
    case MovementOp::Fill:
    case MovementOp::Arange:
    case MovementOp::Resize:
    case MovementOp::DepthToSpace:
    case MovementOp::Tril: return plain(node);
  }
  return refuse(node, "no kernel computes it");
}

Status product_supports(const TensorImpl& node) {
  if (node.op == Op::MulMat) return {};
  if (node.op == Op::Attention) return plain(node, 0b110);  // keys and values
  if (node.op == Op::Lstm && node.params.get<LstmParams>().hidden > kMostHidden)
    return refuse(node, fmt::format("its state of {} units is larger than a block's shared memory",
                                    node.params.get<LstmParams>().hidden));
  return plain(node);
}

Status lower_movement(const Job& job) {
  switch (static_cast<MovementOp>(job.node.op)) {
    case MovementOp::Cont:
    case MovementOp::Copy: return lower_copy(job);
    case MovementOp::Cast: return lower_cast(job);
    case MovementOp::Concat: return lower_concat(job);
    case MovementOp::Pad: return lower_pad(job);
    case MovementOp::Gather:
    case MovementOp::GatherElements: return lower_gather(job);
    case MovementOp::Fill:
    case MovementOp::Arange: return lower_fill(job);
    case MovementOp::Resize: return lower_resize(job);
    case MovementOp::DepthToSpace: return lower_depth_to_space(job);
    case MovementOp::Tril: return lower_tril(job);
  }
  return refuse(job.node, "no kernel computes it");
}

Status lower_product(const Job& job) {
  switch (static_cast<ContractionOp>(job.node.op)) {
    case ContractionOp::MulMat: return lower_mul_mat(job);
    case ContractionOp::Conv:
    case ContractionOp::ConvTranspose: return lower_convolution(job);
    case ContractionOp::Attention: return lower_attention(job);
    case ContractionOp::Lstm: return lower_lstm(job);
  }
  return refuse(job.node, "no kernel computes it");
}

// Ops that a backend may lack.
Status lower_host_op(const Job& job) {
  switch (static_cast<HostOp>(job.node.op)) {
    case HostOp::BitCast: return lower_copy(job);
    case HostOp::RoundSmall: return lower_round_small(job);
    case HostOp::GridSample: return lower_grid_sample(job);
    case HostOp::SetRows: return lower_set_rows(job);
    case HostOp::MaxPoolBack: return lower_pool_back(job);
    case HostOp::GatherBack: return lower_gather_back(job);
    case HostOp::OptimizerStep: return lower_optimizer_step(job);
    case HostOp::Dropout: return lower_dropout(job);
    case HostOp::MulMatId: return lower_product_by_id(job);
  }
  return refuse(job.node, "no kernel computes it");
}

Status lower_window(const Job& job) {
  switch (static_cast<WindowOp>(job.node.op)) {
    case WindowOp::MaxPool:
    case WindowOp::AvgPool: return lower_pool(job);
    case WindowOp::Lrn: return lower_local_response(job);
  }
  return refuse(job.node, "no kernel computes it");
}

}  // namespace

const char* name(KernelId id) {
  static constexpr const char* names[] = {
#define X(id, params, meets) #id,
      ARENASCOPE_CUDA_KERNELS(X)
#undef X
  };
  return names[static_cast<size_t>(id)];
}

Error refuse(const TensorImpl& node, const std::string& text) {
  return Error{fmt::format("{} '{}' on cuda: {}", name(node.op), node.name, text)};
}

Error fault_error(const TensorImpl& node, const IndexFault& fault) {
  if (node.op == Op::SetRows)
    return refuse(node, fmt::format("row {} lies outside the {} that there are", fault.index, fault.entries));
  return refuse(node, fmt::format("index {} lies outside the {} entries of its table", fault.index, fault.entries));
}

Status supports(const TensorImpl& node) {
  switch (info(node.op).family) {
    case OpFamily::Given:
    case OpFamily::View: return {};
    case OpFamily::Unknown: return refuse(node, fmt::format("there is no op {}", static_cast<int>(node.op)));
    case OpFamily::Opaque:
    case OpFamily::Fused: return refuse(node, "no kernel computes it");
    case OpFamily::Movement: return movement_supports(node);
    case OpFamily::Contraction: return product_supports(node);
    case OpFamily::Binary:
    case OpFamily::Comparison:
    case OpFamily::Choice:
    case OpFamily::Unary:
    case OpFamily::Window:
    case OpFamily::Norm:
    case OpFamily::Reduction:
    case OpFamily::Line: return plain(node);
    case OpFamily::Host:
      if (node.op == Op::MaxPoolBack && !info(node.dtype).floating)
        return refuse(node, "gradients are floating-point numbers");
      if (node.op == Op::GatherBack && node.sources.size() > 2 && !node.sources[2]->contiguous())
        return refuse(node, "its base must be contiguous; make it so with CONT");
      return plain(node, node.op == Op::MulMatId ? 1 : 0);
  }
  return refuse(node, "no kernel computes it");
}

Bytes scratch_bytes(const TensorImpl& node, Queue& queue) {
  if (!has_work(node)) return 0;
  if (node.op == Op::MulMat) return mul_mat_scratch(node, queue);
  if (node.op == Op::Conv || node.op == Op::ConvTranspose) return convolution_scratch(node, queue);
  return node.op == Op::Lstm ? lstm_scratch(node) : 0;
}

Status lower(const Job& job) {
  const TensorImpl& node = job.node;
  if (!has_work(node)) return {};
  if (auto ok = supports(node); !ok) return ok;
  switch (info(node.op).family) {
    case OpFamily::Movement: return lower_movement(job);
    case OpFamily::Binary:
    case OpFamily::Comparison:
    case OpFamily::Choice:
    case OpFamily::Unary: return lower_pointwise(job);
    case OpFamily::Contraction: return lower_product(job);
    case OpFamily::Window: return lower_window(job);
    case OpFamily::Norm: return lower_norms(job);
    case OpFamily::Reduction: return lower_reduction(job);
    case OpFamily::Line: return lower_lines(job);
    case OpFamily::Host: return lower_host_op(job);
    case OpFamily::Unknown:
    case OpFamily::Given:
    case OpFamily::View:
    case OpFamily::Opaque:
    case OpFamily::Fused: break;
  }
  return refuse(node, "no kernel computes it");
}

}  // namespace arenascope::cuda
