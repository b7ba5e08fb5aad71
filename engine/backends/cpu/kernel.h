// SPDX-License-Identifier: MIT
// Kernels of the CPU backend: for each op, which nodes it supports, its cost and scratch, and how to compute a chunk of
// it. kernels.cpp lists them all.
#pragma once
#include <arenascope/graph/fused.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/transform/capabilities.h>
#include "engine/backends/cpu/kernels/loop_nest.h"

namespace arenascope::cpu {

class Packed;
struct ConvPlan;
class EpiloguePlan;
class FusedEpilogue;

// Arguments of a kernel: one chunk (ith of nth) of a node.
struct KernelArgs {
  const TensorImpl& node;
  int ith;
  int nth;
  std::byte* work;
  Bytes work_bytes;
  const Packed* packed = nullptr;     // the node's packed weights; null: not packed
  bool rounds = false;                // matmuls with float16 weights may round both sides to bf16
  const ConvPlan* conv = nullptr;     // of a convolution
  FusedEpilogue* epilogue = nullptr;  // of a FUSED node: the ops applied to each finished range of the result

  // The op that the kernel computes: for a FUSED node its anchor, with the anchor's inputs.
  Op op() const { return anchor_of(node); }
  const TensorImpl& source(size_t i) const { return *node.sources[i]; }
  size_t sources() const { return anchor_sources(node); }
  // Called once for each range of the result's elements (row-major) when its bytes are final.
  void done(int64_t begin, int64_t count) const {
    if (epilogue) apply_epilogue(begin, count);
  }
  // Call it before reading a constant weight that may be packed. Throws OriginalUnavailable (packed.h).
  void need_original_weights() const;
  Range part(int64_t count, int64_t unit = 1) const { return split(count, ith, nth, unit); }
  // This chunk's share of the work buffer, if work_bytes() provides `bytes` per chunk.
  template <class T>
  T* scratch(Bytes bytes) const {
    return reinterpret_cast<T*>(work + ith * bytes);
  }
  void apply_epilogue(int64_t begin, int64_t count) const;
};

struct Kernel {
  Status (*compute)(const KernelArgs& args) = nullptr;
  Status (*supports)(const TensorImpl& node) = nullptr;              // null: every node that passes the op's shape rule
  Bytes (*work_bytes)(const TensorImpl& node, int tasks) = nullptr;  // null: no scratch
  double cost = 1;         // nanoseconds per element, roughly; tasks() compares it with the cost of a barrier
  bool cuts_cost = false;  // splitting into more chunks slows the whole node down
  bool anchors = false;    // it calls KernelArgs::done(), so an epilogue may follow in a FUSED node
};

const Kernel& kernel(Op op);

inline constexpr Bytes kCacheLine = 64;
inline Bytes round_to_line(Bytes bytes) { return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine; }

// "CONV on the cpu: TEXT"
Error refuse(const TensorImpl& node, const std::string& text);
// Shared `supports` functions.
Status floating_sources(const TensorImpl& node);  // f32, f16, bf16, f64
Status plain_sources(const TensorImpl& node);     // any type that is not quantised

#define ARENASCOPE_CPU_KERNEL(id) Status id(const KernelArgs& args)
ARENASCOPE_CPU_KERNEL(copy);
ARENASCOPE_CPU_KERNEL(concat);
ARENASCOPE_CPU_KERNEL(pad);
ARENASCOPE_CPU_KERNEL(gather);
ARENASCOPE_CPU_KERNEL(gather_elements);
ARENASCOPE_CPU_KERNEL(fill);
ARENASCOPE_CPU_KERNEL(resize);
ARENASCOPE_CPU_KERNEL(depth_to_space);
ARENASCOPE_CPU_KERNEL(tril);
ARENASCOPE_CPU_KERNEL(binary);
ARENASCOPE_CPU_KERNEL(compare);
ARENASCOPE_CPU_KERNEL(where);
ARENASCOPE_CPU_KERNEL(unary);
ARENASCOPE_CPU_KERNEL(mul_mat);
ARENASCOPE_CPU_KERNEL(conv);
ARENASCOPE_CPU_KERNEL(conv_transpose);
ARENASCOPE_CPU_KERNEL(attention);
ARENASCOPE_CPU_KERNEL(lstm);
ARENASCOPE_CPU_KERNEL(pool);
ARENASCOPE_CPU_KERNEL(lrn);
ARENASCOPE_CPU_KERNEL(batch_norm);
ARENASCOPE_CPU_KERNEL(norm);
ARENASCOPE_CPU_KERNEL(group_norm);
ARENASCOPE_CPU_KERNEL(soft_max);
ARENASCOPE_CPU_KERNEL(reduce);
ARENASCOPE_CPU_KERNEL(arg_extreme);
ARENASCOPE_CPU_KERNEL(top_k);
ARENASCOPE_CPU_KERNEL(cum_sum);
ARENASCOPE_CPU_KERNEL(rope);
ARENASCOPE_CPU_KERNEL(bit_cast);
ARENASCOPE_CPU_KERNEL(round_small);
ARENASCOPE_CPU_KERNEL(grid_sample);
ARENASCOPE_CPU_KERNEL(set_rows);
ARENASCOPE_CPU_KERNEL(max_pool_back);
ARENASCOPE_CPU_KERNEL(gather_back);
ARENASCOPE_CPU_KERNEL(optimizer_step);
ARENASCOPE_CPU_KERNEL(dropout);
ARENASCOPE_CPU_KERNEL(mul_mat_id);
ARENASCOPE_CPU_KERNEL(recurrent);
ARENASCOPE_CPU_KERNEL(epilogue_only);
#undef ARENASCOPE_CPU_KERNEL

// Scratch bytes of a node with that many chunks.
using WorkBytes = Bytes(const TensorImpl& node, int tasks);
WorkBytes mul_mat_work, conv_work, conv_transpose_work, attention_work, lstm_work, pool_work, norm_work,
    group_norm_work, soft_max_work, top_k_work, resize_work, rope_work, mul_mat_id_work, recurrent_work;

Status attention_supports(const TensorImpl& node);  // K and V may be quantised
Status cast_supports(const TensorImpl& node);
Status max_pool_back_supports(const TensorImpl& node);  // f32 and f64
Status set_rows_supports(const TensorImpl& node);       // unquantised types, and q8_0 from these

}  // namespace arenascope::cpu
