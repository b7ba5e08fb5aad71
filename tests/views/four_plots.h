// SPDX-License-Identifier: GPL-3.0-or-later
// All plotted views over one recording, as in a window.
#pragma once
#include <views/arena/arena_view.h>
#include <views/common/session_source.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/timeline/timeline_view.h>

namespace arenascope::test {

struct FourPlots {
  FourPlots(std::shared_ptr<trace::Session> session, QSize size)
      : axis(&source), occupancy(at()), arena(at()), lifetimes(at()), timeline(at()) {
    source.set_session(std::move(session));
    for (views::PlotView* v : all()) {
      v->resize(size);
      v->show();
    }
  }
  views::ViewContext at() { return {&source, &selection, &axis, &theme}; }
  std::vector<views::PlotView*> all() { return {&occupancy, &arena, &lifetimes, &timeline}; }

  views::SessionSource source;
  views::SelectionModel selection;
  views::SharedAxis axis;
  views::Theme theme;
  views::OccupancyView occupancy;
  views::ArenaView arena;
  views::LifetimesView lifetimes;
  views::TimelineView timeline;
};

}  // namespace arenascope::test
