// SPDX-License-Identifier: MIT
// Disjoint half-open address ranges, each with a value. A range is removed by its addresses, independent of the ranges
// that were added: removing the middle of one range leaves two, and one removal may span several.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace arenascope::trace {

template <class Value>
class AddressRanges {
 public:
  struct Range {
    uint64_t begin = 0, end = 0;
    Value value{};
    uint64_t bytes() const { return end - begin; }
  };

  // Adds the parts of [begin, end) that are in no range.
  void add(uint64_t begin, uint64_t end, const Value& value) {
    for (auto next = first_after(begin); begin < end; ++next) {
      const bool last = next == ranges_.end() || next->first >= end;
      if (const uint64_t until = last ? end : next->first; begin < until) ranges_.emplace(begin, Part{until, value});
      if (last) return;
      begin = std::max(begin, next->second.end);
    }
  }
  // Removes [begin, end). Returns the removed parts in order of address.
  std::vector<Range> remove(uint64_t begin, uint64_t end) {
    std::vector<Range> removed;
    for (auto at = first_after(begin); begin < end && at != ranges_.end() && at->first < end;) {
      const uint64_t from = at->first, to = at->second.end;
      const Value value = at->second.value;
      at = ranges_.erase(at);
      removed.push_back({std::max(from, begin), std::min(to, end), value});
      if (from < begin) ranges_.emplace(from, Part{begin, value});
      if (end < to) at = ranges_.emplace(end, Part{to, value}).first;
    }
    return removed;
  }
  // The range that contains the address; `begin` equals `end` if there is none.
  Range at(uint64_t address) const {
    const auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin() || std::prev(next)->second.end <= address) return {};
    return range(*std::prev(next));
  }
  std::vector<Range> all() const {
    std::vector<Range> out;
    out.reserve(ranges_.size());
    for (const auto& entry : ranges_) out.push_back(range(entry));
    return out;
  }

 private:
  struct Part {
    uint64_t end = 0;
    Value value{};
  };
  using Map = std::map<uint64_t, Part>;  // by begin
  static Range range(const typename Map::value_type& entry) {
    return {entry.first, entry.second.end, entry.second.value};
  }
  // The first range that ends after the address.
  typename Map::iterator first_after(uint64_t address) {
    const auto next = ranges_.upper_bound(address);
    return next != ranges_.begin() && std::prev(next)->second.end > address ? std::prev(next) : next;
  }

  Map ranges_;
};

}  // namespace arenascope::trace
