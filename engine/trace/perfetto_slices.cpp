// SPDX-License-Identifier: MIT
#include "engine/trace/perfetto_slices.h"

#include <algorithm>

namespace arenascope::trace {

namespace {
constexpr Nanoseconds kNotEnded = -1;  // as the duration of a slice that begins
}

// The slices inside `outer` end with it: their own ends are missing or late.
void PerfettoSlices::end_inside(size_t outer) {
  const Nanoseconds end = slices_[stack_[outer].slice].end;
  for (size_t i = outer + 1; i < stack_.size(); ++i) slices_[stack_[i].slice].end = end;
  stack_.resize(outer);
}

// Removes the slices that ended before a new one begins. False if the new one would overlap the end of a slice.
bool PerfettoSlices::close_before(Nanoseconds time, Nanoseconds duration) {
  bool open_inside = false;
  for (size_t i = stack_.size(); i-- > 0;) {
    if (!stack_[i].ended) {
      open_inside = true;
      continue;
    }
    const Slice& s = slices_[stack_[i].slice];
    if (open_inside) {
      if (time <= s.end) continue;
      end_inside(i);
      open_inside = false;
      continue;
    }
    const bool both_instants = s.begin == s.end && duration == 0;  // instants at one time are stacked
    if (s.end < time || (s.end == time && !both_instants)) {
      stack_.resize(i);
    } else if (duration != kNotEnded && time < s.end && time + duration > s.end) {
      return false;
    }
  }
  return true;
}

bool PerfettoSlices::push(Nanoseconds begin, Nanoseconds end, NameId name, uint32_t category, bool ended) {
  if (stack_.size() >= kMaxDepth) return false;
  slices_.push_back({begin, end, name, static_cast<int32_t>(stack_.size())});
  stack_.push_back({slices_.size() - 1, category, ended});
  return true;
}

void PerfettoSlices::begin(Nanoseconds time, NameId name, uint32_t category) {
  close_before(time, kNotEnded);
  push(time, time, name, category, false);
}

bool PerfettoSlices::complete(Nanoseconds time, Nanoseconds duration, NameId name) {
  return close_before(time, duration) && push(time, time + duration, name, 0, true);
}

bool PerfettoSlices::end(Nanoseconds time, NameId name, uint32_t category) {
  close_before(time, kNotEnded);
  for (size_t i = stack_.size(); i-- > 0;) {
    Open& open = stack_[i];
    Slice& s = slices_[open.slice];
    if (open.ended || (category != 0 && category != open.category)) continue;
    if (name.valid() && s.name.valid() && name != s.name) continue;
    s.end = time;
    open.ended = true;
    if (i + 1 == stack_.size()) stack_.pop_back();
    return true;
  }
  return false;
}

int64_t PerfettoSlices::finish(Nanoseconds time) {
  int64_t open = 0;
  for (const Open& o : stack_) {
    if (o.ended) continue;
    slices_[o.slice].end = std::max(slices_[o.slice].begin, time);
    ++open;
  }
  stack_.clear();
  return open;
}

}  // namespace arenascope::trace
