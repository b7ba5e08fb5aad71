// SPDX-License-Identifier: GPL-3.0-or-later
// The table of all panels: docks, menus, layouts, exports and CSV are created from it. To add a panel, add a line in
// panel_table.cpp.
#pragma once
#include <views/common/export.h>
#include <views/tables/table_panel.h>

#include <functional>
#include <span>

#include "app/window/document/document.h"

namespace arenascope::app {

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
  views::TablePanel* table = nullptr;   // table with the data of the panel, or the panel itself
  // Returns a function that creates the CSV on any thread, null if there is none; for panels whose table has other data.
  std::function<std::function<QString()>()> csv_maker;
  std::function<void(Document&)> show;  // another document is current
  std::function<void(Document&)>
      leave;  // before another document becomes current; saves the state of the panel in view_state()
};

struct PanelDescriptor {
  const char* id;     // stable: used by settings, lessons, actions and --export
  const char* title;  // English, marked with QT_TRANSLATE_NOOP("Docks", …)
  PanelGroup group;
  DockArea area;
  uint8_t shown;   // layouts in which it is shown
  uint8_t raised;  // layouts in which it is in front of others in the same area
  views::TablePtr (*table)(const views::TableInput&);
  PanelInstance (*make)(const PanelDescriptor& kind, Document& document, QWidget* parent);
  const char* table_of = nullptr;  // panel whose data this table shows, if it is another one
};

std::span<const PanelDescriptor> panel_kinds();

}  // namespace arenascope::app
