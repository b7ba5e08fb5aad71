// SPDX-License-Identifier: GPL-3.0-or-later
// Every panel of the window, once: docks, menus, layouts, pictures and CSV are made from this table. To add a panel: a
// line in panel_table.cpp.
#pragma once
#include <views/common/export.h>
#include <views/tables/table_panel.h>

#include <functional>
#include <span>

#include "app/window/document/document.h"

namespace arenascope::app {

// Which panels stand together in the bar at the bottom; the others have a place of their own.
enum class PanelGroup : uint8_t { None, Model, Memory, Time, Debug };

enum class PanelPlace : uint8_t { Left, LeftBelow, Row1, Row2, Row3, Right, Bottom };

// The arrangements that come with the program, as bits.
enum PanelLayout : uint8_t {
  kEverything = 1,
  kGraphLayout = 2,
  kMemoryLayout = 4,
  kTimeLayout = 8,
  kLessonLayout = 16
};
inline constexpr uint8_t kAllLayouts = 31;

// A panel that was made.
struct PanelParts {
  QWidget* widget = nullptr;
  views::Paintable* picture = nullptr;   // null: it is drawn as it stands
  QWidget* drawn = nullptr;              // by `picture`
  views::TablePanel* table = nullptr;    // tells what the panel shows, or is the panel
  std::function<QString()> csv;          // where no table tells it
  std::function<void(Document&)> show;   // another document is at hand
  std::function<void(Document&)> leave;  // it was; what is the panel's own goes into its looks()
};

struct PanelKind {
  const char* id;     // stable: settings, lessons, the action that goes to it, and --export name panels by it
  const char* title;  // English, marked with QT_TRANSLATE_NOOP("Docks", …)
  PanelGroup group;
  PanelPlace place;
  uint8_t shown;   // in which layouts
  uint8_t raised;  // and where it is the one that is seen of those that share its place
  views::TablePtr (*table)(const views::TableInput&);
  PanelParts (*make)(const PanelKind& kind, Document& document, QWidget* parent);
  const char* table_of = nullptr;  // the panel that tells it as a table, where that is another
};

std::span<const PanelKind> panel_kinds();

}  // namespace arenascope::app
