// SPDX-License-Identifier: MIT
// The steps of a FUSED node (graph/fused.h), done to stretches of its result piece by piece: a piece goes through all
// of them while it lies in the first-level cache. Each step computes what the kernel of its op computes, to the bit.
#pragma once
#include <utility>
#include <vector>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/rows.h"

namespace arenascope::cpu {

// One thread's. Its buffers are large: it lies on the stack of who computes a part.
class Steps {
 public:
  explicit Steps(const TensorImpl& node);
  // The elements [begin, begin + count) of the result, which hold what the anchor made, if there is one.
  void run(int64_t begin, int64_t count);
  void use(const Simd& table) { last_ = &table; }  // for the last step

 private:
  static constexpr int kMost = FusedParams::kMostSteps;
  static constexpr int8_t kNowhere = -1, kResult = -2;  // places of values; from 0 on: a buffer

  void find_places();
  void find_quantising();
  void piece(const int64_t* at, int64_t n);
  const float* value(int8_t operand, const int64_t* at, int64_t n, float* to, int side);
  void repeat_channels();
  std::pair<float, float> channel_of(const FusedStep& step, int64_t channel) const;
  bool scalar(int8_t operand) const {
    return operand >= 0 && strides_[operand_of_[operand]] == 0 && !repeated_[operand_of_[operand]];
  }
  float number(int8_t operand, const int64_t* at) const {
    return bases_[operand_of_[operand]][at[1 + operand_of_[operand]]];
  }
  void binary(const Simd& s, const FusedStep& step, const int64_t* at, float* out, const float* a, const float* b,
              int64_t n);
  void batch_norm(const Simd& s, const FusedStep& step, const int64_t* at, float* out, const float* x, int64_t n);

  const TensorImpl& node_;
  FusedParams p_;
  int operands_ = 0;        // sources that steps read along the result
  int8_t operand_of_[128];  // by source; of BATCH_NORM the first of its four
  const float* bases_[Nest::kOperands];
  int64_t strides_[Nest::kOperands];
  // Where the result has its channels last: a number a channel, again and again for as long as a piece can be, so that
  // pieces need not end with a position's channels. BATCH_NORM has a second such row, of shifts, behind its factors.
  const float* repeated_[Nest::kOperands] = {};
  std::vector<float> rows_;
  int64_t channels_ = 1;
  Nest nest_;
  int8_t place_[kMost + 1];  // of each value
  const Simd* last_;
  // The steps from quantising_ on are DIV by a number, ROUND, ADD of a number where there is one, and CAST to bytes: one loop.
  CastLoops::Quantise quantise_ = nullptr;
  int quantising_ = 0;
  alignas(64) float buffers_[kMost][kPiece];
  alignas(64) float read_[2][kPiece];
};

// A kernel and the node's steps behind it.
Status compute_with_steps(Status (*compute)(const Job& job), const Job& job);

// Rows of single ops, as the steps need them.
void unary_row(const Simd& s, Op op, float* out, const float* x, int64_t n, float p, float q);
ElementLoops::Binary binary_row(const Simd& s, Op op);

}  // namespace arenascope::cpu
