// SPDX-License-Identifier: MIT
#include "engine/trace/format_migration.h"

#include <arenascope/trace/bind_event.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace arenascope::trace {
namespace {

// Removes the prefix `word` from `text`; false if `text` does not begin with it.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <class T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// Parses "axis 1", possibly followed by more text.
void read_axis(TensorInfo& node) {
  std::string_view text = node.parameters;
  int32_t axis = -1;
  if (take(text, "axis ") && take_number(text, axis) && axis >= 0) node.axis = axis;
}

// Parses "holds CONV conv1, RELU relu1".
void read_parts(TensorInfo& node) {
  std::string_view text = node.parameters;
  if (!take(text, "holds ")) return;
  while (!text.empty()) {
    const size_t end = std::min(text.find(", "), text.size());
    const std::string_view part = text.substr(0, end);
    const size_t space = std::min(part.find(' '), part.size());
    PartInfo& made = node.parts.emplace_back();
    made.op = part.substr(0, space);
    if (space < part.size()) made.name = part.substr(space + 1);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

// Parses the text after "KERNEL over ": "512x64x1: groups of 64x1x1, the fastest of 4 (0.12 ms), level normal,
// remembered".
bool read_choice(std::string_view text, TuningInfo& n) {
  if (take(text, ": way ")) {
    if (!take_number(text, n.way.emplace()) || *n.way < 0) return false;
  } else if (!take(text, ": groups of ") || !take_number(text, n.local[0]) || !take(text, "x") ||
             !take_number(text, n.local[1]) || !take(text, "x") || !take_number(text, n.local[2])) {
    return false;
  }
  if (take(text, ", the fastest of ")) {
    double ms = 0;
    if (!take_number(text, n.tried) || n.tried <= 0 || !take(text, " (") || !take_number(text, ms) ||
        !std::isfinite(ms) || ms < 0 || !take(text, " ms)"))
      return false;
    n.seconds = ms / 1e3;
  } else if (!take(text, ", by rule")) {
    return false;
  }
  if (!take(text, ", level ")) return false;
  const size_t end = std::min(text.find(','), text.size());
  n.level = text.substr(0, end);
  text.remove_prefix(end);
  n.remembered = take(text, ", remembered");
  return text.empty() && !n.level.empty();
}

std::optional<TuningInfo> read_tuning(std::string_view text) {
  constexpr std::string_view kOver = " over ";
  const size_t over = text.find(kOver);
  if (over == std::string_view::npos) return std::nullopt;
  const size_t choice = std::min(text.find(": groups of "), text.find(": way "));
  if (choice == std::string_view::npos || choice < over + kOver.size()) return std::nullopt;
  TuningInfo n;
  n.kernel = text.substr(0, over);
  n.sizes = text.substr(over + kOver.size(), choice - over - kOver.size());
  if (!read_choice(text.substr(choice), n)) return std::nullopt;
  return n;
}

constexpr uint32_t kSliceLive = 7, kSliceDead = 8, kSeenWrite = 14, kSeenRead = 15;

std::optional<EventKind> kind_of(uint32_t old) {
  switch (old) {
    case kSliceLive: return EventKind::SliceLive;
    case kSliceDead: return EventKind::SliceDead;
    case kSeenWrite: return EventKind::ArenaWrite;
    case kSeenRead: return EventKind::ArenaRead;
    default: return std::nullopt;
  }
}

}  // namespace

void mark_writers(GraphInfo& graph) {
  for (TensorInfo& node : graph.nodes)
    for (const std::string_view op : {"SET_ROWS", "OPTIMIZER_STEP", "CPY", "SET"})
      if (node.op == op && (node.flags & kView) != 0) node.flags |= kWritesSource;
}

std::optional<Description> OldForm::description(GraphInfo& graph) {
  for (TensorInfo& node : graph.nodes) {
    read_axis(node);
    read_parts(node);
  }
  return std::nullopt;
}

std::optional<Description> OldForm::description(Problem& problem) {
  if (problem.node.valid() && problem.sentence.ends_with(" holds NaN or infinities"))
    problem.kind = ProblemKind::NotFinite;
  if (problem.severity != Severity::Note) return std::nullopt;
  auto tuning = read_tuning(problem.sentence);
  if (!tuning) return std::nullopt;
  tuning->run = problem.run;
  tuning->time = problem.time;
  return Description(std::move(*tuning));
}

std::optional<Description> OldForm::description(const RunInfo& run) {
  runs_.emplace_back(run.begin, run.id);
  return std::nullopt;
}

RunId OldForm::run_at(Nanoseconds t) const {
  size_t i = runs_.size();
  while (i > 0 && runs_[i - 1].first > t) --i;  // nearly always the newest run
  return i == 0 ? RunId::none() : runs_[i - 1].second;
}

void OldForm::events(std::span<TrackEvent> events) const {
  for (TrackEvent& one : events) {
    Event& e = one.event;
    const auto kind = kind_of(e.kind_extra & 0xff);
    if (!kind) continue;
    if (e.a < 0 || e.b < 0 || e.a > Event::kMaxSlice || e.b > Event::kMaxSlice) {
      e.kind_extra = 0;  // invalid on purpose: the session then counts the event as malformed
      continue;
    }
    e = slice_event(*kind, run_at(e.time), e.time, TensorRef{e.id}, e.a, e.b, Step(e.extra24()));
  }
}

}  // namespace arenascope::trace
