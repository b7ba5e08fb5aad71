// SPDX-License-Identifier: GPL-3.0-or-later
// Allocations grouped by their call site (arenascope/trace/call_site.h).
#pragma once
#include <arenascope/trace/snapshot.h>

#include <string>
#include <vector>

namespace arenascope::views {

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
