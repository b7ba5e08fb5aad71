// SPDX-License-Identifier: GPL-3.0-or-later
// The state of all views of a document: a value. It is kept while another document is shown and stored with the
// session of the window (session.h).
#pragma once
#include <views/arena/arena_view.h>
#include <views/flame/flame_view.h>
#include <views/graph/graph_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/tables/table_panel.h>
#include <views/timeline/timeline_view.h>

#include <QJsonObject>
#include <QMap>

#include <optional>

#include "app/window/panels/panel_id.h"

namespace arenascope::app {

struct ViewState {
  views::AxisMode axis = views::AxisMode::Step;
  bool by_runs = false;                   // AxisFrame::by_runs()
  std::optional<views::AxisRange> range;  // nullopt: everything, also if it grows
  views::GraphView::ViewState graph;
  views::FlameView::ViewState flame;
  views::OccupancyView::ViewState occupancy;
  views::ArenaView::ViewState arena;
  views::LifetimesView::ViewState lifetimes;
  views::TimelineView::ViewState timeline;
  QMap<PanelId, views::TablePanel::ViewState> tables;
  QString search;                                  // text of the search panel
  QString query;                                   // SQL of the query panel
  std::optional<views::TimeRangeSelection> mark;   // first of two range marks in a trace without steps
  std::optional<views::TimeRangeSelection> spans;  // range of the table of spans; not stored
  std::optional<views::NodeSelection> selected;    // node or tensor
  bool operator==(const ViewState&) const = default;

  QJsonObject to_json() const;
  // Missing and invalid members have their defaults. Lists have at most 10,000 items, texts 100,000 characters.
  static ViewState from_json(const QJsonObject& json);
};

}  // namespace arenascope::app
