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
  // `arena_bytes`: of the plan's arena, which holds activations; 0: there is none.
  MemoryClasses(const trace::Snapshot& snapshot, Bytes arena_bytes);
  MemoryClass of(const trace::SpaceSlice& slice) const;

 private:
  const trace::Snapshot& snapshot_;
  Bytes arena_bytes_;
  std::set<std::pair<trace::GraphId, trace::TensorRef>> gradients_;  // and what they are summed up in
};

}  // namespace arenascope::views
