// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/loop_nest.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kNone[LoopNest::kOperands] = {};

}  // namespace

LoopNest::LoopNest(const Dims& sizes, std::initializer_list<const TensorImpl*> operands)
    : operands_(static_cast<int>(operands.size())) {
  for (int d = 0; d < sizes.rank(); ++d) {
    int64_t strides[kOperands];
    int o = 0;
    for (const TensorImpl* operand : operands) {
      const int own = d - (sizes.rank() - operand->rank());
      strides[o++] = own < 0 || operand->sizes[own] == 1 ? 0 : operand->strides[own];
    }
    append(sizes[d], strides);
  }
  if (rank_ == 0) append(1, kNone);
}

LoopNest::LoopNest(const TensorImpl& result, std::initializer_list<const TensorImpl*> sources)
    : operands_(1 + static_cast<int>(sources.size())) {
  const bool last = result.channels_last();
  for (int i = 0; i < result.rank(); ++i) {
    const int d = last ? kChannelsLastOrder[i] : i;
    int64_t strides[kOperands];
    int o = 0;
    strides[o++] = result.sizes[d] == 1 ? 0 : result.strides[d];
    for (const TensorImpl* source : sources) {
      const int own = d - (result.rank() - source->rank());
      strides[o++] = own < 0 || source->sizes[own] == 1 ? 0 : source->strides[own];
    }
    append(result.sizes[d], strides);
  }
  if (rank_ == 0) append(1, kNone);
}

LoopNest::LoopNest(const Dims& sizes, std::initializer_list<Dims> all)
    : LoopNest(sizes, std::span(all.begin(), all.size())) {}

LoopNest::LoopNest(const Dims& sizes, std::span<const Dims> all) : operands_(static_cast<int>(all.size())) {
  for (int d = 0; d < sizes.rank(); ++d) {
    int64_t strides[kOperands];
    int o = 0;
    for (const Dims& own : all) strides[o++] = own[d];
    append(sizes[d], strides);
  }
  if (rank_ == 0) append(1, kNone);
}

// Appends a dimension inside the existing ones, merged with the last if every operand is contiguous across both.
void LoopNest::append(int64_t size, const int64_t* strides) {
  count_ *= size;
  if (size == 1 && rank_ > 0) return;
  if (rank_ > 0) {
    const int last = rank_ - 1;
    bool merge = sizes_[last] == 1;
    if (!merge) {
      merge = true;
      for (int o = 0; o < operands_; ++o) merge = merge && strides_[o][last] == strides[o] * size;
      if (merge) size *= sizes_[last];
    }
    if (merge) --rank_;
  }
  sizes_[rank_] = size;
  for (int o = 0; o < operands_; ++o) strides_[o][rank_] = strides[o];
  ++rank_;
}

}  // namespace arenascope::cpu
