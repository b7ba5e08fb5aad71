// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/lowering/lower.h"

#include <fmt/format.h>

namespace arenascope::cuda {
namespace {

constexpr int64_t kMostHidden = 2048;  // of an LSTM: six floats a unit in 48 KiB of shared memory

Status plain(const TensorImpl& node) {
  if (info(node.dtype).quantised) return refuse(node, fmt::format("it cannot make {}", name(node.dtype)));
  for (const TensorImpl* source : node.sources)
    if (info(source->dtype).quantised)
      return refuse(node,
                    fmt::format("its source '{}' is {} and must be cast first", source->name, name(source->dtype)));
  return {};
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

Error mishap_error(const TensorImpl& node, const Mishap& mishap) {
  return refuse(node, fmt::format("index {} lies outside the {} entries of its table", mishap.index, mishap.entries));
}

Status supports(const TensorImpl& node) {
  if (node.op == Op::None || info(node.op).is_view()) return {};
  switch (node.op) {
    case Op::Fused:
    case Op::Opaque: return refuse(node, "no kernel computes it");
    case Op::Cont:
    case Op::Copy:
    case Op::MulMat: return {};
    case Op::Cast:
      if (info(node.dtype).quantised && node.dtype != node.sources[0]->dtype)
        return refuse(node, fmt::format("it cannot make {}", name(node.dtype)));
      return {};
    case Op::Gather:
      if (info(node.dtype).quantised) return refuse(node, fmt::format("it cannot make {}", name(node.dtype)));
      if (info(node.sources[0]->dtype).quantised && node.params.get<AxisParams>().axis == node.sources[0]->rank() - 1)
        return refuse(node, "it cannot take single elements out of quantised blocks");
      return {};
    case Op::Lstm:
      if (node.params.get<LstmParams>().hidden > kMostHidden)
        return refuse(node, fmt::format("its state of {} units is larger than a block's shared memory",
                                        node.params.get<LstmParams>().hidden));
      return plain(node);
    default: return plain(node);
  }
}

Bytes scratch_bytes(const TensorImpl& node, Queue& queue) {
  if (!has_work(node)) return 0;
  switch (node.op) {
    case Op::MulMat: return mul_mat_scratch(node, queue);
    case Op::Conv:
    case Op::ConvTranspose: return convolution_scratch(node, queue);
    case Op::Lstm: return lstm_scratch(node);
    default: return 0;
  }
}

Status lower(const Job& job) {
  const TensorImpl& node = job.node;
  if (!has_work(node)) return {};
  if (auto ok = supports(node); !ok) return ok;
  switch (node.op) {
    case Op::Cont:
    case Op::Copy: return lower_copy(job);
    case Op::Cast: return lower_cast(job);
    case Op::Concat: return lower_concat(job);
    case Op::Pad: return lower_pad(job);
    case Op::Gather:
    case Op::GatherElements: return lower_gather(job);
    case Op::Fill:
    case Op::Arange: return lower_fill(job);
    case Op::Resize: return lower_resize(job);
    case Op::DepthToSpace: return lower_depth_to_space(job);
    case Op::Tril: return lower_tril(job);
    case Op::MulMat: return lower_mul_mat(job);
    case Op::Conv:
    case Op::ConvTranspose: return lower_convolution(job);
    case Op::Attention: return lower_attention(job);
    case Op::Lstm: return lower_lstm(job);
    case Op::MaxPool:
    case Op::AvgPool: return lower_pool(job);
    case Op::Lrn: return lower_local_response(job);
    case Op::Norm:
    case Op::RmsNorm:
    case Op::GroupNorm:
    case Op::SoftMax:
    case Op::LogSoftMax:
    case Op::ReduceSum:
    case Op::ReduceMean:
    case Op::ReduceMax:
    case Op::ReduceMin:
    case Op::ReduceProd:
    case Op::ReduceL2:
    case Op::ArgMax:
    case Op::ArgMin:
    case Op::TopKValues:
    case Op::TopKIndices:
    case Op::CumSum: return lower_lines(job);
    case Op::Rope: return lower_rope(job);
    default: return lower_pointwise(job);
  }
}

}  // namespace arenascope::cuda
