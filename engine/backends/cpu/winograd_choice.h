// SPDX-License-Identifier: MIT
// Which convolutions go by Winograd's transform. Its form of the weights takes 16 numbers for 9, so that it is weighed with all of
// a graph's weights: those are taken first that save most products for each byte, as long as there is room.
#pragma once
#include <cstddef>
#include <span>
#include <unordered_set>

#include <arenascope/runtime/prepared.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

class WinogradChoice {
 public:
  WinogradChoice() = default;  // none
  // Of nodes whose memory is bound. `most` times their weights' bytes may be taken; a few are always there for small graphs.
  WinogradChoice(std::span<const TensorImpl* const> nodes, double most);

  bool takes(const TensorImpl& node) const;
  const PackedWeights& told() const { return told_; }

 private:
  std::unordered_set<const std::byte*> taken_;  // by where the weight lies
  PackedWeights told_;
};

}  // namespace arenascope::cpu
