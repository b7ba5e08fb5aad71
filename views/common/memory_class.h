// SPDX-License-Identifier: GPL-3.0-or-later
// The use of allocated memory, derived from its owner and its memory kind.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <set>

namespace arenascope::views {

enum class MemoryClass : uint8_t { Weights, Cache, Gradients, Optimizer, Activations, Workspace, Other };
inline constexpr size_t kMemoryClasses = 7;
QString class_name(MemoryClass c);

class MemoryClasses {
 public:
  explicit MemoryClasses(const trace::Snapshot& snapshot);
  // For an arena: the class of the bytes that no tensor occupies.
  MemoryClass of(const trace::SpaceAllocation& slice) const;
  // The class of a tensor placed in an arena.
  MemoryClass of(const trace::ArenaAllocation& slice) const;

 private:
  MemoryClass of_tensor(trace::GraphId graph, trace::TensorRef ref, const trace::TensorInfo& tensor) const;

  const trace::Snapshot& snapshot_;
  std::set<std::pair<trace::GraphId, trace::TensorRef>> gradients_;  // and their accumulators
};

}  // namespace arenascope::views
