// SPDX-License-Identifier: GPL-3.0-or-later
// Colours the spans of the timeline by a property. Assignments depend on the document and not on the visible range, so
// that panning does not change them.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QCoreApplication>
#include <QString>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace arenascope::views {

enum class TimelineColour : uint8_t { Activity, Op, Kernel, Layer, Thread, Duration };
inline constexpr int kTimelineColours = 6;

inline constexpr uint32_t kSpanCategories = 8, kSpanShades = 8;

struct SpanColour {
  bool shade = false;   // a shade by duration; otherwise a category
  uint32_t number = 0;  // below kSpanShades or kSpanCategories
  bool operator==(const SpanColour&) const = default;
  auto operator<=>(const SpanColour&) const = default;
};

struct TimelineMeaning {  // of a colour that occurs, for the legend
  SpanColour colour;
  QString text;
};

class TimelineColours {
 public:
  // `graph`: of the shown run; may be null.
  TimelineColours(const trace::Snapshot& snapshot, const trace::GraphInfo* graph, TimelineColour by);
  // Nullopt: the span has no such property and keeps its usual colour.
  std::optional<SpanColour> of(const trace::SpanRef& span);
  std::vector<TimelineMeaning> meanings() const;  // of the colours returned so far

 private:
  std::string text_of(const trace::Event& event) const;
  std::string thread_name(trace::TrackId track) const;

  const trace::Snapshot& snapshot_;
  const trace::GraphInfo* graph_;
  TimelineColour by_;
  std::map<std::string, uint32_t> categories_;  // of the graph's ops or layers
  std::map<SpanColour, std::set<std::string>> used_;
};

// The shade of a duration: one per decade from 1 µs to 1 s.
uint32_t shade_of_duration(Nanoseconds duration);

struct TimelineColourNames {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::TimelineColourNames)
 public:
  static QString of(TimelineColour colour);
  static QString shade(uint32_t shade);
};

}  // namespace arenascope::views
