// SPDX-License-Identifier: GPL-3.0-or-later
// What memory that was handed out is used for, as far as its owner and its kind tell it.
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
  // Of an arena: of what nobody lives in.
  MemoryClass of(const trace::SpaceSlice& slice) const;
  // Of what lives in an arena.
  MemoryClass of(const trace::SliceRect& slice) const;

 private:
  MemoryClass of_tensor(trace::GraphId graph, trace::TensorRef ref, const trace::TensorInfo& tensor) const;

  const trace::Snapshot& snapshot_;
  std::set<std::pair<trace::GraphId, trace::TensorRef>> gradients_;  // and what they are summed up in
};

}  // namespace arenascope::views
