// SPDX-License-Identifier: MIT
// Executes the ops after the anchor of a FUSED node (graph/fused.h) on ranges of its result. The range is processed in
// pieces that stay in the L1 cache during all steps. Each step is bit-identical to the kernel of its op.
#pragma once
#include <utility>
#include <vector>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/row_io.h"

namespace arenascope::cpu {

// The decisions that depend on neither values nor addresses, made once in prepare() and shared by all threads.
class EpiloguePlan {
 public:
  explicit EpiloguePlan(const TensorImpl& node);

  static constexpr int kMaxSteps = FusedParams::kMaxSteps;
  static constexpr int8_t kNowhere = -1, kResult = -2;  // storage of values; from 0 on: a buffer

  const TensorImpl& node;
  const FusedParams params;
  const LoopNest nest;
  int operands = 0;        // inputs that steps read elementwise
  int8_t operand_of[128];  // by input; for BATCH_NORM the first of its four
  size_t source_of[LoopNest::kOperands];
  int64_t strides[LoopNest::kOperands];
  bool repeats[LoopNest::kOperands] = {};  // by operand: see FusedEpilogue::repeated_
  int8_t storage[kMaxSteps + 1];           // of each value
  // The steps from `quantising` on are DIV by a scalar, ROUND, optionally ADD of a scalar, and CAST to 8 bits, computed
  // in one loop.
  CastLoops::Quantise quantise = nullptr;
  int quantising = 0;

  // True if the operand is a single number.
  bool is_scalar(int8_t operand) const {
    return operand >= 0 && strides[operand_of[operand]] == 0 && !repeats[operand_of[operand]];
  }

 private:
  void find_storage();
  void find_quantising();
};

// Used by one thread. Its buffers are large: it is placed on the stack of the thread that computes a chunk.
class FusedEpilogue {
 public:
  explicit FusedEpilogue(const EpiloguePlan& plan);
  // Processes the elements [begin, begin + count) of the result, which contain the anchor's result, if there is an
  // anchor.
  void run(int64_t begin, int64_t count);
  void use(const Simd& table) { last_ = &table; }  // for the last step

 private:
  void piece(const int64_t* at, int64_t n);
  const float* value(int8_t operand, const int64_t* at, int64_t n, float* to, int side);
  void repeat_channels();
  std::pair<float, float> channel_of(const FusedStep& step, int64_t channel) const;
  float number(int8_t operand, const int64_t* at) const {
    return bases_[plan_.operand_of[operand]][at[1 + plan_.operand_of[operand]]];
  }
  void batch_norm(const Simd& s, const FusedStep& step, const int64_t* at, float* out, const float* x, int64_t n);

  const EpiloguePlan& plan_;
  const TensorImpl& node_;
  const float* bases_[LoopNest::kOperands];
  // For channels-last results: the per-channel values repeated up to the length of a piece, so that pieces need not end
  // at a position boundary. BATCH_NORM has a second such row with the shifts after its factors.
  const float* repeated_[LoopNest::kOperands] = {};
  std::vector<float> rows_;
  int64_t channels_ = 1;
  const Simd* last_;
  alignas(64) float buffers_[EpiloguePlan::kMaxSteps][kPiece];
  alignas(64) float read_[2][kPiece];
};

// Row functions of single ops, used by the steps.
void unary_row(const Simd& s, Op op, float* out, const float* x, int64_t n, float p, float q);
ElementLoops::Binary binary_row(const Simd& s, Op op);

}  // namespace arenascope::cpu
