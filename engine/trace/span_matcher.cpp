// SPDX-License-Identifier: MIT
#include "engine/trace/span_matcher.h"

#include <algorithm>

namespace arenascope::trace {

void SpanMatcher::add(const std::string& key, Phase phase, Nanoseconds time, size_t track, NameId name) {
  const auto number = keys_.try_emplace(key, static_cast<uint32_t>(keys_.size())).first->second;
  marks_.push_back({time, number, static_cast<uint32_t>(track), name, phase});
}

void SpanMatcher::finish(Nanoseconds end, ImportBuilder& builder) {
  std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& x, const Mark& y) { return x.time < y.time; });
  open_.resize(keys_.size());
  for (const Mark& mark : marks_) take(mark);
  for (std::vector<Open>& open : open_) {
    open_spans += static_cast<int64_t>(open.size());
    while (!open.empty()) close(open, end);
  }
  for (const Span& span : spans_) builder.span(span.track, span.begin, span.end, span.name);
}

void SpanMatcher::take(const Mark& mark) {
  std::vector<Open>& open = open_[mark.key];
  if (mark.phase == Phase::Begin) {
    open.push_back({spans_.size(), {}});
    spans_.push_back({mark.time, mark.time, mark.track, mark.name});
  } else if (open.empty()) {
    ++unmatched;
  } else if (mark.phase == Phase::End) {
    close(open, mark.time);
  } else {
    open.back().steps.push_back({mark.time, mark.name, mark.phase});
  }
}

void SpanMatcher::close(std::vector<Open>& open, Nanoseconds end) {
  const Open closed = std::move(open.back());
  open.pop_back();
  Span& span = spans_[closed.span];
  span.end = std::max(end, span.begin);
  const Span whole = span;
  for (size_t i = 0; i < closed.steps.size(); ++i) {
    const AsyncStep& step = closed.steps[i];
    const Nanoseconds before = i == 0 ? whole.begin : closed.steps[i - 1].time;
    const Nanoseconds after = i + 1 == closed.steps.size() ? whole.end : closed.steps[i + 1].time;
    if (step.phase == Phase::StepFrom)
      spans_.push_back({step.time, after, whole.track, step.name});
    else
      spans_.push_back({before, step.time, whole.track, step.name});
  }
}

}  // namespace arenascope::trace
