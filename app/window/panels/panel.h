// SPDX-License-Identifier: GPL-3.0-or-later
// The table of all panels: docks, menus, layouts, exports and CSV are created from it. To add a panel, add a line in
// panel_table.cpp.
#pragma once
#include <views/common/export.h>
#include <views/tables/table_panel.h>

#include <functional>
#include <optional>
#include <span>

#include "app/window/document/document.h"
#include "panel_id.h"

namespace arenascope::views {
class ArenaView;
class Breadcrumbs;
class ByteLensView;
class FindingsView;
class FlameView;
class InspectorView;
class LessonPanel;
class OccupancyView;
class PlotView;
class ReplanPanel;
}  // namespace arenascope::views

namespace arenascope::app {

class BreakpointPanel;
class LaboratoryPanel;
class QueryPanel;
class RunSettingsPanel;
class SearchPanel;
class TextPanel;
class TrainingPanel;

// The widgets of the panels that other parts of the window work with.
struct PanelWidgets {
  views::GraphView* graph = nullptr;
  views::OccupancyView* occupancy = nullptr;
  views::ArenaView* arena = nullptr;
  views::LifetimesView* lifetimes = nullptr;
  views::TimelineView* timeline = nullptr;
  views::InspectorView* inspector = nullptr;
  views::Breadcrumbs* breadcrumbs = nullptr;
  views::LessonPanel* lesson = nullptr;
  views::ByteLensView* bytes = nullptr;
  views::FlameView* flame = nullptr;
  views::ReplanPanel* replan = nullptr;
  views::FindingsView* findings = nullptr;
  BreakpointPanel* breakpoints = nullptr;
  LaboratoryPanel* laboratory = nullptr;
  QueryPanel* query = nullptr;
  RunSettingsPanel* settings = nullptr;
  SearchPanel* search = nullptr;
  TextPanel* text = nullptr;
  TrainingPanel* training = nullptr;
};

// Groups of the bar at the bottom; other panels have a fixed area.
enum class PanelGroup : uint8_t { None, Model, Memory, Time, Debug };

enum class DockArea : uint8_t { Left, LeftBelow, Row1, Row2, Row3, Right, Bottom };

// Bits of the built-in layouts.
enum PanelLayout : uint8_t {
  kEverything = 1,
  kGraphLayout = 2,
  kMemoryLayout = 4,
  kTimeLayout = 8,
  kLessonLayout = 16,
  kPlanLayout = 32
};
inline constexpr uint8_t kAllLayouts = 63;

// A created panel.
struct PanelInstance {
  QWidget* widget = nullptr;
  views::Paintable* picture = nullptr;  // null: the widget is painted as it is
  QWidget* drawn = nullptr;             // widget painted by `picture`
  views::PlotView* plot = nullptr;      // `drawn`, if it is a plot
  views::TablePanel* table = nullptr;   // table with the data of the panel, or the panel itself
  bool table_on_request = false;        // `table` is next to `drawn` and hidden at first
  // Returns a function that creates the CSV on any thread, null if there is none; for panels whose table has other data.
  std::function<std::function<QString()>()> csv_maker;
  std::function<void(Document&)> show;  // another document is current
  std::function<void(Document&)>
      leave;  // before another document becomes current; saves the state of the panel in view_state()
};

struct PanelDescriptor {
  PanelId id;
  const char* title;  // English, marked with QT_TRANSLATE_NOOP("Docks", …)
  PanelGroup group;
  DockArea area;
  uint8_t shown;   // layouts in which it is shown
  uint8_t raised;  // layouts in which it is in front of others in the same area
  views::TablePtr (*table)(const views::TableInput&);
  // Also stores the widgets that others work with.
  PanelInstance (*make)(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets& widgets);
  std::optional<PanelId> table_of = std::nullopt;  // panel whose table has the data of this one
};

std::span<const PanelDescriptor> panel_kinds();  // in the order of PanelId
const PanelDescriptor& panel_kind(PanelId id);

}  // namespace arenascope::app
