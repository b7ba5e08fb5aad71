// SPDX-License-Identifier: MIT
#include <arenascope/trace/description_log.h>

#include <algorithm>

namespace arenascope::trace {

namespace {

// The run that a description begins or ends; none: it does neither.
RunId run_of_description(const Description& description) {
  if (const auto* begin = std::get_if<RunInfo>(&description)) return begin->id;
  if (const auto* end = std::get_if<RunEnd>(&description)) return end->id;
  return RunId::none();
}

// A description of an object's present state, which later ones replace.
bool is_state(const Description& d) {
  return std::holds_alternative<std::shared_ptr<const ContextInfo>>(d) || std::holds_alternative<AllocatorState>(d) ||
         std::holds_alternative<ClockInfo>(d) || std::holds_alternative<PoolInfo>(d) ||
         std::holds_alternative<ReplayInfo>(d) || std::holds_alternative<AnnotationInfo>(d);
}

// True if `newer` replaces `older`, which describes an earlier state of the same object.
bool replaces(const Description& newer, const Description& older) {
  if (newer.index() != older.index()) return false;
  const auto same = [&]<class T>(const T& update) {
    const T& known = *std::get_if<T>(&older);
    if constexpr (std::is_same_v<T, std::shared_ptr<const ContextInfo>>)
      return update && known && update->id == known->id;
    else if constexpr (std::is_same_v<T, AllocatorState>)
      return update.allocator == known.allocator;
    else if constexpr (std::is_same_v<T, ClockInfo> || std::is_same_v<T, PoolInfo> || std::is_same_v<T, ReplayInfo>)
      return update.device == known.device;
    else
      return std::is_same_v<T, AnnotationInfo>;
  };
  return std::visit(same, newer);
}

}  // namespace

void DescriptionLog::reserve(size_t more) {
  if (list_.capacity() - list_.size() < more) list_.reserve(std::max(list_.size() + more, 2 * list_.capacity()));
}

void DescriptionLog::add(Description description) {
  if (is_state(description) && replace(description)) return;
  const bool of_run = run_of_description(description).valid();
  list_.push_back(std::move(description));
  if (!of_run) return;
  if (++runs_ > size_t{4} * kKeptRuns) forget_runs();
}

bool DescriptionLog::replace(Description& description) {
  const auto older = std::find_if(list_.rbegin(), list_.rend(),
                                  [&](const Description& known) { return replaces(description, known); });
  if (older == list_.rend()) return false;
  *older = std::move(description);
  return true;
}

void DescriptionLog::forget_runs() {
  int32_t newest = 0;
  for (const Description& d : list_) newest = std::max(newest, run_of_description(d).value);
  const auto gone = std::erase_if(list_, [&](const Description& d) {
    const RunId run = run_of_description(d);
    return run.valid() && run.value <= newest - kKeptRuns;
  });
  runs_ -= gone;
}

}  // namespace arenascope::trace
