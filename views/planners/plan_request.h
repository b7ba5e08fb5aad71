// SPDX-License-Identifier: GPL-3.0-or-later
// Planning options that the user chose, and the progress of the search.
#pragma once
#include <arenascope/base/ids.h>
#include <QString>

#include <vector>

namespace arenascope::views {

struct PlanRequest {
  QString planner = QStringLiteral("search"), order = QStringLiteral("depth-first");
  bool in_place = false;
  Bytes fit_under = 0;  // memory limit; 0: as small as possible
  double budget_seconds = 2;
  Bytes alignment = 0;  // 0: that of the current plan
  int streams = 1;      // above 1: results share memory across streams only after an event
  QString banks;        // "sram=512K,host": memory tiers, fastest first; empty: one arena
  bool operator==(const PlanRequest&) const = default;
};

struct SearchProgress {
  struct Point {
    double seconds = 0;
    Bytes arena = 0;
    Bytes bound = 0;
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;
  double budget_seconds = 0;
  double ended = -1;  // total seconds; negative while running
  bool operator==(const SearchProgress&) const = default;
};

}  // namespace arenascope::views
