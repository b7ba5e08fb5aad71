// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of the window. Names are for files alone: settings, sessions, lessons and the arguments of --export. To add
// a panel, add an enumerator, its need in panel_content.cpp and its descriptor in panel_table.cpp.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace arenascope::app {

enum class PanelId : uint8_t {
  Graph,
  Occupancy,
  Arena,
  Lifetimes,
  Timeline,
  Inspector,
  Lesson,
  Nodes,
  Ops,
  Layers,
  Objects,
  Bytes,
  Settings,
  Compare,
  Text,
  Training,
  CallSites,
  Flame,
  Blocks,
  Allocators,
  Laboratory,
  Pools,
  Planners,
  Reuse,
  Moves,
  Holes,
  Findings,
  Barriers,
  Roofline,
  Durations,
  Spans,
  Counters,
  Tuning,
  Breakpoints,
  Problems,
  Notes,
  Query,
  Search,
};
inline constexpr size_t kPanelCount = static_cast<size_t>(PanelId::Search) + 1;

constexpr size_t index_of(PanelId id) { return static_cast<size_t>(id); }

// True if row i of a table of panels is that of panel i, for all panels.
template <class Rows>
constexpr bool has_row_per_panel(const Rows& rows) {
  size_t i = 0;
  for (const auto& row : rows)
    if (index_of(row.id) != i++) return false;
  return i == kPanelCount;
}

const char* name_of(PanelId id);  // stable: "callsites"
std::optional<PanelId> panel_named(std::string_view name);

}  // namespace arenascope::app
