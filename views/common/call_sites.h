// SPDX-License-Identifier: GPL-3.0-or-later
// Call sites of allocations: the frame of a call stack that its reader knows. Allocations are grouped by it.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <string>
#include <vector>

namespace arenascope::views {

// The innermost frame outside PyTorch, the C++ library, the C library and the interpreter. A Python frame is preferred to
// one of native code. Null: an empty stack; the innermost frame if all of them belong to these.
const trace::StackFrame* call_site_of(const trace::Snapshot& snapshot, const trace::StackInfo& stack);
// "step optimizer.py:78"
std::string frame_text(const trace::Snapshot& snapshot, const trace::StackFrame& frame);

class CallSites {
 public:
  explicit CallSites(const trace::Snapshot& snapshot);

  static constexpr uint32_t kUnknown = 0;
  // The site of an allocation, by its number in Alloc events (SpaceAllocation::block).
  uint32_t of(uint32_t allocation) const;
  const std::string& name(uint32_t site) const { return names_[site]; }  // "" for kUnknown
  size_t size() const { return names_.size(); }                          // with kUnknown
  bool empty() const { return names_.size() <= 1; }

 private:
  std::vector<std::string> names_{""};
  std::vector<std::pair<uint32_t, uint32_t>> site_of_;  // by allocation
};

}  // namespace arenascope::views
