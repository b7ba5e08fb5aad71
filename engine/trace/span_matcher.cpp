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
  stacks_.resize(keys_.size());
  for (const Mark& mark : marks_) take(mark);
  for (Stack& stack : stacks_)
    while (const auto span = innermost(stack)) {
      ++open_spans;
      close(*span, end);
    }
  for (const Span& span : spans_) builder.span(span.track, span.begin, span.end, span.name);
}

void SpanMatcher::take(const Mark& mark) {
  if (mark.phase == Phase::Begin) {
    stacks_[mark.key].push_back(spans_.size());
    of_name(mark.key, mark.name).push_back(spans_.size());
    spans_.push_back({mark.time, mark.time, mark.track, mark.name, true});
    return;
  }
  const bool by_name = mark.phase == Phase::End && mark.name.valid();
  const auto span = innermost(by_name ? of_name(mark.key, mark.name) : stacks_[mark.key]);
  if (!span)
    ++unmatched;
  else if (mark.phase == Phase::End)
    close(*span, mark.time);
  else
    steps_[*span].push_back({mark.time, mark.name, mark.phase});
}

std::optional<size_t> SpanMatcher::innermost(Stack& stack) const {
  while (!stack.empty() && !spans_[stack.back()].open) stack.pop_back();
  return stack.empty() ? std::nullopt : std::optional(stack.back());
}

void SpanMatcher::close(size_t closed, Nanoseconds end) {
  Span& span = spans_[closed];
  span.end = std::max(end, span.begin);
  span.open = false;
  const Span whole = span;
  const auto found = steps_.find(closed);
  if (found == steps_.end()) return;
  const std::vector<AsyncStep> steps = std::move(found->second);
  steps_.erase(found);
  for (size_t i = 0; i < steps.size(); ++i) {
    const AsyncStep& step = steps[i];
    const Nanoseconds before = i == 0 ? whole.begin : steps[i - 1].time;
    const Nanoseconds after = i + 1 == steps.size() ? whole.end : steps[i + 1].time;
    if (step.phase == Phase::StepFrom)
      spans_.push_back({step.time, after, whole.track, step.name});
    else
      spans_.push_back({before, step.time, whole.track, step.name});
  }
}

}  // namespace arenascope::trace
