// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/call_sites.h>

#include <arenascope/trace/call_site.h>

#include <algorithm>
#include <unordered_map>

namespace arenascope::views {

CallSites::CallSites(const trace::Snapshot& snapshot) {
  std::unordered_map<std::string, uint32_t> sites;
  for (size_t i = 0; i < snapshot.stacks.size(); ++i) {
    const trace::StackInfo& stack = snapshot.stacks[i];
    std::string text = trace::call_site(snapshot, &stack);
    if (text.empty()) continue;
    const auto [site, added] = sites.try_emplace(std::move(text), static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(site->first);
    for (const uint32_t allocation : stack.allocations) site_of_.emplace_back(allocation, site->second);
  }
  std::ranges::sort(site_of_);
}

uint32_t CallSites::of(uint32_t allocation) const {
  const auto found = std::ranges::lower_bound(site_of_, allocation, {}, &std::pair<uint32_t, uint32_t>::first);
  return found != site_of_.end() && found->first == allocation ? found->second : kUnknown;
}

}  // namespace arenascope::views
